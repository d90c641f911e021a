"""How lines are drawn: temperature, top-p, top-k, and the seed, for a character or for one line."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from engine.request import Settings
from studio import theme
from studio.controls import KeyButton, label
from studio.layouts import lay_form

MOST_TEMPERATURE, MOST_TOP_K, MOST_SEED = 2.0, 1024, 2**31 - 1


@dataclass(frozen=True)
class Speaking:
    """What the dialog is about: `settings` None are those of `fallback`; `seed` None is another for each take."""

    fallback: Settings
    settings: Settings | None = None
    seed: int | None = None
    direction: str = ""


class SamplingDialog(QDialog):
    """`speaking_wanted` brings a Speaking when it is saved. A line has no seed and no direction of this dialog's."""

    speaking_wanted = Signal(object)

    def __init__(self, title: str, like: str, speaking: Speaking, of_character: bool, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(420)
        self._speaking, self._of_character = speaking, of_character
        self.direction = QLineEdit(speaking.direction)
        self.direction.setFont(theme.font(13))
        self.direction.setPlaceholderText("e.g. old and frail, never in a hurry")
        self.direction.setAccessibleName("How all of it is spoken")
        self.own = QCheckBox(f"Other than {like}")
        self.own.setToolTip("Draw with settings of its own")
        self.temperature = _decimal("Temperature", MOST_TEMPERATURE, "Higher is livelier and less sure")
        self.top_p = _decimal("Top-p", 1.0, "Draw only from the likeliest that make up this share")
        self.top_k = QSpinBox()
        self.top_k.setRange(1, MOST_TOP_K)
        self.top_k.setAccessibleName("Top-k")
        self.top_k.setToolTip("Draw only from so many of the likeliest")
        self.fixed = QCheckBox("Always the same seed")
        self.fixed.setToolTip("The same text then comes out the same; otherwise each take gets another seed")
        self.seed = QSpinBox()
        self.seed.setRange(0, MOST_SEED)
        self.seed.setAccessibleName("Seed")
        for number in (self.temperature, self.top_p, self.top_k, self.seed):
            number_look(number)
        self.cancel = KeyButton("Cancel", tip="Leave it as it was (Esc)")
        self.save = KeyButton("Save", "Enter", kind="filled")
        self.save.setDefault(True)
        self._lay()
        self._fill()
        self.own.toggled.connect(self._follow)
        self.fixed.toggled.connect(self._follow)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._want)

    def _lay(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        rows: list[tuple[str, QWidget]] = [
            ("Sampling", self.own), ("Temperature", self.temperature), ("Top-p", self.top_p), ("Top-k", self.top_k),
        ]  # fmt: skip
        if self._of_character:
            rows = [("Direction", self.direction), *rows, ("Seed", self.fixed), ("", self.seed)]
        for number, (name, widget) in enumerate(rows):
            grid.addWidget(label(name, 13, tone="muted"), number, 0)
            grid.addWidget(widget, number, 1)
        lay_form(self, grid, (self.cancel, self.save))

    def _fill(self) -> None:
        speaking = self._speaking
        shown = speaking.settings or speaking.fallback
        self.own.setChecked(speaking.settings is not None)
        self.temperature.setValue(shown.temperature)
        self.top_p.setValue(shown.top_p)
        self.top_k.setValue(shown.top_k)
        self.fixed.setChecked(speaking.seed is not None)
        self.seed.setValue(speaking.seed or 0)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        for widget in (self.temperature, self.top_p, self.top_k):
            widget.setEnabled(self.own.isChecked())
        self.seed.setEnabled(self.fixed.isChecked())

    def speaking(self) -> Speaking:
        """What the fields say."""
        settings = None
        if self.own.isChecked():
            settings = replace(
                self._speaking.settings or self._speaking.fallback,
                temperature=round(self.temperature.value(), 2),
                top_p=round(self.top_p.value(), 2),
                top_k=self.top_k.value(),
            )
        seed = self.seed.value() if self.fixed.isChecked() else None
        return Speaking(self._speaking.fallback, settings, seed, self.direction.text().strip())

    @Slot()
    def _want(self) -> None:
        self.speaking_wanted.emit(self.speaking())
        self.accept()


def _decimal(name: str, most: float, tip: str) -> QDoubleSpinBox:
    made = QDoubleSpinBox()
    made.setRange(0.0, most)
    made.setSingleStep(0.05)
    made.setDecimals(2)
    made.setAccessibleName(name)
    made.setToolTip(tip)
    return made


def number_look(box: QAbstractSpinBox) -> None:
    """Numbers in tabular figures, with the same room at the left as other fields."""
    box.setFont(theme.font(13, tabular=True))
    box.lineEdit().setTextMargins(7, 0, 0, 0)
