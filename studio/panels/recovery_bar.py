"""What an earlier run left behind, below the window's upper bar: whose work it is, how much of it, and the choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from studio import theme
from studio.controls import IconButton, KeyButton, label

MARGIN = 12
BELOW = 60  # px from the window's upper edge, clear of the bar with the transport
WIDEST = 980


@dataclass(frozen=True, eq=False)
class Offer:
    """Work that can be had back: what is said of it, and `of`, whatever names it to the others."""

    title: str
    meaning: str
    of: Any


class RecoveryBar(QFrame):
    """Lies over `window` and keeps to its upper edge. One offer waits for another."""

    recover_wanted = Signal(object)
    discard_wanted = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._waiting: list[Offer] = []
        self.title = label("", 13, 600)
        self.meaning = label("", 12, tone="muted")
        for words in (self.title, self.meaning):
            words.setWordWrap(True)
            words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.recover = KeyButton("Recover", kind="filled", tip="Go on where it ended, with every step of undo")
        self.discard = KeyButton("Discard", tip="Delete it for good")
        self.later = IconButton("close", "Not now: it is offered again at the next start", "Esc")
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self.title)
        column.addWidget(self.meaning)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(44, 12, 12, 12)
        row.setSpacing(12)
        row.addLayout(column, 1)
        for widget in (self.discard, self.recover, self.later):
            row.addWidget(widget)
        self.recover.clicked.connect(self._recover)
        self.discard.clicked.connect(self._discard)
        self.later.clicked.connect(self.close_offer)
        window.installEventFilter(self)
        self.hide()

    @property
    def offer(self) -> Offer | None:
        """The one that is shown."""
        return self._waiting[0] if self._waiting else None

    def show_offer(self, offer: Offer) -> None:
        """Shows it, or puts it behind those that are not answered yet."""
        self._waiting.append(offer)
        self._show_first()

    @Slot()
    def close_offer(self) -> None:
        """Closes the shown one unanswered; the next follows."""
        if self._waiting:
            self._waiting.pop(0)
        self._show_first()

    @Slot()
    def _recover(self) -> None:
        offer = self.offer
        self.close_offer()
        if offer is not None:
            self.recover_wanted.emit(offer.of)

    @Slot()
    def _discard(self) -> None:
        offer = self.offer
        self.close_offer()
        if offer is not None:
            self.discard_wanted.emit(offer.of)

    def _show_first(self) -> None:
        offer = self.offer
        if offer is None:
            self.hide()
            return
        self.title.setText(offer.title)
        self.meaning.setText(offer.meaning)
        self.setAccessibleName(f"Recovery: {offer.title}")
        self.setAccessibleDescription(offer.meaning)
        self._place()
        self.show()
        self.raise_()

    # Where it lies

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        width = min(WIDEST, self._window.width() - 2 * MARGIN)
        self.setFixedWidth(width)
        self._row.activate()
        height = max(56, self._row.totalHeightForWidth(width))
        self.setGeometry((self._window.width() - width) // 2, BELOW, width, height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_offer()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(palette.surface))
        painter.setPen(QPen(theme.mix(palette.surface, palette.accent, 0.6), 1))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1).toRectF().translated(0.5, 0.5), 8, 8)
        sign = theme.pixmap("undo", palette.accent, 16, self.devicePixelRatioF())
        painter.drawPixmap(QPointF(17, (self.height() - 16) / 2), sign)
