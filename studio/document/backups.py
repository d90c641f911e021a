"""Backups: what a project's file was before it was saved over, the last ten of them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from datetime import datetime
from pathlib import Path

from engine.whole_file import reachable, whole_file

GENERATIONS = 10
_NAME = re.compile(r"\d{4}-\d\d-\d\d \d\d-\d\d-\d\d\.retake")


def back_up(path: Path, folder: Path, minutes: int, now: datetime) -> Path | None:
    """Keep what is in the file now, where the newest backup is older than so many minutes; the oldest make room.

    None where there was nothing to keep. OSError where the backup cannot be written.
    """
    if not reachable(path).exists():
        return None
    kept = backups_of(path, folder)
    newest = next((each for each in kept if _moment(each) <= now), None)  # the clock may have been ahead once
    if newest is not None and (now - _moment(newest)).total_seconds() < 60 * minutes:
        return None
    place = _folder_of(path, folder) / f"{now:%Y-%m-%d %H-%M-%S}.retake"
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        return None  # one a second is enough
    with reachable(path).open("rb") as source, whole_file(place) as file:
        shutil.copyfileobj(source, file, 1 << 20)
    there = sorted(backups_of(path, folder), key=lambda each: (_moment(each) <= now, each), reverse=True)
    for old in there[GENERATIONS:]:
        with contextlib.suppress(OSError):  # another time
            old.unlink()
    return place


def backups_of(path: Path, folder: Path) -> tuple[Path, ...]:
    """The backups of a project, newest first."""
    there = _folder_of(path, folder)
    if not there.is_dir():
        return ()
    return tuple(sorted((each for each in there.iterdir() if _NAME.fullmatch(each.name)), reverse=True))


def _folder_of(path: Path, folder: Path) -> Path:
    """A folder for each project: two of the same name in different places are two."""
    real = os.path.realpath(reachable(path))
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:8]
    return reachable(folder / f"{path.stem[:40].strip(' .')} {digest}")


def _moment(backup: Path) -> datetime:
    return datetime.strptime(backup.stem, "%Y-%m-%d %H-%M-%S")
