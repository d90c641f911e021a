"""Single positions read by compiled loops are what the layers make of them, for any shape and any rows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.checkpoint import load
from engine.config import StackConfig
from engine.dual_ar import DualAR, Memory, Stack
from engine.errors import TooLongError
from engine.small_stack import SmallStack
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


def stepping(model: DualAR) -> list[bool]:
    return [stack.steps is not None for stack in (model.slow.stack, model.fast.stack)]


@pytest.mark.parametrize("trouble", [OSError(28, "No space left on device"), RuntimeError("no locator available")])
def test_where_loops_cannot_be_compiled_the_layers_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    def fail() -> None:
        raise trouble

    monkeypatch.setattr("engine.position_loop.compile_ahead", fail)
    assert stepping(load(write_tiny(tmp_path), "cpu", "fp32").model) == [False, False]


def test_where_numba_cannot_be_had_the_layers_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "engine.position_loop", None)
    assert stepping(load(write_tiny(tmp_path), "cpu", "fp32").model) == [False, False]


@pytest.mark.parametrize(("precision", "used"), [("fp32", True), ("bf16", False), ("int8", False)])
def test_only_fp32_layers_are_read_so(tmp_path: Path, precision: str, used: bool) -> None:
    assert stepping(load(write_tiny(tmp_path), "cpu", precision).model) == [used, used]


def test_large_layers_are_read_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.small_stack.LARGE_WEIGHT", 16)
    assert stepping(load(write_tiny(tmp_path), "cpu", "fp32").model) == [False, False]
