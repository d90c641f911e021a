"""Record a clip: choose a microphone, watch the level, read aloud after the countdown, as often as it takes."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QDialog, QHBoxLayout, QPlainTextEdit, QRadioButton, QVBoxLayout, QWidget

from engine.request import Samples, frozen
from studio import theme
from studio.controls import Choice, KeyButton, label, set_tone
from studio.layouts import clear
from studio.library.quality import FULL
from studio.microphone import Input, InputDevice, MicrophoneError

TICK = 40  # ms between two looks at the level
COUNTDOWN = 3  # seconds
MOST_SECONDS = 300
QUIET, LOUD = -60.0, 0.0  # dB that the meter shows
GOOD = (-24.0, -3.0)  # dB that the loudest moments should reach
PASSAGE = (
    "The harbour was quiet when we came in, and the lamps along the quay were already lit. "
    "Good evening, said the pilot, you are late; the tide has turned, and nobody waits for the tide."
)
BLANK = "______"  # where something is to be said that is not known here


def consent_passage(who: str, today: datetime.date) -> str:
    """What somebody may say to allow the use of their voice."""
    name, day = who.rstrip(".") or BLANK, f"{today.day} {today:%B %Y}"
    return (
        f"My name is {name}. Today is {day}. I allow that my voice is recorded and cloned with Retake, "
        f"and that it speaks in {BLANK}. I can take this back, and ask for the recordings to be deleted."
    )


@dataclass(frozen=True, eq=False)
class _Recorded:
    samples: Samples
    rate: int
    clipped: bool

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate


class Recorder(QDialog):
    """`recorded` carries samples, their rate and the words that were read. The microphone is open as long as it is."""

    recorded = Signal(object, int, str)
    play_wanted = Signal(object, int)
    stop_wanted = Signal()
    problem = Signal(object, str)

    def __init__(
        self,
        devices: tuple[InputDevice, ...],
        open_input: Callable[[InputDevice | None], Input],
        parent: QWidget | None = None,
        passage: str = PASSAGE,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Record")
        self.may_drop: Callable[[], bool] = lambda: True  # asked before recordings are lost
        self.setMinimumWidth(560)
        self._devices, self._open_input = devices, open_input
        self._input: Input | None = None
        self._blocks: list[np.ndarray] | None = None  # while it records
        self._left = 0.0  # of the countdown
        self._clipped = False
        self.takes: list[_Recorded] = []
        self._tick = QTimer(self, interval=TICK)
        self._tick.timeout.connect(self._listen)
        self._make(passage)
        self._lay()
        self._show_step()
        self._choose_device()

    def _make(self, passage: str) -> None:
        self.device = Choice("Microphone")
        self.device.addItems(["As the system has it", *(f"{each.name} ({each.host_api})" for each in self._devices)])
        self.device.activated.connect(self._choose_device)
        self.words = QPlainTextEdit(passage)
        self.words.setProperty("kind", "field")
        self.words.setFont(theme.font(15))
        self.words.document().setDocumentMargin(4)
        self.words.setViewportMargins(0, 4, 0, 4)
        self.words.setAccessibleName("What you read aloud")
        self.words.setTabChangesFocus(True)
        self.words.setFixedHeight(104)
        self.meter = LevelMeter()
        self.light = label("", 12, tone="muted")
        self.time = label("0.0 s", 20, 500)
        self.told = label("", 12, tone="muted")
        self.told.setWordWrap(True)
        self.record = KeyButton("Record", "R", kind="filled", icon="microphone")
        self.play = KeyButton("Play", "Space", icon="play", tip="Hear what was recorded")
        self.use = KeyButton("Use it", "Enter", tip="Make a clip of the chosen recording")
        self.cancel = KeyButton("Cancel", tip="Leave without a recording (Esc)")
        self._choices = QButtonGroup(self)
        self._list = QVBoxLayout()
        for button, verb in (
            (self.record, self.toggle), (self.play, self._play), (self.use, self._use), (self.cancel, self.reject),
        ):  # fmt: skip
            button.clicked.connect(verb)

    def _lay(self) -> None:
        level = QHBoxLayout()
        level.setSpacing(12)
        level.addWidget(self.time)
        level.addWidget(self.meter, 1)
        level.addWidget(self.light)
        verbs = QHBoxLayout()
        verbs.setSpacing(8)
        verbs.addWidget(self.record)
        verbs.addWidget(self.play)
        verbs.addStretch(1)
        verbs.addWidget(self.cancel)
        verbs.addWidget(self.use)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(16, 16, 16, 16)
        stack.setSpacing(8)
        stack.addWidget(label("Microphone", 12, tone="muted"))
        stack.addWidget(self.device)
        stack.addWidget(label("What you read aloud; change it as you like", 12, tone="muted"))
        stack.addWidget(self.words)
        stack.addLayout(level)
        stack.addWidget(self.told)
        stack.addLayout(self._list)
        stack.addSpacing(4)
        stack.addLayout(verbs)

    # The microphone

    @Slot()
    def _choose_device(self) -> None:
        """Open the chosen microphone, so that its level is seen before anything is recorded. What was recorded with the
        one before stays."""
        self._finish()
        self._close_input()
        place = self.device.currentIndex() - 1
        try:
            self._input = self._open_input(self._devices[place] if place >= 0 else None)
        except MicrophoneError as error:
            self._lose(error)
            return
        self._clipped = False
        self._tick.start()
        self._show_step()

    def _lose(self, error: MicrophoneError) -> None:
        """The microphone is gone; what was recorded until then stays."""
        self._finish()
        self._close_input()
        self.told.setText(str(error))
        set_tone(self.told, "warning")
        self.record.setEnabled(False)

    def _close_input(self) -> None:
        self._tick.stop()
        if self._input is not None:
            self._input.close()
            self._input = None

    @Slot()
    def _listen(self) -> None:
        """What was heard since the last time: its level, and, while recording, its samples."""
        assert self._input is not None
        try:
            block = self._input.heard()
        except MicrophoneError as error:
            self._lose(error)
            return
        if len(block):
            peak = float(np.abs(block).max())
            self.meter.show_level(20 * float(np.log10(max(peak, 1e-6))))
            if peak >= FULL:
                self._clipped = True
                self._show_light()
        if self._left > 0:
            self._left -= len(block) / self._input.rate
            if self._left <= 0:
                self._blocks, self._clipped = [], False
            self._show_step()
        elif self._blocks is not None:
            self._blocks.append(block)
            seconds = sum(map(len, self._blocks)) / self._input.rate
            self.time.setText(f"{seconds:.1f} s")
            if seconds >= MOST_SECONDS:
                self._finish()

    # Recording

    @Slot()
    def toggle(self) -> None:
        """Begin the countdown, give it up, or end the recording."""
        self.stop_wanted.emit()
        if self._left > 0:
            self._left = 0.0
        elif self._blocks is not None:
            self._finish()
        elif self._input is not None:
            self._left = float(COUNTDOWN)
        self._show_step()

    def _finish(self) -> None:
        blocks, self._blocks, self._left = self._blocks, None, 0.0
        samples = np.concatenate([np.zeros(0, np.float32), *(blocks or [])])
        if len(samples) and self._input is not None:
            self.takes.append(_Recorded(frozen(samples), self._input.rate, self._clipped))
            self._show_takes()
        self._show_step()

    def _show_takes(self) -> None:
        clear(self._list)
        for number, take in enumerate(self.takes):
            clipped = ", clipped" if take.clipped else ""
            button = QRadioButton(f"Recording {number + 1}, {take.seconds:.1f} s{clipped}")
            button.setFont(theme.font(13))
            button.setChecked(number == len(self.takes) - 1)
            self._choices.addButton(button, number)
            self._list.addWidget(button)

    def _show_step(self) -> None:
        recording, counting = self._blocks is not None, self._left > 0
        self.record.show_text("Stop" if recording or counting else "Record again" if self.takes else "Record")
        self.record.setEnabled(self._input is not None)
        for button in (self.play, self.use):
            button.setEnabled(bool(self.takes) and not recording and not counting)
        if counting:
            self.time.setText(str(int(np.ceil(self._left))))
        elif not recording:
            self.time.setText(f"{self.takes[-1].seconds:.1f} s" if self.takes else "0.0 s")
        self.told.setText(
            "Get ready…"
            if counting
            else "Read it aloud, then press Stop."
            if recording
            else "Speak as you will read: the bar should reach the green, and never the end."
        )
        set_tone(self.told, "muted")
        self._show_light()

    def _show_light(self) -> None:
        self.light.setText("Too loud: turn the input down" if self._clipped else "")
        set_tone(self.light, "danger" if self._clipped else "muted")

    def _chosen(self) -> _Recorded | None:
        place = self._choices.checkedId()
        return self.takes[place] if 0 <= place < len(self.takes) else None

    @Slot()
    def _play(self) -> None:
        if (take := self._chosen()) is not None:
            self.play_wanted.emit(take.samples, take.rate)

    @Slot()
    def _use(self) -> None:
        if (take := self._chosen()) is not None:
            self.recorded.emit(take.samples, take.rate, self.words.toPlainText().strip())
            self.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_R and self.record.isEnabled():
            self.toggle()
        elif event.key() == Qt.Key.Key_Space and self.play.isEnabled():
            self._play()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.use.isEnabled():
                self._use()
        else:
            super().keyPressEvent(event)

    def reject(self) -> None:
        if not (self.takes or self._blocks) or self.may_drop():
            super().reject()

    def done(self, result: int) -> None:
        self._close_input()
        self.stop_wanted.emit()
        super().done(result)


class LevelMeter(QWidget):
    """A bar from −60 to 0 dB: accent below the good range, green in it, red at its end. It falls slowly."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(12)
        self.setMinimumWidth(160)
        self.setAccessibleName("Level")
        self.setToolTip("The level of the microphone; the marks show where the loudest moments should reach")
        self.level = QUIET

    def show_level(self, level: float) -> None:
        self.level = max(level, self.level - 2.0, QUIET)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        width = self.width() / (LOUD - QUIET)
        painter.fillRect(QRectF(0, 3, self.width(), 6), QColor(palette.line))
        good = GOOD[0] <= self.level
        colour = palette.danger if self.level > GOOD[1] else palette.good if good else palette.muted
        painter.fillRect(QRectF(0, 3, (self.level - QUIET) * width, 6), QColor(colour))
        for mark in GOOD:
            painter.fillRect(QRectF(round((mark - QUIET) * width), 0, 1, 12), QColor(palette.faint))
