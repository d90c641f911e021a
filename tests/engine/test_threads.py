"""How many threads torch uses: one for a small model, but in large passes."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from engine.threads import in_one_pass, use_threads


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What torch was told to use; six cores, and one thread now."""
    used: list[int] = [1]
    monkeypatch.setattr(torch, "set_num_threads", used.append)
    monkeypatch.setattr(torch, "get_num_threads", lambda: used[-1])
    monkeypatch.setattr("engine.threads._cores", lambda: 6)
    monkeypatch.delenv("OMP_NUM_THREADS")
    return used


@pytest.mark.parametrize(("cores", "small", "threads"), [(6, True, 1), (6, False, 5), (2, False, 2), (1, False, 1)])
def test_a_small_model_uses_one_thread_a_large_one_more(
    cores: int, small: bool, threads: int, used: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.threads._cores", lambda: cores)
    monkeypatch.setattr("engine.threads.LARGE_MODEL", 7 if small else 6)
    use_threads(nn.Linear(2, 2))
    assert used[1:] == [threads]


def test_one_large_pass_uses_more(used: list[int]) -> None:
    within = in_one_pass(lambda more: (torch.get_num_threads(), more))
    assert within(3) == (5, 3)
    assert used == [1, 5, 1]


def test_passes_within_a_pass_change_nothing(used: list[int]) -> None:
    assert in_one_pass(in_one_pass(torch.get_num_threads))() == 5
    assert used == [1, 5, 1]


def test_a_pass_that_fails_leaves_as_many_as_before(used: list[int]) -> None:
    def fail() -> None:
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        in_one_pass(fail)()
    assert used == [1, 5, 1]


def test_what_the_environment_says_stands(used: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    use_threads(nn.Linear(2, 2))
    assert in_one_pass(torch.get_num_threads)() == 1
    assert used == [1]
