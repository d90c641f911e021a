"""The list of tags that `[` opens. Any other phrase may be typed just as well."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit

from studio import theme
from studio.document.phrases import Offer, offers_with
from studio.rows import RowModel, RowPainter

WIDTH, ROWS_SEEN = 440, 9
_PHRASE_LEFT, _SECTION_WIDTH = 10, 110


class TagCompletion(QCompleter):
    """Lives from the `[` that opens it until the tag is closed, left or given up. `picked` says which phrase to put in
    the place of what is typed so far."""

    picked = Signal(str)

    def __init__(self, editor: QPlainTextEdit) -> None:
        self._offers: tuple[Offer, ...] = ()
        self._found = RowModel(_words)
        self._list = QListView()
        super().__init__(self._found, editor)
        self.setWidget(editor)
        self.setPopup(self._list)
        # Not filtered by Qt, for phrases that begin with what is typed shall stand before those that only have it.
        self.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._painter = _OfferPainter()
        self._painter.setParent(self._list)
        self._list.setItemDelegate(self._painter)  # after setPopup, which brings its own
        self._list.setAccessibleName("Tags")
        self._list.setUniformItemSizes(True)
        self._list.setMouseTracking(True)
        self._list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMaxVisibleItems(ROWS_SEEN)
        self.activated[QModelIndex].connect(self._pick)  # type: ignore[index]
        self.picked.connect(self.close)
        self._open = False

    @property
    def is_open(self) -> bool:
        return self._open

    @property
    def is_shown(self) -> bool:
        return self._list.isVisible()

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases in the list, in their order."""
        return tuple(offer.phrase for offer in self._found.rows)

    def show_offers(self, offers: Sequence[Offer]) -> None:
        self._offers = tuple(offers)

    def open(self) -> None:
        self._open = True

    def close(self) -> None:
        self._open = False
        self._list.hide()

    def show_for(self, typed: str, place: QRect) -> None:
        """The phrases with `typed` in them, below `place` in the editor's viewport."""
        found = offers_with(typed, self._offers)
        self._painter.first = _first_of_sections(found) if not typed.strip() else {}
        self._found.show_rows(found)
        if not found:
            self._list.hide()
            return
        self.complete(QRect(place.x(), place.y(), WIDTH, place.height()))
        self._list.setCurrentIndex(self._found.index(0))

    @Slot(QModelIndex)
    def _pick(self, index: QModelIndex) -> None:
        self.picked.emit(index.data(Qt.ItemDataRole.UserRole).phrase)


class _OfferPainter(RowPainter):
    """Phrase, note, and the section at the right edge: of each row, or where `first` is filled, of those in it."""

    height = 28

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, bool] = {}

    def ground(self, row: Offer, chosen: bool, hovered: bool) -> QColor:
        palette = theme.current()
        if chosen:
            return theme.held_ground(palette.raised)
        return theme.mix(palette.raised, palette.text, 0.05) if hovered else QColor(palette.raised)

    def paint_row(self, painter: QPainter, rect: QRect, row: Offer, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.font(13))
        width = min(round(QFontMetricsF(painter.font()).horizontalAdvance(row.phrase)) + 14, rect.width() // 2)
        painter.setPen(QColor(palette.tag))
        phrase = painter.fontMetrics().elidedText(row.phrase, Qt.TextElideMode.ElideRight, width)
        painter.drawText(rect.adjusted(_PHRASE_LEFT, 0, 0, 0), middle | Qt.AlignmentFlag.AlignLeft, phrase)
        painter.setFont(theme.font(11.5))
        painter.setPen(QColor(palette.muted))
        section = row.section if not self.first or row.phrase in self.first else ""
        note_room = rect.adjusted(_PHRASE_LEFT + width, 0, -(_SECTION_WIDTH if section else 10), 0)
        note = painter.fontMetrics().elidedText(row.note, Qt.TextElideMode.ElideRight, note_room.width())
        painter.drawText(note_room, middle | Qt.AlignmentFlag.AlignLeft, note)
        painter.setFont(theme.font(11.5, 500))
        painter.drawText(rect.adjusted(0, 0, -12, 0), middle | Qt.AlignmentFlag.AlignRight, section)


def _first_of_sections(found: Sequence[Offer]) -> dict[str, bool]:
    firsts: dict[str, str] = {}
    for offer in found:
        firsts.setdefault(offer.section, offer.phrase)
    return dict.fromkeys(firsts.values(), True)


def _words(offer: Offer) -> str:
    return ", ".join(word for word in (offer.phrase, offer.note, offer.section) if word)
