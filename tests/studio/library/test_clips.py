"""What is made of a recording: fades, and which codes they need."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from studio.library.clips import faded, heard
from studio.library.voices import Clip, codes_key

CLIP = Clip("a" * 32, "ada.wav", 1_000, 1, 1_000, "WAV", (0, 1_000))
FULL = np.ones(1_000, np.float32)


def test_each_end_has_a_fade_of_its_own() -> None:
    sound = heard(faded(CLIP, 0.1, 0.3), FULL)
    assert np.flatnonzero(sound > 0.999)[[0, -1]] == pytest.approx((99, 700), abs=8)
    assert (np.diff(sound[:100]) >= 0).all()
    assert (np.diff(sound[700:]) <= 0).all()


def test_fades_take_at_most_half_each() -> None:
    assert faded(CLIP, 9.0, -1.0).fades == (0.5, 0.0)
    assert heard(faded(CLIP, 9.0, 9.0), FULL).shape == (1_000,)


def test_another_fade_needs_other_codes() -> None:
    """And one that was written when both were one number needs those that are there."""
    alike = replace(CLIP, fade_out=CLIP.fade)
    assert codes_key(CLIP, "codec") == codes_key(alike, "codec")
    assert len({codes_key(faded(CLIP, *fades), "codec") for fades in ((0.01, 0.01), (0.01, 0.3), (0.3, 0.01))}) == 3
