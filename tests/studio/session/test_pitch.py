from __future__ import annotations

import numpy as np
import pytest

from studio.session.pitch import leap, pitches

RATE, HOP = 44_100, 2_048


def voice(hertz: np.ndarray) -> np.ndarray:
    """A buzz with so many Hz in each frame."""
    phase = 2 * np.pi * np.cumsum(np.repeat(hertz, HOP)) / RATE
    return sum(np.sin(n * phase) / n for n in range(1, 8)).astype(np.float32) * 0.2


@pytest.mark.parametrize("hertz", [85.0, 130.0, 240.0, 380.0])
def test_the_pitch_of_a_voice(hertz: float) -> None:
    found = pitches(voice(np.full(20, hertz)), RATE, HOP)
    assert len(found) == 20
    assert np.abs(12 * np.log2(found[2:-2] / hertz)).max() < 0.5


def test_noise_and_silence_have_none() -> None:
    noise = np.random.default_rng(1).normal(0, 0.1, 20 * HOP).astype(np.float32)
    assert (pitches(noise, RATE, HOP) == 0).mean() > 0.8
    assert not pitches(np.zeros(20 * HOP, np.float32), RATE, HOP).any()
    assert len(pitches(np.zeros(0, np.float32), RATE, HOP)) == 0


def test_a_leap_is_found_and_a_melody_is_none() -> None:
    found = leap(pitches(voice(np.repeat([110.0, 230.0], 12)), RATE, HOP))
    assert found is not None
    assert found[0] < 12 < found[1]
    assert leap(pitches(voice(np.geomspace(110, 230, 40)), RATE, HOP)) is None
    assert leap(np.zeros(30)) is None
