"""What is heard: the script from the playhead on, a line while it is being made, a take, a join.

The playhead is asked, not told: `seconds` is where it stands on the timeline now.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from engine.request import Span, Take
from studio.document.timing import Placed, total_seconds
from studio.player import Player, PlayerError, Source
from studio.samples import LiveWave, Print
from studio.session.jobs import Performed
from studio.session.performing import Performing
from studio.session.scene_source import Known, SceneSource, known
from studio.session.session import Session

BEFORE = 0.7  # seconds heard before and after a join
_INAUDIBLE = 1e-4
_NO_END = 2**62  # samples: of a loop that goes round where its source ends
REST_RATE = 44_100  # of a project nothing of which sounds yet


@dataclass(frozen=True, eq=False)
class _PrintSource:
    """A stretch of a print, `gain` times as loud."""

    print: Print
    start: int
    stop: int
    gain: float = 1.0

    @property
    def rate(self) -> int:
        return self.print.rate

    def read(self, start_sample: int, count: int) -> np.ndarray:
        first = self.start + start_sample
        samples = self.print.samples[first : max(first, min(self.stop, first + count))]
        return samples if self.gain == 1.0 else samples * np.float32(self.gain)


@dataclass(frozen=True, eq=False)
class _LiveSource:
    """A line while it is being made."""

    job: Performed

    @property
    def rate(self) -> int:
        assert self.job.wave is not None
        return self.job.wave.rate

    @property
    def finished(self) -> bool:
        return self.job.finished

    def read(self, start_sample: int, count: int) -> np.ndarray:
        assert self.job.wave is not None
        return self.job.wave.samples[start_sample : start_sample + count]


@dataclass(eq=False)
class AsideLive:
    """Something that is played beside the timeline while it is being made."""

    wave: LiveWave
    finished: bool = False

    @property
    def rate(self) -> int:
        return self.wave.rate

    def read(self, start_sample: int, count: int) -> np.ndarray:
        return self.wave.samples[start_sample : start_sample + count]


def _matched(like: Print, held: Print) -> float:
    """How many times as loud a print has to be to be as loud as another on the whole; never so that it clips."""
    wanted, loud = (_level(each) for each in (like, held))
    if min(wanted, loud) < _INAUDIBLE:
        return 1.0
    return min(wanted / loud, max(1.0, 1.0 / float(np.abs(held.samples).max())))


def _level(held: Print) -> float:
    return float(np.sqrt(np.mean(np.square(held.samples)))) if len(held.samples) else 0.0


class Playback(QObject):
    """Starts and stops the player, and knows where on the timeline what it plays stands."""

    changed = Signal()  # playing or not, the loop, or the playhead by hand

    def __init__(self, session: Session, performing: Performing, player: Player, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._performing = session, performing
        self._player = player
        self._scene: SceneSource | None = None  # what is played, where that is the script and not yet whole
        self._offset = 0.0  # seconds on the timeline at which what is played begins
        self._rests_at = 0.0
        self._aside = False  # what is played stands nowhere on the timeline
        self.playing = False
        self.solo: frozenset[str] = frozenset()  # the characters who alone are heard, where there are any
        self.mute: frozenset[str] = frozenset()
        self._names = self._cast()
        self.loop: tuple[float, float] | None = None
        self.looping = False
        session.begun.connect(self._begin)
        session.project_changed.connect(self._follow_names)
        player.stopped.connect(self._stopped)
        for more in (performing.grew, performing.changed, session.project_changed, session.printed):
            more.connect(self._hear_more)
        performing.sounding.connect(self._play_live)
        performing.regenerated.connect(self._play_regenerated)
        performing.auditioned.connect(self._play_print)

    @property
    def seconds(self) -> float:
        """The playhead."""
        return self._offset + self._player.position() if self.playing and not self._aside else self._rests_at

    @property
    def aside_seconds(self) -> float | None:
        """How far into what is played beside the timeline it is; None where nothing is."""
        return self._player.position() if self.playing and self._aside else None

    def toggle(self) -> None:
        """Stop where it is, or play from there; from the end it begins anew."""
        if self.playing:
            self.stop()
            return
        end = total_seconds(self._session.placed())
        self.play(0.0 if self._rests_at >= end - 0.01 else self._rests_at)

    def play(self, seconds: float) -> None:
        """Play the script from a moment on; where lines of it are still being made, it waits for them."""
        rate = self._rate()
        source = SceneSource(self._known(seconds, rate))
        looping = self.looping and (self.loop is None or self.loop[0] < total_seconds(self._session.placed()))
        loop = self.loop if looping else None
        if loop and not loop[0] <= seconds < loop[1]:
            seconds = loop[0]
        samples = (0, _NO_END) if looping else None
        if loop:
            samples = round(loop[0] * rate), round(loop[1] * rate)
        self._start(source, 0.0, round(seconds * rate), samples)
        self._scene = None if source.finished else source

    def play_line(self, line_id: str) -> None:
        """Play on from a line."""
        at = next((each.start_seconds for each in self._session.placed() if each.line_id == line_id), None)
        if at is not None:
            self.play(at)

    def audition(self, take_id: str) -> None:
        """Play a take by itself, where its line stands."""
        held = self._session.print_of(take_id)
        if held is not None:
            self._start(_PrintSource(held, 0, len(held.samples)), self._line_start(self._session.chosen))

    def compare(self, line_id: str, before: Take, take: Take) -> None:
        """Go on in a take of a line where another was heard, or from its start, as loud as that one: so the ear
        compares how it is spoken, not how loud it is. What is exported stays as it is."""
        held, other = self._session.print_of(take.id), self._session.print_of(before.id)
        if held is None or other is None:
            return
        start = self._line_start(line_id)
        into = self.seconds - start if self.playing and not self._aside else 0.0
        first = round(into * held.rate) if 0 <= into < held.seconds else 0
        source = _PrintSource(held, 0, len(held.samples), _matched(other, held))
        self._start(source, start, first)

    def play_around(self, line_id: str, span: Span) -> None:
        """Play a span of the line's kept take with what stands before and after it: both joins."""
        line = self._session.find(line_id)
        take = self._session.kept(line) if line else None
        held = self._session.print_of(take.id) if take else None
        if take is None or held is None:
            return
        hop = take.origin.hop
        start = max(0, span[0] * hop - round(BEFORE * held.rate))
        stop = min(len(held.samples), span[1] * hop + round(BEFORE * held.rate))
        self._start(_PrintSource(held, start, stop), self._line_start(line_id) + start / held.rate)

    def play_aside(self, held: Print, again: bool = False) -> None:
        """Play something that stands nowhere on the timeline, once or again and again. The playhead stays."""
        whole = len(held.samples)
        self._start(_PrintSource(held, 0, whole), self._rests_at, loop=(0, whole) if again else None, aside=True)

    def play_aside_live(self, source: AsideLive) -> None:
        """Play something beside the timeline that is still being made."""
        self._start(source, self._rests_at, aside=True)

    def stop(self) -> None:
        self._player.stop()

    def look_for_devices(self) -> None:
        """What was plugged in since is known from now on, unless something plays."""
        with contextlib.suppress(PlayerError):
            self._player.devices()

    def seek(self, seconds: float) -> None:
        """Set the playhead; what plays goes on from there."""
        self._rests_at = max(0.0, seconds)
        if self.playing and not self._aside:
            self.play(self._rests_at)
        self.changed.emit()

    def set_loop(self, loop: tuple[float, float] | None) -> None:
        self.loop = loop
        self.set_looping(loop is not None)

    def set_looping(self, on: bool) -> None:
        """Loop what is marked in the ruler, or else the whole script, however long that becomes."""
        self.looping = on
        if self.playing and not self._aside:
            self.play(self.seconds)
        self.changed.emit()

    def _start(
        self,
        source: Source,
        offset: float,
        first: int = 0,
        loop: tuple[int, int] | None = None,
        aside: bool = False,
    ) -> None:
        """Play a source that begins at `offset` on the timeline from its sample `first` on."""
        if self.playing and not self._aside:
            self._rests_at = self.seconds if aside else self._rests_at
        self._offset, self._aside, self._scene = offset, aside, None
        self.playing = True
        self._player.play(source, first, loop)
        self.changed.emit()

    def _rate(self) -> int:
        """The rate of the first line that can be heard."""
        engine, held = self._session.engine, self._prints(self._session.placed())
        return next((each.rate for each in held.values()), engine.rate if engine else REST_RATE)

    def _known(self, seconds: float, rate: int) -> Known:
        """What can be heard from a moment on: lines without a take that are being made are waited for."""
        performing, placed = self._performing, self._session.placed()
        making: dict[str, LiveWave | None] = {}
        for each in placed:
            line, job = self._session.find(each.line_id), performing.performing(each.line_id)
            if line is not None and line.kept is None and each.stop_seconds > seconds:
                if job is not None and job.place is None:
                    making[line.id] = job.wave
                elif line.id in performing.queue:
                    making[line.id] = None
        return known(placed, self._prints(placed), making, rate)

    @Slot()
    def _hear_more(self) -> None:
        """More of the script that is playing can be heard now."""
        if self._scene is not None and self.playing:
            self._scene.show(self._known(self.seconds, self._scene.rate))
            if self._scene.finished:
                self._scene = None

    def _prints(self, placed: tuple[Placed, ...]) -> dict[str, Print]:
        prints, silent = {}, self._silent(placed)
        for each in placed:
            line = self._session.find(each.line_id)
            held = self._session.print_of(line.kept) if line else None
            if held is not None and each.character not in silent:
                prints[each.line_id] = held
        return prints

    def _silent(self, placed: tuple[Placed, ...]) -> frozenset[str]:
        """The characters who are not heard: muted, or not among those who are alone. Who has no line has no lane that
        would show it, and leaves the others heard."""
        speaking = frozenset(each.character for each in placed)
        alone = self.solo & speaking
        return self.mute | (speaking - alone if alone else frozenset())

    def _cast(self) -> tuple[str, ...]:
        return tuple(each.name for each in self._session.project.cast)

    @Slot()
    def _follow_names(self) -> None:
        """Who is renamed, by undo as well, stays alone or muted."""
        before, self._names = self._names, self._cast()
        if before == self._names or len(before) != len(self._names):
            return
        renamed = {old: new for old, new in zip(before, self._names, strict=True) if old != new}
        if not renamed.keys() & set(self._names):
            self.solo, self.mute = (
                frozenset(renamed.get(name, name) for name in names) for names in (self.solo, self.mute)
            )
            self.changed.emit()

    @Slot(str)
    def toggle_solo(self, character: str) -> None:
        self.solo ^= {character}
        self._go_on()

    @Slot(str)
    def toggle_mute(self, character: str) -> None:
        self.mute ^= {character}
        self._go_on()

    def _go_on(self) -> None:
        """What plays goes on as it is to be heard now."""
        if self.playing and not self._aside:
            self.play(self.seconds)
        self.changed.emit()

    def frame_of(self, line_id: str) -> int | None:
        """The frame of a line's kept take at the playhead, None where it stands elsewhere."""
        line = self._session.find(line_id)
        take = self._session.kept(line) if line else None
        if take is None:
            return None
        frame = int((self.seconds - self._line_start(line_id)) * take.origin.rate / take.origin.hop)
        return frame if 0 <= frame < take.frames else None

    def _line_start(self, line_id: str | None) -> float:
        return next((each.start_seconds for each in self._session.placed() if each.line_id == line_id), 0.0)

    @Slot()
    def _begin(self) -> None:
        """Another project: it stands at its start, and the one before is heard no more."""
        self.stop()
        self.playing, self.looping, self.loop = False, False, None
        self.solo = self.mute = frozenset()
        self._rests_at = 0.0
        self.changed.emit()

    @Slot(object)
    def _play_live(self, job: Performed) -> None:
        self._start(_LiveSource(job), self._line_start(job.line_id))

    @Slot(str)
    def _play_regenerated(self, line_id: str) -> None:
        line = self._session.find(line_id)
        take = self._session.kept(line) if line else None
        if take is not None and take.origin.span is not None:
            self.play_around(line_id, take.origin.span)

    @Slot(object)
    def _play_print(self, held: Print) -> None:
        self.play_aside(held)

    @Slot(float)
    def _stopped(self, position: float) -> None:
        if self._player.playing or not self.playing:  # something else, or another project, has begun meanwhile
            return
        if not self._aside:
            self._rests_at = self._offset + position
        self.playing = False
        self.changed.emit()
