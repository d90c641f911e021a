"""Where the takes lie: beside the history, by id. It only grows, so no undo ever loses one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from engine.request import Take


class Store:
    """The takes of one project. It belongs to the window's thread; others are given `takes()`."""

    def __init__(self, takes: Iterable[Take] = ()) -> None:
        self._takes: dict[str, Take] = {}
        for take in takes:
            self.add(take)

    def add(self, take: Take) -> str:
        """Lay the take in and give its id back. The same performance twice is one take."""
        return self._takes.setdefault(take.id, take).id

    def get(self, take_id: str) -> Take:
        """The take of that id; KeyError where there is none."""
        return self._takes[take_id]

    def takes(self) -> tuple[Take, ...]:
        """All takes in the order in which they came, as a value for other threads."""
        return tuple(self._takes.values())

    def since(self, count: int) -> tuple[Take, ...]:
        """The takes that came after the first `count`."""
        return tuple(islice(self._takes.values(), count, None))

    def __contains__(self, take_id: object) -> bool:
        return take_id in self._takes

    def __iter__(self) -> Iterator[Take]:
        return iter(self.takes())

    def __len__(self) -> int:
        return len(self._takes)
