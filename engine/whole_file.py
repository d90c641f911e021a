"""Files that are written whole or not at all: beside their place, onto the disk, then put there in one step."""

from __future__ import annotations

import contextlib
import hashlib
import ntpath
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import psutil

_LONGEST_PLAIN_PATH = 150  # of 260 characters on Windows without its prefix: the others are for names made from it


class WholeFile:
    """`with WholeFile(path) as file`: what had the name before stays until all is written, and where that fails.

    Each process writes beside the place under a name of its own, so two that write one file both write it whole; what a
    process left that was killed goes when the file is next written. A link stays a link, and permissions stay. Raises
    OSError, before anything is written where the place is a folder, a device, or protected.
    """

    def __init__(self, path: Path) -> None:
        self._place = reachable(Path(os.path.realpath(reachable(path))))
        self._prefix = f".{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:12]}."  # short, however long the name
        self.beside = self._place.parent / f"{self._prefix}{os.getpid()}.part"  # where it is written meanwhile

    def setup(self) -> BinaryIO:
        """Begin to write; whoever does not use `with` calls this, and `__exit__` in the end."""
        if self._place.is_dir():
            raise IsADirectoryError(21, "it is a folder, not a file", str(self._place))
        if self._place.exists():
            if not self._place.is_file():
                raise OSError(0, "it is a device, not a file", str(self._place))
            if not os.access(self._place, os.W_OK):
                raise PermissionError(13, "it is protected", str(self._place))
        self._clear_away_leftovers()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self.part_file: BinaryIO = os.fdopen(os.open(self.beside, flags, 0o666), "wb")
        return self.part_file

    def __enter__(self) -> BinaryIO:
        return self.setup()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if kind is None:
                self._put_in_place()
        except BaseException:  # a full disk, or an impatient second Ctrl+C
            self._give_up()
            raise
        if kind is not None:
            self._give_up()

    def _put_in_place(self) -> None:
        self.part_file.flush()
        os.fsync(self.part_file.fileno())
        self.part_file.close()
        with contextlib.suppress(FileNotFoundError):
            self.beside.chmod(self._place.stat().st_mode & 0o777)
        self.beside.replace(self._place)
        _sync_folder(self._place.parent)

    def _give_up(self) -> None:
        with contextlib.suppress(OSError):
            self.part_file.close()
        with contextlib.suppress(OSError):
            self.beside.unlink()

    def _clear_away_leftovers(self) -> None:
        for part in self._place.parent.glob(f"{self._prefix}*.part"):
            process = part.name.removeprefix(self._prefix).removesuffix(".part")
            if process == str(os.getpid()) or (process.isdigit() and not psutil.pid_exists(int(process))):
                with contextlib.suppress(OSError):
                    part.unlink()


def whole_file(path: Path) -> WholeFile:
    """`with whole_file(path) as file`: see WholeFile."""
    return WholeFile(path)


def try_place(path: Path) -> None:
    """Raise the OSError that writing a file there would raise, before there is work that could be lost to it."""
    with contextlib.suppress(_OnlyTried), WholeFile(path):
        raise _OnlyTried


class _OnlyTried(Exception):
    """Nothing was meant to be written."""


def reachable(path: Path) -> Path:
    """The path as the system opens it, however long it is: Windows needs a prefix for long ones, and for files that are
    made beside or below them."""
    if sys.platform == "win32" and len(full := str(path.absolute())) >= _LONGEST_PLAIN_PATH:
        return Path(with_windows_prefix(full))
    return path


def with_windows_prefix(path: str) -> str:
    """A full path of Windows with the prefix by which it may be longer than 260 characters. Behind it no `..` and no
    `/` is understood, so there are none; a path that has a prefix stays."""
    path = ntpath.normpath(path)
    if path.startswith(("\\\\?\\", "\\\\.\\")):
        return path
    return "\\\\?\\UNC\\" + path[2:] if path.startswith("\\\\") else "\\\\?\\" + path


def _sync_folder(folder: Path) -> None:
    """Have the new name on the disk as well. Some systems and network drives cannot: the swap is done all the same."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
