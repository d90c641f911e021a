"""Several lines in one batch, and frames of static shape: each take is what it is alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.dual_ar import Memory
from engine.errors import DeviceError, RequestError
from engine.frames import begin
from engine.generation import Lines
from engine.performance import Loaded
from engine.request import (
    Chunk,
    Event,
    Failed,
    Finished,
    Free,
    Generate,
    Part,
    Progress,
    Prompt,
    Reference,
    Regenerate,
    Settings,
    Voice,
)
from engine.speech import Engine
from engine.static_frame import StaticFrames, slots_for
from tests.tiny import CODEBOOKS, SEMANTIC, write_tiny

LIVELY = Settings(temperature=1.0, top_p=0.95, top_k=20)
CODES = np.arange(CODEBOOKS * 9).reshape(CODEBOOKS, 9).astype(np.int16) % SEMANTIC
VOICE = Voice("a", (Reference("some words", CODES),))
TEXTS = ("The boat is late this evening.", "So?", "Nobody here has seen it since the storm, and nobody will.")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine.open(write_tiny(tmp_path / "tiny"), "cpu", "fp32")


def loaded(engine: Engine) -> Loaded:
    return engine._loaded


def requests(*seeds: tuple[int, ...]) -> list[Generate]:
    return [Generate(Prompt((Part(0, text),), (VOICE,)), own, LIVELY) for text, own in zip(TEXTS, seeds, strict=False)]


def finished(events: list[Event]) -> Finished:
    assert isinstance(events[-1], Finished)
    return events[-1]


def together(engine: Engine, asked: list[Generate]) -> dict[int, list[Event]]:
    answers: dict[int, list[Event]] = {number: [] for number in range(len(asked))}
    for number, event in Lines(loaded(engine), asked):
        answers[number].append(event)
    return answers


def test_lines_together_are_what_they_are_alone(engine: Engine) -> None:
    asked = requests((1,), (2, 3), (4,))
    answers = together(engine, asked)
    for number, request in enumerate(asked):
        alone = finished(list(engine.generate(request)))
        batched = finished(answers[number])
        assert [take.id for take in batched.takes] == [take.id for take in alone.takes]
        for take, other in zip(batched.takes, alone.takes, strict=True):
            assert np.abs(take.frame_data.log_p - other.frame_data.log_p).max() < 1e-4
        chunks = [event for event in answers[number] if isinstance(event, Chunk) and event.candidate == 0]
        assert np.array_equal(np.concatenate([chunk.codes for chunk in chunks], axis=1), alone.takes[0].codes)
        frames = [event.frames for event in answers[number] if isinstance(event, Progress)]
        assert frames == sorted(frames)


def test_each_line_has_a_cap_of_its_own(engine: Engine) -> None:
    asked = [
        replace(each, settings=replace(LIVELY, most_frames=2 + 3 * n)) for n, each in enumerate(requests((1,), (2,)))
    ]
    takes = [finished(events).takes[0] for events in together(engine, asked).values()]
    assert [take.frames for take in takes] == [2, min(5, takes[1].frames)]
    assert takes[0].capped


def test_a_line_that_cannot_be_spoken_does_not_stop_the_others(engine: Engine) -> None:
    asked = requests((1,), (), (4,))
    answers = together(engine, asked)
    assert isinstance(answers[1][0], Failed)
    assert isinstance(answers[1][0].error, RequestError)
    assert finished(answers[0]).takes
    assert finished(answers[2]).takes


def test_a_line_leaves_and_the_others_go_on(engine: Engine) -> None:
    asked = requests((1,), (2,), (4,))
    lines = Lines(loaded(engine), asked)
    said: dict[int, list[Event]] = {0: [], 1: [], 2: []}
    for number, event in lines:
        said[number].append(event)
        lines.leave(1)
    assert len(said[1]) <= 1
    assert finished(said[2]).takes[0].id == finished(list(engine.generate(asked[2]))).takes[0].id


def read_so_far(engine: Engine) -> int:
    return loaded(engine).held.read


def answered(lines: Lines, later: dict[int, Generate]) -> dict[int, list[Event]]:
    """All that comes of lines, others added after so many events."""
    answers: dict[int, list[Event]] = {}
    for count, (number, event) in enumerate(lines):
        answers.setdefault(number, []).append(event)
        if count in later:
            lines.add(later[count])
    return answers


@pytest.mark.parametrize("static", [False, True])
def test_lines_that_join_a_batch_under_way_are_what_they_are_alone(engine: Engine, static: bool) -> None:
    asked = requests((1,), (2, 3), (4,))
    alone = [finished(list(engine.generate(each))) for each in asked]
    other = Engine.open(loaded(engine).checkpoint.folder, "cpu", "fp32")
    if static:
        model = loaded(engine).checkpoint.model
        other._loaded = replace(loaded(engine), held=loaded(other).held, statics=StaticFrames(model, False))
    lines = Lines(loaded(other), asked[:1])
    answers = answered(lines, {5: asked[1], 9: asked[2]})
    for number, one in enumerate(alone):
        assert [take.id for take in finished(answers[number]).takes] == [take.id for take in one.takes]
    assert list(answers) == [0, 1, 2]


def test_a_line_joins_before_the_others_have_ended(engine: Engine) -> None:
    seeds = tuple(range(12))
    takes = finished(list(engine.generate(requests(seeds)[0]))).takes
    longest = max(seeds, key=lambda seed: takes[seed].frames)  # random weights end when they like
    first, second = requests((longest,), (2,))
    lines = Lines(loaded(engine), [first])
    order = []
    for number, _ in lines:
        if not order:
            lines.add(second)
        order.append(number)
    assert order.index(1) < len(order) - 1 - order[::-1].index(0)


@pytest.mark.parametrize("static", [False, True])
def test_only_so_many_speak_at_once(engine: Engine, static: bool) -> None:
    if static:
        engine._loaded = replace(loaded(engine), statics=StaticFrames(loaded(engine).checkpoint.model, False))
    asked = [requests((seed,))[0] for seed in range(5)]
    going: set[int] = set()
    most = 0
    takes = {}
    for number, event in Lines(loaded(engine), asked, at_once=2):
        going.add(number)
        most = max(most, len(going))
        if isinstance(event, Finished):
            takes[number] = event.takes[0].id
            going.remove(number)
    assert most == 2
    assert takes == {n: finished(list(engine.generate(each))).takes[0].id for n, each in enumerate(asked)}


def test_where_the_memory_is_small_fewer_speak_at_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = requests((1,), (3,), (4,))
    alone = [finished(list(engine.generate(each))).takes[0].id for each in asked]
    stack = loaded(engine).checkpoint.model.slow.stack
    monkeypatch.setattr("engine.performance.free_memory", lambda _: stack.bytes_of(1, 640) * 3 // 2)
    going: set[int] = set()
    answers = together(engine, asked)
    for number, event in Lines(loaded(engine), asked):
        going.add(number)
        assert len(going) < 3
        if isinstance(event, Finished):
            going.remove(number)
    assert [finished(events).takes[0].id for events in answers.values()] == alone


def test_where_the_memory_is_full_after_all_fewer_speak_at_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = requests((1,), (3,), (4,))
    alone = [finished(list(engine.generate(each))).takes[0].id for each in asked]
    joined = Memory.joined

    def full(sources: list[tuple[Memory, int]], lengths: list[int], capacity: int) -> Memory:
        if len(sources) > 1:
            raise torch.OutOfMemoryError
        return joined(sources, lengths, capacity)

    monkeypatch.setattr(Memory, "joined", staticmethod(full))
    answers = together(engine, asked)
    assert [finished(events).takes[0].id for events in answers.values()] == alone


def test_without_sound_there_are_no_chunks(engine: Engine) -> None:
    (asked,) = requests((1,))
    events = [event for _, event in engine.together([asked], sound=False)]
    assert not any(isinstance(event, Chunk) for event in events)
    assert finished(events).takes[0].id == finished(list(engine.generate(asked))).takes[0].id


def test_a_line_that_leaves_before_it_speaks_is_not_spoken(engine: Engine) -> None:
    lines = Lines(loaded(engine), requests((1,), (2,), (4,)), at_once=1)
    lines.leave(1)
    assert {number for number, _ in lines} == {0, 2}


def test_static_frames_that_wait_are_few_and_small(engine: Engine) -> None:
    model = loaded(engine).checkpoint.model
    rows = model.slow.stack.memory(1, 10)
    hidden = model.slow(torch.ones(1, 1 + CODEBOOKS, 4, dtype=torch.long), rows)[:, -1]
    statics = StaticFrames(model, False)
    frame = statics.take(begin(rows, hidden, np.zeros(0), [1], 0, LIVELY), LIVELY)
    statics.give_back(frame)
    assert statics.bytes == frame.bytes
    assert statics.take(begin(rows, hidden, np.zeros(0), [2], 0, LIVELY), LIVELY) is frame
    small = StaticFrames(model, False, most_bytes=frame.bytes - 1)
    small.give_back(small.take(begin(rows, hidden, np.zeros(0), [1], 0, LIVELY), LIVELY))
    assert small.bytes == 0


def test_slots_are_rounded_up(engine: Engine) -> None:
    assert [slots_for(rows) for rows in (1, 2, 3, 5, 8, 9, 16, 17)] == [1, 2, 4, 8, 8, 16, 16, 17]


def test_static_frames_are_what_frames_are(engine: Engine, tmp_path: Path) -> None:
    """The function that CUDA replays as a graph, computed step by step."""
    plain = loaded(engine)
    static = Engine.open(tmp_path / "tiny", "cpu", "fp32")
    static._loaded = replace(plain, held=loaded(static).held, statics=StaticFrames(plain.checkpoint.model, False))
    for asked in (requests((1, 2, 3))[0], requests((), (9,))[1], requests((1, 2, 3))[0]):
        one, two = (finished(list(each.generate(asked))) for each in (engine, static))
        assert [take.id for take in one.takes] == [take.id for take in two.takes]
        for take, other in zip(one.takes, two.takes, strict=True):
            assert np.abs(take.frame_data.entropy - other.frame_data.entropy).max() < 1e-4
    old = max(one.takes, key=lambda take: take.frames)
    for stop in (old.frames - 1, old.frames):
        again = Regenerate(old.origin.prompt, old, (2, stop), (5, 6), LIVELY, Free(9))
        one, two = (finished(list(each.generate(again))) for each in (engine, static))
        assert [take.id for take in one.takes] == [take.id for take in two.takes]


def test_what_would_not_fit_is_refused_before_it_starts(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.performance.free_memory", lambda _: 5000)
    before = read_so_far(engine)
    with pytest.raises(DeviceError) as raised:
        list(engine.generate(requests((1, 2))[0]))
    assert read_so_far(engine) == before
    assert raised.value.free == 5000
    assert raised.value.needed is not None
    assert raised.value.needed > 5000
