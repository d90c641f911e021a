"""The settings on screen, and which output device the player plays on."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from studio.panels.settings_dialog import SettingsDialog
from studio.player import Device, Player
from studio.settings import Preferences

DEVICES, PRECISIONS = ("cuda", "mps", "cpu"), ("fp32", "bf16", "fp16", "int8")


class Preferring(QObject):
    """Opens the settings at once: the sound system, which may take its time, is asked for devices meanwhile."""

    preferences_wanted = Signal(object)

    def __init__(self, window: QWidget, player: Player) -> None:
        super().__init__(window)
        self._window, self._player = window, player
        self._preferences = Preferences()
        self._output: tuple[str | None, str | None] = (None, None)  # what the player was told to play on
        self._dialog: SettingsDialog | None = None
        player.found.connect(self._show_devices)

    def open(self) -> None:
        self._dialog = SettingsDialog(self._window)
        self._dialog.show_preferences(self._preferences, DEVICES, PRECISIONS)
        self._dialog.preferences_wanted.connect(self.preferences_wanted)
        self._dialog.finished.connect(self._forget)
        self._dialog.open()
        self._player.look()

    def show_preferences(self, preferences: Preferences) -> None:
        """Another output is played on from the next sound on."""
        self._preferences = preferences
        wanted = (preferences.output_name, preferences.output_host)
        if wanted == self._output:  # looking for devices starts the sound system anew
            return
        self._output = wanted
        if wanted[0] is None:
            self._player.choose(None)
        else:
            self._player.choose(Device(wanted[0], wanted[1] or ""))
            self._player.look()

    @Slot()
    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
        self._dialog = None

    @Slot(object)
    def _show_devices(self, devices: tuple[Device, ...]) -> None:
        """What is there: where the device that is preferred is not, the system's own choice is played on."""
        if self._dialog is not None:
            self._dialog.show_outputs([(device.name, device.host_api) for device in devices])
        if self._output[0] is not None:
            there = (each for each in devices if (each.name, each.host_api) == self._output)
            self._player.choose(next(there, None))
