"""A take's wave in little room, as rows and cards show it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap, QPolygonF


def paint_wave(
    painter: QPainter, rect: QRect, thumbnail: np.ndarray | None, colour: QColor, opacity: float = 0.85
) -> None:
    """A thin wave in `rect`; a line where `thumbnail` is None (not known yet).

    `thumbnail` is float [columns, 2], the least and the greatest sample of each column, -1 to 1.
    """
    if rect.isEmpty():
        return
    peaks = np.zeros((0, 2), np.float32) if thumbnail is None else np.ascontiguousarray(thumbnail, np.float32)
    ratio = painter.device().devicePixelRatioF()
    wave = _wave(peaks.tobytes(), rect.width(), rect.height(), colour.rgba(), opacity, ratio)
    painter.drawPixmap(rect.topLeft(), wave)


@lru_cache(maxsize=512)  # lists are painted again with every row that comes
def _wave(peaks: bytes, width: int, height: int, colour: int, opacity: float, ratio: float) -> QPixmap:
    """A thin wave of float32 [columns, 2]."""
    picture = QPixmap(round(width * ratio), round(height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    thumbnail, half = np.frombuffer(peaks, np.float32).reshape(-1, 2), height / 2
    if len(thumbnail) == 0:
        painter.setOpacity(opacity)
        painter.fillRect(QRectF(0, half - 0.5, width, 1), QColor.fromRgba(colour))
    else:
        low, high = _columns(thumbnail, max(width, 2))
        painter.setBrush(QColor.fromRgba(colour))
        for reach, share in ((1.0, 0.7), (0.5, 1.0)):
            painter.setOpacity(opacity * share)
            painter.drawPolygon(_outline(half, half * reach, low, high))
    painter.end()
    return picture


def _columns(thumbnail: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest per pixel column, the loudest filling the height."""
    loudest = max(float(np.abs(thumbnail).max()), 1e-6)
    peaks = np.asarray(thumbnail, dtype=np.float64) / loudest
    if len(peaks) <= width:
        places = np.linspace(0, len(peaks) - 1, width)
        known = np.arange(len(peaks))
        return np.interp(places, known, peaks[:, 0]), np.interp(places, known, peaks[:, 1])
    starts = np.linspace(0, len(peaks), width, endpoint=False).astype(int)
    return np.minimum.reduceat(peaks[:, 0], starts), np.maximum.reduceat(peaks[:, 1], starts)


def _outline(middle: float, half: float, low: np.ndarray, high: np.ndarray) -> QPolygonF:
    upper = [QPointF(x, middle - value * half - 0.4) for x, value in enumerate(high)]
    lower = [QPointF(x, middle - value * half + 0.4) for x, value in enumerate(low)]
    return QPolygonF(upper + lower[::-1])
