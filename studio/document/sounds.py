"""What sounds in the project file, as FLAC: the clips of the voices, for where the library is not, and the kept takes,
where the project is to hold them, for where the voice model is not. Each is a member of its own, read when it is
wanted. It sounds the same for ever, so what lies in one file is copied into the next and never encoded again.
"""

from __future__ import annotations

import contextlib
import errno
import io
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import soundfile

from engine.request import Reference, Take
from engine.whole_file import reachable
from studio.document.compare import codes_digest
from studio.document.project import Project
from studio.samples import Peaks, Print

MOST_BYTES = 64_000_000  # of one
_MOST_OF_ALL = 1_000_000_000
_MOST_CLIP_SECONDS, _MOST_RATE = 600, 192_000
_TAKES, _CLIPS, _SUFFIX = "sound/", "clips/", ".flac"

PrintOf = Callable[[str], Print | None]
"""How a take of that id, or the clip of which these are the codes, sounds; None where nobody knows."""


def wanted_sounds(project: Project) -> tuple[str, ...]:
    """The takes whose sound the project keeps: those that its lines keep, in order, and those with a star."""
    if not project.keeps_sound:
        return ()
    kept = [line.kept for line in project.lines() if line.kept is not None]
    return tuple(dict.fromkeys((*kept, *(take for take, mark in project.marks.items() if mark.star))))


def sounds(
    project: Project, before: Path | None, print_of: PrintOf, clip_of: PrintOf
) -> Generator[tuple[str, bytes], None, None]:
    """Members for the clips and takes that the project has, as names and contents: copied from the file `before` where
    that has them, else encoded; those that nobody can hear now, and what would be too much, are left out."""
    clips = dict.fromkeys(codes_digest(each) for voice in project.voices for each in voice.references)
    wanted: Mapping[str, Callable[[], Print | None]] = {
        **{f"{_CLIPS}{digest}{_SUFFIX}": partial(clip_of, digest) for digest in clips},
        **{f"{_TAKES}{take_id}{_SUFFIX}": partial(print_of, take_id) for take_id in wanted_sounds(project)},
    }
    with _archive(before) as archive:
        size = 0
        for name, source in wanted.items():
            content = _copied(archive, name) or _encoded(source())
            if content is not None and len(content) <= MOST_BYTES and size + len(content) <= _MOST_OF_ALL:
                size += len(content)
                yield name, content


def sounding_in(names: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The ids of the takes, and the digests of the codes of the clips, whose sound is among members of these names."""
    plain = [name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)]
    takes, clips = ({each.removeprefix(kind) for each in plain if each.startswith(kind)} for kind in (_TAKES, _CLIPS))
    return frozenset(takes), frozenset(clips)


def read_sound(path: Path, take: Take) -> Print | None:
    """How a take sounds, from a project file; None where that does not tell it, or not rightly."""
    rate = take.origin.rate
    return _read(path, f"{_TAKES}{take.id}{_SUFFIX}", take.frames * take.origin.hop, rate)


def read_clip(path: Path, reference: Reference) -> Print | None:
    """How the clip of a reference sounds, as `read_sound`."""
    return _read(path, f"{_CLIPS}{codes_digest(reference)}{_SUFFIX}", _MOST_CLIP_SECONDS * _MOST_RATE)


def _read(path: Path, name: str, most: int, rate: int | None = None) -> Print | None:
    with _archive(path) as archive:
        content = _copied(archive, name)
    with contextlib.suppress(soundfile.LibsndfileError, ValueError):
        return _decoded(content, most, rate) if content is not None else None
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


def _copied(archive: zipfile.ZipFile | None, name: str) -> bytes | None:
    """The member of that name as it is, where it is whole."""
    if archive is None:
        return None
    try:
        member = archive.getinfo(name)
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


def _decoded(content: bytes, most: int, wanted: int | None) -> Print:
    """The samples, no more than `most`; ValueError where they cannot be what is wanted, at that rate if it is known."""
    with soundfile.SoundFile(io.BytesIO(content)) as file:
        rate = file.samplerate
        if (file.format, file.channels) != ("FLAC", 1) or not 0 < file.frames <= most:
            raise ValueError("the sound of something else")
        if rate != wanted if wanted is not None else rate > _MOST_RATE:
            raise ValueError("at another rate")
        samples = np.asarray(file.read(file.frames, dtype="float32"), np.float32)
    if not len(samples):
        raise ValueError("no sound")
    samples.flags.writeable = False
    return Print(rate, samples, Peaks(samples), exact=False)
