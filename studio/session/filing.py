"""How the open project lies in a file: opened, saved, locked, recovered. All of it is done on the file thread."""

from __future__ import annotations

import enum
import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from engine.request import Take
from studio.document.backups import back_up
from studio.document.collect import gather
from studio.document.file import ProjectFileError, Written, check_unchanged, load, save
from studio.document.history import History
from studio.document.journal import Recovered
from studio.document.lock import Lock, LockedError, place_of, take_lock
from studio.document.sounds import PrintOf
from studio.document.thumbnails import Thumbnail

_NO_LOCKS_THERE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTSUP, errno.ENOSPC, errno.EDQUOT)


class Opening(enum.Enum):
    """What a project is opened for."""

    TO_WORK = "to work in it"
    BY_FORCE = "to work in it although somebody else has it open"
    READ_ONLY = "to look at it"
    AS_COPY = "as a copy without a file"


@dataclass(frozen=True, eq=False)
class InFile:
    """Where the open project lies. `path` None is nowhere yet; without a lock it can only be saved elsewhere."""

    path: Path | None = None
    lock: Lock | None = None
    written: Written = field(default_factory=Written)

    @property
    def read_only(self) -> bool:
        return self.path is not None and self.lock is None

    def is_at(self, path: Path) -> bool:
        """Whether that path leads to it, however it is spelled."""
        if self.lock is not None:
            return self.lock.is_of(path)
        return self.path is not None and place_of(self.path) == place_of(path)

    def leave(self, lock: Lock | None = None) -> None:
        """Somebody else may open it, unless it is the project of `lock`, which goes on."""
        goes_on = lock is self.lock or (lock is not None and self.lock is not None and self.lock.is_of(lock.path))
        if self.lock is not None and not goes_on:
            self.lock.release()


@dataclass(frozen=True)
class Backups:
    """Where backups lie, and how many minutes are between two at least; None keeps none."""

    folder: Path
    minutes: int | None


@dataclass(frozen=True, eq=False)
class Opened:
    """A project that is about to be the open one. `missing` is why takes that are in its file could not be read;
    `worked` that it holds work although no step of it can be undone."""

    history: History
    takes: tuple[Take, ...]
    in_file: InFile
    missing: Exception | None = None
    thumbnails: Mapping[str, Thumbnail] = field(default_factory=dict)
    worked: bool = False


class Filed:
    """Where a project lies, as the last job left it, so that each save goes on from the one before. Only jobs of the
    file thread use it. There is one for each project that is opened: it tells that one from all others."""

    def __init__(self, in_file: InFile) -> None:
        self._now = in_file

    def open(self, path: Path, opening: Opening) -> Opened:
        """Another project, or the same one again, as `open_project`."""
        return open_project(path, opening, self._now.lock)

    def recover(self, found: Recovered) -> Opened:
        """As `recover_project`; the journal may be of the project that is open."""
        return replace(recover_project(found, self._now.lock), worked=True)

    def save(
        self,
        path: Path,
        history: History,
        takes: Sequence[Take],
        over_others: bool,
        thumbnails: Mapping[str, Thumbnail],
        print_of: PrintOf,
        clip_of: PrintOf,
    ) -> InFile:
        """As `save_project`."""
        self._now = save_project(path, history, takes, self._now, over_others, thumbnails, print_of, clip_of)
        return self._now

    def leave(self, lock: Lock | None = None) -> None:
        """As `InFile.leave`, of what was read or saved last."""
        self._now.leave(lock)


def open_project(path: Path, opening: Opening, held: Lock | None = None) -> Opened:
    """Read a project and lock it. LockedError where somebody else has it open, else as `load`. `held` is the lock of
    the project that is open: it may be the same one, to be read again."""
    if opening is Opening.AS_COPY:
        loaded = load(path)
        in_file = InFile(written=replace(loaded.written, seal=""))
        return Opened(replace(loaded.history, saved=None), loaded.takes, in_file, thumbnails=loaded.thumbnails)
    if opening is Opening.READ_ONLY:
        loaded = load(path)
        return Opened(loaded.history, loaded.takes, InFile(path, None, loaded.written), thumbnails=loaded.thumbnails)
    again = held is not None and held.is_of(path)
    lock = held if again else _lock_if_possible(path, opening is Opening.BY_FORCE)
    try:
        loaded = load(path)
    except BaseException:
        if not again:
            InFile(path, lock).leave()
        raise
    return Opened(loaded.history, loaded.takes, InFile(path, lock, loaded.written), thumbnails=loaded.thumbnails)


def open_collected(folder: Path) -> Opened:
    """Read what was collected into a folder; it has no file. Errors as `gather`'s."""
    loaded = gather(folder)
    return Opened(replace(loaded.history, saved=None), loaded.takes, InFile(written=loaded.written))


def save_project(
    path: Path,
    history: History,
    takes: Sequence[Take],
    in_file: InFile,
    over_others: bool,
    thumbnails: Mapping[str, Thumbnail] = MappingProxyType({}),
    print_of: PrintOf = lambda _: None,
    clip_of: PrintOf = lambda _: None,
) -> InFile:
    """Write the project and say where it lies now. LockedError or ChangedUnderneathError, before anything is written,
    where somebody else works on that file, and not `over_others`."""
    same = in_file.is_at(path)
    lock = in_file.lock if same and in_file.lock is not None else take_lock(path, over_others)
    try:
        if same and not over_others:
            check_unchanged(path, in_file.written)
        written = save(path, history, takes, in_file.written, thumbnails, print_of, clip_of)
    except BaseException:
        if lock is not in_file.lock:
            lock.release()
        raise
    in_file.leave(lock)
    return InFile(path, lock, written)


def keep_backup(path: Path, backups: Backups, over_others: bool = False) -> None:
    """Keep what is about to be saved over, where that is due. What others have saved there is always kept."""
    minutes = 0 if over_others else backups.minutes
    if minutes is not None:
        back_up(path, backups.folder, minutes, datetime.now())


def recover_project(found: Recovered, held: Lock | None = None) -> Opened:
    """The project of a journal, with the takes of its file as far as that can be read. `held` is the lock of the
    project that is open: it may be the same one, and is then kept.

    Where somebody else has the file open, or it is not there any more, the project has no file.
    """
    path = Path(found.standing.path) if found.standing.path is not None else None
    if path is None:
        return Opened(replace(found.history, saved=None), found.takes, InFile())
    try:
        opened = _open_or_copy(path, held)
    except (OSError, ProjectFileError) as error:
        return Opened(replace(found.history, saved=None), found.takes, InFile(), error)
    same = opened.in_file.written.seal == found.standing.seal
    written = replace(opened.in_file.written, seal=found.standing.seal)
    in_the_file = {take.id for take in opened.takes}
    takes = (*opened.takes, *(take for take in found.takes if take.id not in in_the_file))
    history = found.history if same and opened.in_file.path is not None else replace(found.history, saved=None)
    return Opened(history, takes, replace(opened.in_file, written=written), thumbnails=opened.thumbnails)


def _open_or_copy(path: Path, held: Lock | None) -> Opened:
    try:
        return open_project(path, Opening.TO_WORK, held)
    except LockedError:
        return open_project(path, Opening.AS_COPY)


def _lock_if_possible(path: Path, by_force: bool) -> Lock | None:
    """None where nothing can be written beside the project: it can be looked at all the same."""
    try:
        return take_lock(path, by_force)
    except OSError as error:
        if error.errno in _NO_LOCKS_THERE:
            return None
        raise
