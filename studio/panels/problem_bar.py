"""What went wrong, over the bottom of the window: what happened, what it means for the work, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from studio.controls import IconButton, KeyButton, label
from studio.notice import Notice

if TYPE_CHECKING:
    from studio.problems import Problem


class ProblemBar(Notice):
    """Lies over `window` and keeps to its lower edge. Problems wait for one another; the same one is told once."""

    first = True
    action_wanted = Signal(object)
    closed = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, "warning", "danger")
        self._waiting: list[Problem] = []
        self.more = label("", 12, tone="muted")
        self.copy = KeyButton("Copy details", tip="Copy what a report of this problem needs")
        self.action = KeyButton("")
        self.close_button = IconButton("close", "Close", "Esc")
        self.add((self.more, self.copy, self.action, self.close_button))
        self.copy.clicked.connect(self._copy_details)
        self.action.clicked.connect(self._act)
        self.close_button.clicked.connect(self.close_problem)

    @property
    def problem(self) -> Problem | None:
        """The one that is shown."""
        return self._waiting[0] if self._waiting else None

    def show_problem(self, problem: Problem) -> None:
        """Shows it, or puts it behind those that are not closed yet."""
        if problem not in self._waiting:
            self._waiting.append(problem)
        self._show_first()

    @Slot()
    def close_problem(self) -> None:
        """Closes the shown one; the next follows."""
        if self._waiting:
            self.closed.emit(self._waiting.pop(0))
        self._show_first()

    def _show_first(self) -> None:
        problem = self.problem
        if problem is None:
            self.hide()
            return
        self.title.setText(problem.title)
        self.meaning.setText(f"{problem.meaning} {problem.action}".strip())
        self.setAccessibleName(f"Problem: {problem.title}")
        self.setAccessibleDescription(self.meaning.text())
        self.copy.show_text("Copy details")
        self.copy.setVisible(bool(problem.details))
        self.action.setVisible(problem.button is not None)
        self.action.show_text(problem.button or "")
        self.more.setText(f"1 of {len(self._waiting)}" if len(self._waiting) > 1 else "")
        self.more.setVisible(len(self._waiting) > 1)
        self.appear()

    @Slot()
    def _copy_details(self) -> None:
        if self.problem is not None:
            QGuiApplication.clipboard().setText(self.problem.details)
            self.copy.show_text("Copied")

    @Slot()
    def _act(self) -> None:
        problem = self.problem
        self.close_problem()
        self.action_wanted.emit(problem)

    def dismiss(self) -> None:
        self.close_problem()
