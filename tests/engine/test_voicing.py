from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.codec import Codec
from engine.codec_file import load_codec
from engine.performance import Performance
from engine.speaking import Heard
from engine.voicing import FIRST, MOST, Voicing
from tests.tiny import CODEBOOKS, write_tiny


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> Codec:
    return load_codec(write_tiny(tmp_path_factory.mktemp("tiny")), "cpu", part=("decode",))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def spoken(codec: Codec, rate: float, frames: int, expected: int) -> list[tuple[float, int]]:
    """When each chunk came, and its frames, where `rate` frames come a second."""
    clock, performance = Clock(), Performance(1)
    voicing = Voicing(codec, performance, expected, clock)
    blank = torch.zeros(1, 1)
    one = np.zeros((1, CODEBOOKS), np.int16)
    heard = Heard([0], one, np.zeros(1, bool), *(3 * (np.zeros((1, 2)),)), blank, blank)
    chunks = []
    for frame in range(frames):
        clock.now += 1 / rate
        performance.add(heard, 0)
        chunk = voicing.chunk(0, frame == frames - 1)
        if chunk is not None:
            chunks.append((clock.now, chunk.codes.shape[1]))
    assert sum(count for _, count in chunks) == frames
    return chunks


@given(st.floats(0.05, 20), st.integers(1, 300))
@settings(max_examples=60)
@example(1.0, 19)  # at the very speed of sound
@example(1.0, 120)
def test_what_has_begun_to_play_never_falters(codec: Codec, times_real_time: float, frames: int) -> None:
    second = codec.sample_rate / codec.hop
    chunks = spoken(codec, times_real_time * second, frames, frames)
    begun = chunks[0][0]
    there = 0
    for at, count in chunks:
        assert at - begun <= there / second + 1e-9, "the player had nothing left"
        there += count


def test_the_first_sound_is_soon_and_later_chunks_are_long(codec: Codec) -> None:
    second = codec.sample_rate / codec.hop
    chunks = spoken(codec, 4 * second, 200, 200)
    assert chunks[0][1] == FIRST
    assert max(count for _, count in chunks) == MOST
    assert len(chunks) < 200 / 8


def test_a_slow_machine_gathers_before_it_speaks(codec: Codec) -> None:
    chunks = spoken(codec, 0.5 * codec.sample_rate / codec.hop, 100, 100)
    assert 50 <= chunks[0][1] <= 65
