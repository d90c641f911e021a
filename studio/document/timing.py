"""Where lines stand in time, and the sound they make together: what is seen, heard and exported is the same."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import numpy as np
import soxr
from boltons.cacheutils import LRU

from engine.request import Samples
from engine.text import expected_seconds, has_words
from studio.document.project import Line, Project
from studio.samples import Print

MOST_PAUSE = 20_000  # milliseconds, or so many that the next line begins earlier
_RESAMPLED_LINES = 8  # held at a time; a print at the mix's own rate is never copied


@dataclass(frozen=True)
class Placed:
    """A line in its place: `scene` counts from 0; `estimated` where its length is a guess from the text; `gain` in dB
    is the line's and its character's together."""

    line_id: str
    character: str
    scene: int
    start_seconds: float
    seconds: float
    estimated: bool
    gain: float = 0.0

    @property
    def stop_seconds(self) -> float:
        return self.start_seconds + self.seconds


def layout(project: Project, seconds_of: Callable[[Line], float | None]) -> tuple[Placed, ...]:
    """All lines of the project in their places."""
    return tuple(placing(project, seconds_of))


def placing(project: Project, seconds_of: Callable[[Line], float | None]) -> Iterator[Placed]:
    """The lines one after another, each followed by its pause; `seconds_of` answers None where there is no take yet. A
    pause below 0 lets the next line begin earlier, but not before its own.

    A line without a take takes as long as it should: its target or else the time its text needs. One with neither text
    nor take takes none, and no pause.
    """
    gains = {character.name: character.gain for character in project.cast}
    now = 0.0
    for at, scene in enumerate(project.scenes):
        for place, line in enumerate(scene.lines):
            known = seconds_of(line)
            seconds = _wanted(line) if known is None else known
            gain = gains.get(line.character, 0.0) + line.gain
            yield Placed(line.id, line.character, at, now, seconds, known is None, gain)
            if known is not None or has_words(line.text):
                now += max(0.0, seconds + scene.pause_after(place) / 1_000)


def _wanted(line: Line) -> float:
    return _expected(line.text) if line.target is None or not has_words(line.text) else line.target


_expected = lru_cache(maxsize=1 << 16)(expected_seconds)


def total_seconds(placed: Iterable[Placed]) -> float:
    """The end of the last line: what comes after it is no part of the sound."""
    return max((each.stop_seconds for each in placed), default=0.0)


class Mix:
    """All finished lines as one mono signal at `rate`, read piece by piece; where nothing is finished it is silent.

    `prints` go by line id. Prints of another rate are resampled as they are needed. May be read on another thread.
    """

    def __init__(self, placed: Iterable[Placed], prints: Mapping[str, Print], rate: int) -> None:
        self.rate = rate
        placed = tuple(placed)
        self.length = round(total_seconds(placed) * rate)
        lines = sorted(
            (round(each.start_seconds * rate), each.line_id, each.gain)
            for each in placed
            if each.line_id in prints and not each.estimated
        )
        self._starts = [start for start, _, _ in lines]
        self._prints = [prints[line_id] for _, line_id, _ in lines]
        self._gains = [np.float32(10 ** (gain / 20)) for _, _, gain in lines]
        stops = [start + math.ceil(prints[line_id].seconds * rate) for start, line_id, _ in lines]
        self._reached = list(accumulate(stops, max))  # the furthest that any line up to this one sounds
        self._resampled: LRU = LRU(max_size=_RESAMPLED_LINES, on_miss=self._resample)

    def read(self, start: int, count: int) -> Samples:
        """Samples [start, start + count), float32; beyond either end there is silence."""
        out = np.zeros(count, np.float32)
        last = bisect_right(self._starts, start + count - 1)
        first = bisect_right(self._reached, start)
        for place in range(first, last):
            samples = self._samples(place)
            offset = self._starts[place] - start
            begin, end = max(0, offset), min(count, offset + len(samples))
            if begin < end:
                out[begin:end] += samples[begin - offset : end - offset] * self._gains[place]
        return out

    def _samples(self, place: int) -> Samples:
        held = self._prints[place]
        return held.samples if held.rate == self.rate else self._resampled[place]

    def _resample(self, place: int) -> Samples:
        held = self._prints[place]
        return soxr.resample(held.samples, held.rate, self.rate, "VHQ")
