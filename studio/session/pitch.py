"""How high a voice is, frame by frame, and where it leaps as no voice does within a word."""

from __future__ import annotations

import numpy as np

from engine.request import Samples, Span

_LOWEST, _HIGHEST = 70.0, 420.0  # Hz
_WORKING_RATE = 8_000
_VOICED = 0.55  # of the sound comes again after one period
_AS_GOOD = 0.85  # a shorter period that is nearly as good is the pitch: twice a period is one as well
_SILENT = 10 ** (-50 / 20)
_FRAMES = 4  # voiced ones on each side of a leap
_APART = 3  # frames within which those sides meet
LEAP = 11.0  # semitones


def pitches(samples: Samples, rate: int, hop: int) -> np.ndarray:
    """Hz of each frame of `hop` samples, 0 where it is not voiced; float64 [frame]."""
    frames = len(samples) // hop
    factor = max(1, rate // _WORKING_RATE)
    slow = samples[: frames * hop // factor * factor].reshape(-1, factor).mean(1)
    rate_slow, width = rate / factor, 2 * hop // factor
    starts = (np.arange(frames) * hop / factor - width / 4).astype(int)
    padded = np.concatenate([np.zeros(width), slow, np.zeros(2 * width)])
    pieces = padded[starts[:, None] + width + np.arange(width)] * np.hanning(width)
    pieces -= pieces.mean(1, keepdims=True)
    size = 1 << (2 * width - 1).bit_length()
    again = np.fft.irfft(np.square(np.abs(np.fft.rfft(pieces, size))))[:, :width]
    window = np.fft.irfft(np.square(np.abs(np.fft.rfft(np.hanning(width), size))))[:width]
    again = again / np.maximum(again[:, :1], 1e-12) / np.maximum(window / window[0], 1e-3)
    first, last = int(rate_slow / _HIGHEST), min(width // 2, int(rate_slow / _LOWEST) + 1)
    lags = again[:, first - 1 : last + 2]
    peaks = (lags[:, 1:-1] >= lags[:, :-2]) & (lags[:, 1:-1] >= lags[:, 2:])
    strength = np.where(peaks, lags[:, 1:-1], 0.0)
    best = strength.max(1, initial=0.0)
    chosen = (strength >= _AS_GOOD * best[:, None]).argmax(1) + first
    loud = np.sqrt(np.square(samples[: frames * hop].reshape(frames, hop)).mean(1)) > _SILENT
    return np.where((best > _VOICED) & loud, rate_slow / chosen, 0.0)


def leap(hertz: np.ndarray) -> Span | None:
    """The frames around the greatest leap of pitch between neighbouring voiced frames, None where none is too great."""
    voiced = np.flatnonzero(hertz)
    greatest, found = LEAP, None
    for place in range(_FRAMES, len(voiced) - _FRAMES + 1):
        before, after = voiced[place - _FRAMES : place], voiced[place : place + _FRAMES]
        if after[0] - before[-1] <= _APART and after[-1] - before[0] <= 3 * _FRAMES:
            one, other = 12 * np.log2(hertz[before]), 12 * np.log2(hertz[after])
            if max(np.ptp(one), np.ptp(other)) > LEAP / 2:  # it was not told well
                continue
            apart = abs(float(np.median(one) - np.median(other)))
            if apart > greatest:
                greatest, found = apart, (int(before[0]), int(after[-1]) + 1)
    return found
