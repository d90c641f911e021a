"""The project file: a zip with a few named members, written whole or not at all, and read without trusting it.

mimetype                  first and stored, so that the file can be told by its beginning
project.json              version, and the project as it is now
history.jsonl             where in the history that is; then one step a row, oldest first
voices.safetensors        the codes of the voices by digest, int16 [codebook, frame]
takes/0.safetensors ...   packs of all takes, kept or not, binned or not
thumbnails.safetensors    what the waves of takes look like, where that is known
clips/DIGEST.flac ...     how the clips of the voices sound, by the digests of their codes, where that is known
sound/ID.flac ...         how the kept takes sound, where the project keeps that

Rows of steps, packs and sounds never change once they are written, so a save copies them from the save before. Sounds
are only read when they are wanted.
"""

from __future__ import annotations

import errno
import itertools
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from safetensors import SafetensorError

from engine.errors import TakeFileError
from engine.request import Take
from engine.whole_file import reachable, whole_file
from studio.document.history import History, Step
from studio.document.members import MOST_STEPS, VERSION, history_in, history_members, parsed, step_rows
from studio.document.packs import Pack, packed, unpack
from studio.document.sounds import PrintOf, sounding_in, sounds
from studio.document.thumbnails import Thumbnail, packed_thumbnails, unpacked_thumbnails
from studio.document.upgrades import upgraded
from studio.document.zipped import read_member

MIMETYPE = b"application/x-retake"
THUMBNAILS = "thumbnails.safetensors"
_MEGABYTE = 1_000_000
MOST_BYTES = {
    "mimetype": 100,
    "project.json": 64 * _MEGABYTE,
    "history.json": 128 * _MEGABYTE,  # until version 1
    "history.jsonl": 256 * _MEGABYTE,
    "voices.safetensors": 128 * _MEGABYTE,
    THUMBNAILS: 64 * _MEGABYTE,
    "takes": 70 * _MEGABYTE,  # each member of them
}
_MOST_READ_BYTES = 800 * _MEGABYTE  # of all members that are read when it is opened
_MOST_FILE_BYTES = 2_000 * _MEGABYTE
_MOST_LIST_BYTES = 16 * _MEGABYTE  # of the list of members at its end
_END = struct.Struct("<4s4H2LH")  # what a zip ends with: where the list of its members is, and how long
_BEFORE_END = 20  # bytes: of what comes before that in a zip of many gigabytes
MALFORMED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,  # a compression nobody here knows
    RuntimeError,  # an encrypted member; JSON nested without end
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    ValueError,
    OverflowError,
    SafetensorError,
    TakeFileError,
)


class ProjectFileError(Exception):
    """A project file cannot be read. The message is a plain sentence, `path` the file."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class NewerProjectError(ProjectFileError):
    """The file was written by a later Retake, whose files this one does not know."""


class ChangedUnderneathError(ProjectFileError):
    """The file is not the one that was read or written last: somebody else has saved it meanwhile."""


@dataclass(frozen=True, eq=False)
class Written:
    """What a file holds, to be copied into the next one: its packs, its steps and the row of each, and at `path` the
    `sounds` of these takes and the `clips` of these codes. `seal` tells it from every other one (see `seal_of`)."""

    packs: tuple[Pack, ...] = ()
    steps: tuple[Step, ...] = ()
    rows: tuple[bytes, ...] = field(default=(), repr=False)
    seal: str = ""
    path: Path | None = None
    sounds: frozenset[str] = frozenset()
    clips: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Loaded:
    """What was in a file."""

    history: History
    takes: tuple[Take, ...]
    written: Written
    thumbnails: Mapping[str, Thumbnail] = field(default_factory=dict)


def save(
    path: Path,
    history: History,
    takes: Sequence[Take],
    before: Written = Written(),
    thumbnails: Mapping[str, Thumbnail] = MappingProxyType({}),
    print_of: PrintOf = lambda _: None,
    clip_of: PrintOf = lambda _: None,
) -> Written:
    """Write the project whole or not at all; OSError where that fails, and then the file is as it was.

    `before` is what was read or written last, from or to any file; what is the same in it is copied. Thumbnails of
    other takes than these are left out.
    """
    history, rows = _fitting(history, step_rows(history, before.steps, before.rows))
    packs = packed(before.packs, takes)
    there = {take.id: thumbnails[take.id] for take in takes if take.id in thumbnails}
    sounding = sounds(history.project, before.path if before.sounds or before.clips else None, print_of, clip_of)
    with (
        closing(sounding),
        whole_file(path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        _write(archive, history, rows, packs, there)
        for name, content in sounding:
            archive.writestr(name, content, zipfile.ZIP_STORED)
        seal, names = _seal(archive), archive.namelist()
    return Written(packs, history.steps, rows, seal, path, *sounding_in(names))


def _fitting(history: History, rows: tuple[bytes, ...]) -> tuple[History, tuple[bytes, ...]]:
    """The history with its rows as they go into a file: all of it, but after some hundreds of thousands of steps the
    oldest are left out, for the file to be one that can be opened."""
    most = MOST_BYTES["history.jsonl"]
    if sum(map(len, rows)) <= most // 2 and len(rows) < MOST_STEPS:
        return history, rows
    behind = list(itertools.accumulate(map(len, reversed(rows))))[::-1]
    way = [place for place in history.branch if place <= history.at]
    few = (place for place in way if behind[place] <= most // 4 and len(rows) - place < MOST_STEPS // 2)
    first = next(few, history.at)
    kept = history.since(first)
    return kept, step_rows(kept, (), ())


def check_unchanged(path: Path, written: Written) -> None:
    """ChangedUnderneathError where the file is another one than that which was read or written last."""
    if written.seal and reachable(path).exists() and seal_of(path) != written.seal:
        raise ChangedUnderneathError(f"{path.name} was changed by another program since it was opened here.", path)


def load(path: Path) -> Loaded:
    """Read a project. OSError where the file cannot be read at all, else ProjectFileError."""
    path = reachable(path)
    if path.stat().st_size > _MOST_FILE_BYTES:
        raise ProjectFileError(f"{path.name} is larger than any Retake project can be.", path)
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise ProjectFileError(f"{path.name} is not a Retake project, or only the beginning of one.", path)
        try:
            _look_at_end(file)
            with zipfile.ZipFile(file) as archive:
                return _unzipped(archive, path)
        except (*MALFORMED, OSError) as error:
            if isinstance(error, OSError) and error.errno != errno.EINVAL:
                raise  # while EINVAL is a place before the beginning of the file, which a damaged directory names
            raise ProjectFileError(f"{path.name} is damaged and cannot be opened.", path) from error


def _look_at_end(file: BinaryIO) -> None:
    """A list of members that is longer than ours would fill the memory before any name in it is seen."""
    file.seek(-_END.size, os.SEEK_END)
    end = file.read()
    if not end.startswith(b"PK\x05\x06") or _END.unpack(end)[5] > _MOST_LIST_BYTES:
        raise ValueError("no list of members at its end, or too long a one")
    if file.seek(-_END.size - _BEFORE_END, os.SEEK_END) >= 0 and file.read(4) == b"PK\x06\x07":
        raise ValueError("a list of members as files have it that are larger than any project")
    file.seek(0)


def seal_of(path: Path) -> str:
    """Tells one save of a project from every other: what the zip's directory says of each member. "" where there is
    none: a file that is no zip is no save of Retake's."""
    try:
        with zipfile.ZipFile(reachable(path)) as archive:
            return _seal(archive)
    except (*MALFORMED, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        return "no zip"


def _seal(archive: zipfile.ZipFile) -> str:
    return " ".join(f"{each.filename}:{each.file_size}:{each.CRC:08x}" for each in archive.infolist())


def _write(
    archive: zipfile.ZipFile,
    history: History,
    rows: Sequence[bytes],
    packs: Sequence[Pack],
    thumbnails: Mapping[str, Thumbnail],
) -> None:
    """Write all members but the sounds."""
    stored = zipfile.ZIP_STORED
    archive.writestr("mimetype", MIMETYPE, stored)
    for name, content in history_members(history, rows).items():
        archive.writestr(name, content, stored if name.endswith(".safetensors") else None)
    for number, pack in enumerate(packs):
        archive.writestr(f"takes/{number}.safetensors", pack.content, stored)
    if thumbnails:
        archive.writestr(THUMBNAILS, packed_thumbnails(thumbnails), stored)


def _unzipped(archive: zipfile.ZipFile, path: Path) -> Loaded:
    if _member(archive, "mimetype") != MIMETYPE:
        raise ProjectFileError(f"{path.name} is not a Retake project.", path)
    members = current(_members(archive), path)
    history, rows = history_in(members)
    packs = tuple(unpack(content) for name, content in members.items() if name.startswith("takes/"))
    takes = tuple(take for pack in packs for take in pack.takes)
    found = unpacked_thumbnails(members.get(THUMBNAILS, b""))
    thumbnails = {take.id: found[take.id] for take in takes if take.id in found}
    written = Written(packs, history.steps, rows, _seal(archive), path, *sounding_in(archive.namelist()))
    return Loaded(history, takes, written, thumbnails)


def current(members: dict[str, bytes], path: Path) -> dict[str, bytes]:
    """The members as this version has them. NewerProjectError where only a later one knows them."""
    version = parsed(members["project.json"])["version"]
    if type(version) is not int or version < 1:
        raise ValueError(f"no version: {version!r:.40}")
    if version > VERSION:
        raise NewerProjectError(f"{path.name} was written by a newer Retake (its files have version {version}).", path)
    return upgraded(members, version)


def _members(archive: zipfile.ZipFile) -> dict[str, bytes]:
    """All members that a project of any version may have and that are read at once, packs last and in order."""
    there = set(archive.namelist())
    names = [name for name in MOST_BYTES if name in there]
    numbered = (f"takes/{number}.safetensors" for number in itertools.count())
    names += itertools.takewhile(there.__contains__, numbered)
    if sum(archive.getinfo(name).file_size for name in names) > _MOST_READ_BYTES:
        raise ValueError("too large")
    members = {name: _member(archive, name) for name in names if name != THUMBNAILS}
    if THUMBNAILS in there:
        with suppress(*MALFORMED):  # they can be made anew
            members[THUMBNAILS] = _member(archive, THUMBNAILS)
    return members


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The member of that name, KeyError where there is none; more than a project may have is refused unread."""
    return read_member(archive, name, MOST_BYTES["takes" if name.startswith("takes/") else name])
