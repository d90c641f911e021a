"""The level of a recording over time, and where in it somebody speaks: what all advice on clips is measured from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.request import Samples

STEP = 0.01  # seconds between two levels
_FLOOR = -100.0  # dB: what is quieter is silence
_BELOW_SPEECH = 30.0  # dB under the loudest tenth: nobody speaks there
_ABOVE_PAUSES = 6.0  # dB over the quietest twentieth: somebody does
_LEAST_RANGE = 8.0  # dB between the two, or there are no pauses to tell
_SHORT_PAUSE = 0.08  # seconds: a consonant's closure, no pause
_SHORT_SOUND = 0.05  # seconds: a click, no word
_BEFORE, _AFTER = 0.08, 0.14  # seconds of room left around speech: words fade in and out

Seconds = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Levels:
    """`db` float64 [step] of full scale, a step every 10 ms; `speaking` bool [step]; `speech` and `pauses` in dB.

    `pauses` is None where there are fewer than 100 ms of them.
    """

    db: np.ndarray
    speaking: np.ndarray
    speech: float
    pauses: float | None

    @property
    def speech_seconds(self) -> float:
        return float(self.speaking.sum()) * STEP

    def spoken(self) -> Seconds | None:
        """From a little before the first sound of speech to a little after the last; None where there is none."""
        places = np.flatnonzero(self.speaking)
        if not len(places):
            return None
        return max(0.0, places[0] * STEP - _BEFORE), min(len(self.db) * STEP, (places[-1] + 1) * STEP + _AFTER)

    def quiet(self) -> list[Seconds]:
        """The stretches without speech, in order."""
        edges = np.flatnonzero(np.diff(np.concatenate([[True], self.speaking, [True]]).astype(np.int8)))
        return [(start * STEP, stop * STEP) for start, stop in zip(edges[::2], edges[1::2], strict=True)]

    def cut(self, start: float, stop: float) -> Levels:
        """The levels from `start` to `stop` seconds, judged by the whole recording's."""
        part = slice(round(start / STEP), max(round(start / STEP), round(stop / STEP)))
        db, speaking = self.db[part], self.speaking[part]
        return Levels(db, speaking, self.speech, _pauses(db, speaking))


def measure_levels(samples: Samples, rate: int) -> Levels:
    """The levels of a recording; root mean square of each 10 ms."""
    step = max(1, round(rate * STEP))
    count = max(1, len(samples) // step)
    padded = np.zeros(count * step)
    padded[: min(len(samples), count * step)] = samples[: count * step]
    power = np.square(padded).reshape(count, step).mean(axis=1)
    db = np.maximum(10 * np.log10(np.maximum(power, 1e-12)), _FLOOR)
    speech, floor = float(np.percentile(db, 90)), float(np.percentile(db, 5))
    threshold = speech - _BELOW_SPEECH
    if speech - floor >= _LEAST_RANGE:
        threshold = max(threshold, floor + _ABOVE_PAUSES)
    speaking = db > threshold if speech > _FLOOR + 20 else np.zeros(count, bool)
    speaking = _without_short(~_without_short(~speaking, _SHORT_PAUSE), _SHORT_SOUND)
    return Levels(db, speaking, speech, _pauses(db, speaking))


def _pauses(db: np.ndarray, speaking: np.ndarray) -> float | None:
    """The level of the pauses: that of their middle, for at their edges words ring out."""
    core = ~speaking
    core[1:] &= ~speaking[:-1]
    core[:-1] &= ~speaking[1:]
    return float(np.median(db[core])) if core.sum() * STEP >= 0.1 else None


def _without_short(flags: np.ndarray, seconds: float) -> np.ndarray:
    """Runs of True shorter than `seconds` become False."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    kept = np.zeros(len(flags), bool)
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        if (stop - start) * STEP >= seconds - 1e-9:
            kept[start:stop] = True
    return kept
