"""The lock beside an open project: who has it open, by host and process. It keeps two from saving over one another."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from engine.whole_file import reachable
from studio.document.encoding import plain, read

_LONGEST_NAME = 255  # bytes, of most file systems
_BEING_WRITTEN = 10  # seconds during which an empty lock is somebody's who just begins
_MOST_BYTES = 4_000


@dataclass(frozen=True)
class Holder:
    """Who has a project open. `began` is when the process was started, in seconds since 1970: numbers of processes
    come again."""

    host: str
    process: int
    began: float

    @staticmethod
    def me() -> Holder:
        return Holder(socket.gethostname(), os.getpid(), psutil.Process().create_time())

    @property
    def is_there(self) -> bool:
        """False only where it is certain: another machine cannot be asked."""
        if self.host != socket.gethostname():
            return True
        try:
            return abs(psutil.Process(self.process).create_time() - self.began) < 2
        except psutil.NoSuchProcess:
            return False
        except psutil.Error:
            return True


class LockedError(Exception):
    """Somebody else has the project open. `holder` None is somebody who did not say who."""

    def __init__(self, path: Path, holder: Holder | None) -> None:
        by = f" on {holder.host} (process {holder.process})" if holder else ""
        super().__init__(f"{path.name} is open in Retake{by}.")
        self.path, self.holder = path, holder


@dataclass(frozen=True)
class Lock:
    """A project that this process has open. `place` is the file that says so."""

    path: Path
    place: Path
    holder: Holder

    def is_of(self, path: Path) -> bool:
        """Whether it locks that project, however its path is spelled; on some systems letter case is spelling, too."""
        place = place_of(path)
        with contextlib.suppress(OSError):
            return place == self.place or place.samefile(self.place)
        return False

    def release(self) -> None:
        """Take the lock away, if it is still this process's. Where the folder is gone, so is the lock."""
        with contextlib.suppress(OSError):
            if _holder_at(self.place) == self.holder:
                self.place.unlink()


def take_lock(path: Path, by_force: bool = False) -> Lock:
    """Lock the project. LockedError where somebody else has it open (not `by_force`), OSError where no file can be
    written beside it. The lock of a process that is no more is taken over."""
    place = place_of(path)
    me = Holder.me()
    content = json.dumps(plain(me)).encode()
    while True:
        try:
            descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            _take_away(path, place, by_force)
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        return Lock(path, place, me)


def place_of(path: Path) -> Path:
    """Where the lock of a project lies."""
    path = reachable(Path(os.path.realpath(reachable(path))))
    name = f".{path.name}.lock"
    if len(os.fsencode(name)) > _LONGEST_NAME:
        name = f".{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}.lock"
    return path.with_name(name)


def _take_away(path: Path, place: Path, by_force: bool) -> None:
    """Take a lock away that is nobody's, LockedError where it is somebody's.

    It is moved first and looked at again: of two who find it at once, one moves what the other has just made.
    """
    try:
        found = _holder_at(place)
    except FileNotFoundError:
        return
    if not by_force and _is_held(place, found):
        raise LockedError(path, found)
    moved = place.with_name(f"{place.name[:200]}.{os.getpid()}")
    try:
        place.replace(moved)
    except FileNotFoundError:
        return
    if not by_force and _is_held(moved, now := _holder_at(moved)) and now != found:
        moved.replace(place)
        raise LockedError(path, now)
    moved.unlink(missing_ok=True)


def _is_held(place: Path, holder: Holder | None) -> bool:
    if holder is not None:
        return holder.is_there
    with contextlib.suppress(FileNotFoundError):
        return time.time() - place.stat().st_mtime < _BEING_WRITTEN
    return False


def _holder_at(place: Path) -> Holder | None:
    """Who is named in the file, None where it does not say."""
    with place.open("rb") as file:
        content = file.read(_MOST_BYTES)
    try:
        return read(Holder, json.loads(content))
    except (ValueError, RecursionError):
        return None
