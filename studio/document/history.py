"""Undo: the project after each step, oldest first, and where among them the user stands. An immutable value.

It costs little, for projects share what they have in common, and takes lie in the store and are never undone.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from studio.document.edits import Edit, apply
from studio.document.project import Project


@dataclass(frozen=True)
class Step:
    """The project after something happened; `label` says what, in the history panel and in the menu."""

    label: str
    project: Project


@dataclass(frozen=True)
class History:
    """`steps[at]` is now; the first step is the project as it was new or opened.

    Edits with the same `gesture` in a row make one step, so that a typed word is undone as one.
    `saved` is the step that the file on disk holds, None where it holds none of them.
    """

    steps: tuple[Step, ...]
    at: int = 0
    saved: int | None = None
    gesture: Hashable = None

    @staticmethod
    def start(project: Project, label: str = "New project") -> History:
        return History((Step(label, project),))

    @property
    def project(self) -> Project:
        return self.steps[self.at].project

    @property
    def clean(self) -> bool:
        """The file on disk holds what is seen."""
        return self.at == self.saved

    @property
    def can_undo(self) -> bool:
        return self.at > 0

    @property
    def can_redo(self) -> bool:
        return self.at < len(self.steps) - 1

    @property
    def undo_label(self) -> str:
        """What undo would take back; "" where there is nothing."""
        return self.steps[self.at].label if self.can_undo else ""

    @property
    def redo_label(self) -> str:
        return self.steps[self.at + 1].label if self.can_redo else ""

    def do(self, edit: Edit, gesture: Hashable = None) -> History:
        """One step further, or the last step enlarged where `gesture` goes on. An edit without effect is no step."""
        project = apply(self.project, edit)
        if project == self.project:
            return self
        if gesture is not None and gesture == self.gesture:
            steps = (*self.steps[: self.at], replace(self.steps[self.at], project=project))
            return replace(self, steps=steps)
        steps = (*self.steps[: self.at + 1], Step(edit.label, project))
        saved = self.saved if self.saved is not None and self.saved <= self.at else None
        return History(steps, self.at + 1, saved, gesture)

    def undo(self) -> History:
        """A step back; IndexError where there is none."""
        return self.jump(self.at - 1)

    def redo(self) -> History:
        return self.jump(self.at + 1)

    def jump(self, at: int) -> History:
        """To any step, as the history panel does."""
        if not 0 <= at < len(self.steps):
            raise IndexError(f"there is no step {at} of {len(self.steps)}")
        return replace(self, at=at, gesture=None)

    def end_gesture(self) -> History:
        """What comes next is a step of its own: the user has clicked elsewhere, or paused."""
        return replace(self, gesture=None)

    def mark_saved(self, saved: History) -> History:
        """The file now holds `saved`, this history as it was when saving began (the user may have gone on since)."""
        written = saved.steps[saved.at]
        at = next((at for at, step in enumerate(self.steps) if step is written), None)
        return replace(self, saved=at, gesture=None)
