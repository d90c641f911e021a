"""The bar at the top: project and scene, transport and time, level, generate, export, settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from studio import theme
from studio.controls import ElidedLabel, IconButton, KeyButton, label

HEIGHT = 48
METER_BARS = 23
METER_FLOOR = -48.0  # dB at the first bar; the last is 0 dB
INAUDIBLE = -96.0  # dB
LEAST_TITLE = 96  # what is left of a long title beside a scene's
HELD_MS = 1200  # how long a peak stays written


def clock(seconds: float, thousandths: bool = True) -> str:
    """`0:12.418`, or `1:47.0` with tenths."""
    unit = 1000 if thousandths else 10
    whole = round(max(seconds, 0) * unit)
    minutes, rest = divmod(whole, 60 * unit)
    second, part = divmod(rest, unit)
    return f"{minutes}:{second:02}.{part:03}" if thousandths else f"{minutes}:{second:02}.{part}"


def decibels(level: float) -> str:
    """`−9 dB`; what nobody hears is `−∞ dB`."""
    if level < INAUDIBLE:
        return "−∞ dB"
    return f"{round(level):d} dB".replace("-", "−")


class TopBar(QFrame):
    """48 px. Wishes out by signals, values in by `show_*`."""

    play_wanted = Signal()
    to_start_wanted = Signal()
    to_end_wanted = Signal()
    loop_wanted = Signal(bool)
    generate_stale_wanted = Signal()
    export_wanted = Signal()
    settings_wanted = Signal()
    scene_chosen = Signal(int)
    menu_wanted = Signal(QPoint)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "bar")
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName("Top bar")
        self.menu = IconButton("menu", "Project: new, open, save, undo, settings")
        self.title = ElidedLabel(13, 600)
        self.title.setMaximumWidth(220)
        self.scene = SceneButton()
        self.to_start = IconButton("skip-back", "To the start", "Home")
        self.play = IconButton("play", "Play", "Space", size=32, round=True)
        self.to_end = IconButton("skip-forward", "To the end", "End")
        self.loop = IconButton("loop", "Loop", "Ctrl+L")
        self.loop.setCheckable(True)
        self.time = label("0:00.000", 20, 500)
        self.total = label("0:00.0", 13, 400, "faint")
        self.meter = LevelMeter()
        self.peak = label(decibels(-math.inf), 13, 400, "muted")
        self.generate = KeyButton("All spoken", "Ctrl+Shift+Enter", kind="outline")
        self.export = IconButton("export", "Export", "Ctrl+Shift+E")
        self.settings = IconButton("settings", "Settings", "Ctrl+,")
        self._level = self._peak = -math.inf
        self._holding = QTimer(self, interval=HELD_MS, singleShot=True)
        self._holding.timeout.connect(self._let_go)
        self._lay()
        self._connect()
        self.show_title("Untitled", False)
        self.show_stale(0)

    def _lay(self) -> None:
        self.time.setFixedWidth(round(QFontMetricsF(self.time.font()).horizontalAdvance("00:00.000")))
        self.time.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.peak.setFixedWidth(48)
        self.peak.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        left = _row(8, self.menu, self.title, self.scene)
        left.addStretch(1)
        middle = _row(4, self.to_start, self.play, self.to_end, self.loop)
        middle.addSpacing(4)
        middle.addWidget(self.time)
        middle.addSpacing(2)
        middle.addWidget(self.total)
        right = _row(8, self.meter, self.peak, self.generate, self.export, self.settings)
        right.insertStretch(0, 1)
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 0, 12, 0)
        grid.setHorizontalSpacing(12)
        for column, part in enumerate((left, middle, right)):
            grid.addLayout(part, 0, column)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)

    def _connect(self) -> None:
        self.play.clicked.connect(self.play_wanted)
        self.to_start.clicked.connect(self.to_start_wanted)
        self.to_end.clicked.connect(self.to_end_wanted)
        self.loop.clicked.connect(self.loop_wanted)
        self.generate.clicked.connect(self.generate_stale_wanted)
        self.export.clicked.connect(self.export_wanted)
        self.settings.clicked.connect(self.settings_wanted)
        self.scene.scene_chosen.connect(self.scene_chosen)
        self.menu.clicked.connect(self._want_menu)

    @Slot()
    def _want_menu(self) -> None:
        self.menu_wanted.emit(self.menu.mapToGlobal(QPoint(0, self.menu.height() + 4)))

    def show_title(self, title: str, unsaved: bool) -> None:
        """The project's title; a dot says that something is not saved."""
        self.title.show_text(f"{title} •" if unsaved else title)
        self.title.setMinimumWidth(min(LEAST_TITLE, self.title.sizeHint().width()))
        self.title.setAccessibleName(f"{title}, not saved" if unsaved else title)

    def show_scenes(self, titles: Sequence[str], current: int) -> None:
        self.scene.show_scenes(titles, current)

    def show_playing(self, playing: bool) -> None:
        self.play.show_icon("stop" if playing else "play", "Stop" if playing else "Play")

    def show_time(self, seconds: float, total: float) -> None:
        self.time.setText(clock(seconds))
        self.total.setText(clock(total, thousandths=False))
        self.time.setAccessibleName(f"Time {self.time.text()} of {self.total.text()}")

    def show_loop(self, on: bool) -> None:
        self.loop.setChecked(on)

    def show_stale(
        self, count: int, takeless: int = 0, voiceless: int = 0, making: int = 0, loading: bool = False
    ) -> None:
        """How many lines are stale or have no take, how many of them have none, how many have nobody to speak them, how
        many are being made. While the voice model is `loading`, its voices are still to come."""
        self.generate.setEnabled(count > 0)
        if making and not count:
            self.generate.show_text(f"{making} to come", "Every line is spoken, or will be soon")
            return
        if voiceless and not count and loading:
            self.generate.show_text("Loading…", "The voice model is being loaded, and its voices with it")
            return
        if voiceless and not count:
            self.generate.show_text(f"{voiceless} without a voice", "Choose voices in the cast to have them spoken")
            return
        lines = "1 line" if count == 1 else f"{count} lines"
        stale = count - takeless
        why = "no take" if not stale else "a stale take" if not takeless else "no take, or a stale one"
        self.generate.show_text(
            "All spoken" if not count else f"Generate {lines if takeless else f'{count} stale'}",
            f"Generate {lines} with {why}" if count else "Every line is spoken",
        )

    def show_no_lines(self) -> None:
        """There is nothing that could be spoken."""
        self.generate.setEnabled(False)
        self.generate.show_text("No lines yet", "Write a line to have it spoken")

    def show_exportable(self, exportable: bool) -> None:
        """Whether any line of the scene has a take."""
        self.export.setEnabled(exportable)
        self.export.show_icon("export", "Export" if exportable else "Nothing to export: no line has a take yet")

    def show_level(self, level: float) -> None:
        """The level that is heard now in dB below full scale; -inf is silence."""
        self._level = level
        self.meter.show_level(level)
        if level >= self._peak or not self._holding.isActive():
            self._let_go()

    @Slot()
    def _let_go(self) -> None:
        """What is heard now is written, for as long as nothing louder comes and a while has not passed."""
        self._peak = self._level
        self.peak.setText(decibels(self._peak))
        if self._peak > -math.inf:
            self._holding.start()

    def show_keys(self, keys: Mapping[str, str]) -> None:
        """Shortcuts as the user has bound them, by verb."""
        named: dict[str, IconButton | KeyButton] = {
            "play": self.play,
            "to_start": self.to_start,
            "to_end": self.to_end,
            "loop": self.loop,
            "generate_stale": self.generate,
            "export": self.export,
            "settings": self.settings,
        }
        for verb, button in named.items():
            if verb in keys:
                button.show_key(keys[verb])

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(0, self.height() - 1, self.width(), 1, QColor(theme.current().line))


class SceneButton(KeyButton):
    """Which scene is shown; a click opens the others."""

    scene_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__("", tip="Choose a scene", kind="plain")
        self._number, self._title = "Scene 1", ""
        self._titles: tuple[str, ...] = ()
        self._current = 0
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.open_menu)

    def show_scenes(self, titles: Sequence[str], current: int) -> None:
        self._titles, self._current = tuple(titles), current
        self._number = f"Scene {current + 1}" if titles else "No scene"
        self._title = titles[current] if titles else ""
        self.setEnabled(bool(titles))
        self.setAccessibleName(f"{self._number} {self._title}".strip())
        self.updateGeometry()
        self.update()

    @Slot()
    def open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number, title in enumerate(self._titles):
            action = menu.addAction(f"{number + 1}  {title}".replace("&", "&&"))
            action.setData(number)
            action.setCheckable(True)
            action.setChecked(number == self._current)
        menu.triggered.connect(self._choose)
        menu.popup(self.mapToGlobal(QPointF(0, self.height() + 4)).toPoint())

    @Slot(QAction)
    def _choose(self, action: QAction) -> None:
        self.scene_chosen.emit(action.data())

    def sizeHint(self) -> QSize:
        number, title = self._widths()
        return QSize(round(number + title) + (7 if title else 0) + 48, 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(110, 28)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.setFont(self.font())
        number, _ = self._widths()
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setPen(QColor(palette.muted))
        painter.drawText(QRectF(11, 0, number + 2, self.height()), middle, self._number)
        painter.setPen(QColor(palette.text))
        room = self.width() - 11 - number - 7 - 30
        title = self.fontMetrics().elidedText(self._title, Qt.TextElideMode.ElideRight, int(room) + 2)
        painter.drawText(QRectF(11 + number + 7, 0, room + 2, self.height()), middle, title)
        chevron = theme.pixmap("chevron-down", palette.text, 16, self.devicePixelRatioF())
        painter.drawPixmap(QPointF(self.width() - 26, (self.height() - 16) / 2), chevron)

    def _widths(self) -> tuple[float, float]:
        metrics = QFontMetricsF(self.font())
        return metrics.horizontalAdvance(self._number), metrics.horizontalAdvance(self._title)


class LevelMeter(QWidget):
    """23 bars from −48 dB to 0: green, amber from the 16th, red in the last two."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(METER_BARS * 4, 10)
        self.setToolTip("Level")
        self.setAccessibleName("Level")
        self.lit = 0

    def show_level(self, level: float) -> None:
        share = (level - METER_FLOOR) / -METER_FLOOR if level > METER_FLOOR else 0.0
        lit = min(METER_BARS, math.ceil(share * (METER_BARS - 1)))
        if lit != self.lit:
            self.lit = lit
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for bar in range(METER_BARS):
            sound = palette.good if bar < 15 else palette.warning if bar < METER_BARS - 2 else palette.danger
            painter.setBrush(QColor(sound if bar < self.lit else palette.line))
            painter.drawRoundedRect(QRectF(bar * 4, 0, 3, 10), 1, 1)


def _row(gap: int, *widgets: QWidget) -> QHBoxLayout:
    made = QHBoxLayout()
    made.setSpacing(gap)
    for widget in widgets:
        made.addWidget(widget)
    return made
