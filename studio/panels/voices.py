"""The voices that can be cast: search, a thin wave, whether they are ready."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from PySide6.QtCore import QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from studio import theme
from studio.controls import PADDING, KeyButton, SearchField, SectionHeader, label, paint_wave
from studio.rows import RowList, RowPainter

AUDIO_SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aif", ".aiff", ".w64", ".rf64")


@dataclass(frozen=True, eq=False)
class VoiceRow:
    """A voice as it is listed; `thumbnail` as in controls.paint_wave, `state` in words ("ready", "62 %")."""

    name: str
    thumbnail: np.ndarray | None = None
    state: str = "ready"
    ready: bool = True


class VoicesPanel(QFrame):
    """A double click, Enter or Space plays a voice; audio files dropped here want to become one."""

    audition_wanted = Signal(str)
    voice_chosen = Signal(str)
    add_voice_wanted = Signal()
    files_dropped = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Voices")
        self.setAcceptDrops(True)
        self._voices: tuple[VoiceRow, ...] = ()
        self._drop = False
        self.search = SearchField("Search voices")
        self.search.setToolTip("Search voices (Esc empties the field)")
        self.rows = RowList("Voices", _VoicePainter(), _words)
        self.none = label("", 12, tone="muted")
        self.none.setWordWrap(True)
        self.add = KeyButton("Add a voice…", tip="Add a voice from a recording, or drop audio files here")
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 12, 0, 12)
        stack.setSpacing(6)
        stack.addWidget(SectionHeader("Voices"))
        stack.addLayout(_padded(self.search))
        stack.addWidget(self.rows)
        stack.addLayout(_padded(self.none))
        stack.addSpacing(2)
        stack.addLayout(_padded(self.add))
        stack.addStretch(1)
        self.search.textChanged.connect(self._show_rows)
        self.rows.activated_row.connect(self._audition)
        self.rows.chosen.connect(self._choose)
        self.add.clicked.connect(self.add_voice_wanted)
        self._show_rows()

    def show_voices(self, voices: tuple[VoiceRow, ...]) -> None:
        self._voices = voices
        self.search.show_placeholder("Search 1 voice" if len(voices) == 1 else f"Search {len(voices)} voices")
        self._show_rows()

    @Slot()
    def _show_rows(self) -> None:
        sought = self.search.text().strip().casefold()
        found = tuple(voice for voice in self._voices if sought in voice.name.casefold())
        current = self.rows.current_row()
        names = [voice.name for voice in found]
        self.rows.show_rows(found, names.index(current.name) if current and current.name in names else None)
        self.rows.setVisible(bool(found))
        self.none.setVisible(not found)
        self.search.setVisible(bool(self._voices))
        self.none.setText(
            f"No voice is called “{self.search.text()}”."
            if self._voices
            else "No voices yet. Add a clear recording of one person, 10 to 30 seconds long."
        )

    @Slot(object)
    def _audition(self, voice: VoiceRow) -> None:
        self.audition_wanted.emit(voice.name)

    @Slot(object)
    def _choose(self, voice: VoiceRow) -> None:
        self.voice_chosen.emit(voice.name)

    # Dropped files

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _audio_files(event):
            self._show_drop(True)
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_drop(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._show_drop(False)
        event.acceptProposedAction()
        self.files_dropped.emit(_audio_files(event))

    def _show_drop(self, over: bool) -> None:
        self._drop = over
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._drop:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme.current().accent), 1))
            painter.setBrush(theme.chosen_ground())
            painter.drawRoundedRect(self.rect().adjusted(4, 4, -5, -5), 6, 6)


class _VoicePainter(RowPainter):
    def paint_row(self, painter: QPainter, rect: QRect, row: VoiceRow, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        wave = QRect(rect.x() + PADDING, rect.y() + 8, 44, 20)
        paint_wave(painter, wave, row.thumbnail, QColor(palette.muted), 0.8)
        painter.setFont(theme.font(12, tabular=True))
        width = painter.fontMetrics().horizontalAdvance(row.state)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(palette.good if row.ready else palette.muted))
        painter.drawText(rect.adjusted(0, 0, -PADDING, 0), middle | Qt.AlignmentFlag.AlignRight, row.state)
        name = rect.adjusted(PADDING + 54, 0, -PADDING - width - 8, 0)
        painter.setFont(theme.font(13))
        painter.setPen(QColor(palette.text))
        shown = painter.fontMetrics().elidedText(row.name, Qt.TextElideMode.ElideRight, name.width())
        painter.drawText(name, middle | Qt.AlignmentFlag.AlignLeft, shown)

    def tip(self, row: VoiceRow, part: str | None) -> str:
        return f"Play {row.name} (Space)" if row.ready else f"{row.name}: {row.state}"


def _words(voice: VoiceRow) -> str:
    return f"{voice.name}, {voice.state}"


def _audio_files(event: QDropEvent) -> list[str]:
    files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
    return [file for file in files if PurePath(file).suffix.lower() in AUDIO_SUFFIXES]


def _padded(widget: object) -> QHBoxLayout:
    made = QHBoxLayout()
    made.setContentsMargins(PADDING, 0, PADDING, 0)
    made.addWidget(widget)  # type: ignore[arg-type]
    return made
