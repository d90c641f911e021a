"""The history: everything that ever happened to the project, newest first, and a click goes back to any of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio import theme
from studio.controls import IconButton, SectionHeader
from studio.rows import RowList, RowPainter

ROWS_SEEN = 10


@dataclass(frozen=True)
class HistoryRow:
    """A step: `place` names it, `about` are the words it was about."""

    place: int
    label: str
    about: str = ""


class HistoryPanel(QFrame):
    """Steps of a branch that was left behind by an edit after undo are dim, and can be gone to like the others."""

    step_wanted = Signal(int)
    close_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("History")
        self.header = SectionHeader("History")
        self.close_button = IconButton("close", "Close the history", size=24)
        self.header.add(self.close_button)
        self._painter = _HistoryPainter()
        self.rows = RowList("History", self._painter, self._words, most=ROWS_SEEN)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 8, 0, 8)
        stack.setSpacing(4)
        stack.addWidget(self.header)
        stack.addWidget(self.rows)
        self.close_button.clicked.connect(self.close_wanted)
        self.rows.chosen.connect(self._choose)
        self.rows.activated_row.connect(self._choose)

    def show_history(self, rows: Sequence[HistoryRow], at: int, branch: Sequence[int], saved: int | None) -> None:
        """The steps, newest first. The project is as after step `at`, undo and redo go along `branch`, and the file
        holds step `saved`."""
        painter = self._painter
        painter.at, painter.branch, painter.saved = at, frozenset(branch), saved
        now = next((number for number, row in enumerate(rows) if row.place == at), None)
        self.rows.show_rows(rows, now)
        self.rows.viewport().update()

    def _words(self, row: HistoryRow) -> str:
        said = ", ".join(filter(None, (row.label, row.about)))
        return f"{said}, {self._painter.standing(row)}" if self._painter.standing(row) else said

    @Slot(object)
    def _choose(self, row: HistoryRow) -> None:
        if row.place != self._painter.at:
            self.step_wanted.emit(row.place)


class _HistoryPainter(RowPainter):
    height = 30
    at = 0
    branch: frozenset[int] = frozenset()
    saved: int | None = None

    def standing(self, row: HistoryRow) -> str:
        """What the step is to the one where the user stands."""
        if row.place == self.at:
            return "now"
        if row.place not in self.branch:
            return "left behind"
        return "undone" if row.place > self.at else ""

    def paint_row(self, painter: QPainter, rect: QRect, row: HistoryRow, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        standing = self.standing(row)
        indent = 26 if standing == "left behind" else 12
        room = rect.adjusted(indent, 0, -12, 0)
        if row.place == self.saved:
            saved = QRect(rect.right() - 26, rect.y() + 9, 12, 12)
            ratio = painter.device().devicePixelRatioF()
            painter.drawPixmap(saved.topLeft(), theme.pixmap("save", palette.faint, 12, ratio))
            room.setRight(saved.left() - 6)
        painter.setFont(theme.font(12, 600 if standing == "now" else 400))
        painter.setPen(QColor(palette.text if not standing or standing == "now" else palette.faint))
        metrics = painter.fontMetrics()
        label = metrics.elidedText(row.label, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, left, label)
        room.setLeft(room.left() + metrics.horizontalAdvance(label) + 8)
        painter.setFont(theme.font(12))
        painter.setPen(QColor(palette.faint if standing and standing != "now" else palette.muted))
        if room.width() > 24:
            about = painter.fontMetrics().elidedText(row.about, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, left, about)

    def tip(self, row: HistoryRow, part: str | None) -> str:
        meaning = {
            "now": "The project is as it was after this",
            "undone": "Undone: go forward to it",
            "left behind": "Left behind when something else was done after undo: go to it",
            "": "Go back to it",
        }[self.standing(row)]
        return "\n".join(filter(None, (row.label, row.about, meaning)))
