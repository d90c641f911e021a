"""A voice from a file, before it comes into the library: what it is, how it sounds, who allowed it."""

from __future__ import annotations

import datetime

from PySide6.QtCore import QRect, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from studio import theme
from studio.controls import KeyButton, label, set_tone
from studio.library.clips import heard, thumbnail_of
from studio.library.share import SharedVoice
from studio.thin_wave import paint_wave


class VoiceCard(QDialog):
    """`take_in_wanted` carries the voice."""

    take_in_wanted = Signal(object)
    play_wanted = Signal(object, int)  # samples and their rate

    def __init__(self, shared: SharedVoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Add a voice")
        self.setMinimumWidth(460)
        self._shared = shared
        voice = shared.voice
        self.play = KeyButton("Play", "Space", icon="play", tip="Hear its first clip")
        self.consent = KeyButton("Hear the consent", tip="Hear how the use of the voice was allowed")
        self.consent.setVisible(shared.consent is not None)
        self.cancel = KeyButton("Cancel", tip="Leave the library as it is (Esc)")
        self.take_in = KeyButton("Add to the library", "Enter", kind="filled")
        self.take_in.setDefault(True)
        facts = QGridLayout()
        facts.setHorizontalSpacing(16)
        facts.setVerticalSpacing(4)
        facts.setColumnStretch(1, 1)
        count = len(voice.clips)
        permission = voice.permission
        ended = permission.expired(datetime.date.today())
        for row, (name, value) in enumerate((
            ("Clips", f"{count}, {voice.seconds:.1f} s in all"),
            ("Language", voice.language or "Not stated"),
            ("Permission", permission.words + (", which has ended" if ended else "")),
            ("Spoken consent", f"{voice.spoken_consent.seconds:.1f} s" if voice.spoken_consent else "None"),
            ("Given by", permission.who or "Not stated"),
            ("Licence and origin", permission.licence or "Not stated"),
            ("Note", voice.note or "None"),
        )):  # fmt: skip
            facts.addWidget(label(name, 12, tone="muted"), row, 0)
            told = label(value, 13)
            told.setWordWrap(True)
            if name == "Permission" and ended:
                set_tone(told, "warning")
            facts.addWidget(told, row, 1)
        words = label(f"“{voice.clips[0].transcript}”" if voice.clips[0].transcript else "No words", 13, tone="muted")
        words.setWordWrap(True)
        verbs = QHBoxLayout()
        verbs.setSpacing(8)
        for widget in (self.play, self.consent, None, self.cancel, self.take_in):
            verbs.addStretch(1) if widget is None else verbs.addWidget(widget)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(16, 16, 16, 16)
        stack.setSpacing(12)
        heading = label(voice.name, 15, 600)
        heading.setWordWrap(True)
        stack.addWidget(heading)
        stack.addWidget(_Thumbnail(shared))
        stack.addWidget(words)
        stack.addLayout(facts)
        stack.addLayout(verbs)
        self.play.clicked.connect(self._play)
        self.consent.clicked.connect(self._play_consent)
        self.cancel.clicked.connect(self.reject)
        self.take_in.clicked.connect(self._take_in)

    @Slot()
    def _play(self) -> None:
        clip = self._shared.voice.clips[0]
        self.play_wanted.emit(heard(clip, self._shared.first.samples), clip.rate)

    @Slot()
    def _play_consent(self) -> None:
        if (held := self._shared.consent) is not None:
            self.play_wanted.emit(held.samples, held.rate)

    @Slot()
    def _take_in(self) -> None:
        self.take_in_wanted.emit(self._shared)
        self.accept()


class _Thumbnail(QWidget):
    def __init__(self, shared: SharedVoice) -> None:
        super().__init__()
        self.setFixedHeight(48)
        self._wave = thumbnail_of(shared.voice.clips)
        self._colour = shared.voice.colour or 0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.current().ground))
        inside = QRect(8, 4, self.width() - 16, 40)
        paint_wave(painter, inside, self._wave, theme.character_colour(self._colour))
