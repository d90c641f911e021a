"""What the timeline is shown: clips on lanes, and the takes of one line. Values only, without Qt."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np


class Peaks(Protocol):
    def view(self, start: int, stop: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Least, greatest and root mean square of `columns` equal stretches of samples [start, stop), float32 each."""
        ...


class Wave(Protocol):
    """What a wave is drawn from: a print or a live wave."""

    @property
    def rate(self) -> int: ...

    @property
    def peaks(self) -> Peaks: ...


@dataclass(frozen=True, eq=False)
class TimelineClip:
    """A line where it stands in time. All times in `words` and `joins` count from the clip's start, in seconds.

    `wave` None: nothing to draw yet. `ribbon` holds a value per frame, 0 where the model was sure to 1 where it was
    at a loss. `joins` are the places where new meets old, with their score where there is one. `estimated`: `seconds`
    is a guess. `generating_share` 0..1 is how much of `seconds` is there already, None where nothing is being made.
    `gain` in dB is how loud it is mixed, `markers` are seconds from its start with names. `flags` are stretches in
    seconds in which something is probably wrong, and what; `misread` are places among the words with what was heard of
    them instead. `drift` holds a value per frame, 0 where it is its voice to 1 where it is another; None: not known.
    `mute` says why it cannot be heard, where that is so.

    Clips are equal where they look alike. Waves and ribbons count by identity: their numbers never change in place.
    """

    line_id: str
    number: int
    character: str
    colour: int
    start: float
    seconds: float
    wave: Wave | None = None
    words: tuple[tuple[str, float, float], ...] = ()
    ribbon: np.ndarray | None = None
    joins: tuple[tuple[float, float | None], ...] = ()
    frame_seconds: float = 2048 / 44100
    estimated: bool = False
    generating_share: float | None = None
    stale: bool = False
    gain: float = 0.0
    markers: tuple[tuple[float, str], ...] = ()
    flags: tuple[tuple[float, float, str], ...] = ()
    misread: tuple[tuple[int, str], ...] = ()
    drift: np.ndarray | None = None
    mute: str = ""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TimelineClip):
            return NotImplemented
        for name in _FIELDS:
            mine, its = getattr(self, name), getattr(other, name)
            if mine is not its and (name in _BY_IDENTITY or mine != its):
                return False
        return True

    __hash__ = None  # type: ignore[assignment]

    @property
    def stop(self) -> float:
        return self.start + self.seconds

    @property
    def frames(self) -> int:
        return max(1, round(self.seconds / self.frame_seconds))

    @property
    def performed(self) -> float:
        """Seconds of it that can be heard: the rest is drawn as a dashed box."""
        if self.wave is None:
            return 0.0
        return self.seconds if self.generating_share is None else self.seconds * self.generating_share

    def frame_at(self, seconds: float) -> int:
        """The frame border nearest to a moment of the timeline."""
        return min(self.frames, max(0, round((seconds - self.start) / self.frame_seconds)))

    def moment(self, frame: int) -> float:
        """Where a frame begins on the timeline."""
        return self.start + frame * self.frame_seconds


_FIELDS = tuple(field.name for field in fields(TimelineClip))
_BY_IDENTITY = {"wave", "ribbon", "drift"}


@dataclass(frozen=True)
class Lane:
    """A character's row. `gain_db` is the loudness it is mixed with."""

    character: str
    colour: int
    solo: bool = False
    mute: bool = False
    gain_db: float = 0.0


@dataclass(frozen=True, eq=False)
class TakeLane:
    """A take of the chosen line, under the lanes. `joins` are seconds from its start at which new meets old, `origin`
    says how it was made ("span of take 2")."""

    number: int
    take_id: str
    seconds: float
    wave: Wave | None
    kept: bool = False
    joins: tuple[float, ...] = ()
    origin: str = ""


@dataclass(frozen=True)
class ChosenSpan:
    """The frames [start, stop) of a line's kept take."""

    line_id: str
    start: int
    stop: int
