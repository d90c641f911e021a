"""A bar that lies over the bottom of the window: a sign, a title, what it means, and buttons. What it says is for who
makes one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from studio import theme
from studio.controls import label

MARGIN = 12
ABOVE = 38  # px from the window's lower edge, clear of the bar with the jobs
WIDEST = 980
LEAST_HEIGHT = 56


class Notice(QFrame):
    """Keeps its place over `window` when that is resized; Esc dismisses it. `tone` names a colour of the palette. Those
    that come `first` lie above the others."""

    first = False

    def __init__(self, window: QWidget, sign: str, tone: str) -> None:
        super().__init__(window)
        self._window, self._sign, self._tone = window, sign, tone
        self.title = label("", 13, 600)
        self.meaning = label("", 12, tone="muted")
        column = QVBoxLayout()
        column.setSpacing(2)
        for words in (self.title, self.meaning):
            words.setWordWrap(True)
            words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            column.addWidget(words)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(44, 12, 12, 12)
        self._row.setSpacing(12)
        self._row.addLayout(column, 1)
        window.installEventFilter(self)
        self.hide()

    def add(self, widgets: Sequence[QWidget]) -> None:
        """Buttons, from left to right."""
        for widget in widgets:
            self._row.addWidget(widget)

    def dismiss(self) -> None:
        """What Esc does."""
        self.hide()

    def appear(self) -> None:
        """Comes to stand in its place, above everything but what comes first."""
        self._place()
        self.show()
        self.raise_()
        if not self.first:
            for other in self._window.findChildren(Notice):
                if other.first:
                    other.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        colour: str = getattr(palette, self._tone)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(palette.surface))
        painter.setPen(QPen(theme.mix(palette.surface, colour, 0.6), 1))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1).toRectF().translated(0.5, 0.5), 8, 8)
        sign = theme.pixmap(self._sign, colour, 16, self.devicePixelRatioF())
        painter.drawPixmap(QPointF(17, (self.height() - 16) / 2), sign)

    def _place(self) -> None:
        width = min(WIDEST, self._window.width() - 2 * MARGIN)
        self.setFixedWidth(width)
        self._row.activate()
        height = max(LEAST_HEIGHT, self._row.totalHeightForWidth(width))
        self.setGeometry((self._window.width() - width) // 2, self._window.height() - ABOVE - height, width, height)
