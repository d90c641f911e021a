"""Tags to put into the text: phrases on violet by what they do, and a line that finds them or takes any other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QMenu, QVBoxLayout, QWidget

from studio import theme
from studio.controls import PADDING, Chip, Choice, SectionHeader, label
from studio.document.phrases import FIRST, PHRASES, SECTIONS, Offer, offers, offers_with
from studio.layouts import FlowLayout, clear

YOURS = "Yours and the likeliest"
_MOST_FOUND = 30


class TagsPanel(QFrame):
    """A click on a phrase wishes it at the cursor, and dragging takes it anywhere; the model reads any phrase, so one
    can be written, too. The menu of a phrase makes it a favourite."""

    tag_wanted = Signal(str)
    favourite_wanted = Signal(str)  # it becomes one, or is one no longer

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Tags")
        self._offers = offers()
        self._favourites: tuple[str, ...] = ()
        self._shown: tuple[Offer, ...] = ()
        self.header = SectionHeader("Tags", "[ to insert")
        self.phrase = QLineEdit()
        self.phrase.setFont(theme.font(13))
        self.phrase.setPlaceholderText("Search, or write your own")
        self.phrase.setAccessibleName("Search tags, or write one in your own words")
        self.phrase.setToolTip("Finds phrases; Enter inserts what is written as a tag")
        self.section = Choice("Kind of tags")
        self.section.addItems([YOURS, *SECTIONS])
        self.none = label("", 12, tone="muted")
        self._flow = FlowLayout()
        held = QWidget()
        held.setLayout(self._flow)
        inside = QVBoxLayout()
        inside.setContentsMargins(PADDING, 2, PADDING, PADDING)
        inside.setSpacing(8)
        for widget in (self.phrase, self.section, held, self.none):
            inside.addWidget(widget)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 8, 0, 0)
        stack.setSpacing(4)
        stack.addWidget(self.header)
        stack.addLayout(inside)
        self.phrase.returnPressed.connect(self._insert_written)
        self.phrase.textChanged.connect(self._show_chips)
        self.section.currentIndexChanged.connect(self._show_chips)
        self._show_chips()

    def show_offers(self, recent: Sequence[str], favourites: Sequence[str]) -> None:
        """The phrases used last, and those the user likes best."""
        self._favourites = tuple(favourites)
        self._offers = offers(recent, favourites)
        self._show_chips()

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases that are shown, in their order."""
        return tuple(offer.phrase for offer in self._shown)

    def _wanted(self) -> tuple[Offer, ...]:
        written = self.phrase.text().strip().strip("[]").strip()
        if written:
            return offers_with(written, self._offers)[:_MOST_FOUND]
        section = self.section.currentText()
        if section != YOURS:
            return tuple(offer for offer in PHRASES if offer.section == section)
        yours = [offer for offer in self._offers if offer.section not in SECTIONS]
        named = {offer.phrase for offer in yours}
        return (*yours, *(offer for offer in PHRASES if offer.phrase in FIRST and offer.phrase not in named))

    @Slot()
    def _show_chips(self) -> None:
        wanted = self._wanted()
        self.section.setVisible(not self.phrase.text())
        self.none.setText("" if wanted else "Not in the list. Enter inserts it all the same.")
        self.none.setVisible(not wanted)
        if wanted == self._shown:
            return
        self._shown = wanted
        clear(self._flow)
        for offer in wanted:
            chip = TagChip(offer, offer.phrase in self._favourites)
            chip.clicked.connect(self._insert_chip)
            chip.favourite_wanted.connect(self.favourite_wanted)
            self._flow.addWidget(chip)
        self._flow.invalidate()

    @Slot()
    def _insert_chip(self) -> None:
        self.tag_wanted.emit(self.sender().offer.phrase)  # type: ignore[attr-defined]

    @Slot()
    def _insert_written(self) -> None:
        phrase = self.phrase.text().strip().strip("[]").strip()
        if phrase:
            self.phrase.clear()
            self.tag_wanted.emit(phrase)


class TagChip(Chip):
    """A phrase that can be clicked, dragged into the text, and liked."""

    favourite_wanted = Signal(str)

    def __init__(self, offer: Offer, favourite: bool) -> None:
        tip = f"{offer.note[:1].upper()}{offer.note[1:]}. " if offer.note else ""
        super().__init__(offer.phrase, f"{tip}Click inserts [{offer.phrase}], dragging takes it to its place")
        self.offer, self._favourite = offer, favourite
        self._pressed: QPoint | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        moved = self._pressed is not None and (event.position().toPoint() - self._pressed).manhattanLength()
        if moved and moved >= QApplication.startDragDistance() and event.buttons() & Qt.MouseButton.LeftButton:
            self._pressed = None
            self.setDown(False)
            drag = QDrag(self)
            drag.setMimeData(self.dragged())
            drag.setPixmap(self.grab())
            drag.exec(Qt.DropAction.CopyAction)
            return
        super().mouseMoveEvent(event)

    def dragged(self) -> QMimeData:
        """What dragging carries."""
        made = QMimeData()
        made.setText(f"[{self.offer.phrase}] ")
        return made

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu().popup(event.globalPos())

    def menu(self) -> QMenu:
        """It deletes itself when closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = "No longer a favourite" if self._favourite else "Make it a favourite"
        menu.addAction(words).triggered.connect(lambda: self.favourite_wanted.emit(self.offer.phrase))
        return menu
