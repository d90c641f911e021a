from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.checkpoint import load
from engine.config import ModelConfig, StackConfig
from engine.dual_ar import DualAR, Memory
from engine.errors import TooLongError
from tests.tiny import write_tiny

S2_PRO = ModelConfig(
    slow=StackConfig(36, 32, 8, 128, 2560, 9728, True, 1e6, 1e-6),
    fast=StackConfig(4, 32, 8, 128, 2560, 9728, False, 1e6, 1e-6),
    vocab_size=155776, max_seq_len=32768, semantic_start=151678, semantic_end=155773, end_id=151645,
    num_codebooks=10, codebook_size=4096,
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> DualAR:
    return load(write_tiny(tmp_path_factory.mktemp("tiny")), "cpu", "fp32").model


def columns(model: DualAR, length: int, seed: int = 0) -> torch.Tensor:
    """Text then frames: int64 [1, 1 + K, length]."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, model.config.codebook_size, (1, model.config.num_codebooks, length), generator=generator)
    rows = torch.cat([codes[:, :1] + model.config.semantic_start, codes], dim=1)
    rows[:, :, : length // 3] = 0
    rows[:, 0, : length // 3] = torch.randint(0, 200, (length // 3,), generator=generator)
    return rows


def test_counts_of_the_full_size_model() -> None:
    with torch.device("meta"):
        model = DualAR(S2_PRO)
    count = lambda module: sum(parameter.numel() for parameter in module.parameters())  # noqa: E731
    assert count(model) == 4_561_852_416
    assert count(model.slow) - count(model.slow.fusion) == 4_032_298_496
    assert count(model.fast) == 424_696_320
    assert count(model.slow.fusion) == 104_857_600


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8))
@settings(max_examples=20)
def test_reading_in_pieces_equals_reading_at_once(model: DualAR, pieces: list[int]) -> None:
    everything = columns(model, sum(pieces))
    whole = model.slow(everything, model.slow.stack.memory(1, sum(pieces)))
    memory, parts, start = model.slow.stack.memory(1, sum(pieces)), [], 0
    for piece in pieces:
        parts.append(model.slow(everything[:, :, start : start + piece], memory))
        start += piece
    assert torch.allclose(torch.cat(parts, dim=1), whole, atol=1e-5)


@given(st.integers(1, 19), st.integers(0, 5))
@settings(max_examples=20)
def test_a_cut_memory_is_as_good_as_a_fresh_one(model: DualAR, kept: int, seed: int) -> None:
    first, second = columns(model, 20), columns(model, 20, seed + 1)
    second[:, :, :kept] = first[:, :, :kept]
    used = model.slow.stack.memory(1, 20)
    model.slow(first, used)
    cut = used.taken([0], [kept], 20)
    again = model.slow(second[:, :, kept:], cut)
    fresh = model.slow(second, model.slow.stack.memory(1, 20))
    assert torch.allclose(again, fresh[:, kept:], atol=1e-5)


@given(st.lists(st.integers(1, 12), min_size=2, max_size=5), st.integers(1, 4))
@settings(max_examples=20)
def test_rows_of_different_length_read_as_if_alone(model: DualAR, lengths: list[int], more: int) -> None:
    everything = columns(model, 16)
    used = model.slow.stack.memory(1, 16)
    model.slow(everything, used)
    rows = used.taken([0] * len(lengths), lengths, max(lengths) + more)
    new = columns(model, more, seed=7).expand(len(lengths), -1, -1)
    together = model.slow(new, rows)
    for row, length in enumerate(lengths):
        alone = model.slow(new[row : row + 1], used.taken([0], [length], length + more))
        assert torch.allclose(together[row], alone[0], atol=1e-5)


def test_nothing_is_written_past_the_end(model: DualAR) -> None:
    memory = model.slow.stack.memory(1, 5)
    model.slow(columns(model, 5), memory)
    before = memory.keys.clone()
    with pytest.raises(TooLongError) as raised:
        model.slow(columns(model, 1), memory)
    assert (raised.value.positions, raised.value.limit) == (6, 5)
    assert torch.equal(memory.keys, before)


def test_a_memory_is_its_owners() -> None:
    stack = StackConfig(1, 1, 1, 2, 2, 2, False, 1e4, 1e-6)
    memory = Memory(stack, 1, 4, torch.zeros(1))
    memory.lengths = [2]
    other = memory.taken([0, 0], [2, 1], 6)
    other.keys.fill_(1.0)
    assert not memory.keys.any()
    assert other.lengths == [2, 1]


def test_the_fast_ar_forced_equals_step_by_step(model: DualAR) -> None:
    generator = torch.Generator().manual_seed(3)
    hidden = torch.randn(2, model.config.slow.dim, generator=generator)
    codes = torch.randint(0, model.config.codebook_size, (2, model.config.num_codebooks), generator=generator)
    memory = model.fast.stack.memory(2, model.config.num_codebooks)
    steps = [model.fast.start(hidden, codes[:, 0], memory)]
    steps += [model.fast.next(codes[:, k], memory) for k in range(1, model.config.num_codebooks - 1)]
    assert torch.allclose(torch.stack(steps, dim=1), model.fast.all(hidden, codes), atol=1e-5)


def test_a_fast_ar_of_another_width_is_projected(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path, audio={"dim": 24})
    model = load(folder, "cpu", "fp32").model
    assert model.fast.project_in.bias is not None
    hidden = torch.zeros(1, model.config.slow.dim)
    logits = model.fast.all(hidden, torch.zeros(1, model.config.num_codebooks, dtype=torch.long))
    assert logits.shape == (1, model.config.num_codebooks - 1, model.config.codebook_size)


def test_a_text_position_is_not_divided(model: DualAR) -> None:
    text = np.zeros((1, 1 + model.config.num_codebooks, 1), dtype=np.int64)
    text[0, 0, 0] = 65
    assert torch.equal(model.slow.embed(torch.from_numpy(text))[0, 0], model.slow.embeddings.weight[65])


def test_tiny_is_seeded(tmp_path: Path) -> None:
    one, two = write_tiny(tmp_path / "a"), write_tiny(tmp_path / "b")
    assert (one / "model.safetensors").read_bytes() == (two / "model.safetensors").read_bytes()
    assert json.loads((one / "config.json").read_text()) == json.loads((two / "config.json").read_text())
