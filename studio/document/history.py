"""Undo: every step there ever was, oldest first, as a tree, and where in it the user stands. An immutable value.

An edit after undo leaves a branch behind; its steps stay, and `jump` goes to any of them. It costs little, for projects
share what they have in common, and takes lie in the store and are never undone.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property

from studio.document.edits import Edit, apply
from studio.document.project import Project


@dataclass(frozen=True, eq=False)
class Step:
    """The project after something happened; `label` says what, in the history panel and in the menu.

    `before` is the place of the step that it happened to, None for the first.
    """

    label: str
    project: Project
    before: int | None = None


@dataclass(frozen=True, eq=False)
class History:
    """`steps[at]` is now; the first step is the project as it was new or opened. A step's place never changes.

    `tip` is the last step of the branch along which redo goes; `at` lies on the way there.
    Edits with the same `gesture` in a row make one step, so that a typed word is undone as one.
    `saved` is the step that the file on disk holds, None where it holds none of them.
    """

    steps: tuple[Step, ...]
    at: int = 0
    tip: int = 0
    saved: int | None = None
    gesture: Hashable = None

    @staticmethod
    def start(project: Project, label: str = "New project") -> History:
        return History((Step(label, project),))

    @property
    def project(self) -> Project:
        return self.steps[self.at].project

    @cached_property
    def branch(self) -> tuple[int, ...]:
        """The places from the first step to the tip: what undo and redo walk along."""
        places: list[int] = []
        place: int | None = self.tip
        while place is not None:
            places.append(place)
            place = self.steps[place].before
        return tuple(reversed(places))

    @property
    def clean(self) -> bool:
        """The file on disk holds what is seen."""
        return self.at == self.saved

    @property
    def can_undo(self) -> bool:
        return self.steps[self.at].before is not None

    @property
    def can_redo(self) -> bool:
        return self.at != self.tip

    @property
    def undo_label(self) -> str:
        """What undo would take back; "" where there is nothing."""
        return self.steps[self.at].label if self.can_undo else ""

    @property
    def redo_label(self) -> str:
        """What redo would do once more; "" where there is nothing."""
        return self.steps[self._after].label if self.can_redo else ""

    def do(self, edit: Edit, gesture: Hashable = None) -> History:
        """One step further, or the last step enlarged where `gesture` goes on. An edit without effect is no step."""
        project = apply(self.project, edit)
        if project == self.project:
            return self
        if gesture is not None and gesture == self.gesture:
            return self._with_last(replace(self.steps[self.at], project=project), gesture)
        last = len(self.steps)
        return History((*self.steps, Step(edit.label, project, self.at)), last, last, self.saved, gesture)

    def do_instead(self, edit: Edit) -> History:
        """The newest step, where the user stands, becomes another one: a second answer to the same question."""
        before = self.steps[self.at].before
        if before is None or self.at != len(self.steps) - 1:
            raise IndexError("only the newest step can become another")
        step = Step(edit.label, apply(self.steps[before].project, edit), before)
        return replace(self._with_last(step, None), saved=None if self.saved == self.at else self.saved)

    def undo(self) -> History:
        """A step back; IndexError where there is none."""
        before = self.steps[self.at].before
        if before is None:
            raise IndexError("there is no step to undo")
        return replace(self, at=before, gesture=None)

    def redo(self) -> History:
        if not self.can_redo:
            raise IndexError("there is no step to redo")
        return replace(self, at=self._after, gesture=None)

    def jump(self, at: int) -> History:
        """To any step, as the history panel does; redo then goes on to the newest of those that came after it."""
        if not 0 <= at < len(self.steps):
            raise IndexError(f"there is no step {at} of {len(self.steps)}")
        if at in self.branch:
            return replace(self, at=at, gesture=None)
        return replace(self, at=at, tip=self._newest_after(at), gesture=None)

    def end_gesture(self) -> History:
        """What comes next is a step of its own: the user has clicked elsewhere, or paused."""
        return replace(self, gesture=None) if self.gesture is not None else self

    def mark_saved(self, saved: History) -> History:
        """The file now holds `saved`, this history as it was when saving began (the user may have gone on since, or
        begun another one)."""
        there = saved.at < len(self.steps) and self.steps[saved.at] is saved.steps[saved.at]
        return replace(self, saved=saved.at if there else None, gesture=None)

    def since(self, place: int) -> History:
        """All that came after a step on the way to now, which is the first then; IndexError where it is elsewhere."""
        if place > self.at or place not in self.branch:
            raise IndexError(f"step {place} is not on the way to step {self.at}")
        new = {place: 0}
        steps = [replace(self.steps[place], before=None)]
        for old in range(place + 1, len(self.steps)):
            before = self.steps[old].before
            if before in new:
                new[old] = len(steps)
                steps.append(replace(self.steps[old], before=new[before]))
        saved = new.get(self.saved) if self.saved is not None else None
        return History(tuple(steps), new[self.at], new[self.tip], saved)

    @property
    def _after(self) -> int:
        return self.branch[self.branch.index(self.at) + 1]

    def _with_last(self, step: Step, gesture: Hashable) -> History:
        """The newest step changed; nothing came after it."""
        return replace(self, steps=(*self.steps[: self.at], step), gesture=gesture)

    def _newest_after(self, at: int) -> int:
        family, newest = {at}, at
        for place in range(at + 1, len(self.steps)):
            if self.steps[place].before in family:
                family.add(place)
                newest = place
        return newest
