"""The voices that can be cast: search, folders, favourites; a thin wave of each, and whether it is ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from studio import theme
from studio.controls import PADDING, Choice, IconButton, KeyButton, SearchField, SectionHeader, label, local_files
from studio.library.recordings import BY_FFMPEG, SUFFIXES
from studio.library.share import SUFFIX
from studio.rows import RowList, RowPainter
from studio.thin_wave import paint_wave

ALL, FAVOURITES = "All voices", "Favourites"
READY = "ready"
MOST_ROWS = 12  # seen at once; more are scrolled
LOW, HIGH = 36, 56  # of a row in the list, and as a card


@dataclass(frozen=True, eq=False)
class VoiceRow:
    """A voice as it is listed; `thumbnail` as in thin_wave.paint_wave, `state` in words ("ready", "making codes").

    `detail` stands under the name on a card, `about` is what search looks at as well, `caution` what is amiss with it
    ("permission ended"). `in_library` voices can be favourites and edited.
    """

    name: str
    thumbnail: np.ndarray | None = None
    state: str = READY
    ready: bool = True
    detail: str = ""
    about: str = ""
    folder: str = ""
    colour: int | None = None
    favourite: bool = False
    in_library: bool = False
    caution: str = ""


class VoicesPanel(QFrame):
    """A double click, Enter or Space plays a voice, E edits it, Del deletes it; files dropped here want to come in."""

    audition_wanted = Signal(str)
    edit_wanted = Signal(str)
    delete_wanted = Signal(str)
    favourite_wanted = Signal(str, bool)
    menu_wanted = Signal(str, QPoint)
    add_voice_wanted = Signal()
    record_wanted = Signal()
    files_dropped = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Voices")
        self.setAcceptDrops(True)
        self._voices: tuple[VoiceRow, ...] = ()
        self._drop = False
        self._loading = False
        self._painter = _VoicePainter()
        self.search = SearchField("")
        self.folder = Choice("Folder of voices")
        self.rows = VoiceRows(self._painter)
        self.none = label("", 12, tone="muted")
        self.none.setWordWrap(True)
        self.cards = IconButton("cards", "Show as cards", size=24)
        self.cards.setCheckable(True)
        self.add = KeyButton("Add a voice…", tip="Add voices from recordings or voice files, or drop them here")
        self.record = IconButton("microphone", "Record a voice…")
        self._lay()
        self._connect()
        self._show_rows()

    def _lay(self) -> None:
        header = SectionHeader("Voices")
        header.add(self.cards)
        verbs = QHBoxLayout()
        verbs.setContentsMargins(PADDING, 2, PADDING - 6, 0)
        verbs.addWidget(self.add)
        verbs.addStretch(1)
        verbs.addWidget(self.record)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 12, 0, 12)
        stack.setSpacing(6)
        stack.addWidget(header)
        stack.addLayout(_padded(self.search))
        stack.addLayout(_padded(self.folder))
        stack.addWidget(self.rows)
        stack.addLayout(_padded(self.none))
        stack.addLayout(verbs)
        stack.addStretch(1)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._show_rows)
        self.folder.currentIndexChanged.connect(self._show_rows)
        self.cards.toggled.connect(self._show_cards)
        self.rows.activated_row.connect(self._audition)
        self.rows.part_clicked.connect(self._click_part)
        self.rows.menu_wanted.connect(self._want_menu)
        self.rows.edit_asked.connect(self._edit)
        self.rows.delete_asked.connect(self._delete)
        self.add.clicked.connect(self.add_voice_wanted)
        self.record.clicked.connect(self.record_wanted)

    def show_voices(self, voices: tuple[VoiceRow, ...]) -> None:
        self._voices = voices
        self.search.show_placeholder("Search 1 voice" if len(voices) == 1 else f"Search {len(voices)} voices")
        self._show_folders()
        self._show_rows()

    def show_may_add(self, may: bool) -> None:
        """Whether the library can be written to."""
        self.add.setEnabled(may)
        self.record.setEnabled(may)

    def show_loading(self, loading: bool) -> None:
        """Whether voices are still to come, with the voice model."""
        self._loading = loading
        self._show_rows()

    def _show_folders(self) -> None:
        folders = sorted({voice.folder for voice in self._voices if voice.folder}, key=str.casefold)
        names = [ALL, *([FAVOURITES] if any(voice.favourite for voice in self._voices) else []), *folders]
        if names == [self.folder.itemText(place) for place in range(self.folder.count())]:
            return
        chosen = self.folder.currentText()
        blocked = self.folder.blockSignals(True)
        self.folder.clear()
        self.folder.addItems(names)
        self.folder.setCurrentIndex(names.index(chosen) if chosen in names else 0)
        self.folder.blockSignals(blocked)

    @Slot()
    def _show_rows(self) -> None:
        sought = self.search.text().strip().casefold().split()
        folder = self.folder.currentText()
        found = tuple(voice for voice in self._voices if _in_folder(voice, folder) and _matches(voice, sought))
        current = self.rows.current_row()
        names = [voice.name for voice in found]
        self.rows.show_rows(found, names.index(current.name) if current and current.name in names else None)
        self.rows.setVisible(bool(found))
        self.none.setVisible(not found)
        self.search.setVisible(bool(self._voices))
        self.folder.setVisible(self.folder.count() > 1)
        if self._voices:
            self.none.setText(f"No voice goes by “{self.search.text().strip()}”.")
        elif self._loading:
            self.none.setText("The voices come with the voice model, which is being loaded.")
        else:
            self.none.setText("No voices yet. Add a clear recording of one person speaking.")

    @Slot(bool)
    def _show_cards(self, cards: bool) -> None:
        self._painter.height = HIGH if cards else LOW
        self.cards.show_icon("list" if cards else "cards", "Show as a list" if cards else "Show as cards")
        self.rows.doItemsLayout()
        self.rows.updateGeometry()

    @Slot(object)
    def _audition(self, voice: VoiceRow) -> None:
        self.audition_wanted.emit(voice.name)

    @Slot(object, str)
    def _click_part(self, voice: VoiceRow, part: str) -> None:
        if part == "star":
            self.favourite_wanted.emit(voice.name, not voice.favourite)
        else:
            self.audition_wanted.emit(voice.name)

    @Slot(object, QPoint)
    def _want_menu(self, voice: VoiceRow, place: QPoint) -> None:
        self.menu_wanted.emit(voice.name, place)

    @Slot(object)
    def _edit(self, voice: VoiceRow) -> None:
        self.edit_wanted.emit(voice.name)

    @Slot(object)
    def _delete(self, voice: VoiceRow) -> None:
        if voice.in_library:
            self.delete_wanted.emit(voice.name)

    # Dropped files

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _welcome_files(event):
            self._show_drop(True)
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_drop(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._show_drop(False)
        event.acceptProposedAction()
        self.files_dropped.emit(_welcome_files(event))

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


class VoiceRows(RowList):
    """The voices as a list with a menu, E and Del."""

    edit_asked = Signal(object)
    delete_asked = Signal(object)

    def __init__(self, painter: RowPainter) -> None:
        super().__init__("Voices", painter, _words, MOST_ROWS)
        self.on_key("E", self.edit_asked.emit)
        self.on_key("F2", self.edit_asked.emit)
        self.on_key("Del", self.delete_asked.emit)


class _VoicePainter(RowPainter):
    height = LOW

    def paint_row(self, painter: QPainter, rect: QRect, row: VoiceRow, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        card = rect.height() > LOW
        parts = self.parts(rect, row)
        colour = QColor(palette.muted) if row.colour is None else theme.character_colour(row.colour)
        paint_wave(painter, parts["wave"], row.thumbnail, colour, 0.8)
        right = rect.right() - PADDING
        if row.in_library and (row.favourite or hovered):
            star = "star-filled" if row.favourite else "star"
            shown = theme.pixmap(star, palette.warning if row.favourite else palette.muted, 14, _ratio(painter))
            painter.drawPixmap(parts["star"].topLeft() + QPoint(4, 4), shown)
            right = parts["star"].left() - 2
        line = QRect(rect.x(), rect.y() + (8 if card else 0), rect.width(), 20 if card else rect.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        left = rect.x() + PADDING + 54
        painter.setFont(theme.font(12, tabular=True))
        if row.caution:
            room = 16
            shown = theme.pixmap("warning", palette.warning, 14, _ratio(painter))
            painter.drawPixmap(QPoint(right - 14, line.center().y() - 6), shown)
        else:
            room = max(0, min(painter.fontMetrics().horizontalAdvance(row.state) + 2, right - left - 40))
            painter.setPen(QColor(palette.good if row.state == READY else palette.muted))
            shown_state = painter.fontMetrics().elidedText(row.state, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRect(right - room, line.y(), room + 1, line.height()), middle, shown_state)
        name = QRect(left, line.y(), right - room - 8 - left, line.height())
        painter.setFont(theme.font(13, 600 if card else 400))
        painter.setPen(QColor(palette.text))
        fit = painter.fontMetrics().elidedText(row.name, Qt.TextElideMode.ElideRight, name.width())
        painter.drawText(name, middle | Qt.AlignmentFlag.AlignLeft, fit)
        if card:
            under = QRect(left, line.bottom() + 1, rect.right() - PADDING - left, 20)
            self._paint_under(painter, under, row)

    def _paint_under(self, painter: QPainter, under: QRect, row: VoiceRow) -> None:
        """The second line of a card: what is amiss, and what else there is to say."""
        palette = theme.current()
        painter.setFont(theme.font(11.5))
        for text, colour in ((row.caution.capitalize(), palette.warning), (row.detail, palette.muted)):
            if text:
                painter.setPen(QColor(colour))
                fit = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, under.width()))
                painter.drawText(under, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, fit)
                under = under.adjusted(painter.fontMetrics().horizontalAdvance(fit) + 10, 0, 0, 0)

    def parts(self, rect: QRect, row: VoiceRow) -> Mapping[str, QRect]:
        high = 20 if rect.height() == LOW else 28
        parts = {"wave": QRect(rect.x() + PADDING, rect.y() + (rect.height() - high) // 2, 44, high)}
        if row.in_library:
            parts["star"] = QRect(rect.right() - PADDING - 17, rect.y() + 7, 22, 22)
        return parts

    def tip(self, row: Any, part: str | None) -> str:
        if part == "star":
            return "Take it from the favourites" if row.favourite else "Make it a favourite"
        amiss = row.caution or ("" if row.ready else row.state)
        told = [f"{row.name}: {amiss}" if amiss else f"Play {row.name} (Space)"]
        if row.detail:
            told.append(row.detail)
        if row.in_library:
            told.append("E edits it, Del deletes it; right-click for more")
        return "\n".join(told)


def _ratio(painter: QPainter) -> float:
    return painter.device().devicePixelRatioF()


def _in_folder(voice: VoiceRow, folder: str) -> bool:
    return folder in ("", ALL) or (voice.favourite if folder == FAVOURITES else voice.folder == folder)


def _matches(voice: VoiceRow, sought: list[str]) -> bool:
    text = f"{voice.name} {voice.folder} {voice.about}".casefold()
    return all(word in text for word in sought)


def _words(voice: VoiceRow) -> str:
    return ", ".join(each for each in (voice.name, voice.caution or voice.state, voice.detail) if each)


def _welcome_files(event: QDropEvent) -> list[str]:
    return [file for file in local_files(event) if PurePath(file).suffix.lower() in (*SUFFIXES, *BY_FFMPEG, SUFFIX)]


def _padded(widget: object) -> QHBoxLayout:
    made = QHBoxLayout()
    made.setContentsMargins(PADDING, 0, PADDING, 0)
    made.addWidget(widget)  # type: ignore[arg-type]
    return made
