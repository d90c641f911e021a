"""The fades of a clip: two small fields, in milliseconds."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QWidget

from studio import theme
from studio.controls import label

MOST = 5_000  # ms


class Fades(QWidget):
    """`changed` carries the seconds of the fades at the beginning and at the end."""

    changed = Signal(float, float)

    def __init__(self) -> None:
        super().__init__()
        self.rising = _field("Fade at the beginning")
        self.falling = _field("Fade at the end")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(label("Fades", 12, tone="muted"))
        for field in (self.rising, self.falling):
            row.addWidget(field)
            field.valueChanged.connect(self._change)

    def show_fades(self, rising: float, falling: float) -> None:
        for field, seconds in ((self.rising, rising), (self.falling, falling)):
            blocked = field.blockSignals(True)
            field.setValue(round(1000 * seconds))
            field.blockSignals(blocked)

    @Slot()
    def _change(self) -> None:
        self.changed.emit(self.rising.value() / 1000, self.falling.value() / 1000)


def _field(name: str) -> QSpinBox:
    made = QSpinBox()
    made.setRange(0, MOST)
    made.setSingleStep(10)
    made.setSuffix(" ms")
    made.setFont(theme.font(13, tabular=True))
    made.lineEdit().setTextMargins(7, 0, 0, 0)
    made.setFixedWidth(92)
    made.setAccessibleName(name)
    made.setToolTip(f"{name} (Up and Down change it by 10 ms)")
    return made
