"""A line under several tags, side by side: heard blind or by name, seen where each acts, one click adopts it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QFrame, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio import theme
from studio.controls import IconButton, KeyButton, label, paint_wave

MOST_TAGS = 6
STRONG = 0.5  # nats in a frame that fill the meter
_COLUMNS = 3


@dataclass(frozen=True, eq=False)
class Cell:
    """A take under a tag, "" for none. `wave` [columns, 2] is None until it is made; `nats` [frame] tells how much the
    tag matters to each frame, None where that is not known; `why_not` says why there is no take."""

    tag: str
    wave: np.ndarray | None = None
    seconds: float = 0.0
    nats: np.ndarray | None = None
    why_not: str = ""


class CompareDialog(QDialog):
    """Up to six tags and none; all begin with the same seed, and with the same frames up to the tag."""

    start_wanted = Signal(object)  # the tags
    play_wanted = Signal(str)  # the tag of a cell
    adopt_wanted = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Compare tags")
        self.resize(760, 480)
        self._cells: tuple[Cell, ...] = ()
        self._order: list[int] = []
        self.about = label("", 13, 600)
        self.about.setWordWrap(True)
        self.tags = QLineEdit()
        self.tags.setFont(theme.font(13))
        self.tags.setPlaceholderText("Tags, with commas between: tired, whispering, angry")
        self.tags.setAccessibleName("Tags to compare")
        self.tags.setToolTip(f"Up to {MOST_TAGS}; the line without any is always made, too")
        self.start = KeyButton("Make takes", tip="Make a take under each tag", kind="filled")
        self.blind = QCheckBox("Blind")
        self.blind.setToolTip("Mixed up and without names, until you say so")
        self.told = label("", 12, tone="muted")
        self._grid = QGridLayout()
        self._grid.setSpacing(8)
        self._views: list[CellView] = []
        above = QHBoxLayout()
        above.setSpacing(8)
        for widget, stretch in ((self.tags, 1), (self.start, 0), (self.blind, 0)):
            above.addWidget(widget, stretch)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(16, 16, 16, 16)
        stack.setSpacing(12)
        stack.addWidget(self.about)
        stack.addLayout(above)
        stack.addLayout(self._grid)
        stack.addStretch(1)
        stack.addWidget(self.told)
        self.start.clicked.connect(self._start)
        self.tags.returnPressed.connect(self._start)
        self.blind.toggled.connect(self._mix)
        self.finished.connect(self.closed)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The tags that are written, each once."""
        written = (" ".join(each.strip().strip("[]").split()) for each in self.tags.text().split(","))
        return tuple(dict.fromkeys(each for each in written if each))[:MOST_TAGS]

    def show_about(self, words: str, where: str) -> None:
        """The line, and where in it the tags stand."""
        self.about.setText(words)
        self.told.setText(where)

    def show_cells(self, cells: Sequence[Cell]) -> None:
        """The takes as far as they are made."""
        if len(cells) != len(self._cells):
            self._order = list(range(len(cells)))
            if self.blind.isChecked():
                random.shuffle(self._order)
            self._lay(len(cells))
        self._cells = tuple(cells)
        self._show()

    def _lay(self, count: int) -> None:
        for view in self._views:
            self._grid.removeWidget(view)
            view.deleteLater()
        self._views = [CellView() for _ in range(count)]
        for number, view in enumerate(self._views):
            self._grid.addWidget(view, number // _COLUMNS, number % _COLUMNS)
            view.play.clicked.connect(self._play)
            view.adopt.clicked.connect(self._adopt)

    def _show(self) -> None:
        for number, view in enumerate(self._views):
            cell = self._cells[self._order[number]]
            blind = self.blind.isChecked()
            name = f"Take {chr(ord('A') + number)}" if blind else f"[{cell.tag}]" if cell.tag else "without a tag"
            view.show_cell(replace(cell, nats=None) if blind else cell, name)

    @Slot()
    def _mix(self) -> None:
        self._order = list(range(len(self._cells)))
        if self.blind.isChecked():
            random.shuffle(self._order)
        self._show()

    @Slot()
    def _start(self) -> None:
        if self.wanted:
            self.start_wanted.emit(self.wanted)

    @Slot()
    def _play(self) -> None:
        self.play_wanted.emit(self._tag_of(self.sender()))

    @Slot()
    def _adopt(self) -> None:
        self.adopt_wanted.emit(self._tag_of(self.sender()))

    def _tag_of(self, button: object) -> str:
        number = next(n for n, view in enumerate(self._views) if button in (view.play, view.adopt))
        return self._cells[self._order[number]].tag


class CellView(QFrame):
    """One take: its name, its wave, and under that where the tag acts."""

    def __init__(self) -> None:
        super().__init__()
        self._cell = Cell("")
        self.setMinimumHeight(112)
        self.name = label("", 13, 600)
        self.length = label("", 11.5, tone="muted")
        self.play = IconButton("play", "Hear it", size=24)
        self.adopt = KeyButton("Adopt", tip="Put this tag into the line and keep this take")
        above = QHBoxLayout()
        above.addWidget(self.name, 1)
        above.addWidget(self.length)
        below = QHBoxLayout()
        below.addWidget(self.play)
        below.addStretch(1)
        below.addWidget(self.adopt)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(10, 8, 10, 8)
        stack.addLayout(above)
        stack.addStretch(1)
        stack.addLayout(below)

    def show_cell(self, cell: Cell, name: str) -> None:
        self._cell = cell
        self.name.setText(name)
        self.setAccessibleName(name)
        made = cell.wave is not None
        reach = f" · {acting(cell.nats)}" if cell.nats is not None else ""
        self.length.setText(cell.why_not or (f"{cell.seconds:.1f} s{reach}" if made else "being made"))
        self.setToolTip(cell.why_not)
        for button in (self.play, self.adopt):
            button.setEnabled(made)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(palette.line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        room = QRect(10, 34, self.width() - 20, 28)
        if self._cell.wave is not None:
            paint_wave(painter, room, self._cell.wave, QColor(palette.muted))
        if self._cell.nats is not None and len(self._cell.nats):
            _paint_meter(painter, QRectF(10, 66, self.width() - 20, 8), self._cell.nats)


def acting(nats: np.ndarray) -> str:
    """How much a tag does, in a word."""
    strength = float(nats.mean()) if len(nats) else 0.0
    return "acts strongly" if strength > 0.3 else "acts" if strength > 0.05 else "hardly acts"


def _paint_meter(painter: QPainter, room: QRectF, nats: np.ndarray) -> None:
    """A bar for each frame, as violet as the tag matters there."""
    width = room.width() / len(nats)
    ground, tag = QColor(theme.current().raised), QColor(theme.current().tag)
    for frame, value in enumerate(np.clip(nats / STRONG, 0.0, 1.0)):
        bar = QRectF(room.left() + frame * width, room.top(), width + 0.5, room.height())
        painter.fillRect(bar, theme.mix(ground, tag, float(value)))
