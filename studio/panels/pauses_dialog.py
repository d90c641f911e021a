"""How long the pauses of a scene are, where its lines have none of their own."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QGridLayout, QSpinBox, QWidget

from studio.controls import KeyButton, label
from studio.document.timing import MOST_PAUSE
from studio.layouts import lay_form


class PausesDialog(QDialog):
    """Wishes for milliseconds between lines, and where another character goes on (None: the same)."""

    pauses_wanted = Signal(int, object)

    def __init__(self, scene: str, pause: int, turn_pause: int | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Pauses of {scene}")
        self.pause = _milliseconds(pause, "Pause between lines")
        self.turn_pause = _milliseconds(pause if turn_pause is None else turn_pause, "Pause at another character")
        self.other = QCheckBox("Where another character goes on")
        self.other.setChecked(turn_pause is not None)
        self.other.toggled.connect(self.turn_pause.setEnabled)
        self.turn_pause.setEnabled(turn_pause is not None)
        self.cancel = KeyButton("Cancel", tip="Leave all as it was (Esc)")
        self.save = KeyButton("Set", "Enter", "Pauses of lines that have their own stay", kind="filled")
        self.save.setDefault(True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.addWidget(label("Between lines", 13, tone="muted"), 0, 0)
        grid.addWidget(self.pause, 0, 1)
        grid.addWidget(self.other, 1, 0)
        grid.addWidget(self.turn_pause, 1, 1)
        lay_form(self, grid, (self.cancel, self.save))
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._want)

    @Slot()
    def _want(self) -> None:
        self.pauses_wanted.emit(self.pause.value(), self.turn_pause.value() if self.other.isChecked() else None)
        self.accept()


def _milliseconds(value: int, name: str) -> QSpinBox:
    made = QSpinBox()
    made.setRange(-MOST_PAUSE, MOST_PAUSE)
    made.setSingleStep(50)
    made.setSuffix(" ms")
    made.setValue(value)
    made.setAccessibleName(name)
    made.setToolTip(f"{name}; below 0 the next line begins before this one ends")
    return made
