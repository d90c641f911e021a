"""The project file: a zip with a few named members, written whole or not at all, and read without trusting it.

mimetype                  first and stored, so that the file can be told by its beginning
project.json              version, and the project as it is now
history.json              the other steps of undo and redo
voices.safetensors        the codes of the voices by digest, int16 [codebook, frame]
takes/0.safetensors ...   all takes, kept or not, binned or not
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from boltons.fileutils import atomic_save
from safetensors import SafetensorError

from engine.errors import TakeFileError
from engine.request import Codes, Take, frozen
from engine.take_file import pack_takes, unpack_takes
from studio.document.encoding import plain, read
from studio.document.history import History
from studio.document.record import HistoryRecord, ProjectRecord, record, restore

VERSION = 1
MIMETYPE = b"application/x-retake"
_MEGABYTE = 1_000_000
_MOST_BYTES = {
    "mimetype": 100,
    "project.json": 64 * _MEGABYTE,
    "history.json": 128 * _MEGABYTE,
    "voices.safetensors": 128 * _MEGABYTE,
    "takes": 70 * _MEGABYTE,  # each member of them
}
_MOST_FILE_BYTES = 1_000 * _MEGABYTE
_PACK_FRAMES = 500_000  # about 18 MB of a member's takes
_MALFORMED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,  # a compression nobody here knows
    RuntimeError,  # an encrypted member; JSON nested without end
    KeyError,
    IndexError,
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


@dataclass(frozen=True, eq=False)
class Loaded:
    """What was in a file."""

    history: History
    takes: tuple[Take, ...]


def save(path: Path, history: History, takes: Sequence[Take]) -> None:
    """Write the project whole or not at all; OSError where that fails, and then the file is as it was.

    What was there before stays beside it, with `.bak` at the end of its name.
    """
    written = _zipped(history, takes)
    if path.exists():
        _write(path.with_name(path.name + ".bak"), path.read_bytes())
    _write(path, written)


def load(path: Path) -> Loaded:
    """Read a project. OSError where the file cannot be read at all, else ProjectFileError."""
    if path.stat().st_size > _MOST_FILE_BYTES:
        raise ProjectFileError(f"{path.name} is larger than any Retake project can be.", path)
    data = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise ProjectFileError(f"{path.name} is not a Retake project, or only the beginning of one.", path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _unzipped(archive, path)
    except _MALFORMED as error:
        raise ProjectFileError(f"{path.name} is damaged and cannot be opened.", path) from error


def _write(path: Path, data: bytes) -> None:
    """Write beside, sync, swap in. Where even that is too much for the disk, what was written beside goes again."""
    try:
        with atomic_save(str(path), overwrite_part=True) as file:
            file.write(data)
    except OSError:
        with contextlib.suppress(OSError):
            path.with_name(path.name + ".part").unlink()
        raise


def _zipped(history: History, takes: Sequence[Take]) -> bytes:
    project, steps, codes = record(history)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        archive.writestr("mimetype", MIMETYPE, zipfile.ZIP_STORED)
        archive.writestr("project.json", _json({"version": VERSION, "project": plain(project)}, indent=1))
        archive.writestr("history.json", _json(plain(steps)))
        archive.writestr("voices.safetensors", _packed_codes(codes), zipfile.ZIP_STORED)
        for number, pack in enumerate(_packs(takes)):
            archive.writestr(f"takes/{number}.safetensors", pack_takes(pack), zipfile.ZIP_STORED)
    return data.getvalue()


def _packs(takes: Sequence[Take]) -> Iterator[list[Take]]:
    """The takes in order, so many at a time that a member stays small; those with long contexts are fewer."""
    pack: list[Take] = []
    frames = 0
    for take in takes:
        frames += take.frames + sum(turn.codes.shape[1] for turn in take.origin.prompt.context)
        pack.append(take)
        if frames > _PACK_FRAMES:
            yield pack
            pack, frames = [], 0
    if pack:
        yield pack


def _unzipped(archive: zipfile.ZipFile, path: Path) -> Loaded:
    if _member(archive, "mimetype") != MIMETYPE:
        raise ProjectFileError(f"{path.name} is not a Retake project.", path)
    said = _parsed(_member(archive, "project.json"))
    version = said["version"]
    if type(version) is not int or version < 1:
        raise ValueError(f"no version: {version!r:.40}")
    if version > VERSION:
        raise NewerProjectError(f"{path.name} was written by a newer Retake (its files have version {version}).", path)
    codes = _unpacked_codes(_member(archive, "voices.safetensors"))
    steps = read(HistoryRecord, _parsed(_member(archive, "history.json")))
    history = restore(read(ProjectRecord, said["project"]), steps, codes)
    return Loaded(history, tuple(_takes(archive)))


def _takes(archive: zipfile.ZipFile) -> Iterator[Take]:
    names = set(archive.namelist())
    for number in itertools.count():
        if (name := f"takes/{number}.safetensors") not in names:
            return
        yield from unpack_takes(_member(archive, name))


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The member of that name, KeyError where there is none; more than a project may have is refused unread."""
    most = _MOST_BYTES["takes" if name.startswith("takes/") else name]
    if archive.getinfo(name).file_size > most:
        raise ValueError(f"{name} is too large")
    with archive.open(name) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{name} is larger than it says")
    return data


def _json(value: Any, indent: int | None = None) -> bytes:
    separators = None if indent else (",", ":")
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return text.encode("utf-8", "surrogatepass")


def _parsed(data: bytes) -> dict[str, Any]:
    said = json.loads(data.decode("utf-8", "surrogatepass"))
    if not isinstance(said, dict):
        raise ValueError("not an object")
    return said


def _packed_codes(codes: dict[str, Codes]) -> bytes:
    return safetensors.numpy.save({digest: np.ascontiguousarray(each) for digest, each in codes.items()})


def _unpacked_codes(data: bytes) -> dict[str, Codes]:
    codes = safetensors.numpy.load(data)
    for digest, each in codes.items():
        if each.dtype != np.int16 or each.ndim != 2:
            raise ValueError(f"codes {digest:.20} are {each.dtype} {each.shape}")
    return {digest: frozen(each) for digest, each in codes.items()}
