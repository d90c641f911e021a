"""Where the command line writes to, and whether it can, before there is work that could be lost."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

from engine.errors import EngineError, why
from engine.whole_file import try_place


def tried(path: Path, *read: str | Path) -> None:
    """Raise EngineError where a file could not be written there, or is one of those that are read: better now than
    after the work."""
    if any(os.path.realpath(path) == os.path.realpath(other) for other in read):
        raise EngineError(f"{path} is what is read here, and would be lost: name another file to write.")
    try:
        try_place(path)
    except OSError as error:
        raise EngineError(f"{path} cannot be written: {why(error)}.") from error


def free_name(path: Path, least: int = 1) -> Path:
    """The path, or NAME-2, NAME-3, ... beside it, whichever is free first: what is there stays. `least` skips names."""
    names = (path.with_name(f"{path.stem}{f'-{number}' if number > 1 else ''}{path.suffix}") for number in count(least))
    return next(name for name in names if not os.path.lexists(name))
