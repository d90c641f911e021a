"""The signals in which the wishes of the timeline go out."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.panels.timeline_layout import Edge


class Wishing(QWidget):
    """What gestures end in, where nothing else has to change for it on the timeline itself."""

    seek_wanted = Signal(float)
    play_from_wanted = Signal(float)
    loop_wanted = Signal(float, float)
    loop_cleared = Signal()
    line_chosen = Signal(str)
    span_selected = Signal(str, int, int)
    span_changing = Signal(str, int, int)
    span_cleared = Signal()
    nudge_wanted = Signal(str, int)
    take_chosen = Signal(str)
    solo_toggled = Signal(str)
    mute_toggled = Signal(str)
    doubt_clicked = Signal(str, int)
    comp_wanted = Signal(str, float, float)
    pause_wanted = Signal(str, int, bool)
    pause_given_up = Signal()  # the pause that is being dragged is to be as it was
    gain_wanted = Signal(str, float, bool)
    mode_wanted = Signal(str)
    spectra_wanted = Signal(object)  # the waves whose spectrograms are to be shown

    def wish_seek(self, seconds: float) -> None:
        self.seek_wanted.emit(seconds)

    def wish_play_from(self, seconds: float) -> None:
        self.play_from_wanted.emit(seconds)

    def wish_line(self, line_id: str) -> None:
        self.line_chosen.emit(line_id)

    def wish_take(self, take_id: str) -> None:
        self.take_chosen.emit(take_id)

    def wish_nudge(self, edge: Edge, frames: int) -> None:
        self.nudge_wanted.emit(edge, frames)

    def wish_pause(self, line_id: str, milliseconds: int, ended: bool) -> None:
        self.pause_wanted.emit(line_id, milliseconds, ended)

    def wish_no_pause(self) -> None:
        self.pause_given_up.emit()

    def wish_doubt(self, line_id: str, frame: int) -> None:
        self.doubt_clicked.emit(line_id, frame)
