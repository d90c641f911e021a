"""The command palette: every verb with its key, found by a few letters."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from studio import theme
from studio.controls import SearchField, key_text, label
from studio.rows import RowList, RowPainter

ROWS_SEEN = 10


@dataclass(frozen=True)
class VerbRow:
    """A verb as it is listed: its name in the program, its words on screen, its shortcut, if it is possible now."""

    name: str
    text: str
    keys: str = ""
    possible: bool = True


class PaletteDialog(QDialog):
    """Letters narrow the list, Up and Down move in it, Enter does the chosen verb, Esc closes."""

    verb_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Commands")
        self.setFixedWidth(480)
        self._verbs: tuple[VerbRow, ...] = ()
        self.search = SearchField("Search commands")
        self.rows = RowList("Commands", _VerbPainter(), _words, most=ROWS_SEEN)
        self.rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.none = label("No command is called that.", 12, tone="muted")
        stack = QVBoxLayout(self)
        stack.setContentsMargins(8, 8, 8, 8)
        stack.setSpacing(8)
        for widget in (self.search, self.rows, self.none):
            stack.addWidget(widget)
        stack.addStretch(1)
        self.search.installEventFilter(self)
        self.search.textChanged.connect(self._show_rows)
        self.rows.chosen.connect(self._do)

    def show_verbs(self, verbs: tuple[VerbRow, ...]) -> None:
        self._verbs = verbs
        self.search.clear()
        self._show_rows()
        self.search.setFocus()

    @Slot()
    def _show_rows(self) -> None:
        sought = self.search.text().casefold().split()
        found = [verb for verb in self._verbs if all(word in verb.text.casefold() for word in sought)]
        found.sort(key=lambda verb: not verb.possible)
        self.rows.show_rows(found, 0 if found else None)
        self.rows.setVisible(bool(found))
        self.none.setVisible(not found)
        self.adjustSize()

    @Slot(object)
    def _do(self, verb: VerbRow) -> None:
        if verb.possible:
            self.accept()
            self.verb_chosen.emit(verb.name)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
            if step is not None:
                self._move(step)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                verb = self.rows.current_row()
                if verb is not None:
                    self._do(verb)
                return True
        return super().eventFilter(watched, event)

    def _move(self, step: int) -> None:
        count = len(self.rows.rows.rows)
        if count:
            place = min(max(self.rows.currentIndex().row() + step, 0), count - 1)
            self.rows.setCurrentIndex(self.rows.rows.index(place))


class _VerbPainter(RowPainter):
    height = 32

    def paint_row(self, painter: QPainter, rect: QRect, row: VerbRow, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        middle = Qt.AlignmentFlag.AlignVCenter
        weak = theme.mix(palette.surface, palette.muted, 0.55)
        painter.setFont(theme.font(13))
        painter.setPen(QColor(palette.text) if row.possible else weak)
        painter.drawText(rect.adjusted(12, 0, -120, 0), middle | Qt.AlignmentFlag.AlignLeft, row.text)
        painter.setFont(theme.font(11))
        painter.setPen(QColor(palette.muted) if row.possible else weak)
        painter.drawText(rect.adjusted(0, 0, -12, 0), middle | Qt.AlignmentFlag.AlignRight, key_text(row.keys))

    def tip(self, row: VerbRow, part: str | None) -> str:
        return "" if row.possible else "Not possible now"


def _words(verb: VerbRow) -> str:
    return ", ".join(word for word in (verb.text, verb.keys, "" if verb.possible else "not possible now") if word)
