"""What the user does with lines in time: pauses between them, how loud they are, markers, who is heard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from studio.display import Display
from studio.document.edits import ChangeCharacter, SetGain, SetMarkers, SetPause
from studio.document.project import Marker
from studio.session import Playback, Session

GAIN_STEP, LEAST_GAIN, MOST_GAIN = 0.5, -60.0, 12.0  # dB
NEAR = 0.05  # seconds in which a marker is the same


class Arranging(QObject):
    """Connects the timeline with the project and with what is heard. `verbs` are what the window's table calls."""

    def __init__(self, session: Session, playback: Playback, shown: Display) -> None:
        super().__init__()
        self._session, self._playback = session, playback
        shown.timeline.pause_wanted.connect(self._pause)
        shown.timeline.gain_wanted.connect(self._gain)
        shown.timeline.solo_toggled.connect(playback.toggle_solo)
        shown.timeline.mute_toggled.connect(playback.toggle_mute)

    @property
    def verbs(self) -> Mapping[str, Callable[[], object]]:
        return {
            "marker": self.mark,
            "previous_marker": lambda: self.seek_marker(-1),
            "next_marker": lambda: self.seek_marker(1),
            "louder": lambda: self.change_level(GAIN_STEP),
            "quieter": lambda: self.change_level(-GAIN_STEP),
        }

    @Slot(str, int, bool)
    def _pause(self, line_id: str, milliseconds: int, ended: bool) -> None:
        """The pause after a line, as it is dragged: one step of undo for each drag."""
        if self._session.find(line_id) is not None:
            self._session.do(SetPause(line_id, milliseconds), gesture=("pause", line_id))
        if ended:
            self._session.end_gesture()

    @Slot(str, float, bool)
    def _gain(self, name: str, gain: float, ended: bool) -> None:
        character = self._session.project.character(name)
        if character is not None:
            edit = ChangeCharacter(name, replace(character, gain=gain), f"Level of {name}")
            self._session.do(edit, gesture=("gain", name))
        if ended:
            self._session.end_gesture()

    def change_level(self, by: float) -> None:
        """The chosen line is mixed louder or quieter."""
        line = self._session.line
        if line is not None:
            gain = min(max(line.gain + by, LEAST_GAIN), MOST_GAIN)
            self._session.do(SetGain(line.id, gain), gesture=("level", line.id))

    def mark(self) -> None:
        """A marker at the playhead, in the line that is there; one that stands there already goes."""
        now = self._playback.seconds
        placed = [each for each in self._session.placed() if each.start_seconds <= now]
        line = self._session.find(placed[-1].line_id) if placed else None
        if line is None:
            return
        seconds = round(now - placed[-1].start_seconds, 3)
        others = tuple(each for each in line.markers if abs(each.seconds - seconds) > NEAR)
        if len(others) == len(line.markers):
            count = sum(len(each.markers) for each in self._session.project.lines())
            others = tuple(sorted((*others, Marker(seconds, str(count + 1))), key=lambda each: each.seconds))
        self._session.do(SetMarkers(line.id, others))

    def seek_marker(self, by: int) -> None:
        """The playhead goes to the marker before or after it; where there is none it stays."""
        now = self._playback.seconds
        moments = sorted(
            each.start_seconds + marker.seconds
            for each in self._session.placed()
            if (line := self._session.find(each.line_id)) is not None
            for marker in line.markers
        )
        wanted = [each for each in moments if (each - now) * by > NEAR]
        if wanted:
            self._playback.seek(wanted[0] if by > 0 else wanted[-1])
