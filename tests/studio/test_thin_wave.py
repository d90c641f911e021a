"""A thin wave is high where it is loud, and a line where it is not known."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from studio.thin_wave import paint_wave


def painted(thumbnail: np.ndarray | None, width: int = 60) -> QImage:
    image = QImage(width, 20, QImage.Format.Format_ARGB32)
    image.fill(QColor("black"))
    painter = QPainter(image)
    paint_wave(painter, QRect(0, 0, width, 20), thumbnail, QColor("white"), 1.0)
    painter.end()
    return image


def test_a_wave_is_high_where_it_is_loud(qtbot: QtBot) -> None:
    quiet, loud = np.full((50, 2), 0.02), np.full((50, 2), 1.0)
    both = np.concatenate([quiet, loud]) * np.array([-1, 1])
    for thumbnail in (both, both[::10]):
        image = painted(thumbnail)
        assert image.pixelColor(4, 3).lightness() == 0
        assert image.pixelColor(55, 3).lightness() > 100


def test_a_wave_not_known_yet_is_a_line(qtbot: QtBot) -> None:
    image = painted(None)
    assert image.pixelColor(30, 10).lightness() > 100 or image.pixelColor(30, 9).lightness() > 100
    assert image.pixelColor(30, 3).lightness() == 0
