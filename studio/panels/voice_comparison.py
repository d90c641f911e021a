"""The same sentence with up to six voices, one under the other: which of them suits the part?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRect, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio import theme
from studio.controls import Choice, IconButton, KeyButton, label
from studio.thin_wave import paint_wave

MOST = 6
NONE = "None"


class VoiceComparison(QDialog):
    """`speak_wanted` carries the place of a row, the name of its voice, and the sentence; `play_wanted` the place."""

    speak_wanted = Signal(int, str, str)
    play_wanted = Signal(int)
    give_wanted = Signal(str)

    def __init__(self, names: Sequence[str], first: str, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Compare voices")
        self.setMinimumWidth(620)
        self.sentence = QLineEdit(sentence)
        self.sentence.setFont(theme.font(15))
        self.sentence.setAccessibleName("The sentence that all of them say")
        self.voices: list[Choice] = []
        self.plays: list[IconButton] = []
        self.gives: list[KeyButton] = []
        self._waves: list[_Wave] = []
        others = [name for name in names if name != first]
        grid = QGridLayout()
        grid.setSpacing(8)
        grid.setColumnStretch(1, 1)
        for row in range(min(MOST, len(names))):
            choice = Choice(f"Voice {row + 1}")
            choice.setFixedWidth(180)
            choice.addItems([NONE, *names])
            choice.setCurrentText(first if row == 0 else others[row - 1])
            wave = _Wave()
            play = IconButton("play", f"Hear voice {row + 1}", str(row + 1))
            give = KeyButton("Use", tip="Give this voice to the chosen line's character")
            for column, widget in enumerate((choice, wave, play, give)):
                grid.addWidget(widget, row, column)
            choice.activated.connect(self._forget)
            play.clicked.connect(self._play)
            give.clicked.connect(self._give)
            self.voices.append(choice)
            self._waves.append(wave)
            self.plays.append(play)
            self.gives.append(give)
            self.show_row(row, None)
        self.speak = KeyButton("Speak", "Enter", tip="Have all of them say it", kind="filled")
        self.speak.setDefault(True)
        self.close_ = KeyButton("Close", "Esc")
        verbs = QHBoxLayout()
        verbs.setSpacing(8)
        verbs.addStretch(1)
        verbs.addWidget(self.close_)
        verbs.addWidget(self.speak)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(16, 16, 16, 16)
        stack.setSpacing(8)
        stack.addWidget(label("What all of them say", 12, tone="muted"))
        stack.addWidget(self.sentence)
        stack.addSpacing(4)
        stack.addLayout(grid)
        stack.addSpacing(4)
        stack.addLayout(verbs)
        self.speak.clicked.connect(self._speak)
        self.close_.clicked.connect(self.reject)

    def show_row(self, row: int, thumbnail: np.ndarray | None, busy: bool = False) -> None:
        """How a row's sentence sounds (as in thin_wave.paint_wave), None while it is not spoken."""
        self._waves[row].show_wave(thumbnail, busy)
        self.plays[row].setEnabled(thumbnail is not None)

    def _row(self) -> int:
        sender = self.sender()
        return next(
            row
            for row, held in enumerate(zip(self.voices, self.plays, self.gives, strict=True))
            if sender in held
        )

    @Slot()
    def _forget(self) -> None:
        self.show_row(self._row(), None)

    @Slot()
    def _play(self) -> None:
        self.play_wanted.emit(self._row())

    @Slot()
    def _give(self) -> None:
        name = self.voices[self._row()].currentText()
        if name != NONE:
            self.give_wanted.emit(name)

    @Slot()
    def _speak(self) -> None:
        sentence = self.sentence.text().strip()
        for row, choice in enumerate(self.voices):
            if choice.currentText() != NONE and sentence:
                self.speak_wanted.emit(row, choice.currentText(), sentence)


class _Wave(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(28)
        self._wave: np.ndarray | None = None
        self._busy = False

    def show_wave(self, wave: np.ndarray | None, busy: bool) -> None:
        self._wave, self._busy = wave, busy
        self.setAccessibleName("Being spoken" if busy else "Spoken" if wave is not None else "Not spoken")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        colour = QColor(palette.accent if self._busy else palette.muted if self._wave is not None else palette.line)
        paint_wave(QPainter(self), QRect(0, 2, self.width(), self.height() - 4), self._wave, colour)
