"""Which number a line has, by its id, in a sequence of thousands in which one types."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from studio.document.difference import same_ends
from studio.document.project import Project


class Numbers:
    """Numbers of names from 0, in a sequence that changes in places. An edit costs what it changes; a look-up searches
    from where the name was last seen. Once all this searching has cost as much as counting anew, all is counted anew.

    A name stands once in the sequence; None, for what is never asked for, as often as it likes.
    """

    def __init__(self, names: Iterable[str | None] = ()) -> None:
        self._names = list(names)
        self._seen: dict[str, int] = {}
        self._count()

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._seen

    def __getitem__(self, name: str) -> int:
        """KeyError where there is no such name."""
        seen = self._seen[name]
        if seen < len(self._names) and self._names[seen] == name:
            return seen
        return self._search(name, seen)

    def replace(self, start: int, stop: int, names: Sequence[str | None]) -> None:
        """What has the numbers [start, stop) goes, `names` come in its place."""
        for name in self._names[start:stop]:
            if name is not None:
                self._seen.pop(name, None)
        self._names[start:stop] = names
        self._seen.update((name, start + n) for n, name in enumerate(names) if name is not None)

    def _search(self, name: str, seen: int) -> int:
        names, length = self._names, len(self._names)
        low, high = min(seen, length) - 1, min(seen, length)
        while low >= 0 or high < length:
            for number in (low, high):
                if 0 <= number < length and names[number] == name:
                    self._searched += abs(number - seen)
                    if self._searched > length:
                        self._count()
                    self._seen[name] = number
                    return number
            low, high = low - 1, high + 1
        raise KeyError(name)

    def _count(self) -> None:
        self._seen = {name: number for number, name in enumerate(self._names) if name is not None}
        self._searched = 0


class Places:
    """In which scene of a project a line stands and where in there, both from 0. Where one scene has changed since the
    last question, that costs what has changed; else all is counted."""

    def __init__(self) -> None:
        self._seen = Project()
        self._starts = [0]
        self._numbers = Numbers()

    def find(self, project: Project, line_id: str) -> tuple[int, int]:
        """KeyError where there is no such line."""
        if project.scenes is not self._seen.scenes:
            self._follow(project)
        number = self._numbers[line_id]
        scene = bisect_right(self._starts, number) - 1
        return scene, number - self._starts[scene]

    def _follow(self, project: Project) -> None:
        before, self._seen = self._seen, project
        pairs = list(enumerate(zip(before.scenes, project.scenes, strict=False)))
        changed = [at for at, (old, new) in pairs if old.lines is not new.lines]
        if len(before.scenes) != len(project.scenes) or len(changed) > 1:
            self._numbers = Numbers(line.id for line in project.lines())
        elif changed:
            old, new = before.scenes[changed[0]].lines, project.scenes[changed[0]].lines
            start, after = same_ends(old, new)
            first, come = self._starts[changed[0]], new[start : len(new) - after]
            self._numbers.replace(first + start, first + len(old) - after, [line.id for line in come])
        self._starts = list(accumulate((len(scene.lines) for scene in project.scenes), initial=0))[:-1]
