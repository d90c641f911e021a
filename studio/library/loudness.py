"""How loud a recording is to the ear: integrated loudness after ITU-R BS.1770-4, of one channel.

The K weighting is applied to the spectrum of the whole recording: two biquads as one multiplication, which numpy does
quickly without a loop over samples.
"""

from __future__ import annotations

import numpy as np

from engine.request import Samples

_BLOCK = 0.4  # seconds, three quarters of which the next one shares
_OVERLAPS = 4
_ABSOLUTE_GATE = -70.0
_RELATIVE_GATE = -10.0
_OFFSET = -0.691
_RINGING = 0.5  # seconds of zeros, so that what the filter rings at the end does not come round to the beginning


def loudness(samples: Samples, rate: int) -> float:
    """Integrated loudness in LUFS; minus infinity where there is nothing above the gate, or less than a block."""
    block, hop = round(_BLOCK * rate), round(_BLOCK * rate / _OVERLAPS)
    if len(samples) < block:
        return -np.inf
    power = np.concatenate([[0.0], np.cumsum(np.square(_weighted(samples, rate)))])
    starts = np.arange(0, len(samples) - block + 1, hop)
    blocks = (power[starts + block] - power[starts]) / block
    blocks = blocks[_in_lufs(blocks) > _ABSOLUTE_GATE]
    if not len(blocks):
        return -np.inf
    loud = blocks[_in_lufs(blocks) > _in_lufs(blocks.mean()) + _RELATIVE_GATE]
    return float(_in_lufs(loud.mean()))


def peak(samples: Samples) -> float:
    """The greatest sample in dB of full scale; minus infinity for silence."""
    greatest = float(np.abs(samples).max(initial=0.0))
    return 20 * float(np.log10(greatest)) if greatest > 0 else -np.inf


def _in_lufs(power: np.ndarray) -> np.ndarray:
    return _OFFSET + 10 * np.log10(np.maximum(power, 1e-20))


def _weighted(samples: Samples, rate: int) -> np.ndarray:
    size = len(samples) + round(_RINGING * rate)
    size = 1 << (size - 1).bit_length()
    turn = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)  # z to the minus one
    shelf, high_pass = _shelf(rate), _high_pass(rate)
    response = _response(shelf, turn) * _response(high_pass, turn)
    return np.fft.irfft(np.fft.rfft(samples, size) * response, size)[: len(samples)]


Biquad = tuple[tuple[float, float, float], tuple[float, float, float]]


def _response(biquad: Biquad, turn: np.ndarray) -> np.ndarray:
    (b0, b1, b2), (a0, a1, a2) = biquad
    return (b0 + b1 * turn + b2 * turn**2) / (a0 + a1 * turn + a2 * turn**2)


def _shelf(rate: int) -> Biquad:
    """The head's shelf of 4 dB above 1.7 kHz, for any rate."""
    k = np.tan(np.pi * 1681.974450955533 / rate)
    high = 10 ** (3.999843853973347 / 20)
    band, quality = high**0.4996667741545416, 0.7071752369554196
    numerator = (high + band * k / quality + k * k, 2 * (k * k - high), high - band * k / quality + k * k)
    return numerator, (1 + k / quality + k * k, 2 * (k * k - 1), 1 - k / quality + k * k)


def _high_pass(rate: int) -> Biquad:
    k = np.tan(np.pi * 38.13547087602444 / rate)
    quality = 0.5003270373238773
    first = 1 + k / quality + k * k  # the standard's numerator is 1, -2, 1 over the denominator's first number
    return (first, -2 * first, first), (first, 2 * (k * k - 1), 1 - k / quality + k * k)
