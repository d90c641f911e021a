"""What can go wrong in the engine.

Every error carries its facts as attributes and one plain sentence as its text: what happened, and what to do.
The command line prints that sentence; the studio turns the facts into a problem.
"""

from __future__ import annotations

import errno
from pathlib import Path


class EngineError(Exception):
    """The parent of all errors the engine raises on purpose. Anything else is a bug."""


class CheckpointError(EngineError):
    """A checkpoint folder cannot be used. `path` is the file at fault, `tensor` the name of the tensor if one is."""

    def __init__(self, message: str, path: Path | None = None, tensor: str | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.tensor = tensor


class AudioError(EngineError):
    """An audio file cannot be read or written."""

    def __init__(self, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class HearingError(EngineError):
    """Words cannot be recognised: the extra or its model is missing, or damaged. `path` is the model's folder."""

    def __init__(self, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class TakeFileError(EngineError):
    """A `.take` file cannot be read or written."""

    def __init__(self, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class ScriptError(EngineError):
    """A script cannot be spoken as it stands. `line` counts from 1; None where the whole script is meant."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class RequestError(EngineError):
    """A request asks for what cannot be done: an empty span, codes outside the tables, no seed."""


class TooLongError(EngineError):
    """A prompt does not fit with room for the line. `positions` are needed, `limit` are there."""

    def __init__(self, message: str, positions: int, limit: int) -> None:
        super().__init__(message)
        self.positions = positions
        self.limit = limit


class DeviceError(EngineError):
    """The device asked for is not there, or its memory is too small. `needed` and `free` are bytes, where known."""

    def __init__(self, message: str, needed: int | None = None, free: int | None = None) -> None:
        super().__init__(message)
        self.needed = needed
        self.free = free


def why(error: OSError) -> str:
    """What the system says, in words that fit after a colon: "the disk is full"."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file or folder"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    if isinstance(error, PermissionError):
        return "permission is denied"
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return "the disk is full"
    if error.errno == errno.EROFS:
        return "the disk can only be read"
    return (error.strerror or str(error)).lower()


def lacking(error: BaseException) -> str | None:
    """Of what there was too little, "memory" or "graphics memory"; None where an error says something else. torch has
    an error of its own for cards, and none for the processor's memory."""
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "DefaultCPUAllocator" in str(error)):
        return "memory"
    named = type(error).__name__  # without importing torch
    return "graphics memory" if named in ("OutOfMemoryError", "AcceleratorOutOfMemoryError") else None
