"""A spectrogram shows what sounds where it sounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.spectra import COLUMNS_A_SECOND, ROWS, spectrogram


def tone(hertz: float, seconds: float, rate: int) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hertz * np.arange(int(seconds * rate)) / rate)).astype(np.float32)


@pytest.mark.parametrize("rate", [22_050, 44_100])
def test_higher_tones_stand_higher(rate: int) -> None:
    loudest = [spectrogram(tone(hertz, 0.5, rate), rate)[:, 20].argmax() for hertz in (120, 300, 1_000, 4_000, 9_000)]
    assert loudest == sorted(loudest, reverse=True)
    assert len(set(loudest)) == 5


def test_a_tone_sounds_when_it_sounds() -> None:
    samples = np.concatenate([np.zeros(44_100, np.float32), tone(440, 1.0, 44_100)])
    levels = spectrogram(samples, 44_100).max(0)
    assert levels[: COLUMNS_A_SECOND - 3].max() == 0
    assert levels[COLUMNS_A_SECOND + 3 : -3].min() > 240


@settings(max_examples=20)
@given(st.integers(0, 5_000), st.sampled_from([8_000, 44_100]))
def test_every_length_has_its_columns(count: int, rate: int) -> None:
    made = spectrogram(np.ones(count, np.float32), rate)
    assert made.shape == (ROWS, -(-count * COLUMNS_A_SECOND // rate))
    assert made.dtype == np.uint8
