"""Frames are of a voice, or not."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.likeness import LEAST_FRAMES, VoiceOfFrames


class Numbers:
    """A codec whose latents are its codes."""

    class quantizer:
        @staticmethod
        def meanings(codes: torch.Tensor) -> torch.Tensor:
            return codes.float()


def frames(mean: float, count: int, seed: int) -> np.ndarray:
    return (mean + np.random.default_rng(seed).normal(0, 20, (6, count))).astype(np.int16)


def test_frames_of_the_same_voice_are_alike_and_others_are_not() -> None:
    voice = VoiceOfFrames(Numbers(), frames(100, 60, 1))
    same = [voice.likeness(frames(100, 12, seed)) for seed in range(2, 12)]
    other = [voice.likeness(frames(130, 12, seed)) for seed in range(2, 12)]
    assert np.median(same) > 0.9
    assert max(other) < min(same)
    assert voice.likeness(frames(100, 0, 1)) == 1.0


def test_few_frames_tell_nothing() -> None:
    with pytest.raises(ValueError, match="frames"):
        VoiceOfFrames(Numbers(), frames(100, LEAST_FRAMES - 1, 1))
