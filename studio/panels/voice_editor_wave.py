"""The wave of a recording with its two trim handles and the playhead. Moments are seconds of the whole recording."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal, SignalInstance
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from studio import theme
from studio.controls import label
from studio.samples import Peaks

RULER = 18
GRIP = 14  # px that a handle's head is high
REACH = 7  # px from a handle at which it is taken
NUDGE, FAR = 0.01, 0.1  # seconds
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
_WIDEST = 4.0  # samples a pixel at the closest zoom
Trim = tuple[float, float]


class TrimWave(QWidget):
    """Drag a handle, or nudge the one touched last with , and . (Shift: ten times as far); [ and ] set them at the
    playhead. A click sets the playhead, Ctrl+wheel zooms at the pointer, the wheel goes sideways."""

    trim_moved = Signal(float, float)  # while a handle is dragged
    trim_set = Signal(float, float)  # once it is let go
    seek_wanted = Signal(float)
    play_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumSize(300, 170)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Recording")
        self.setToolTip("Drag the handles to what shall be heard (, and . nudge, [ and ] set them at the playhead)")
        self._peaks: Peaks | None = None
        self._rate, self._seconds = 1, 0.0
        self._trim: Trim = (0.0, 0.0)
        self._fades: Trim = (0.0, 0.0)
        self._start, self._stop = 0.0, 0.0  # what is in view
        self._playhead: float | None = None
        self._colour = 0
        self._held: int | None = None  # the handle that is dragged
        self._touched = 0
        self._empty = label("Reading the recording…", 12, tone="muted")
        self._empty.setParent(self)
        self._empty.move(12, RULER + 8)

    # What is shown

    def show_recording(self, peaks: Peaks | None, rate: int, seconds: float) -> None:
        """Another recording, all of it in view; None while it is being read."""
        self._peaks, self._rate, self._seconds = peaks, rate, seconds
        self._start, self._stop = 0.0, seconds
        self._playhead = None
        self._empty.setVisible(peaks is None)
        self.update()

    def show_trim(self, start: float, stop: float) -> None:
        self._trim = (start, stop)
        self.update()

    def show_fades(self, rising: float, falling: float) -> None:
        """How many seconds it takes to come and to go, within the handles."""
        self._fades = (rising, falling)
        self.update()

    def show_playhead(self, seconds: float | None) -> None:
        self._playhead = seconds
        if seconds is not None and self._stop < self._seconds and not self._start <= seconds <= self._stop:
            self._view(seconds, seconds + self._stop - self._start)
        self.update()

    def show_colour(self, colour: int) -> None:
        self._colour = colour
        self.update()

    @property
    def playhead(self) -> float | None:
        return self._playhead

    def zoom(self, factor: float, at: float | None = None) -> None:
        """See less of it (factor above 1) or more, `at` staying where it is."""
        width = self._stop - self._start
        if self._peaks is None or width <= 0:
            return
        at = (self._trim[0] + self._trim[1]) / 2 if at is None else at
        least = min(self._seconds, self.width() * _WIDEST / self._rate)
        new = min(self._seconds, max(least, width / factor))
        share = (at - self._start) / width
        self._view(at - share * new, at + (1 - share) * new)

    def fit(self) -> None:
        self._view(0.0, self._seconds)

    def _view(self, start: float, stop: float) -> None:
        width = min(stop - start, self._seconds)
        self._start = min(max(0.0, start), self._seconds - width)
        self._stop = self._start + width
        self.update()

    # Mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._peaks is None:
            return
        self._held = self._handle_at(event.position().x())
        if self._held is None:
            self.seek_wanted.emit(min(max(0.0, self._second(event.position().x())), self._seconds))
        else:
            self._touched = self._held

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._held is not None:
            self._move(self._held, self._second(x), self.trim_moved)
            return
        over = self._peaks is not None and self._handle_at(x) is not None
        self.setCursor(Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._held = None
            self.trim_set.emit(*self._trim)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.play_wanted.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1.0015**turn, self._second(event.position().x()))
        else:
            by = -turn / 1200 * (self._stop - self._start)
            self._view(self._start + by, self._stop + by)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Comma: -NUDGE, Qt.Key.Key_Period: NUDGE, Qt.Key.Key_Less: -FAR, Qt.Key.Key_Greater: FAR,
              Qt.Key.Key_Semicolon: -FAR, Qt.Key.Key_Colon: FAR}.get(Qt.Key(event.key()))  # fmt: skip
        if by is not None:
            self._move(self._touched, self._trim[self._touched] + by, self.trim_set)
        elif event.key() in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight):
            self._touched = int(event.key() == Qt.Key.Key_BracketRight)
            if self._playhead is not None:
                self._move(self._touched, self._playhead, self.trim_set)
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            far = FAR if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else NUDGE
            step = far if event.key() == Qt.Key.Key_Right else -far
            self.seek_wanted.emit(min(max(0.0, (self._playhead or 0.0) + step), self._seconds))
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.5, self._playhead)
        elif event.key() == Qt.Key.Key_Minus:
            self.zoom(1 / 1.5, self._playhead)
        elif event.key() == Qt.Key.Key_0 and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.fit()
        else:
            super().keyPressEvent(event)

    def _move(self, handle: int, seconds: float, told: SignalInstance) -> None:
        """Put a handle somewhere; it stays within the recording and on its side of the other."""
        if self._peaks is None:
            return
        start, stop = self._trim
        least = min(0.1, self._seconds)
        if handle == 0:
            start = min(max(0.0, seconds), stop - least)
        else:
            stop = max(min(self._seconds, seconds), start + least)
        self.show_trim(start, stop)
        told.emit(start, stop)

    def _handle_at(self, x: float) -> int | None:
        reach = [abs(self._x(each) - x) for each in self._trim]
        nearest = int(reach[1] < reach[0] or (reach[1] == reach[0] and x > self._x(self._trim[1])))
        return nearest if reach[nearest] <= REACH else None

    # Painting

    def _x(self, seconds: float) -> float:
        return (seconds - self._start) / max(self._stop - self._start, 1e-9) * self.width()

    def _second(self, x: float) -> float:
        return self._start + x / max(self.width(), 1) * (self._stop - self._start)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(palette.accent if self.hasFocus() else palette.line), 1))
        painter.setBrush(QColor(palette.ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        if self._peaks is None or self._stop <= self._start:
            return
        painter.setClipRect(self.rect().adjusted(1, 1, -1, -1))
        self._paint_ruler(painter)
        self._paint_wave(painter)
        self._paint_trim(painter)
        if self._playhead is not None:
            painter.fillRect(QRectF(round(self._x(self._playhead)), 0, 1, self.height()), QColor(palette.playhead))

    def _paint_ruler(self, painter: QPainter) -> None:
        palette = theme.current()
        a_second = self.width() / (self._stop - self._start)
        step = next((each for each in _STEPS if each * a_second >= 52), _STEPS[-1])
        digits = 0 if step >= 1 else 1 if step >= 0.1 else 2
        painter.setFont(theme.font(10.5, tabular=True))
        number = int(self._start / step)
        while number * step <= self._stop:
            x = round(self._x(number * step))
            painter.fillRect(QRectF(x, 1, 1, 6), QColor(palette.line))
            painter.setPen(QColor(palette.faint))
            told = f"{number * step:.{digits}f} s"
            if x + 5 + painter.fontMetrics().horizontalAdvance(told) < self.width():
                painter.drawText(QPointF(x + 5, 14), told)
            number += 1

    def _paint_wave(self, painter: QPainter) -> None:
        assert self._peaks is not None
        columns = max(2, round(self.width() * self.devicePixelRatioF()))
        low, high, power = self._peaks.view(round(self._start * self._rate), round(self._stop * self._rate), columns)
        middle = RULER + (self.height() - RULER) / 2
        half = (self.height() - RULER) / 2 - 8
        colour = theme.character_colour(self._colour)
        painter.setPen(Qt.PenStyle.NoPen)
        for upper, lower, opacity in ((high, low, 0.55), (power, -power, 0.85)):
            colour.setAlphaF(opacity)
            painter.setBrush(colour)
            painter.drawPolygon(_outline(upper, lower, middle, half, self.width() / columns))

    def _paint_trim(self, painter: QPainter) -> None:
        palette = theme.current()
        veil = QColor(palette.ground)
        veil.setAlphaF(0.72)
        left, right = (round(self._x(each)) for each in self._trim)
        bottom = self.height() - RULER
        painter.fillRect(QRectF(0, RULER, left, bottom), veil)
        painter.fillRect(QRectF(right, RULER, self.width() - right, bottom), veil)
        accent = QColor(palette.accent)
        self._paint_fades(painter)
        for x in (left, right):
            painter.fillRect(QRectF(x, RULER, 1, bottom), accent)
            painter.setBrush(accent)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(QRectF(x - 4, RULER, 9, GRIP), 2, 2)

    def _paint_fades(self, painter: QPainter) -> None:
        """What each of them takes away lies under a veil, up to a line."""
        palette = theme.current()
        veil = QColor(palette.ground)
        veil.setAlphaF(0.6)
        start, stop = self._trim
        top, bottom = float(RULER), float(self.height())
        for edge, to in ((start, start + self._fades[0]), (stop, stop - self._fades[1])):
            low, high = QPointF(self._x(edge), bottom), QPointF(self._x(to), top)
            if abs(high.x() - low.x()) >= 2:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(veil)
                painter.drawPolygon(QPolygonF([low, QPointF(low.x(), top), high]))
                painter.setPen(QPen(QColor(palette.accent), 1))
                painter.drawLine(low, high)


def _outline(upper: np.ndarray, lower: np.ndarray, middle: float, half: float, step: float) -> QPolygonF:
    """The filled shape between two curves, a little line where there is silence."""
    over = [QPointF(x * step, middle - value * half - 0.4) for x, value in enumerate(upper.tolist())]
    under = [QPointF(x * step, middle - value * half + 0.4) for x, value in enumerate(lower.tolist())]
    return QPolygonF(over + under[::-1])
