"""Positions read, and frames spoken, by compiled loops are what the layers make of them, for any shape and any rows."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.checkpoint import load
from engine.config import StackConfig
from engine.dual_ar import DualAR, Memory, Stack
from engine.errors import TooLongError
from engine.frames import Drawn, Rows, begin, draw_frame
from engine.request import Settings
from engine.small_stack import SmallStack, read_by_loops
from tests.tiny import write_tiny

CAPACITY = 12


def stack_of(seed: int, layers: int, groups: int, shared: int, normed: bool) -> Stack:
    """A stack of odd widths with random weights and norms."""
    config = StackConfig(layers, groups * shared, groups, 6, 10, 14, normed, 1e4, 1e-6)
    chance = torch.Generator().manual_seed(seed)
    stack = Stack(config, CAPACITY).requires_grad_(False)
    for parameter in stack.parameters():
        parameter.normal_(0.3, 0.3, generator=chance)
    return stack


def after(stack: Stack, lengths: list[int], seed: int) -> Memory:
    """A memory whose rows have read so many random positions."""
    chance = torch.Generator().manual_seed(seed)
    memory = stack.memory(len(lengths), CAPACITY)
    memory.keys.normal_(generator=chance)
    memory.values.normal_(generator=chance)
    memory.lengths = list(lengths)
    return memory


def inputs(rows: int, count: int, seed: int) -> Tensor:
    return torch.randn(rows, count, 10, generator=torch.Generator().manual_seed(seed))


@settings(max_examples=40)
@given(
    seed=st.integers(0, 99),
    layers=st.integers(1, 3),
    groups=st.integers(1, 2),
    shared=st.integers(1, 3),
    normed=st.booleans(),
    lengths=st.lists(st.integers(0, CAPACITY - 3), min_size=1, max_size=4),
    count=st.integers(1, 3),
)
def test_they_compute_what_the_layers_do(
    seed: int, layers: int, groups: int, shared: int, normed: bool, lengths: list[int], count: int
) -> None:
    stack = stack_of(seed, layers, groups, shared, normed)
    x = inputs(len(lengths), count, seed)
    plain, stepped = after(stack, lengths, seed), after(stack, lengths, seed)
    wanted = stack(x, plain)
    given_x = x.clone()
    made = SmallStack(stack)(x, stepped)
    torch.testing.assert_close(made, wanted, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(stepped.keys, plain.keys, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(stepped.values, plain.values, atol=1e-4, rtol=1e-4)
    assert stepped.lengths == plain.lengths
    assert torch.equal(x, given_x)


@settings(max_examples=20)
@given(seed=st.integers(0, 99), lengths=st.lists(st.integers(0, CAPACITY - 1), min_size=2, max_size=6))
def test_a_row_is_the_same_to_the_last_bit_whatever_is_beside_it(seed: int, lengths: list[int]) -> None:
    stack = stack_of(seed, 2, 2, 2, True)
    step = SmallStack(stack)
    x, memory = inputs(len(lengths), 1, seed), after(stack, lengths, seed)
    alone = [step(x[row : row + 1], memory.taken([row], [length], CAPACITY)) for row, length in enumerate(lengths)]
    assert torch.equal(step(x, memory), torch.cat(alone))


def test_two_positions_are_one_and_one() -> None:
    stack = stack_of(3, 2, 1, 2, False)
    step = SmallStack(stack)
    x, memory = inputs(2, 2, 3), after(stack, [4, 7], 3)
    other = memory.taken([0, 1], memory.lengths, CAPACITY)
    assert torch.equal(step(x, memory), torch.cat([step(x[:, :1], other), step(x[:, 1:], other)], dim=1))


def test_nothing_is_written_past_the_end() -> None:
    stack = stack_of(1, 1, 1, 1, False)
    memory = after(stack, [2, CAPACITY], 1)
    before = memory.keys.clone()
    with pytest.raises(TooLongError):
        SmallStack(stack)(inputs(2, 1, 1), memory)
    assert torch.equal(memory.keys, before)
    assert memory.lengths == [2, CAPACITY]


def test_the_weights_stay_the_layers_own() -> None:
    stack = stack_of(2, 2, 1, 2, True)
    before = {name: value.clone() for name, value in stack.state_dict().items()}
    step = SmallStack(stack)
    assert all(torch.equal(value, before[name]) for name, value in stack.state_dict().items())
    made = step(inputs(1, 1, 2), after(stack, [3], 2))
    for parameter in stack.layers[1].parameters():
        parameter.zero_()
    assert not torch.equal(step(inputs(1, 1, 2), after(stack, [3], 2)), made)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> DualAR:
    return load(write_tiny(tmp_path_factory.mktemp("tiny")), "cpu", "fp32").model


def rows_of(model: DualAR, seeds: list[int], hidden: Tensor, settings: Settings) -> Rows:
    return begin(model.slow.stack.memory(len(seeds), 1), hidden, np.zeros(0, np.int16), seeds, 3, settings)


def drawn(model: DualAR, seeds: list[int], hidden: Tensor, sampling: Settings) -> Drawn:
    return draw_frame(model, rows_of(model, seeds, hidden, sampling), sampling, [True] * len(seeds))


@settings(max_examples=40)
@given(
    seeds=st.lists(st.integers(0, 10**6), min_size=1, max_size=4),
    temperature=st.sampled_from([0.0, 0.1, 0.8, 1.5]),
    top_p=st.sampled_from([0.1, 0.8, 1.0]),
    top_k=st.sampled_from([1, 5, 30, 10**4]),
)
def test_frames_are_what_the_layers_and_the_sampling_make_of_them(
    model: DualAR, seeds: list[int], temperature: float, top_p: float, top_k: int
) -> None:
    sampling = Settings(temperature=temperature, top_p=top_p, top_k=top_k)
    hidden = torch.randn(len(seeds), model.config.slow.dim, generator=torch.Generator().manual_seed(seeds[0]))
    made, loop = drawn(model, seeds, hidden, sampling), model.fast.frames
    assert loop is not None
    model.fast.frames = None
    try:
        wanted = drawn(model, seeds, hidden, sampling)
    finally:
        model.fast.frames = loop
    assert torch.equal(made.codes, wanted.codes)
    for name in ("log_p", "entropy", "margin"):
        torch.testing.assert_close(getattr(made, name), getattr(wanted, name), atol=1e-4, rtol=1e-4)


@settings(max_examples=20)
@given(seeds=st.lists(st.integers(0, 10**6), min_size=2, max_size=5))
def test_a_frame_is_the_same_to_the_last_bit_whatever_is_beside_it(model: DualAR, seeds: list[int]) -> None:
    sampling = Settings(temperature=0.8, top_p=0.9, top_k=30)
    hidden = torch.randn(len(seeds), model.config.slow.dim, generator=torch.Generator().manual_seed(seeds[0]))
    frames = model.fast.frames
    assert frames is not None

    def sounded(rows: slice) -> tuple[Tensor, Tensor]:
        some = rows_of(model, seeds[rows], hidden[rows], sampling)
        memory = model.fast.stack.memory(len(some.seeds), model.config.num_codebooks)
        semantic = torch.zeros(len(some.seeds), dtype=torch.long)
        with torch.inference_mode():
            return frames(some.hidden, semantic, some.noise(model.config.num_codebooks, 30), memory, sampling)

    codes, judged = sounded(slice(None))
    for row in range(len(seeds)):
        alone = sounded(slice(row, row + 1))
        assert torch.equal(codes[row], alone[0][0])
        assert torch.equal(judged[row], alone[1][0])


def stepping(model: DualAR) -> list[bool]:
    return [each is not None for each in (model.slow.stack.steps, model.fast.stack.steps, model.fast.frames)]


@pytest.mark.parametrize("trouble", [OSError(28, "No space left on device"), RuntimeError("no locator available")])
def test_where_loops_cannot_be_compiled_the_layers_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    def fail() -> None:
        raise trouble

    monkeypatch.setattr("engine.position_loop.compile_ahead", fail)
    assert stepping(load(write_tiny(tmp_path), "cpu", "fp32").model) == [False, False, False]


def test_loops_that_are_damaged_on_the_disk_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def make() -> None:
        done.append("make")
        if len(done) == 1:
            raise EOFError("Ran out of input")

    monkeypatch.setattr("engine.position_loop.compile_ahead", make)
    monkeypatch.setattr("engine.position_loop.forget", lambda: done.append("forget"))
    assert stepping(load(write_tiny(tmp_path), "cpu", "fp32").model) == [True, True, True]
    assert done == ["make", "forget", "make"]


def test_where_numba_cannot_be_had_the_layers_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "engine.position_loop", None)
    assert stepping(load(write_tiny(tmp_path), "cpu", "fp32").model) == [False, False, False]


@pytest.mark.parametrize(("precision", "used"), [("fp32", True), ("bf16", False), ("int8", False)])
def test_only_fp32_layers_are_read_so(tmp_path: Path, precision: str, used: bool) -> None:
    assert stepping(load(write_tiny(tmp_path), "cpu", precision).model) == [used, used, used]


def test_a_head_of_another_kind_is_not_looped_over(tmp_path: Path) -> None:
    tiny = load(write_tiny(tmp_path), "cpu", "fp32").model
    fresh = DualAR(tiny.config).requires_grad_(False)
    fresh.fast.output.bfloat16()
    read_by_loops(fresh)
    assert stepping(fresh) == [True, True, False]


def test_large_layers_are_read_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.small_stack.LARGE_WEIGHT", 16)
    assert stepping(load(write_tiny(tmp_path), "cpu", "fp32").model) == [False, False, False]
