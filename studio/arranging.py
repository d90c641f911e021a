"""What the user does with lines in time: pauses between them, how loud they are, markers, who is heard, how it is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from studio.display import Display
from studio.document.edits import ChangeCharacter, SetGain, SetMarkers, SetPause, SetScenePauses
from studio.document.project import Marker
from studio.file_thread import FileThread
from studio.panels.pauses_dialog import PausesDialog
from studio.panels.timeline_values import Wave
from studio.samples import Print, PrintCache
from studio.session import Playback, Session
from studio.settings import Preferences
from studio.spectra import COLUMNS_A_SECOND, spectrogram

GAIN_STEP, LEAST_GAIN, MOST_GAIN = 0.5, -60.0, 12.0  # dB
NEAR = 0.05  # seconds in which a marker is the same


class Arranging(QObject):
    """Connects the timeline with the project and with what is heard. `verbs` are what the window's table calls."""

    preferred = Signal(object)  # what of the preferences shall be otherwise, by name

    def __init__(
        self, window: QWidget, session: Session, playback: Playback, shown: Display, files: FileThread
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._playback = window, session, playback
        self._shown, self._files = shown, files
        self._preferences = Preferences()
        shown.timeline.mode_wanted.connect(self.switch)
        shown.timeline.spectra_wanted.connect(self._make_spectra)
        shown.timeline.pause_wanted.connect(self._pause)
        shown.timeline.pause_given_up.connect(self._give_up_pause)
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
            "scene_pauses": self.ask_pauses,
            **{mode: partial(self.switch, mode) for mode in self.modes},
        }

    # Switches, and what is seen

    @property
    def modes(self) -> Mapping[str, bool]:
        """The switches of the timeline."""
        held = self._preferences
        return {"spectrogram": held.spectrogram, "ripple": held.ripple, "follow": held.follow}

    def show_preferences(self, preferences: Preferences) -> None:
        self._preferences = preferences
        self._session.ripple = preferences.ripple
        self._shown.timeline.show_modes(**self.modes)

    @Slot(str)
    def switch(self, mode: str) -> None:
        """On or off, from now on."""
        self.preferred.emit({mode: not self.modes[mode]})

    @Slot(object)
    def _make_spectra(self, waves: tuple[Wave, ...]) -> None:
        """Spectrograms are made on the file thread, of what is whole and there to be read."""
        lines = {id(clip.wave): self._session.find(clip.line_id) for clip in self._shown.clips}
        for wave in waves:
            line = lines.get(id(wave))
            if isinstance(wave, Print) and line is not None and line.kept is not None:
                work = partial(_spectrogram_of, line.kept, wave, self._session.cache)
                self._files.run(work, partial(self._show_spectrum, wave))

    def _show_spectrum(self, wave: Wave, levels: np.ndarray) -> None:
        self._shown.timeline.show_spectrum(wave, levels, COLUMNS_A_SECOND)

    # Pauses and levels

    def ask_pauses(self) -> None:
        """How long the pauses of the chosen line's scene are."""
        at = self._shown.scene
        scene = self._session.project.scenes[at]
        dialog = PausesDialog(scene.title or f"scene {at + 1}", scene.pause, scene.turn_pause, self._window)
        dialog.pauses_wanted.connect(partial(self._set_pauses, at))
        dialog.open()

    def _set_pauses(self, at: int, pause: int, turn_pause: int | None) -> None:
        if at < len(self._session.project.scenes):
            self._session.do(SetScenePauses(at, pause, turn_pause))

    @Slot(str, int, bool)
    def _pause(self, line_id: str, milliseconds: int, ended: bool) -> None:
        """The pause after a line, as it is dragged: one step of undo for each drag."""
        if self._session.find(line_id) is not None:
            self._session.do(SetPause(line_id, milliseconds), gesture=("pause", line_id))
        if ended:
            self._session.end_gesture()

    @Slot()
    def _give_up_pause(self) -> None:
        """The drag that goes on is as if it had never begun."""
        match self._session.history.gesture:
            case ("pause", _):
                self._session.undo()

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


def _spectrogram_of(take_id: str, held: Print, cache: PrintCache) -> np.ndarray:
    """The spectrogram of a take. Its print is mapped anew where it can be, and let go: what was read of one that stays
    mapped would stay in memory."""
    mapped = cache.get(take_id) or held
    return spectrogram(mapped.samples, mapped.rate)
