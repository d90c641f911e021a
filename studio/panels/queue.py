"""The queue: what is being generated, what waits, and what failed and why."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio import theme
from studio.controls import IconButton, SectionHeader, percent
from studio.rows import RowList, RowPainter

ROWS_SEEN = 4


class Stage(enum.Enum):
    """How far a job is."""

    RUNNING = "running"
    WAITING = "waiting"
    FAILED = "failed"


@dataclass(frozen=True)
class QueueRow:
    """A job: `number` names it among those that wait, `words` begin its line; `says` is its pace or what went wrong."""

    stage: Stage
    line_id: str
    line_number: int | None
    words: str
    number: int = 0
    takes: int = 1
    share: float = 0.0
    says: str = ""


class QueuePanel(QFrame):
    """A click goes to the line. What waits is moved with Alt and the arrows, and taken out with Del."""

    line_chosen = Signal(str)
    cancel_wanted = Signal(object)  # a row
    retry_wanted = Signal(str)  # the line that failed
    move_wanted = Signal(int, int)  # the number of what waits, and its new place
    cancel_all_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Queue")
        self.header = SectionHeader("Queue")
        self.cancel_all = IconButton("close", "Cancel all of it", size=24)
        self.header.add(self.cancel_all)
        self.rows = QueueRows()
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 8, 0, 8)
        stack.setSpacing(4)
        stack.addWidget(self.header)
        stack.addWidget(self.rows)
        self.cancel_all.clicked.connect(self.cancel_all_wanted)
        self.rows.chosen.connect(self._choose)
        self.rows.part_clicked.connect(self._act)
        self.rows.remove_wanted.connect(self.cancel_wanted)
        self.rows.step_wanted.connect(self._step)
        self.show_jobs(())

    def show_jobs(self, rows: Sequence[QueueRow]) -> None:
        """All that runs, waits or has failed; the panel is there only while there is something."""
        before = self.rows.current_row()
        places = [n for n, row in enumerate(rows) if before and _same(before, row)]
        self.rows.show_rows(rows, places[0] if places else None)
        going = sum(row.stage is not Stage.FAILED for row in rows)
        self.header.show_title(f"Queue · {going}" if going else "Queue")
        self.setVisible(bool(rows))

    @Slot(object)
    def _choose(self, row: QueueRow) -> None:
        self.line_chosen.emit(row.line_id)

    @Slot(object, str)
    def _act(self, row: QueueRow, part: str) -> None:
        if part == "cancel":
            self.cancel_wanted.emit(row)
        else:
            self.retry_wanted.emit(row.line_id)

    @Slot(object, int)
    def _step(self, row: QueueRow, by: int) -> None:
        """One place up or down among those that wait."""
        waiting = [each.number for each in self.rows.rows.rows if each.stage is Stage.WAITING]
        if row.number in waiting:
            self.move_wanted.emit(row.number, max(0, waiting.index(row.number) + by))


class QueueRows(RowList):
    """Knows two keys more than other lists."""

    remove_wanted = Signal(object)
    step_wanted = Signal(object, int)

    def __init__(self) -> None:
        super().__init__("Queue", _QueuePainter(), _words, most=ROWS_SEEN)
        self.on_key("Del", self.remove_wanted.emit)
        self.on_key("Alt+Up", lambda row: self.step_wanted.emit(row, -1))
        self.on_key("Alt+Down", lambda row: self.step_wanted.emit(row, 1))


class _QueuePainter(RowPainter):
    height = 32

    def paint_row(self, painter: QPainter, rect: QRect, row: QueueRow, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        middle = Qt.AlignmentFlag.AlignVCenter
        left = middle | Qt.AlignmentFlag.AlignLeft
        painter.setFont(theme.font(11.5, tabular=True))
        painter.setPen(QColor(palette.muted if chosen else palette.faint))
        painter.drawText(rect.adjusted(12, 0, 0, 0), left, "" if row.line_number is None else str(row.line_number))
        said = row.says or (f"{row.takes} takes" if row.takes > 1 else "")
        room = rect.adjusted(36, 0, -34 if hovered or chosen else -12, 0)
        painter.setPen(QColor(palette.danger if row.stage is Stage.FAILED else palette.muted))
        if row.stage is Stage.FAILED:
            text = painter.fontMetrics().elidedText(said, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, left, text)
        else:
            painter.drawText(room, middle | Qt.AlignmentFlag.AlignRight, said)
            width = painter.fontMetrics().horizontalAdvance(said) + 8 if said else 0
            painter.setFont(theme.font(13))
            painter.setPen(QColor(palette.text if row.stage is Stage.RUNNING else palette.muted))
            words = painter.fontMetrics().elidedText(row.words, Qt.TextElideMode.ElideRight, room.width() - width)
            painter.drawText(room, left, words)
        if row.stage is Stage.RUNNING:
            line = QRectF(rect.left() + 36, rect.bottom() - 3, rect.width() - 48, 2)
            painter.fillRect(line, QColor(palette.line))
            painter.fillRect(QRectF(line.x(), line.y(), line.width() * row.share, 2), QColor(palette.accent))
        if hovered or chosen:
            for name, place in self.parts(rect, row).items():
                icon = {"cancel": "close", "retry": "redo"}[name]
                shown = theme.pixmap(icon, palette.muted, 14, painter.device().devicePixelRatioF())
                painter.drawPixmap(place.center().x() - 7, place.center().y() - 7, shown)

    def parts(self, rect: QRect, row: QueueRow) -> dict[str, QRect]:
        place = QRect(rect.right() - 32, rect.top(), 32, rect.height())
        return {"retry" if row.stage is Stage.FAILED else "cancel": place}

    def tip(self, row: QueueRow, part: str | None) -> str:
        if part is not None:
            return "Try again" if part == "retry" else "Cancel (Del)"
        moves = " Alt+Up and Alt+Down move it." if row.stage is Stage.WAITING else ""
        return f"{row.says}." if row.stage is Stage.FAILED else f"{row.words}{moves}"


def _same(one: QueueRow, other: QueueRow) -> bool:
    return (one.stage, one.line_id, one.number) == (other.stage, other.line_id, other.number)


def _words(row: QueueRow) -> str:
    line = f"Line {row.line_number}" if row.line_number is not None else "A line"
    state = percent(row.share) if row.stage is Stage.RUNNING else row.stage.value
    return ", ".join(word for word in (line, state, row.says, row.words) if word)
