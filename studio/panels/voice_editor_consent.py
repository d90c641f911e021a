"""The spoken consent of a voice in its editor: a recording in which its use is allowed, heard, replaced, taken out."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.controls import ElidedLabel, IconButton, KeyButton, label
from studio.library.voices import Clip

HEAR = "Hear the spoken consent"


class SpokenConsent(QWidget):
    """Wishes alone: whoever holds the voice records, reads and plays. `removed` says that it shall go."""

    record_wanted = Signal()
    choose_wanted = Signal()
    play_wanted = Signal()
    removed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._playing, self._hear = False, HEAR
        self.told = ElidedLabel(13)
        self.play = IconButton("play", HEAR, size=24)
        self.remove = IconButton("trash", "Take the spoken consent out of the voice", size=24)
        self.record = KeyButton("Record…", tip="Record somebody who allows the use of the voice", icon="microphone")
        self.choose = KeyButton("From a file…", tip="Keep a recording in which the use of the voice is allowed")
        held = QHBoxLayout()
        held.setSpacing(4)
        held.addWidget(self.play)
        held.addWidget(self.told, 1)
        held.addWidget(self.remove)
        verbs = QHBoxLayout()
        verbs.setSpacing(8)
        verbs.addWidget(self.record)
        verbs.addWidget(self.choose)
        verbs.addStretch(1)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(5)
        stack.addWidget(label("Spoken consent", 12, tone="muted"))
        stack.addLayout(held)
        stack.addLayout(verbs)
        for button, signal in (
            (self.record, self.record_wanted), (self.choose, self.choose_wanted), (self.play, self.play_wanted),
            (self.remove, self.removed),
        ):  # fmt: skip
            button.clicked.connect(signal)
        self.show_clip(None)

    def show_clip(self, clip: Clip | None) -> None:
        """What is kept; where the words are known that were said, a tooltip has them."""
        there = clip is not None
        self.told.show_text(f"{clip.seconds:.1f} s · {clip.name}" if clip is not None else "")
        self._hear = f"{HEAR}: “{clip.transcript}”" if clip is not None and clip.transcript else HEAR
        self._show_play()
        for widget in (self.play, self.told, self.remove):
            widget.setVisible(there)
        for button in (self.record, self.choose):
            button.setVisible(not there)

    def show_playing(self, playing: bool) -> None:
        self._playing = playing
        self._show_play()

    def _show_play(self) -> None:
        self.play.show_icon("stop" if self._playing else "play", "Stop" if self._playing else self._hear)

    def allow(self, may: bool) -> None:
        """Whether it may be changed; it can always be heard."""
        for button in (self.record, self.choose, self.remove):
            button.setEnabled(may)
