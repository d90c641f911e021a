"""The pulses of a codec with a voice: harmonics of the pitch that is told, in step from slice to slice."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from engine.causal import Stream
from engine.codec_config import QuantizerConfig, TransformerConfig, VoicedConfig
from engine.codec_spectral import OverlapAdd
from engine.codec_voiced import MIDDLE, Pulses, anchors, cosines

RATE, SIZE, HOP, MEMORY = 8000, 256, 64, 12
CONFIG = VoicedConfig(
    RATE, SIZE, HOP, 20, 20.0, 4000.0, 16, 1, 16, 1,
    QuantizerConfig(16, 3, 32, 4, 32, (2, 2), 16, TransformerConfig(1, 2, 16, 32, 8, 1e4, 1e-5)),
    pitch_memory=MEMORY,
)  # fmt: skip
PULSES, LAID = Pulses(CONFIG), OverlapAdd(SIZE, HOP)
LASTING = Pulses(replace(CONFIG, pitch_memory=100))


def pitch(octaves: Tensor, voice: Tensor) -> Tensor:
    """Octaves and voice [T] -> [1, T, 3], rising as the octaves do."""
    rise = torch.gradient(octaves)[0]
    return torch.stack([octaves, rise, voice], dim=-1)[None]


def sound(told: Tensor) -> Tensor:
    """Pulses at a pitch [1, T, 3] as samples [T * hop]."""
    return LAID(LASTING(told, Stream()), Stream())[0, 0]


def test_cosines_are_summed_up() -> None:
    cycles = torch.linspace(-2, 2, 400, dtype=torch.float64)
    wanted = sum(torch.cos(2 * math.pi * k * cycles) for k in range(1, 8))
    torch.testing.assert_close(cosines(cycles, torch.tensor(7.0)), wanted, atol=1e-6, rtol=0)


def living(length: int) -> Tensor:
    """A voice that sounds all the time, now stronger, now weaker."""
    return torch.rand(length, generator=torch.Generator().manual_seed(2)) + 0.5


def test_a_step_counts_from_where_no_voice_was_or_where_it_was_weak() -> None:
    for voice, start in (
        ([1.0, 0, 2, 0, 3, 4], 3),
        ([1.0, 0, 2, 3, 4, 0], 5),
        ([5.0, 2, 6, 1, 7, 0.5], 3),  # the last may become weaker still
        ([6.0, 5, 4, 3, 2, 1], 0),
        ([1.0, 1, 1, 1, 1, 1], 0),
    ):
        assert anchors(torch.tensor(voice)[None, None]).item() == start


def test_every_harmonic_of_a_steady_voice_is_a_cosine_of_one() -> None:
    heard = sound(pitch(torch.full((10,), 0.25), living(10)))[SIZE:]
    window = torch.hann_window(len(heard))
    hertz = MIDDLE * 2**0.25

    def amplitude(at: float) -> float:
        wave = torch.exp(2j * math.pi * at / RATE * torch.arange(len(heard)))
        return float((heard * window * wave).sum().abs() * 2 / window.sum())

    for harmonic in (1, 2, 5, 13):
        assert abs(amplitude(harmonic * hertz) - 1) < 0.02
    assert amplitude(4.5 * hertz) < 0.05


def test_the_pulses_of_a_gliding_voice_stay_in_step() -> None:
    octaves = torch.linspace(-0.3, 0.5, 60)
    heard = sound(pitch(octaves, living(60)))[SIZE:-SIZE]
    peaks = (heard[1:-1] > heard[:-2]) & (heard[1:-1] >= heard[2:]) & (heard[1:-1] > 0.6 * heard.max())
    places = peaks.nonzero()[:, 0]
    told = RATE / (MIDDLE * 2 ** octaves[(places[:-1] + SIZE // 2) // HOP + 2])
    periods = places.diff() / told  # a peak between two samples may be missed
    assert ((periods - periods.round()).abs() < 0.06).all()
    assert (periods.round() == 1).float().mean() > 0.6


def test_where_no_voice_sounds_there_are_no_pulses() -> None:
    voice = torch.ones(30)
    voice[10:20] = -1
    slices = PULSES(pitch(torch.zeros(30), voice), Stream())
    assert not slices[:, 10:20].any()
    assert slices[:, 20:].any()


def test_a_voice_begins_at_a_phase_of_its_own_each_time() -> None:
    """What sounded before a pause does not move the pulses after it."""
    voice = torch.tensor([1.0] * 9 + [-1.0] * 3 + [1.0] * 10)
    one = pitch(torch.linspace(-0.5, 0.2, 22), voice)
    other = one.clone()
    other[:, :9, 0] += 0.3
    one, other = (PULSES(told, Stream())[:, 12:] for told in (one, other))
    torch.testing.assert_close(one, other, atol=1e-4, rtol=0)


@given(seed=st.integers(0, 1 << 16), cuts=st.lists(st.integers(1, 20), min_size=1, max_size=6))
def test_pulses_in_chunks_are_those_of_one_pass_and_reach_back_so_far(seed: int, cuts: list[int]) -> None:
    chance = torch.Generator().manual_seed(seed)
    told = torch.rand(1, sum(cuts), 3, generator=chance) - torch.tensor([0.5, 0.5, 0.2])
    whole, stream = PULSES(told, Stream()), Stream()
    parts = torch.cat([PULSES(part, stream) for part in told.split(cuts, dim=1)], dim=1)
    torch.testing.assert_close(parts, whole, atol=0.01, rtol=0)  # of 25 harmonics; functions round by shape
    changed = told.clone()
    changed[:, 0, 0] += 1
    assert torch.equal(PULSES(changed, Stream())[:, MEMORY + 1 :], whole[:, MEMORY + 1 :])
