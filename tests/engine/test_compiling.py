"""Compiled layers are used only where they compute the same and sooner; whatever goes wrong, the plain ones go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine import compiling
from engine.checkpoint import Checkpoint, load
from engine.dual_ar import Block, Halves
from engine.request import Finished, Generate, Part, Prompt, Settings, Take
from engine.speech import Engine
from tests.tiny import write_tiny

ASKED = Generate(Prompt((Part(0, "The boat is late this evening."),)), (1,), Settings(temperature=1.0, most_frames=9))
ROWS = (1,)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(compiling, "ROUNDS", 1)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    """One that reads as large ones do: by its layers."""
    checkpoint = load(write_tiny(tmp_path / "tiny"), "cpu", "fp32")
    for stack in (checkpoint.model.slow.stack, checkpoint.model.fast.stack):
        stack.steps = None
    return checkpoint


@pytest.fixture
def halves(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Layers as if they were compiled, and how many were read by them: to trace them takes seconds."""
    read: list[int] = []

    def after(block: Block, x: Tensor, mixed: Tensor) -> Tensor:
        read.append(1)
        return Block.after(block, x, mixed)

    monkeypatch.setattr(compiling, "_halves", lambda rows: Halves(Block.before, after, frozenset(rows)))
    monkeypatch.setattr("engine.compiling.torch.compiler.set_stance", lambda _: None)
    return read


def take_of(checkpoint: Checkpoint) -> Take:
    *_, last = Engine(checkpoint).generate(ASKED)
    assert isinstance(last, Finished)
    return last.takes[0]


def judged(checkpoint: Checkpoint, verdict: dict[str, Any]) -> None:
    path = compiling.verdict_path(checkpoint.config, checkpoint.place, ROWS)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(verdict))


def asked(checkpoint: Checkpoint) -> str:
    return compiling.use_compiled(checkpoint.model, checkpoint.place, checkpoint.folder, ROWS)


def is_used(checkpoint: Checkpoint) -> bool:
    block = checkpoint.model.slow.stack.layers[0]
    assert isinstance(block, Block)
    return block.compiled is not None


def test_they_read_single_positions_where_they_are_faster(checkpoint: Checkpoint, halves: list[int]) -> None:
    plain = take_of(checkpoint)
    judged(checkpoint, {"plain": 2.0, "compiled": 1.0})
    assert asked(checkpoint) == "in use"
    halves.clear()
    assert take_of(checkpoint).id == plain.id
    assert len(halves) >= 2 * plain.frames


def test_small_layers_need_no_others(tmp_path: Path, halves: list[int]) -> None:
    small = load(write_tiny(tmp_path / "small"), "cpu", "fp32")
    assert asked(small) == compiling.compile_now(small.model, small.place, ROWS) == compiling.NOT_NEEDED
    assert not is_used(small)


def test_slower_ones_are_not_used(checkpoint: Checkpoint, halves: list[int]) -> None:
    judged(checkpoint, {"plain": 2.0, "compiled": 1.99})
    assert asked(checkpoint) == "not used: 1.99 ms compiled, 2.00 ms plain"
    assert not is_used(checkpoint)


def test_those_that_compute_something_else_are_not_used(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Halves(Block.before, lambda block, x, mixed: 1.01 * Block.after(block, x, mixed), frozenset(ROWS))
    monkeypatch.setattr(compiling, "_halves", lambda _: wrong)
    judged(checkpoint, {"plain": 2.0, "compiled": 1.0})
    assert "differ by 1.0e-02" in asked(checkpoint)
    assert not is_used(checkpoint)
    assert take_of(checkpoint).frames


def test_a_compiler_that_fails_is_told(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise RuntimeError("There is no compiler.\nAt all.")

    monkeypatch.setattr(compiling, "measured", missing)
    monkeypatch.setattr("engine.compiling.psutil.Process", Nice)
    compiling.main(checkpoint.folder, "cpu", "fp32", ROWS)
    assert asked(checkpoint) == "not compiled: There is no compiler."
    assert not is_used(checkpoint)


def test_they_are_made_by_a_process_of_its_own(
    checkpoint: Checkpoint, halves: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    class Process:
        pid = os.getpid()

        def __init__(self, arguments: list[str], **_: object) -> None:
            started.append(arguments)

    monkeypatch.setattr("engine.compiling.subprocess.Popen", Process)
    assert asked(checkpoint) == asked(checkpoint) == "being compiled, for the next time"
    ((_, *rest),) = started
    assert rest == ["-m", "engine.compiling", str(checkpoint.folder), "cpu", "fp32", "1"]
    monkeypatch.setattr("engine.compiling.psutil.Process", Nice)
    compiling.main(checkpoint.folder, "cpu", "fp32", ROWS)
    verdict = json.loads(compiling.verdict_path(checkpoint.config, checkpoint.place, ROWS).read_text())
    assert min(verdict["plain"], verdict["compiled"]) > 0


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(compiling, "BACKEND", "eager")  # traced as ever, and computed by torch's own operators
    yield
    torch.compiler.set_stance("default")
    torch.compiler.reset()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_torch_can_trace_them(checkpoint: Checkpoint, traced: None) -> None:
    plain = take_of(checkpoint)
    assert compiling.compile_now(checkpoint.model, checkpoint.place, ROWS) == "in use"
    assert take_of(checkpoint).id == plain.id


class Nice:
    def nice(self, _: int) -> None:
        pass
