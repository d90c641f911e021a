"""What waits to be generated: lines in the order in which they will be, until the engine is free for the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count


@dataclass(frozen=True)
class Waiting:
    """A line that waits for `takes` takes; `number` names its place in the queue, whatever moves."""

    number: int
    line_id: str
    takes: int = 1


class Queue:
    """Nothing here is being made yet, so all of it can be moved and taken out at no cost."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._waiting: list[Waiting] = []
        self._lines: Counter[str] = Counter()

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        return tuple(self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, line_id: object) -> bool:
        """Does the line wait?"""
        return self._lines[line_id] > 0 if isinstance(line_id, str) else False

    def add(self, line_id: str, takes: int = 1) -> None:
        self._put([*self._waiting, Waiting(next(self._numbers), line_id, takes)])

    def next(self) -> Waiting | None:
        """Takes out the first; None where nothing waits."""
        if not self._waiting:
            return None
        first, *rest = self._waiting
        self._put(rest)
        return first

    def remove(self, number: int) -> None:
        self._put([each for each in self._waiting if each.number != number])

    def move(self, number: int, to: int) -> None:
        """The one of that number comes to stand at place `to`; nothing happens where it waits no more."""
        moved = next((each for each in self._waiting if each.number == number), None)
        if moved is not None:
            rest = [each for each in self._waiting if each is not moved]
            rest.insert(min(max(to, 0), len(rest)), moved)
            self._put(rest)

    def keep(self, there: Callable[[str], bool]) -> None:
        """What waits for lines that are not there any more goes."""
        if not all(there(each.line_id) for each in self._waiting):
            self._put([each for each in self._waiting if there(each.line_id)])

    def clear(self) -> None:
        self._put([])

    def _put(self, waiting: list[Waiting]) -> None:
        self._waiting = waiting
        self._lines = Counter(each.line_id for each in waiting)
