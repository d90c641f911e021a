"""What stands left of the lanes: names, solo and mute, and the switch that opens the takes of the chosen line."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from studio import theme
from studio.panels.timeline_layout import HEADS, RULER, LaneBox, Layout
from studio.panels.timeline_values import Lane

_LEFT = 16


class Letter(QAbstractButton):
    """A switch of one letter."""

    def __init__(self, letter: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(letter)
        self.setCheckable(True)
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


class LaneHead(QWidget):
    """A lane's name in its character's colour, solo, mute and gain."""

    solo_toggled = Signal(str)
    mute_toggled = Signal(str)

    def __init__(self, heads: QWidget) -> None:
        super().__init__(heads)
        self._heads = heads
        self._lane = Lane("", 0)
        self._box = LaneBox(0, 0, deep=False)
        self.solo = Letter("S", self)
        self.mute = Letter("M", self)
        self.solo.clicked.connect(self._wish_solo)
        self.mute.clicked.connect(self._wish_mute)

    def show_lane(self, lane: Lane) -> None:
        self._lane = lane
        name = lane.character or "Nobody"
        self.setToolTip(name)
        self.setAccessibleName(name)
        for button, on, verb in ((self.solo, lane.solo, "Solo"), (self.mute, lane.mute, "Mute")):
            button.setChecked(on)
            button.setToolTip(f"{verb} {name}")
            button.setAccessibleName(f"{verb} {name}")
        self.update()

    def put(self, box: LaneBox) -> None:
        self._box = box
        self.setGeometry(0, box.top - RULER, HEADS, box.height)
        caption = self._middle + 3
        self.solo.move(_LEFT - 5, caption)
        self.mute.move(_LEFT + 9, caption)

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

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        font = theme.font(12, 600)
        painter.setFont(font)
        painter.setPen(theme.character_colour(self._lane.colour))
        name = self._lane.character or "Nobody"
        name = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, HEADS - _LEFT - 8)
        painter.drawText(QPointF(_LEFT, self._middle), name)
        painter.setFont(theme.font(11, 400, True))
        painter.setPen(QColor(palette.faint))
        painter.drawText(QPointF(_LEFT + 30, self._middle + 16), f"{self._lane.gain_db:.1f} dB".replace("-", "−"))
        if self.geometry().bottom() < self._heads.height() - 2:
            painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(palette.line))


class TakesHead(QAbstractButton):
    """"Line 3, takes", with a chevron: opens and closes the take lanes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
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
            head.show()
            self.heads.append(head)
        for head, lane in zip(self.heads, lanes, strict=True):
            head.show_lane(lane)

    def put(self, layout: Layout) -> None:
        self.setGeometry(0, RULER + 1, HEADS, max(0, layout.lanes_bottom - RULER - 1))
        for head, box in zip(self.heads, layout.lanes, strict=True):
            head.put(replace(box, top=box.top - 1))
