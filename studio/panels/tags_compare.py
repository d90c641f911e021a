"""A line under several tags and directions, side by side: heard blind or by name, seen where each acts, one click
adopts it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QFrame, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio import theme
from studio.controls import ElidedLabel, IconButton, KeyButton, label
from studio.thin_wave import paint_wave

MOST = 6
# In times of what tags do that mean nothing; by chance, one of those in twenty goes beyond 1.6 (measure_tags.py).
ACTS, STRONGLY = 2.0, 4.0
LEAST = 1e-4  # nats; less is noise of the arithmetic
TIP = "Over its frames {:.1f} times as much as tags that mean nothing do here"
_COLUMNS = 3


@dataclass(frozen=True)
class Manner:
    """How a line is spoken: under a tag, or by a direction in plain words; "" is the line as it is."""

    words: str = ""
    directed: bool = False

    @property
    def said(self) -> str:
        if not self.words:
            return "as it is"
        return f"direction: {self.words}" if self.directed else f"[{self.words}]"


AS_IT_IS = Manner()


@dataclass(frozen=True, eq=False)
class Cell:
    """A take in a manner. `wave` [columns, 2] is None until it is made; `nats` [frame] tells how much the manner
    matters to each frame, None where that is not known, and `empty` how much tags that mean nothing matter to a frame
    of this line; `why_not` says why there is no take."""

    manner: Manner
    wave: np.ndarray | None = None
    seconds: float = 0.0
    nats: np.ndarray | None = None
    empty: float | None = None
    why_not: str = ""


class CompareDialog(QDialog):
    """Up to six tags and directions, and the line as it is. All begin with the same seed, and those with a tag with the
    same frames up to it."""

    start_wanted = Signal(object)  # the manners
    play_wanted = Signal(object)  # the manner of a cell
    adopt_wanted = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Compare tags and directions")
        self.resize(760, 480)
        self._cells: tuple[Cell, ...] = ()
        self._order: list[int] = []
        self.about = label("", 13, 600)
        self.about.setWordWrap(True)
        self.tags = _field("Tags, with commas between: tired, whispering, angry", "Tags to compare")
        self.tags.setToolTip(f"Up to {MOST} tags and directions; the line as it is is always made, too")
        self.directions = _field("Directions, with semicolons: tired, to herself; loud", "Directions to compare")
        self.directions.setToolTip("How the line is spoken, in plain words")
        self.start = KeyButton("Make takes", tip="Make a take under each tag", kind="filled")
        self.blind = QCheckBox("Blind")
        self.blind.setToolTip("Mixed up and without names, until you say so")
        self.told = label("", 12, tone="muted")
        self.empty = label(
            "Write tags or directions above: the line is spoken in each of these ways from one seed, and as it is.",
            12,
            tone="muted",
        )
        self.empty.setWordWrap(True)
        self._grid = QGridLayout()
        self._grid.setSpacing(8)
        for column in range(_COLUMNS):
            self._grid.setColumnStretch(column, 1)
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
        stack.addWidget(self.directions)
        stack.addWidget(self.empty)
        stack.addLayout(self._grid)
        stack.addStretch(1)
        stack.addWidget(self.told)
        self.start.clicked.connect(self._start)
        self.tags.textChanged.connect(self._follow)
        self.directions.textChanged.connect(self._follow)
        self.tags.returnPressed.connect(self._start)
        self.directions.returnPressed.connect(self._start)
        self.blind.toggled.connect(self._mix)
        self.finished.connect(self.closed)
        self._follow()

    @property
    def wanted(self) -> tuple[Manner, ...]:
        """The tags and directions that are written, each once."""
        tags = (" ".join(each.strip().strip("[]").split()) for each in self.tags.text().split(","))
        directions = (" ".join(each.split()) for each in self.directions.text().split(";"))
        written = [Manner(each) for each in tags] + [Manner(each, directed=True) for each in directions]
        return tuple(dict.fromkeys(each for each in written if each.words))[:MOST]

    def show_about(self, words: str, where: str, template: str) -> None:
        """The line, where in it the tags stand, and the template by which a direction enters."""
        self.about.setText(words)
        self.told.setText(f"{where} A direction enters as {template}, which the prompt view (Ctrl+P) can change.")

    def show_cells(self, cells: Sequence[Cell]) -> None:
        """The takes as far as they are made."""
        if len(cells) != len(self._cells):
            self._order = list(range(len(cells)))
            if self.blind.isChecked():
                random.shuffle(self._order)
            self._lay(len(cells))
        self._cells = tuple(cells)
        self.empty.setVisible(not cells)
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
            name = f"Take {chr(ord('A') + number)}" if blind else cell.manner.said
            view.show_cell(replace(cell, nats=None) if blind else cell, name)

    @Slot()
    def _mix(self) -> None:
        self._order = list(range(len(self._cells)))
        if self.blind.isChecked():
            random.shuffle(self._order)
        self._show()

    @Slot()
    def _follow(self) -> None:
        self.start.setEnabled(bool(self.wanted))

    @Slot()
    def _start(self) -> None:
        if self.wanted:
            self.start_wanted.emit(self.wanted)

    @Slot()
    def _play(self) -> None:
        self.play_wanted.emit(self._manner_of(self.sender()))

    @Slot()
    def _adopt(self) -> None:
        self.adopt_wanted.emit(self._manner_of(self.sender()))

    def _manner_of(self, button: object) -> Manner:
        number = next(n for n, view in enumerate(self._views) if button in (view.play, view.adopt))
        return self._cells[self._order[number]].manner


class CellView(QFrame):
    """One take: its name, its wave, and under that where the tag acts."""

    def __init__(self) -> None:
        super().__init__()
        self._cell = Cell(AS_IT_IS)
        self.setMinimumHeight(112)
        self.name = ElidedLabel(13, 600)
        self.length = label("", 11.5, tone="muted")
        self.effect = label("", 11.5, tone="muted")
        self.play = IconButton("play", "Hear it", size=24)
        self.adopt = KeyButton("Adopt", tip="Put this into the line and keep this take")
        above = QHBoxLayout()
        above.addWidget(self.name, 1)
        above.addWidget(self.length)
        below = QHBoxLayout()
        below.addWidget(self.play)
        below.addWidget(self.effect)
        below.addStretch(1)
        below.addWidget(self.adopt)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(10, 8, 10, 8)
        stack.addLayout(above)
        stack.addStretch(1)
        stack.addLayout(below)

    def show_cell(self, cell: Cell, name: str) -> None:
        self._cell = cell
        self.name.show_text(name)
        self.setAccessibleName(name)
        made = cell.wave is not None
        times = acting(cell.nats, cell.empty) if cell.nats is not None and cell.empty is not None else None
        self.length.setText(cell.why_not or (f"{cell.seconds:.1f} s" if made else "being made"))
        self.effect.setText(in_words(times) if times is not None else "")
        self.setToolTip(cell.why_not or (TIP.format(times) if times is not None else ""))
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
        if self._cell.nats is not None and self._cell.empty is not None and len(self._cell.nats):
            _paint_meter(painter, QRectF(10, 66, self.width() - 20, 8), self._cell.nats, self._cell.empty)


def acting(nats: np.ndarray, empty: float) -> float:
    """How much a manner does, in times of what a tag does that means nothing."""
    return float(nats.mean()) / max(empty, LEAST) if len(nats) else 0.0


def in_words(times: float) -> str:
    return "acts strongly" if times > STRONGLY else "acts" if times > ACTS else "like an empty tag"


def _field(placeholder: str, name: str) -> QLineEdit:
    made = QLineEdit()
    made.setFont(theme.font(13))
    made.setPlaceholderText(placeholder)
    made.setAccessibleName(name)
    return made


def _paint_meter(painter: QPainter, room: QRectF, nats: np.ndarray, empty: float) -> None:
    """A bar for each frame: the more violet, the more it is beyond what an empty tag does."""
    width = room.width() / len(nats)
    ground, tag = QColor(theme.current().raised), QColor(theme.current().tag)
    beyond = (nats / max(empty, LEAST) - 1.0) / (2 * STRONGLY - 1.0)
    for frame, value in enumerate(np.clip(beyond, 0.0, 1.0)):
        bar = QRectF(room.left() + frame * width, room.top(), width + 0.5, room.height())
        painter.fillRect(bar, theme.mix(ground, tag, float(value)))
