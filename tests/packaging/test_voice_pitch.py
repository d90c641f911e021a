"""The pitch that the decoder is taught: that of the sound."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from voice.pitch import pitch_loss, pitches, steadied

from engine.codec_config import QuantizerConfig, TransformerConfig, VoicedConfig
from engine.codec_voiced import MIDDLE

RATE, HOP = 22_050, 256
CONFIG = VoicedConfig(
    RATE, 1024, HOP, 80, 20.0, 11_025.0, 16, 1, 16, 1,
    QuantizerConfig(16, 3, 32, 4, 32, (2, 2), 16, TransformerConfig(1, 2, 16, 32, 8, 1e4, 1e-5)),
    pitch_memory=128,
)  # fmt: skip


def hum(octaves: Tensor) -> Tensor:
    """A buzz of so many octaves above MIDDLE at each sample."""
    phase = 2 * math.pi * (MIDDLE * 2**octaves / RATE).cumsum(0)
    return torch.stack([torch.cos(k * phase) / k for k in range(1, 20)]).sum(0) * 0.1


def test_pitches_are_those_of_the_sound() -> None:
    time = torch.arange(80 * HOP) / RATE
    octaves = 0.3 * torch.sin(2 * math.pi * 1.3 * time) - 0.5
    wave = hum(octaves)
    wave[: 20 * HOP] = 0.02 * torch.randn(20 * HOP, generator=torch.Generator().manual_seed(1))
    pitch, known = pitches(CONFIG, wave[None])
    true = octaves[512::HOP]  # at the slices' centres
    voiced, rising = slice(24, 74), slice(26, 72)
    assert (pitch[0, voiced, 2] == 1).all()
    assert (pitch[0, :16, 2] == -1).float().mean() > 0.8
    torch.testing.assert_close(pitch[0, voiced, 0], true[voiced], atol=0.02, rtol=0)
    assert known[0, rising].all()
    torch.testing.assert_close(pitch[0, rising, 1], torch.gradient(true)[0][rising], atol=0.01, rtol=0)
    assert pitch_loss(pitch, pitch, known) < pitch_loss(pitch + 0.1, pitch, known)


def test_silence_has_no_pitch() -> None:
    pitch, known = pitches(CONFIG, torch.zeros(2, 8 * HOP))
    assert pitch.shape == (2, 8, 3)
    assert (pitch[..., 2] == -1).all()
    assert not known.any()


def test_what_leaps_follows_its_neighbours() -> None:
    octaves = torch.full((1, 20), 0.5)
    octaves[0, 7:9], octaves[0, 15:] = 1.5, torch.nan
    steady = steadied(octaves)
    assert (steady[0, :15] == 0.5).all()
    assert steady[0, 15:].isnan().all()
