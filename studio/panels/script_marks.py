"""What is painted where the lint found something: a wave under the words, a mark beside the name."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from studio import theme
from studio.panels.script_layout import NAME_RIGHT, TEXT_LEFT

MARK_MIDDLE = (NAME_RIGHT + TEXT_LEFT) / 2
_STEP, _DEPTH = 2.0, 1.0


def paint_wave(painter: QPainter, words: QRectF) -> None:
    """A wave under `words`, clear of the accent line that changed words carry there."""
    painter.save()
    painter.setPen(QPen(QColor(theme.current().warning), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    middle, count = round(words.bottom()) + 0.5, max(3, int(words.width() / _STEP) + 1)
    painter.drawPolyline(
        QPolygonF([QPointF(words.left() + n * _STEP, middle + (_DEPTH if n % 2 else -_DEPTH)) for n in range(count)])
    )
    painter.restore()


def paint_dots(painter: QPainter, words: QRectF) -> None:
    """Dots under words that are pronounced otherwise than they are written."""
    painter.save()
    pen = QPen(QColor(theme.current().muted), 1.5)
    pen.setStyle(Qt.PenStyle.DotLine)
    painter.setPen(pen)
    bottom = round(words.bottom()) - 0.5
    painter.drawLine(QPointF(words.left(), bottom), QPointF(words.right(), bottom))
    painter.restore()


def paint_misread(painter: QPainter, words: QRectF) -> None:
    """A dashed line under words that were not heard as they should be."""
    painter.save()
    pen = QPen(QColor(theme.current().danger), 1.5)
    pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    bottom = round(words.bottom()) + 2.5
    painter.drawLine(QPointF(words.left(), bottom), QPointF(words.right(), bottom))
    painter.restore()


def paint_mark(painter: QPainter, x: float, y: float) -> None:
    """A small diamond: something of this line is worth a look."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.current().warning))
    painter.drawPolygon(QPolygonF([QPointF(x, y - 3), QPointF(x + 3, y), QPointF(x, y + 3), QPointF(x - 3, y)]))
    painter.restore()
