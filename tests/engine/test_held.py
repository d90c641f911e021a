from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.checkpoint import load
from engine.dual_ar import DualAR
from engine.held import Held
from tests.tiny import write_tiny


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> DualAR:
    return load(write_tiny(tmp_path_factory.mktemp("tiny")), "cpu", "fp32").model


def text(model: DualAR, words: str) -> np.ndarray:
    columns = np.zeros((1 + model.config.num_codebooks, len(words)), dtype=np.int64)
    columns[0] = [ord(letter) for letter in words]
    return columns


def test_what_is_held_is_not_read_again(model: DualAR) -> None:
    held = Held(1 << 30)
    first = text(model, "the voices, then one line")
    recalled = held.recall(model, first, 60)
    assert (recalled.read, recalled.reused) == (first.shape[1], 0)
    held.hold(first, recalled.memory)

    second = text(model, "the voices, then another one")
    recalled = held.recall(model, second, 60)
    assert recalled.reused == len("the voices, then ")
    fresh = Held(1 << 30).recall(model, second, 60)
    assert torch.allclose(recalled.hidden, fresh.hidden, atol=1e-5)


def test_the_same_again_reads_one_position(model: DualAR) -> None:
    held = Held(1 << 30)
    columns = text(model, "the very same")
    first = held.recall(model, columns, 40)
    held.hold(columns, first.memory)
    again = held.recall(model, columns, 40)
    assert (again.read, again.reused) == (1, columns.shape[1] - 1)
    assert torch.allclose(again.hidden, first.hidden, atol=1e-5)


def test_the_longest_beginning_is_used(model: DualAR) -> None:
    held = Held(1 << 30)
    for words in ("abcdef", "abcd", "xbcdefgh"):
        columns = text(model, words)
        held.hold(columns, held.recall(model, columns, 20).memory)
    assert held.recall(model, text(model, "abcdefgh"), 20).reused == 6


def test_it_is_bounded_and_lets_the_oldest_go(model: DualAR) -> None:
    held = Held(1 << 30, most_entries=2)
    for words in ("one", "two", "six"):
        columns = text(model, words)
        held.hold(columns, held.recall(model, columns, 20).memory)
        held.recall(model, text(model, "one"), 20)  # used of late, so it stays
    assert held.recall(model, text(model, "six!"), 20).reused == 3
    assert held.recall(model, text(model, "two!"), 20).reused == 0
    small = Held(most_bytes=1)
    for words in ("one", "two"):
        columns = text(model, words)
        small.hold(columns, small.recall(model, columns, 20).memory)
    assert small.bytes == small.recall(model, columns, 3).memory.bytes


def test_what_a_longer_one_begins_with_is_held_once(model: DualAR) -> None:
    held = Held(1 << 30, most_entries=2)
    for words in ("xyz", "abc", "abcdef"):
        columns = text(model, words)
        held.hold(columns, held.recall(model, columns, 20).memory)
    assert held.recall(model, text(model, "xyz!"), 20).reused == 3
    assert held.recall(model, text(model, "abcd!"), 20).reused == 4


def test_what_is_held_is_a_copy(model: DualAR) -> None:
    held = Held(1 << 30)
    columns = text(model, "abcdef")
    recalled = held.recall(model, columns, 20)
    held.hold(columns, recalled.memory)
    recalled.memory.keys.fill_(9.0)
    again = held.recall(model, columns, 20)
    assert torch.allclose(again.hidden, recalled.hidden, atol=1e-5)


def test_a_long_prompt_is_read_in_pieces(model: DualAR, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = text(model, "a rather long prompt, read seven positions at a time")
    whole = Held(1 << 30).recall(model, columns, 60)
    monkeypatch.setattr("engine.held.READ_AT_ONCE", 7)
    pieces = Held(1 << 30).recall(model, columns, 60)
    assert torch.allclose(whole.hidden, pieces.hidden, atol=1e-5)
