"""What differs between two sequences or two projects that share most of what they hold, at next to no cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from studio.document.project import Line, Project

_CHUNK = 256


def same_at_start(old: Sequence[object], new: Sequence[object]) -> int:
    """How many items the two begin with that are equal. Identical items cost next to nothing."""
    most = min(len(old), len(new))
    start = 0
    while start < most and old[start : start + _CHUNK] == new[start : start + _CHUNK]:
        start += _CHUNK
    start = min(start, most)
    while start < most and old[start] == new[start]:
        start += 1
    return start


def same_ends(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """How many items are equal at the start and, after those, at the end."""
    start = same_at_start(old, new)
    most = min(len(old), len(new)) - start
    stop = 0
    while stop + _CHUNK <= most and _chunk_at_end(old, stop) == _chunk_at_end(new, stop):
        stop += _CHUNK
    while stop < most and old[len(old) - 1 - stop] == new[len(new) - 1 - stop]:
        stop += 1
    return start, stop


def _chunk_at_end(items: Sequence[object], skipped: int) -> Sequence[object]:
    return items[len(items) - skipped - _CHUNK : len(items) - skipped]


@dataclass(frozen=True)
class Difference:
    """The lines of the one project that are not in the other as they were. `moved`: lines are counted differently."""

    gone: tuple[Line, ...] = ()
    come: tuple[Line, ...] = ()
    moved: bool = False


_found: deque[tuple[Project, Project, Difference]] = deque(maxlen=1)


def difference(old: Project, new: Project) -> Difference:
    """What has become of the lines between two projects. Many ask the same after an edit: the last answer is kept."""
    for before, after, held in tuple(_found):
        if before is old and after is new:
            return held
    made = _difference(old, new)
    _found.append((old, new, made))
    return made


def _difference(old: Project, new: Project) -> Difference:
    if old.scenes is new.scenes:
        return Difference()
    if len(old.scenes) != len(new.scenes):
        return Difference(old.lines(), new.lines(), True)
    gone: list[Line] = []
    come: list[Line] = []
    moved = False
    for before, after in zip(old.scenes, new.scenes, strict=True):
        if before.lines is not after.lines:
            start, stop = same_ends(before.lines, after.lines)
            gone += before.lines[start : len(before.lines) - stop]
            come += after.lines[start : len(after.lines) - stop]
            moved = moved or len(before.lines) != len(after.lines)
    moved = moved or [line.id for line in gone] != [line.id for line in come]
    return Difference(tuple(gone), tuple(come), moved)
