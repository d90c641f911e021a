"""The history on screen: what its panel lists, and going where the user points."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from studio.document.history import Step
from studio.document.summary import about
from studio.panels.history import HistoryPanel, HistoryRow
from studio.session import Session


class Recalling(QObject):
    """Connects the history's panel with the session; the window lays it out. Nothing is done while it is closed."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.panel = HistoryPanel()
        self.panel.hide()
        self._steps: tuple[Step, ...] = ()
        self._rows: list[HistoryRow] = []  # oldest first, as the steps are
        self.panel.step_wanted.connect(self._jump)
        self.panel.close_wanted.connect(self.toggle)
        session.project_changed.connect(self._show)

    @Slot()
    def toggle(self) -> None:
        """Show the history, or close it."""
        self.panel.setVisible(self.panel.isHidden())
        self._show()

    @Slot()
    def _show(self) -> None:
        if self.panel.isHidden():
            return
        history = self._session.history
        same = 0
        while same < min(len(self._steps), len(history.steps)) and self._steps[same] is history.steps[same]:
            same += 1
        del self._rows[same:]
        for place in range(same, len(history.steps)):
            self._rows.append(HistoryRow(place, history.steps[place].label, about(history, place)))
        self._steps = history.steps
        self.panel.show_history(tuple(reversed(self._rows)), history.at, history.branch, history.saved)

    @Slot(int)
    def _jump(self, place: int) -> None:
        self._session.jump(place)
