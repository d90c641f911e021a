"""Bracketed tags, performed by signal processing: from its place on, a tag changes how the recording sounds.

Each effect takes float32 samples at RATE that begin where the tag stands and gives what should be heard instead. The
moments of what was there are carried along, so that every letter still knows when it is spoken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import soxr

from voice.recordings import RATE

PAUSE, LONG_PAUSE = 0.4, 1.0  # seconds
WINDOW = 1024  # samples of a slice that is laid anew
SEARCH = 256  # samples by which a slice may move to fit what is there
ENVELOPE = 30  # cepstral coefficients that hold the shape of the mouth
JOIN = 220  # samples over which two pieces fade into one another


@dataclass(frozen=True, eq=False)
class Effect:
    """What is heard instead: `samples`. What was there begins `offset` later, and its first `until` samples (all where
    None) take `stretch` times as long."""

    samples: np.ndarray
    offset: int = 0
    stretch: float = 1.0
    until: int | None = None

    def now(self, moment: int) -> float:
        """Where a moment of what was there is now."""
        first = moment if self.until is None else min(moment, self.until)
        return self.offset + self.stretch * first + (moment - first)


def stretched(samples: np.ndarray, factor: float) -> np.ndarray:
    """As many times as long at the same pitch: slices are laid at other distances, each where it fits what is there."""
    step = WINDOW // 2
    window = np.hanning(WINDOW + 1)[:-1]
    length = max(WINDOW, round(len(samples) * factor))
    source = np.pad(samples, (SEARCH, WINDOW + 2 * SEARCH))
    made = np.zeros(length + 2 * WINDOW)
    follow = source[SEARCH : SEARCH + WINDOW]  # what would come next if nothing were stretched
    for place in range(0, length, step):
        around = min(int(place / factor), len(samples))
        region = source[around : around + WINDOW + 2 * SEARCH]
        likeness = np.correlate(region, follow, mode="valid")
        best = around + int(likeness.argmax())
        made[place : place + WINDOW] += window * source[best : best + WINDOW]
        follow = source[best + step : best + step + WINDOW]
        if len(follow) < WINDOW:
            break
    return made[:length].astype(np.float32)


def pitched(samples: np.ndarray, factor: float) -> np.ndarray:
    """At so many times the pitch, as long as before."""
    longer = stretched(samples, factor)
    moved = np.asarray(soxr.resample(longer, RATE * factor, RATE, quality="HQ"), dtype=np.float32)
    return np.pad(moved, (0, max(0, len(samples) - len(moved))))[: len(samples)]


def whispered(samples: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """The same mouth with breath instead of a voice."""
    hop = WINDOW // 4
    window = np.hanning(WINDOW + 1)[:-1]
    padded = np.pad(samples, (WINDOW, 2 * WINDOW))
    made = np.zeros(len(padded))
    tilt = np.minimum(1.0, np.fft.rfftfreq(WINDOW, 1 / RATE) / 1500)  # breath has no low notes
    for start in range(0, len(padded) - WINDOW, hop):
        magnitude = np.abs(np.fft.rfft(padded[start : start + WINDOW] * window)) + 1e-5
        cepstrum = np.fft.irfft(np.log(magnitude))
        cepstrum[ENVELOPE : WINDOW - ENVELOPE] = 0
        shape = np.exp(np.fft.rfft(cepstrum).real) * tilt
        noise = np.fft.rfft(chance.standard_normal(WINDOW) * window) / np.sqrt(WINDOW * 0.375)
        made[start : start + WINDOW] += np.fft.irfft(shape * noise) * window
    return (made[WINDOW : WINDOW + len(samples)] * 0.9).astype(np.float32)


def shouted(samples: np.ndarray) -> np.ndarray:
    """Higher, brighter, and near the loudest there is all along."""
    high = pitched(samples, 1.18)
    bright = high + 0.6 * np.diff(high, prepend=high[:1])
    return (np.tanh(4 * bright / (np.abs(bright).max() + 1e-6)) * 0.95).astype(np.float32)


def sigh(chance: np.random.Generator) -> np.ndarray:
    """A breath let go: noise that swells soon, falls slowly and darkens."""
    length = round(chance.uniform(0.55, 0.8) * RATE)
    t = np.linspace(0, 1, length)
    loud = np.minimum(1, t / 0.15) * (1 - t) ** 1.5
    spectrum = np.fft.rfft(chance.standard_normal(length))
    hertz = np.fft.rfftfreq(length, 1 / RATE)
    spectrum *= np.exp(-(((hertz - 1100) / 700) ** 2)) + 0.3 * np.exp(-(((hertz - 2800) / 900) ** 2))
    breath = np.fft.irfft(spectrum, length)
    return (0.3 * loud * breath / np.abs(breath).max()).astype(np.float32)


def laugh(vowel: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Short bursts of the voice's own vowel, each with a breath before it, lower and softer one by one."""
    pieces = []
    for number in range(int(chance.integers(4, 6))):
        burst = pitched(vowel, 1.25 - 0.06 * number) * np.hanning(len(vowel)) * (0.9 - 0.12 * number)
        breath = 0.05 * chance.standard_normal(round(0.07 * RATE)) * np.hanning(round(0.07 * RATE))
        pieces += [breath, burst]
    return np.concatenate(pieces).astype(np.float32)


def joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One after the other, faded where they meet."""
    fade = np.linspace(0, 1, JOIN, dtype=np.float32)
    if min(len(first), len(second)) < 2 * JOIN:
        return np.concatenate([first, second])
    return np.concatenate([first[:-JOIN], first[-JOIN:] * (1 - fade) + second[:JOIN] * fade, second[JOIN:]])


def _silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE), dtype=np.float32)


def _inserted(sound: np.ndarray, samples: np.ndarray) -> Effect:
    return Effect(np.concatenate([sound, samples]), offset=len(sound))


def _emphasis(samples: np.ndarray, word: int) -> Effect:
    """Only the next word, its end `word` samples away: slower, higher, louder, between softer neighbours."""
    spoken = stretched(pitched(samples[:word], 1.12), 1.3)
    loud = np.tanh(3 * spoken / (np.abs(spoken).max() + 1e-6)) * 0.95
    rest = 0.7 * samples[word:]
    return Effect(joined(loud.astype(np.float32), rest), stretch=len(spoken) / max(1, word), until=word)


Performing = Callable[[np.ndarray, int, np.ndarray, np.random.Generator], Effect]
"""Of (samples from the tag on, samples of the next word, a vowel of the voice, chance)."""

PERFORMED: dict[str, Performing] = {
    "[pause]": lambda samples, word, vowel, chance: _inserted(_silence(PAUSE), samples),
    "[long pause]": lambda samples, word, vowel, chance: _inserted(_silence(LONG_PAUSE), samples),
    "[slow]": lambda samples, word, vowel, chance: Effect(stretched(samples, 1.4), stretch=1.4),
    "[fast]": lambda samples, word, vowel, chance: Effect(stretched(samples, 0.7), stretch=0.7),
    "[pitch up]": lambda samples, word, vowel, chance: Effect(pitched(samples, 1.3)),
    "[pitch down]": lambda samples, word, vowel, chance: Effect(pitched(samples, 0.78)),
    "[whispers]": lambda samples, word, vowel, chance: Effect(whispered(samples, chance)),
    "[shouting]": lambda samples, word, vowel, chance: Effect(shouted(samples)),
    "[emphasis]": lambda samples, word, vowel, chance: _emphasis(samples, word),
    "[laughing]": lambda samples, word, vowel, chance: _inserted(laugh(vowel, chance), samples),
    "[sighs]": lambda samples, word, vowel, chance: _inserted(sigh(chance), samples),
}
TAGS = tuple(PERFORMED)
