"""Tags to put into the text: phrases on violet, and a line for any other."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from studio import theme
from studio.controls import PADDING, Chip, SectionHeader
from studio.layouts import FlowLayout, clear

PHRASES = (
    "whispers sweetly",
    "sighs",
    "laughing nervously",
    "pause",
    "excited",
    "low voice",
    "short pause",
    "chuckling",
    "inhale",
    "exhale",
    "whispering",
    "shouting",
    "sad",
    "angry",
    "surprised",
    "hesitant",
    "tired",
    "cheerful",
    "sarcastic",
    "out of breath",
    "sobbing",
    "clearing throat",
    "singing",
    "with emphasis",
)


class TagsPanel(QFrame):
    """A click on a phrase wishes it at the cursor; the model reads any phrase, so one can be written, too."""

    tag_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Tags")
        self.header = SectionHeader("Tags", "[ to insert")
        self.phrase = QLineEdit()
        self.phrase.setFont(theme.font(13))
        self.phrase.setPlaceholderText("Any other, e.g. speaking slowly")
        self.phrase.setAccessibleName("A tag in your own words")
        self.phrase.setToolTip("Insert a tag in your own words (Enter)")
        self._flow = FlowLayout()
        held = QWidget()
        held.setLayout(self._flow)
        inside = QVBoxLayout()
        inside.setContentsMargins(PADDING, 2, PADDING, PADDING)
        inside.setSpacing(10)
        inside.addWidget(held)
        inside.addWidget(self.phrase)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 8, 0, 0)
        stack.setSpacing(4)
        stack.addWidget(self.header)
        stack.addLayout(inside)
        self.phrase.returnPressed.connect(self._insert_written)
        self.show_phrases(PHRASES)

    def show_phrases(self, phrases: tuple[str, ...]) -> None:
        """Other phrases, the likeliest first."""
        clear(self._flow)
        for phrase in phrases:
            chip = Chip(phrase, f"Insert [{phrase}]")
            chip.clicked.connect(self._insert_chip)
            self._flow.addWidget(chip)

    @Slot()
    def _insert_chip(self) -> None:
        self.tag_wanted.emit(self.sender().text())  # type: ignore[attr-defined]

    @Slot()
    def _insert_written(self) -> None:
        phrase = self.phrase.text().strip().strip("[]").strip()
        if phrase:
            self.phrase.clear()
            self.tag_wanted.emit(phrase)
