from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import EVERY_RANK
from engine.request import Settings
from engine.sampling import draw, draw_semantic, noise_of, ranked


@given(st.integers(0, 2**63 - 1), st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 40))
@settings(max_examples=30)
def test_noise_is_a_function_of_where_it_is_used(seed: int, frame: int, codebooks: int, ranks: int) -> None:
    noise = noise_of(seed, frame, codebooks, ranks)
    assert noise.shape == (codebooks + 1, ranks)
    assert (noise > 0).all()
    wider = noise_of(seed, frame, codebooks, ranks + 5)
    assert np.array_equal(noise, wider[:, :ranks])
    assert not np.array_equal(noise, noise_of(seed + 1, frame, codebooks, ranks))
    assert not np.array_equal(noise, noise_of(seed, frame + 1, codebooks, ranks))


def test_noise_stays_what_it_has_been() -> None:
    """Takes name their seeds: what a seed draws may never change."""
    for row in range(4):
        source = np.random.Philox(key=77, counter=[0, 0, row, 5])
        numbers = np.random.Generator(source).random(9)
        assert np.allclose(noise_of(77, 5, 3, 9)[row], -np.log1p(-numbers), rtol=1e-6)


def test_noise_is_exponential() -> None:
    numbers = np.concatenate([noise_of(3, frame, 10, 30).ravel() for frame in range(200)])
    assert abs(numbers.mean() - 1) < 0.02
    assert abs(np.median(numbers) - np.log(2)) < 0.02


def test_the_first_is_always_kept() -> None:
    probabilities, indices = ranked(torch.tensor([[0.0, 9.0, 1.0]]), 1.0, 0.0001, 3)
    assert indices[0, 0] == 1
    assert torch.equal(probabilities, torch.tensor([[1.0, 0.0, 0.0]]))


def test_draws_follow_the_distribution() -> None:
    logits = torch.tensor([[2.0, 1.0, 0.0, -1.0]])
    wanted = logits[0].softmax(-1)
    counts = torch.zeros(4)
    for frame in range(4000):
        noise = torch.from_numpy(noise_of(1, frame, 1, 4)[:1])
        counts[draw(logits, noise, 1.0, 1.1, 4)] += 1
    assert (counts / 4000 - wanted).abs().max() < 0.03


def test_ranks_that_no_codebook_has_change_nothing() -> None:
    logits, noise = torch.randn(3, 5000), torch.rand(3, EVERY_RANK)
    assert torch.equal(draw(logits, noise, 1.0, 1.1, 1_000_000), draw(logits, noise, 1.0, 1.1, EVERY_RANK))


def test_a_repeated_code_is_drawn_again_and_the_end_is_not() -> None:
    settings_ = Settings(temperature=0.01, top_p=0.9, top_k=3)
    logits = torch.tensor([[0.0, 5.0, 4.9, 4.8]])
    noise, second = torch.ones(1, 3), torch.tensor([[50.0, 0.001, 50.0]])
    none, repeated = torch.full((1, 10), -1), torch.tensor([[-1] * 9 + [0]])
    assert draw_semantic(logits, noise, second, none, settings_).item() == 1
    assert draw_semantic(logits, noise, second, repeated, settings_).item() == 2
    ends = torch.tensor([[9.0, 5.0, 4.9, 4.8]])
    assert draw_semantic(ends, noise, second, repeated, settings_).item() == 0


def test_without_a_window_nothing_is_drawn_again() -> None:
    logits = torch.tensor([[0.0, 5.0, 4.9]])
    drawn = draw_semantic(logits, torch.ones(1, 3), torch.ones(1, 3), torch.zeros(1, 0), Settings(temperature=0.01))
    assert drawn.item() == 1
