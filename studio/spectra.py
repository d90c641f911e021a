"""What sounds when and how high: the spectrogram of a print, small enough to be kept for every take that is seen."""

from __future__ import annotations

import numpy as np

from engine.request import Samples

ROWS = 64
COLUMNS_A_SECOND = 100
_WINDOW_SECONDS = 0.023
_LOWEST, _HIGHEST = 70.0, 11_000.0  # Hz
_SILENT_DB, _LOUD_DB = -85.0, -25.0
_AT_ONCE = 2_048  # columns: bounds the memory that a long take needs


def spectrogram(samples: Samples, rate: int) -> np.ndarray:
    """uint8 [ROWS, column], 0 silent to 255 loud; row 0 is the highest. Column k stands for the samples from
    k / COLUMNS_A_SECOND seconds on; rows are even steps of pitch, as far up as the rate reaches."""
    window = 1 << round(np.log2(_WINDOW_SECONDS * rate))
    hann = np.hanning(window + 1)[:-1].astype(np.float32)
    hann /= hann.sum() / 2
    count = -(-len(samples) * COLUMNS_A_SECOND // rate)
    starts = np.arange(count) * rate // COLUMNS_A_SECOND
    padded = np.concatenate([np.zeros(window // 2, np.float32), samples, np.zeros(window, np.float32)])
    edges = np.geomspace(_LOWEST, min(_HIGHEST, rate / 2), ROWS + 1) * window / rate + 0.5
    parts = [
        _rows(padded[starts[at : at + _AT_ONCE, None] + np.arange(window)] * hann, edges)
        for at in range(0, count, _AT_ONCE)
    ]
    power = np.concatenate(parts) if parts else np.zeros((0, ROWS))
    level = (10 * np.log10(np.maximum(power, 1e-12)) - _SILENT_DB) / (_LOUD_DB - _SILENT_DB)
    return np.ascontiguousarray((np.clip(level, 0, 1) * 255).astype(np.uint8).T[::-1])


def _rows(pieces: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The mean power between neighbouring edges (in bins, which may be nearer than one) of each piece [column, sample]:
    [column, ROWS]."""
    power = np.square(np.abs(np.fft.rfft(pieces)))
    below = np.concatenate([np.zeros((len(power), 1)), np.cumsum(power, axis=1)], axis=1)
    whole = np.minimum(edges.astype(int), power.shape[1] - 1)
    reached = below[:, whole] + (edges - whole) * power[:, whole]
    return np.diff(reached) / np.diff(edges)
