"""Voices as they are listed: from the library's values and the project's to rows. Pure functions."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from engine.request import Voice
from studio.document.project import Project
from studio.library.clips import thumbnail_of
from studio.library.voices import Consent, LibraryVoice
from studio.panels.voices import VoiceRow
from studio.voice_codes import READY


def voice_rows(
    project: Project,
    voices: tuple[Voice, ...],
    library: tuple[LibraryVoice, ...],
    state: Callable[[LibraryVoice], str],
    thumbnails: Mapping[str, np.ndarray | None],
    reading: tuple[str, ...],
    today: datetime.date,
    is_own: Callable[[LibraryVoice], bool],
    remembered: Callable[[LibraryVoice], bool],
    known_as: Mapping[str, str] = MappingProxyType({}),
) -> tuple[VoiceRow, ...]:
    """Those of the project first, then the library's, then those of the checkpoint; last what is on its way in.

    `is_own` tells those of the user's own library from those of the second one, `remembered` whose prompt memory is on
    disk. `voices` are all that can be cast, `thumbnails` of those that are in no library, by name; `known_as` what the
    library calls those of the project that bear another name there.
    """
    kept = {voice.name: voice for voice in library}
    own = {voice.name for voice in project.voices}
    names = [voice.name for voice in project.voices]
    names += [voice.name for voice in library if voice.name not in own]
    names += [voice.name for voice in voices if voice.name not in own and voice.name not in kept]
    rows = []
    for name in names:
        if name in kept:
            rows.append(_library_row(kept[name], state(kept[name]), name in own, today, is_own(kept[name]),
                                     remembered(kept[name])))  # fmt: skip
        else:
            detail = "Carried by this project" if name in own else "Came with the voice model"
            detail += f" · {known_as[name]} in the library" if name in known_as else ""
            rows.append(VoiceRow(name, thumbnails.get(name), detail=detail))
    return (*rows, *(VoiceRow(name, None, "reading", ready=False) for name in reading))


def _library_row(voice: LibraryVoice, state: str, carried: bool, today: datetime.date, own: bool,
                 remembered: bool) -> VoiceRow:  # fmt: skip
    """A voice that the project carries can be cast whatever its state in the library is."""
    return VoiceRow(
        voice.name,
        thumbnail_of(voice.clips),
        state,
        state == READY or carried,
        ("" if own else "Second library · ") + _detail(voice, remembered),
        " ".join((voice.language, voice.note, voice.permission.who)),
        voice.folder,
        voice.colour,
        voice.favourite and own,
        own,
        "permission ended" if voice.permission.expired(today) else "",
    )


def _detail(voice: LibraryVoice, remembered: bool) -> str:
    """"English · 9.4 s · 2 clips · in 3 projects · written, until 2027-06-30"."""
    clips, projects = len(voice.clips), len(voice.projects)
    told = [
        voice.language,
        f"{voice.seconds:.1f} s",
        f"{clips} clips" if clips > 1 else "",
        "in 1 project" if projects == 1 else f"in {projects} projects" if projects else "",
        voice.permission.words if voice.permission.consent is not Consent.NOT_STATED else "",
        "consent on record" if voice.spoken_consent is not None else "",
        "memory on disk" if remembered else "",
        voice.note,
    ]
    return " · ".join(each for each in told if each)
