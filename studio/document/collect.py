"""A project as a folder that anybody can read: the script as text, takes and sound as files, and all of it back again.

script.txt            the text, to be read by people
project.json          \\
history.jsonl          } as in a project file
voices.safetensors    /
takes/ID.take         each take, as the command line reads it
sound/001 Name.wav    the lines that sound, in order
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.audio import write
from engine.errors import TakeFileError
from engine.request import Samples, Take
from engine.take_file import read_take, write_take
from engine.whole_file import reachable, whole_file
from studio.document.file import MALFORMED, MOST_BYTES, Loaded, ProjectFileError, Written, current
from studio.document.history import History
from studio.document.members import history_in, history_members, step_rows
from studio.document.script import to_text

_MEMBERS = ("project.json", "history.jsonl", "voices.safetensors")
_MOST_TAKES = 1_000_000


@dataclass(frozen=True, eq=False)
class Sound:
    """How a line sounds: samples at `rate`; `name` is that of the file, without its ending."""

    name: str
    rate: int
    samples: Samples


def collect(folder: Path, history: History, takes: Sequence[Take], sounds: Iterable[Sound]) -> None:
    """Make the folder, whole or not at all. FileExistsError where there is one of that name, OSError, AudioError or
    TakeFileError where something cannot be written."""
    folder = reachable(folder)
    if folder.exists():
        raise FileExistsError(errno.EEXIST, "there is a folder of that name already", str(folder))
    beside = folder.with_name(f".{hashlib.sha256(os.fsencode(folder.name)).hexdigest()[:12]}.part")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        for each in (beside, beside / "takes", beside / "sound"):
            each.mkdir()
        members = history_members(history, step_rows(history, (), ()))
        members["script.txt"] = to_text(history.project).encode("utf-8", "replace")
        for name, content in members.items():
            with whole_file(beside / name) as file:
                file.write(content)
        for take in takes:
            write_take(beside / "takes" / f"{take.id}.take", take)
        for sound in sounds:
            write(beside / "sound" / f"{sound.name}.wav", sound.samples, sound.rate)
        beside.rename(folder)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def gather(folder: Path) -> Loaded:
    """The project that was collected into a folder. ProjectFileError where it is none, or not whole any more."""
    folder = reachable(folder)
    if not (folder / "project.json").is_file():
        raise ProjectFileError(f"{folder.name} is not a folder into which Retake collected a project.", folder)
    try:
        members = current({name: _content(folder / name) for name in _MEMBERS}, folder)
        history, rows = history_in(members)
        takes = [read_take(each) for each in sorted((folder / "takes").glob("*.take"))[:_MOST_TAKES]]
    except TakeFileError as error:
        raise ProjectFileError(f"A take in {folder.name} cannot be opened: {error}", folder) from error
    except MALFORMED as error:
        raise ProjectFileError(f"{folder.name} is damaged and cannot be opened.", folder) from error
    return Loaded(history, tuple(takes), Written((), history.steps, rows))


def _content(path: Path) -> bytes:
    if path.stat().st_size > MOST_BYTES[path.name]:
        raise ValueError(f"{path.name} is too large")
    return path.read_bytes()
