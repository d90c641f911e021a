"""How takes sound, as FLAC in the project file, for where their voice model is not: a member for each, read by itself
when it is wanted. A take sounds the same for ever, so what lies in one file is copied into the next and never encoded
again.
"""

from __future__ import annotations

import contextlib
import errno
import io
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path

import numpy as np
import soundfile

from engine.request import Take
from engine.whole_file import reachable
from studio.document.project import Project
from studio.samples import Peaks, Print

MOST_BYTES = 64_000_000  # of one
_MOST_OF_ALL = 1_000_000_000
_PREFIX, _SUFFIX = "sound/", ".flac"

PrintOf = Callable[[str], Print | None]
"""How a take of that id sounds, None where nobody knows."""


def wanted_sounds(project: Project) -> tuple[str, ...]:
    """The takes whose sound the project keeps: those that its lines keep, in order, and those with a star."""
    if not project.keeps_sound:
        return ()
    kept = [line.kept for line in project.lines() if line.kept is not None]
    return tuple(dict.fromkeys((*kept, *(take for take, mark in project.marks.items() if mark.star))))


def sounds(
    wanted: Iterable[str], before: Path | None, print_of: PrintOf
) -> Generator[tuple[str, bytes], None, None]:
    """Members for the takes that are wanted, as names and contents: copied from the file `before` where it has them,
    else encoded; those that nobody can hear now, and what would be too much, are left out."""
    with _archive(before) as archive:
        size = 0
        for take_id in wanted:
            content = _copied(archive, take_id) or _encoded(print_of(take_id))
            if content is not None and len(content) <= MOST_BYTES and size + len(content) <= _MOST_OF_ALL:
                size += len(content)
                yield _name(take_id), content


def takes_of(names: Iterable[str]) -> frozenset[str]:
    """The ids of the takes whose sound is among the members of these names."""
    return frozenset(
        name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
        for name in names
        if name.startswith(_PREFIX) and name.endswith(_SUFFIX)
    )


def read_sound(path: Path, take: Take) -> Print | None:
    """How a take sounds, from a project file; None where that does not tell it, or not rightly."""
    with _archive(path) as archive:
        content = _copied(archive, take.id)
    with contextlib.suppress(soundfile.LibsndfileError, ValueError):
        return _decoded(content, take) if content is not None else None
    return None


@contextlib.contextmanager
def _archive(path: Path | None) -> Iterator[zipfile.ZipFile | None]:
    """The file of the project, None where it is not there any more."""
    try:
        archive = zipfile.ZipFile(reachable(path)) if path is not None else None
    except (OSError, zipfile.BadZipFile):
        archive = None
    with archive or contextlib.nullcontext():
        yield archive


def _copied(archive: zipfile.ZipFile | None, take_id: str) -> bytes | None:
    """The member of a take as it is, where it is whole."""
    if archive is None:
        return None
    try:
        member = archive.getinfo(_name(take_id))
        if member.compress_type != zipfile.ZIP_STORED or member.file_size > MOST_BYTES:
            return None
        return archive.read(member)
    except (KeyError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError):
        return None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        return None


def _encoded(held: Print | None) -> bytes | None:
    if held is None or not len(held.samples):
        return None
    made = io.BytesIO()
    try:
        soundfile.write(made, held.samples, held.rate, "PCM_16", format="FLAC")
    except soundfile.LibsndfileError:  # a rate that FLAC does not have
        return None
    return made.getvalue()


def _decoded(content: bytes, take: Take) -> Print:
    """The samples; ValueError where they cannot be the take's. No more is decoded than the take is long."""
    with soundfile.SoundFile(io.BytesIO(content)) as file:
        most = take.frames * take.origin.hop
        if (file.format, file.channels, file.samplerate) != ("FLAC", 1, take.origin.rate) or file.frames > most:
            raise ValueError("the sound of something else")
        samples = np.asarray(file.read(most, dtype="float32"), np.float32)
    if not len(samples):
        raise ValueError("no sound")
    samples.flags.writeable = False
    return Print(take.origin.rate, samples, Peaks(samples), exact=False)


def _name(take_id: str) -> str:
    return f"{_PREFIX}{take_id}{_SUFFIX}"
