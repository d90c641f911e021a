"""The queue on screen: what runs, waits or failed, and what the user wishes of it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from studio.document.project import Line
from studio.panels.queue import QueuePanel, QueueRow, Stage
from studio.session import Performing, Session

MOST_LISTED = 60
_WORDS = 48


class Queueing(QObject):
    """Connects the queue's panel with the jobs; the window lays it out."""

    def __init__(self, session: Session, performing: Performing) -> None:
        panel = QueuePanel()
        super().__init__(panel)
        self.panel = panel
        self._session, self._performing = session, performing
        performing.changed.connect(self._show)
        performing.progressed.connect(self._show)
        session.begun.connect(self._show)
        self.panel.line_chosen.connect(session.choose_line)
        self.panel.cancel_wanted.connect(self._cancel)
        self.panel.retry_wanted.connect(self._retry)
        self.panel.move_wanted.connect(performing.move_waiting)
        self.panel.cancel_all_wanted.connect(performing.cancel_all)

    @Slot()
    def _show(self) -> None:
        self.panel.show_jobs(self.rows())

    def rows(self) -> tuple[QueueRow, ...]:
        """The queue as it is listed. A job alone stands in the bar at the bottom already, so nothing is listed then."""
        performing = self._performing
        if not performing.queue and not performing.failures and len(performing.running) < 2:
            return ()
        rows = []
        for job in performing.running:
            rate = job.rate()
            pace = f"{rate:.0f} frames/s" if rate else ""
            rows.append(self._row(Stage.RUNNING, job.line_id, share=job.share, says=pace))
        rows += [
            self._row(Stage.WAITING, each.line_id, number=each.number, takes=each.takes)
            for each in performing.queue.waiting[:MOST_LISTED]
        ]
        rows += [self._row(Stage.FAILED, line_id, says=why) for line_id, why in performing.failures.items()]
        return tuple(rows)

    def _row(
        self, stage: Stage, line_id: str, number: int = 0, takes: int = 1, share: float = 0.0, says: str = ""
    ) -> QueueRow:
        line: Line | None = self._session.find(line_id)
        place = self._session.number(line_id) if line else None
        words = " ".join(line.text.split())[:_WORDS] if line else ""
        return QueueRow(stage, line_id, place, words, number, takes, share, says.rstrip("."))

    @Slot(object)
    def _cancel(self, row: QueueRow) -> None:
        match row.stage:
            case Stage.RUNNING:
                self._performing.cancel_line(row.line_id)
            case Stage.WAITING:
                self._performing.cancel_waiting(row.number)
            case Stage.FAILED:
                self._performing.forget_failure(row.line_id)

    @Slot(str)
    def _retry(self, line_id: str) -> None:
        self._performing.forget_failure(line_id)
        self._performing.generate((line_id,))
