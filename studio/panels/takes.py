"""The takes of one line, and what made the chosen one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction, QColor, QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolTip, QVBoxLayout, QWidget

from studio import theme
from studio.controls import PADDING, ElidedLabel, EmptyState, KeyButton, SectionHeader, label
from studio.layouts import clear
from studio.rows import RowList, RowPainter
from studio.thin_wave import paint_wave

ROWS_SEEN, FEWEST_SEEN = 6, 3
SHARE = 0.4  # of the column that the rows may take, so that the candidates under them are seen
COLOUR_NAMES = ("Teal", "Orange", "Pink", "Lime", "Sand", "Sky", "Brick", "Slate")


@dataclass(frozen=True, eq=False)
class TakeRow:
    """A take as it is listed. `number` counts from 1 within its line, `thumbnail` as in thin_wave.paint_wave.

    `origin` says in words how it was made ("span of take 2"); `capped`: it reached its longest before it ended. `facts`
    are what made it, as names and values.
    """

    id: str
    number: int
    thumbnail: np.ndarray | None
    seconds: float
    kept: bool = False
    starred: bool = False
    origin: str = ""
    capped: bool = False
    binned: bool = False
    name: str = ""
    note: str = ""
    colour: int | None = None
    flags: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


class TakesPanel(QFrame):
    """Rows of 40 px. A click chooses a take, a double click or Space plays it, the star stars it, Del bins it."""

    take_chosen = Signal(str)
    star_wanted = Signal(str, bool)
    bin_wanted = Signal(str)
    audition_wanted = Signal(str)
    generate_wanted = Signal()
    name_wanted = Signal(str)
    note_wanted = Signal(str)
    colour_wanted = Signal(str, object)
    again_wanted = Signal(str)
    bin_others_wanted = Signal()
    empty_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Takes")
        self.header = SectionHeader("Takes", "T next")
        self._painter = _TakePainter()
        self.rows = TakeRows(self._painter)
        self.empty = EmptyState("This line has no take yet.", "Generate", "Ctrl+Enter")
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 12, 0, 12)
        stack.setSpacing(6)
        for widget in (self.header, self.rows, self.empty):
            stack.addWidget(widget)
        self.rows.chosen.connect(self._choose)
        self.rows.activated_row.connect(self._audition)
        self.rows.part_clicked.connect(self._star)
        self.rows.menu_wanted.connect(self.open_menu)
        self.rows.bin_wanted.connect(self._bin)
        self.empty.acted.connect(self.generate_wanted)
        self.show_takes(None, 0, ())

    def show_takes(
        self, line_number: int | None, colour_index: int, rows: tuple[TakeRow, ...], locked: bool = False
    ) -> None:
        """The takes of a line in its character's colour; `line_number` None: no line is chosen. A locked line gets
        none."""
        self.header.show_title("Takes" if line_number is None else f"Takes of line {line_number}")
        self.header.show_hint("T next" if len(rows) > 1 else "")
        self._painter.colour_index = colour_index
        kept = next((place for place, row in enumerate(rows) if row.kept), None)
        self.rows.show_rows(rows, kept)
        self.rows.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        self.empty.button.setVisible(line_number is not None)
        self.empty.button.setEnabled(not locked)
        self.empty.sentence.setText(
            "Choose a line to see its takes." if line_number is None
            else "This line has no take, and is locked." if locked else "This line has no take yet."
        )  # fmt: skip

    @Slot(int)
    def give_room(self, height: int) -> None:
        """How high the column is that the panel lies in."""
        self.rows.show_most(min(ROWS_SEEN, max(FEWEST_SEEN, int(SHARE * height) // self._painter.height)))

    @Slot(object)
    def _choose(self, take: TakeRow) -> None:
        self.take_chosen.emit(take.id)

    @Slot(object)
    def _audition(self, take: TakeRow) -> None:
        self.audition_wanted.emit(take.id)

    @Slot(object, str)
    def _star(self, take: TakeRow, part: str = "star") -> None:
        self.star_wanted.emit(take.id, not take.starred)

    @Slot(object)
    def _bin(self, take: TakeRow) -> None:
        self.bin_wanted.emit(take.id)

    def _name(self, take: TakeRow) -> None:
        self.name_wanted.emit(take.id)

    def _note(self, take: TakeRow) -> None:
        self.note_wanted.emit(take.id)

    def _colour(self, take: TakeRow) -> None:
        self.colour_wanted.emit(take.id, take.colour)

    def _again(self, take: TakeRow) -> None:
        self.again_wanted.emit(take.id)

    def _bin_others(self, _: TakeRow) -> None:
        self.bin_others_wanted.emit()

    def _empty(self, _: TakeRow) -> None:
        self.empty_wanted.emit()

    @Slot(object, QPoint)
    def open_menu(self, take: TakeRow, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Play\tSpace").setData((self._audition, take))
        menu.addAction("Keep").setData((self._choose, take))
        menu.addAction("Take the star away" if take.starred else "Star").setData((self._star, take))
        menu.addAction("Name…").setData((self._name, take))
        menu.addAction("Note…").setData((self._note, take))
        colours = menu.addMenu("Colour")
        colours.addAction("None").setData((self._colour, replace(take, colour=None)))
        for colour, name in enumerate(COLOUR_NAMES):
            action = colours.addAction(theme.dot(theme.character_colour(colour)), name)
            action.setData((self._colour, replace(take, colour=colour)))
        menu.addAction("Again with this seed").setData((self._again, take))
        menu.addSeparator()
        menu.addAction("Take out of the bin" if take.binned else "Bin\tDel").setData((self._bin, take))
        menu.addAction("Bin all takes but the kept one\tAlt+Shift+T").setData((self._bin_others, take))
        menu.addAction("Empty the bin").setData((self._empty, take))
        menu.triggered.connect(self._act)
        menu.popup(place)

    @Slot(QAction)
    def _act(self, action: QAction) -> None:
        verb, take = action.data()
        verb(take)


class TakeRows(RowList):
    """Takes as a list with a menu and Del."""

    bin_wanted = Signal(object)

    def __init__(self, painter: RowPainter) -> None:
        super().__init__("Takes", painter, _words, most=ROWS_SEEN)
        self.on_key("Del", self.bin_wanted.emit)


class _TakePainter(RowPainter):
    height = 40
    colour_index = 0

    def ground(self, row: TakeRow, chosen: bool, hovered: bool) -> QColor:
        return super().ground(row, row.kept, hovered)

    def paint_row(self, painter: QPainter, rect: QRect, row: TakeRow, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        middle = Qt.AlignmentFlag.AlignVCenter
        star = self.parts(rect, row)["star"]
        painter.setFont(theme.font(13, 600, tabular=True))
        painter.setPen(QColor(palette.text if row.kept else palette.muted))
        number = QRect(rect.x() + PADDING, rect.y(), 20, rect.height())
        painter.drawText(number, middle | Qt.AlignmentFlag.AlignLeft, str(row.number))
        if row.colour is not None:
            painter.fillRect(QRect(rect.x(), rect.y() + 1, 3, rect.height() - 2), theme.character_colour(row.colour))
        wave = QRect(rect.x() + 40, rect.y() + 9, star.left() - (68 if row.capped else 50) - rect.x() - 40, 22)
        opacity = 0.25 if row.binned else 0.9 if row.kept else 0.5
        paint_wave(painter, wave, row.thumbnail, theme.character_colour(self.colour_index), opacity)
        ratio = painter.device().devicePixelRatioF()
        if row.capped:
            place = QPointF(star.left() - 60, rect.y() + 14)
            painter.drawPixmap(place, theme.pixmap("scissors", palette.warning, 12, ratio))
        if row.name:
            self._paint_name(painter, wave, row)
        painter.setFont(theme.font(12, tabular=True))
        painter.setPen(QColor(palette.muted))
        length = QRect(star.left() - 48, rect.y(), 44, rect.height())
        painter.drawText(length, middle | Qt.AlignmentFlag.AlignRight, f"{row.seconds:.1f} s")
        shown = "trash" if row.binned else "star-filled" if row.starred else "star"
        tint = palette.warning if row.starred and not row.binned else palette.muted if row.kept else palette.faint
        painter.drawPixmap(QPointF(star.x() + 4, rect.y() + 13), theme.pixmap(shown, tint, 14, ratio))

    def _paint_name(self, painter: QPainter, wave: QRect, row: TakeRow) -> None:
        """The take's name at the foot of its wave, on the row's ground so that it can be read."""
        palette, font = theme.current(), theme.font(11, 500)
        metrics = QFontMetrics(font)
        name = metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, wave.width())
        place = QRect(wave.x(), wave.bottom() - 12, metrics.horizontalAdvance(name) + 6, 15)
        painter.fillRect(place, theme.colour(palette.surface, 0.85))
        painter.setFont(font)
        painter.setPen(QColor(palette.text))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)

    def parts(self, rect: QRect, row: TakeRow) -> dict[str, QRect]:
        return {"star": QRect(rect.right() + 1 - PADDING - 20, rect.y(), 26, rect.height())}

    def tip(self, row: TakeRow, part: str | None) -> str:
        if part:
            return "Take the star away" if row.starred else "Star this take"
        said = [f"Take {row.number}", row.name, row.origin, *row.flags]
        told = " · ".join([*(word for word in said if word), "Space plays, Del bins"])
        facts = [f"{name}: {value}" for name, value in row.facts]
        return "\n".join([told, *([row.note] if row.note else []), *facts])


class DetailsPanel(QFrame):
    """What made the kept take, as names and values; a click on the seed copies it."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("What made this take")
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        self._rows.setSpacing(6)
        self._shown: tuple[tuple[str, str], ...] = ()
        self.setVisible(False)

    def show_details(self, details: tuple[tuple[str, str], ...]) -> None:
        """Pairs of a name ("Seed") and its value; none hides the panel."""
        if details == self._shown:
            return
        self._shown = details
        clear(self._rows)
        for name, value in details:
            row = QWidget()
            laid = QHBoxLayout(row)
            laid.setContentsMargins(0, 0, 0, 0)
            laid.setSpacing(12)
            laid.addWidget(label(name, 12, tone="muted"))
            laid.addStretch(1)
            laid.addWidget(self._value(name, value))
            self._rows.addWidget(row)
        self.setVisible(bool(details))

    def _value(self, name: str, value: str) -> QWidget:
        if name != "Seed":
            made = ElidedLabel(12)
            made.show_text(value)
            made.setAccessibleName(f"{name} {value}")
            return made
        button = KeyButton(value, tip="Copy the seed", kind="value")
        button.setFont(theme.font(12, tabular=True))
        button.setAccessibleName(f"Copy the seed {value}")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(self._copy_seed)
        return button

    @Slot()
    def _copy_seed(self) -> None:
        button = self.sender()
        assert isinstance(button, KeyButton)
        QGuiApplication.clipboard().setText(button.text())
        QToolTip.showText(button.mapToGlobal(QPoint(0, button.height())), "Copied", button)


def _words(take: TakeRow) -> str:
    said = [f"Take {take.number}", f"{take.seconds:.1f} seconds"]
    said += [word for word, holds in (("kept", take.kept), ("starred", take.starred), ("capped", take.capped)) if holds]
    return ", ".join([*said, "binned"] if take.binned else said)
