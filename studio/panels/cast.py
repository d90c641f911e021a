"""Who speaks in the script: colour, name, voice."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction, QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout

from studio import theme
from studio.controls import PADDING, EmptyState, IconButton, NameField, SectionHeader
from studio.document.project import Character
from studio.rows import RowList, RowPainter

NO_VOICE = "choose a voice"
NO_VOICES = "no voice yet"  # where there are none, or they are still being loaded


class CastPanel(QFrame):
    """Rows of 36 px. A click chooses a character, a click on its voice opens the voices.

    Renaming, colour and removing are in the menu of the row; F2 renames, Enter opens the voices, Del removes.
    """

    character_chosen = Signal(str)
    character_added = Signal(str)
    character_renamed = Signal(str, str)
    character_removed = Signal(str)
    voice_wanted = Signal(str, str)
    colour_wanted = Signal(str, int)
    speaking_wanted = Signal(str)  # how the character speaks shall be asked

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Cast")
        self._cast: tuple[Character, ...] = ()
        self._voices: tuple[str, ...] = ()
        self._chosen = ""
        self._renamed = ""  # the character whose name is being written anew
        self.add = IconButton("plus", "Add a character", size=24)
        header = SectionHeader("Cast")
        header.add(self.add)
        self._painter = _CastPainter()
        self.rows = CastRows(self._painter, _words)
        self.name = NameField("Name of the character", self)
        self.new_name = NameField("Name of the new character", self)
        for field in (self.name, self.new_name):
            field.setToolTip("Enter keeps the name, Esc drops it")
            field.hide()
        self.empty = EmptyState("Nobody speaks yet. Add a character and give it a voice.", "Add a character")
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 12, 0, 12)
        stack.setSpacing(6)
        stack.addWidget(header)
        stack.addWidget(self.rows)
        place = QHBoxLayout()
        place.setContentsMargins(8, 0, 8, 0)
        place.addWidget(self.new_name)
        stack.addLayout(place)
        stack.addWidget(self.empty)
        self._connect()
        self.show_cast((), ())

    def _connect(self) -> None:
        self.add.clicked.connect(self.write_new_name)
        self.empty.acted.connect(self.write_new_name)
        self.rows.chosen.connect(self._choose)
        self.rows.activated_row.connect(self.open_voices)
        self.rows.part_clicked.connect(self._open_part)
        self.rows.menu_wanted.connect(self.open_menu)
        self.rows.rename_wanted.connect(self.write_name)
        self.rows.remove_wanted.connect(self._remove)
        self.name.given.connect(self._rename)
        self.name.dropped.connect(self.name.hide)
        self.new_name.given.connect(self._add)
        self.new_name.dropped.connect(self._drop_new_name)

    def show_cast(self, cast: tuple[Character, ...], voices: tuple[str, ...]) -> None:
        """The project's cast, and the names of the voices that may be chosen."""
        self._cast, self._voices = cast, voices
        self._painter.missing = NO_VOICE if voices else NO_VOICES
        self.empty.setVisible(not cast and self.new_name.isHidden())
        self.rows.setVisible(bool(cast))
        self._show_rows()

    def show_chosen(self, name: str) -> None:
        """Marks the character of that name as chosen; "" none."""
        self._chosen = name
        self._show_rows()

    def _show_rows(self) -> None:
        names = [character.name for character in self._cast]
        self.rows.show_rows(self._cast, names.index(self._chosen) if self._chosen in names else None)

    # Names

    @Slot()
    def write_new_name(self) -> None:
        """Opens a field for a new character's name under the others."""
        self.empty.hide()
        self.new_name.write("")

    @Slot(object)
    def write_name(self, character: Character) -> None:
        """Opens a field over a character's name."""
        self._renamed = character.name
        row = self.rows.visualRect(self.rows.rows.index(self._cast.index(character)))
        corner = self.rows.viewport().mapTo(self, row.topLeft())
        self.name.setGeometry(corner.x() + 24, corner.y() + 4, self.width() - 36, 28)
        self.name.raise_()
        self.name.write(character.name)

    @Slot(str)
    def _rename(self, name: str) -> None:
        if name != self._renamed and self._is_taken(name):
            self.name.refuse(f"{name} is in the cast already")
            return
        self.name.hide()
        if name and name != self._renamed:
            self.character_renamed.emit(self._renamed, name)

    @Slot(str)
    def _add(self, name: str) -> None:
        if self._is_taken(name):
            self.new_name.refuse(f"{name} is in the cast already")
            return
        self._drop_new_name()
        if name:
            self.character_added.emit(name)

    @Slot()
    def _drop_new_name(self) -> None:
        self.new_name.hide()
        self.empty.setVisible(not self._cast)

    def _is_taken(self, name: str) -> bool:
        return any(character.name == name for character in self._cast)

    # Menus

    @Slot(object, str)
    def _open_part(self, character: Character, part: str) -> None:
        self.open_voices(character)

    @Slot(object)
    def open_voices(self, character: Character) -> None:
        """Opens the voices at the right end of the character's row."""
        row = self.rows.visualRect(self.rows.rows.index(self._cast.index(character)))
        self._voices_menu(character).popup(self.rows.viewport().mapToGlobal(QPoint(row.right() - 140, row.bottom())))

    @Slot(object, QPoint)
    def open_menu(self, character: Character, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Rename\tF2").setData(("rename", character))
        menu.addMenu(self._voices_menu(character, menu))
        menu.addAction("How it speaks…").setData(("speaking", character))
        colours = menu.addMenu("Colour")
        for number, name in enumerate(theme.CHARACTER_COLOURS):
            action = colours.addAction(theme.dot(theme.character_colour(number)), name)
            action.setData(("colour", character, number))
        menu.addSeparator()
        menu.addAction("Remove\tDel").setData(("remove", character))
        menu.triggered.connect(self._act)
        menu.popup(place)

    def _voices_menu(self, character: Character, parent: QMenu | None = None) -> QMenu:
        menu = QMenu("Voice", parent or self)
        for voice in self._voices:
            action = menu.addAction(voice.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(voice == character.voice)
            action.setData(("voice", character, voice))
        if not self._voices:
            menu.addAction("No voices yet").setEnabled(False)
        if parent is None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.triggered.connect(self._act)
        return menu

    @Slot(QAction)
    def _act(self, action: QAction) -> None:
        match action.data():
            case ("rename", character):
                self.write_name(character)
            case ("speaking", character):
                self.speaking_wanted.emit(character.name)
            case ("remove", character):
                self._remove(character)
            case ("colour", character, number):
                self.colour_wanted.emit(character.name, number)
            case ("voice", character, voice):
                self.voice_wanted.emit(character.name, voice)

    @Slot(object)
    def _choose(self, character: Character) -> None:
        self._chosen = character.name
        self.character_chosen.emit(character.name)

    @Slot(object)
    def _remove(self, character: Character) -> None:
        self.character_removed.emit(character.name)


class CastRows(RowList):
    """The cast as a list with a menu, F2 and Del."""

    rename_wanted = Signal(object)
    remove_wanted = Signal(object)

    def __init__(self, painter: RowPainter, words: Any) -> None:
        super().__init__("Cast", painter, words)
        self.on_key("F2", self.rename_wanted.emit)
        self.on_key("Del", self.remove_wanted.emit)


class _CastPainter(RowPainter):
    missing = NO_VOICE  # what stands where a voice should be

    def paint_row(self, painter: QPainter, rect: QRect, row: Character, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.character_colour(row.colour))
        painter.drawEllipse(rect.x() + PADDING, rect.y() + 13, 10, 10)
        voice = self.parts(rect, row)["voice"]
        name = QRect(rect.x() + 32, rect.y(), voice.left() - rect.x() - 40, rect.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.font(13, 600))
        painter.setPen(QColor(palette.text))
        shown = painter.fontMetrics().elidedText(row.name, Qt.TextElideMode.ElideRight, name.width())
        painter.drawText(name, middle | Qt.AlignmentFlag.AlignLeft, shown)
        painter.setFont(theme.font(12))
        wanting = not row.voice and self.missing == NO_VOICE
        painter.setPen(QColor(palette.warning if wanting else palette.muted if row.voice else palette.faint))
        said = painter.fontMetrics().elidedText
        words = said(row.voice or self.missing, Qt.TextElideMode.ElideRight, voice.width() - 8)
        painter.drawText(voice.adjusted(0, 0, -PADDING, 0), middle | Qt.AlignmentFlag.AlignRight, words)

    def parts(self, rect: QRect, row: Character) -> dict[str, QRect]:
        words = QFontMetrics(theme.font(12)).horizontalAdvance(row.voice or self.missing)
        width = min(words + PADDING + 9, rect.width() // 2)
        return {"voice": QRect(rect.right() + 1 - width, rect.y(), width, rect.height())}

    def tip(self, row: Character, part: str | None) -> str:
        return f"Choose the voice of {row.name} (Enter)" if part else f"{row.name}: F2 renames, Del removes"


def _words(character: Character) -> str:
    return f"{character.name}, voice {character.voice}" if character.voice else f"{character.name}, no voice"
