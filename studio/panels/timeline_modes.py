"""The switches in the corner of the timeline: how it draws, what moves along, whether it follows the playhead."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.controls import IconButton
from studio.panels.timeline_layout import HEADS, RULER

MODES = {
    "spectrogram": ("spectrum", "Spectrograms in the place of waves"),
    "ripple": ("ripple", "Ripple: what follows moves along when a line or a pause becomes longer"),
    "follow": ("follow", "Follow the playhead"),
}


class Modes(QWidget):
    """Three switches; a click wishes, and what is shown comes from outside."""

    wanted = Signal(str)  # the mode to switch on or off

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setGeometry(0, 0, HEADS, RULER)
        row = QHBoxLayout(self)
        row.setContentsMargins(11, 2, 8, 2)
        row.setSpacing(4)
        self.switches: dict[str, IconButton] = {}
        for name, (icon, tip) in MODES.items():
            switch = IconButton(icon, tip, size=22)
            switch.setCheckable(True)
            switch.setObjectName(name)
            switch.clicked.connect(self._want)
            row.addWidget(switch)
            self.switches[name] = switch
        row.addStretch(1)
        self._on: Mapping[str, bool] = dict.fromkeys(MODES, False)
        self.show_modes({"spectrogram": False, "ripple": True, "follow": True})

    @property
    def on(self) -> Mapping[str, bool]:
        return self._on

    def show_modes(self, on: Mapping[str, bool]) -> None:
        self._on = dict(on)
        for name, switch in self.switches.items():
            switch.setChecked(on[name])

    def show_keys(self, keys: Mapping[str, str]) -> None:
        for name, switch in self.switches.items():
            switch.show_key(keys.get(name, ""))

    @Slot()
    def _want(self) -> None:
        self.show_modes(self._on)  # until it is so
        self.wanted.emit(self.sender().objectName())
