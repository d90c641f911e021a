"""What stands left of the lanes: names, solo and mute, and the switch that opens the takes of the chosen line."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from studio import theme
from studio.panels.timeline_layout import HEADS, RULER, LaneBox, Layout
from studio.panels.timeline_values import Lane

_LEFT = 16
_DB_PER_PIXEL, _DB_STEP = 0.1, 0.5
_LEAST_DB, _MOST_DB = -60.0, 12.0


class Letter(QAbstractButton):
    """A switch of one letter."""

    def __init__(self, letter: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(letter)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedSize(18, 18)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.held_ground(palette.surface))
            painter.drawRoundedRect(ground, 4, 4)
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ground, 4, 4)
        painter.setFont(theme.font(11, 600 if self.isChecked() else 400))
        painter.setPen(QColor(palette.text if self.isChecked() or self.underMouse() else palette.faint))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class Gain(QWidget):
    """A level in dB: up and down by drag, wheel or arrow keys; a double click sets it to nothing."""

    wanted = Signal(float, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._gain = 0.0
        self._held: tuple[float, float] | None = None  # where the pointer was pressed, and the level then
        self.setFixedSize(62, 18)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.SizeVerCursor)

    def show_gain(self, gain: float, name: str) -> None:
        self._gain = gain
        self.setAccessibleName(f"Level of {name}, {gain:.1f} dB")
        self.setToolTip(f"Level of {name}: drag up or down, double click for 0 dB")
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = event.globalPosition().y(), self._gain

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._want(self._held[1] + (self._held[0] - event.globalPosition().y()) * _DB_PER_PIXEL, False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None
        self.wanted.emit(self._gain, True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._want(0.0, True)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._want(self._gain + event.angleDelta().y() / 120 * _DB_STEP, True)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        if event.key() in steps:
            self._want(self._gain + steps[Qt.Key(event.key())] * _DB_STEP, True)
        else:
            super().keyPressEvent(event)

    def _want(self, gain: float, ended: bool) -> None:
        self.wanted.emit(round(min(max(gain, _LEAST_DB), _MOST_DB) * 2) / 2, ended)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setFont(theme.font(11, 400, True))
        painter.setPen(QColor(palette.text if self.underMouse() or self._gain else palette.faint))
        painter.drawText(QPointF(3, 13), f"{self._gain:.1f} dB".replace("-", "−"))
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.accent), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 1.5, -0.5, -1.5), 4, 4)


class LaneHead(QWidget):
    """A lane's name in its character's colour, solo, mute and gain."""

    solo_toggled = Signal(str)
    mute_toggled = Signal(str)
    gain_wanted = Signal(str, float, bool)

    def __init__(self, heads: QWidget) -> None:
        super().__init__(heads)
        self._heads = heads
        self._lane = Lane("", 0)
        self._box = LaneBox(0, 0, deep=False)
        self.solo = Letter("S", self)
        self.mute = Letter("M", self)
        self.solo.clicked.connect(self._wish_solo)
        self.mute.clicked.connect(self._wish_mute)
        self.gain = Gain(self)
        self.gain.wanted.connect(self._wish_gain)

    def show_lane(self, lane: Lane) -> None:
        self._lane = lane
        name = lane.character or "Nobody"
        self.setToolTip(name)
        self.setAccessibleName(name)
        for button, on, verb in ((self.solo, lane.solo, "Solo"), (self.mute, lane.mute, "Mute")):
            button.setChecked(on)
            button.setToolTip(f"{verb} {name}")
            button.setAccessibleName(f"{verb} {name}")
        self.gain.show_gain(lane.gain_db, name)
        self.update()

    def put(self, box: LaneBox) -> None:
        self._box = box
        self.setGeometry(0, box.top - RULER, HEADS, box.height)
        caption = self._middle + 3
        self.solo.move(_LEFT - 5, caption)
        self.mute.move(_LEFT + 9, caption)
        self.gain.move(_LEFT + 27, caption)

    @property
    def _middle(self) -> int:
        """The height of the name's base line."""
        return self._box.wave_top - self._box.top + self._box.wave_height // 2 + 4

    @Slot()
    def _wish_solo(self) -> None:
        self.solo.setChecked(self._lane.solo)
        self.solo_toggled.emit(self._lane.character)

    @Slot()
    def _wish_mute(self) -> None:
        self.mute.setChecked(self._lane.mute)
        self.mute_toggled.emit(self._lane.character)

    @Slot(float, bool)
    def _wish_gain(self, gain: float, ended: bool) -> None:
        self.gain_wanted.emit(self._lane.character, gain, ended)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        font = theme.font(12, 600)
        painter.setFont(font)
        painter.setPen(theme.character_colour(self._lane.colour))
        name = self._lane.character or "Nobody"
        name = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, HEADS - _LEFT - 8)
        painter.drawText(QPointF(_LEFT, self._middle), name)
        if self.geometry().bottom() < self._heads.height() - 2:
            painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(palette.line))


class TakesHead(QAbstractButton):
    """"Line 3, takes", with a chevron: opens and closes the take lanes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(HEADS, 26)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(palette.surface))
        painter.fillRect(0, 0, self.width(), 1, QColor(palette.line))
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.accent), 1))
            painter.drawRoundedRect(QRectF(6.5, 4.5, self.width() - 10, 18), 4, 4)
        painter.setFont(theme.font(11.5))
        painter.setPen(QColor(palette.text if self.underMouse() else palette.muted))
        painter.drawText(QPointF(_LEFT, 18), self.text())
        painter.translate(self.width() - 11, 14)
        painter.rotate(0 if self.isChecked() else -90)
        painter.drawPixmap(QPointF(-6, -6), theme.pixmap("chevron-down", palette.muted, 12, self.devicePixelRatioF()))


class Heads(QWidget):
    """The column left of the lanes; it scrolls with them."""

    solo_toggled = Signal(str)
    mute_toggled = Signal(str)
    gain_wanted = Signal(str, float, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.heads: list[LaneHead] = []
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def show_lanes(self, lanes: tuple[Lane, ...]) -> None:
        while len(self.heads) > len(lanes):
            head = self.heads.pop()
            head.hide()
            head.deleteLater()
        while len(self.heads) < len(lanes):
            head = LaneHead(self)
            head.solo_toggled.connect(self.solo_toggled)
            head.mute_toggled.connect(self.mute_toggled)
            head.gain_wanted.connect(self.gain_wanted)
            head.show()
            self.heads.append(head)
        for head, lane in zip(self.heads, lanes, strict=True):
            head.show_lane(lane)

    def put(self, layout: Layout) -> None:
        self.setGeometry(0, RULER + 1, HEADS, max(0, layout.lanes_bottom - RULER - 1))
        for head, box in zip(self.heads, layout.lanes, strict=True):
            head.put(replace(box, top=box.top - 1))
