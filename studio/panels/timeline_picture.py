"""The layer of all that stands still, of which only what changed is painted again."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter, QPixmap

from studio.panels.timeline_layout import Shown
from studio.panels.timeline_paint import Layer, paint_layer
from studio.panels.timeline_waves import WaveColumns


class Picture:
    """A pixmap of the canvas and the range of x in which it is out of date."""

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._columns = WaveColumns()
        self._dirty: tuple[int, int] | None = None

    def outdate(self, left: int, right: int) -> None:
        """[left, right) is painted again before it is shown next."""
        first, last = self._dirty or (left, right)
        self._dirty = (min(first, left), max(last, right))

    def scroll(self, pixels: int, width: int, ratio: float) -> None:
        """Everything stands `pixels` further left now; only the strip that came into view is painted again."""
        if abs(pixels) >= width or self._pixmap.isNull() or not (pixels * ratio).is_integer():
            self.outdate(0, width)
            return
        if self._dirty is not None:
            left, right = self._dirty
            self._dirty = (min(max(0, left - pixels), width), max(0, min(width, right - pixels)))
        shift = round(pixels * ratio)
        self._pixmap.scroll(-shift, 0, self._pixmap.rect())
        if pixels > 0:
            self.outdate(width - pixels, width)
        else:
            self.outdate(0, -pixels)

    def pixmap(self, shown: Shown, ratio: float) -> QPixmap:
        """The picture, up to date, for a screen of that pixel ratio."""
        width, height = shown.view.width, shown.layout.height
        size = QSize(round(width * ratio), round(height * ratio))
        if self._pixmap.size() != size or self._pixmap.devicePixelRatio() != ratio:
            self._pixmap = QPixmap(size)
            self._pixmap.setDevicePixelRatio(ratio)
            self._dirty = (0, width)
        if self._dirty is not None:
            left, right = self._dirty
            self._dirty = None
            painter = QPainter(self._pixmap)
            painter.setClipRect(QRect(left, 0, right - left, height))
            paint_layer(Layer(painter, shown, self._columns, left, right, ratio))
            painter.end()
        return self._pixmap
