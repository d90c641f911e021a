"""The engine's thread: jobs by urgency, one event at a time, cancelled within a frame; errors are answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, QThread, Slot
from pytestqt.qtbot import QtBot

from engine.errors import CheckpointError, RequestError
from engine.request import (
    Chunk,
    Failed,
    Finished,
    FrameData,
    Generate,
    How,
    Origin,
    Part,
    Progress,
    Prompt,
    Regenerate,
    Settings,
    Stopped,
    Take,
)
from engine.voicing import Voicing
from studio.engine_thread import Encoded, EngineThread, Foreign, Opened, Printed, Urgency
from studio.gathering import GATHERED
from studio.showing import engine_words
from tests.tiny import CODEBOOKS, never_ending, write_tiny

SHORT = Settings(most_frames=6)
LONG = Settings(top_k=1, repetition_window=0, most_frames=400)  # with a checkpoint that never ends by itself
ON_AND_ON = "On and on and on and on and on and on and on and on and on and on."  # may become so long
OPENING, ANSWERING = 60_000, 60_000  # ms


class Ear(QObject):
    """All that is answered, in order, and on which thread."""

    def __init__(self, engine: EngineThread) -> None:
        super().__init__()
        self.heard: list[tuple[int, object]] = []
        self.threads: set[QThread] = set()
        engine.answered.connect(self.hear)

    @Slot(int, object)
    def hear(self, number: int, event: object) -> None:
        self.heard.append((number, event))
        self.threads.add(QThread.currentThread())

    def of(self, number: int) -> list[object]:
        return [event for job, event in self.heard if job == number]

    def ended(self, *numbers: int) -> bool:
        over = Finished | Failed | Stopped | Printed | Foreign | Encoded
        return all(any(isinstance(event, over) for event in self.of(number)) for number in numbers)

    def ends(self) -> list[int]:
        """The numbers of the jobs that ended, in the order in which they did."""
        return [number for number, event in self.heard if isinstance(event, Finished | Failed | Stopped | Printed)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return never_ending(write_tiny(tmp_path_factory.mktemp("tiny") / "tiny"))


@pytest.fixture
def engine(qapp: object) -> Iterator[EngineThread]:
    thread = EngineThread()
    yield thread
    thread.close()


@pytest.fixture
def ear(engine: EngineThread) -> Ear:
    return Ear(engine)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames come as fast as may be, however busy the machine is: sound does not wait for those that are to come."""
    ticks = count()
    monkeypatch.setattr("engine.generation.Voicing", partial(Voicing, clock=lambda: next(ticks) * 1e-4))


def line(text: str = "One two three.", settings: Settings = SHORT, seed: int = 1) -> Generate:
    return Generate(Prompt((Part(0, text),)), (seed,), settings)


def take(codes: np.ndarray, codec: str) -> Take:
    origin = Origin(line().prompt, "a checkpoint", 1, SHORT, How.GENERATED, 8000, 256, codec=codec)
    nothing = np.zeros((2, codes.shape[1]), np.float32)
    return Take(codes, origin, FrameData(nothing, nothing))


def opened(engine: EngineThread, folder: Path, qtbot: QtBot) -> Opened:
    with qtbot.waitSignal(engine.opened, timeout=OPENING) as signal:
        engine.open(folder)
    assert isinstance(signal.args[0], Opened)
    return signal.args[0]


def test_a_checkpoint_tells_what_the_window_needs(engine: EngineThread, folder: Path, qtbot: QtBot) -> None:
    told = opened(engine, folder, qtbot)
    assert (told.folder, told.rate, told.hop, told.device) == (folder, 8000, 256, "CPU")
    assert told.checkpoint
    assert told.weights_bytes > 0
    assert told.compiled == ""


def test_what_came_of_compiling_is_told_where_it_was_asked_for(
    engine: EngineThread, folder: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(engine.opened, timeout=OPENING) as signal:
        engine.open(folder, compiled=True)
    (told,) = signal.args
    assert told.compiled.startswith("not needed")
    assert engine_words(told).endswith(f" · compiled layers: {told.compiled}")


def test_a_folder_without_a_checkpoint_is_told(engine: EngineThread, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(engine.unopened, timeout=OPENING) as signal:
        engine.open(tmp_path)
    assert isinstance(signal.args[0], CheckpointError)


def test_jobs_wait_for_a_checkpoint(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    number = engine.submit(line())
    opened(engine, folder, qtbot)
    qtbot.waitUntil(lambda: ear.ended(number), timeout=ANSWERING)
    assert isinstance(ear.of(number)[-1], Finished)
    assert ear.threads == {QThread.currentThread()}


def test_nothing_waits_for_a_checkpoint_that_could_not_be_opened(
    engine: EngineThread, ear: Ear, folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    before = engine.submit(line())
    with qtbot.waitSignal(engine.unopened, timeout=OPENING):
        engine.open(tmp_path)
    after = engine.submit(line())
    qtbot.waitUntil(lambda: ear.ended(before) and ear.ended(after), timeout=ANSWERING)
    assert [type(ear.of(number)[-1]) for number in (before, after)] == [Stopped, Stopped]
    engine.open(folder)
    again = engine.submit(line())
    qtbot.waitUntil(lambda: ear.ended(again), timeout=OPENING)
    assert isinstance(ear.of(again)[-1], Finished)


@pytest.mark.usefixtures("quick")
def test_a_line_is_heard_before_it_is_finished(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    opened(engine, folder, qtbot)
    number = engine.submit(line(settings=Settings(most_frames=60)))
    qtbot.waitUntil(lambda: ear.ended(number), timeout=ANSWERING)
    events = ear.of(number)
    finished = events[-1]
    assert isinstance(finished, Finished)
    chunks = [event for event in events if isinstance(event, Chunk)]
    assert len(chunks) > 2
    assert np.array_equal(np.concatenate([chunk.codes for chunk in chunks], axis=1), finished.takes[0].codes)
    assert any(isinstance(event, Progress) for event in events)


def test_what_is_awaited_goes_first(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    codes = np.zeros((CODEBOOKS, 4), np.int16)
    queued = [engine.submit(line(), Urgency.QUEUED) for _ in range(2)]  # before there is an engine: all wait
    printed = engine.print_codes("take", codes)
    awaited = [engine.submit(line()) for _ in range(2)]
    opened(engine, folder, qtbot)
    qtbot.waitUntil(lambda: ear.ended(*queued, *awaited, printed), timeout=ANSWERING)
    assert ear.ends() == [*awaited, printed, *queued]


@pytest.mark.usefixtures("quick")
def test_queued_lines_share_a_batch_and_are_what_they_are_alone(
    engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot
) -> None:
    asked = [line(text, Settings(most_frames=40), seed) for seed, text in enumerate(("One two.", "Three, four, five!"))]
    asked += [line(settings=Settings(temperature=0.1, most_frames=40))]  # drawn otherwise, so it waits
    together = [engine.submit(request, Urgency.QUEUED) for request in asked]  # before there is an engine: all wait
    opened(engine, folder, qtbot)
    qtbot.waitUntil(lambda: ear.ended(*together), timeout=ANSWERING)
    first_end = next(at for at, (_, event) in enumerate(ear.heard) if isinstance(event, Finished))
    begun = {number for number, event in ear.heard[:first_end] if isinstance(event, Chunk)}
    assert begun == set(together[:2])
    alone = [engine.submit(request) for request in asked]
    qtbot.waitUntil(lambda: ear.ended(*alone), timeout=ANSWERING)
    for one, two in zip(together, alone, strict=True):
        assert ear.of(one)[-1].takes[0].id == ear.of(two)[-1].takes[0].id  # type: ignore[attr-defined]


def test_a_queued_line_comes_to_a_batch_under_way(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    opened(engine, folder, qtbot)
    first = engine.submit(line(ON_AND_ON, LONG), Urgency.QUEUED)
    qtbot.waitUntil(lambda: bool(ear.of(first)), timeout=ANSWERING)
    brief = replace(LONG, most_frames=10)
    second = engine.submit(line("Four, five!", brief, 2), Urgency.QUEUED)
    third = engine.submit(line("Six.", Settings(temperature=0.1, most_frames=10), 2), Urgency.QUEUED)
    qtbot.waitUntil(lambda: ear.ended(first, second, third), timeout=ANSWERING)
    assert ear.ends() == [second, first, third]
    alone = engine.submit(line("Four, five!", brief, 2))
    qtbot.waitUntil(lambda: ear.ended(alone), timeout=ANSWERING)
    assert ear.of(second)[-1].takes[0].id == ear.of(alone)[-1].takes[0].id  # type: ignore[attr-defined]


def test_a_line_is_cancelled_out_of_its_batch(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    first, second = (engine.submit(line(ON_AND_ON, LONG, seed), Urgency.QUEUED) for seed in (1, 2))
    opened(engine, folder, qtbot)
    qtbot.waitUntil(lambda: bool(ear.of(first)), timeout=ANSWERING)
    engine.cancel(first)
    qtbot.waitUntil(lambda: ear.ended(first, second), timeout=ANSWERING)
    assert isinstance(ear.of(first)[-1], Stopped)
    assert isinstance(ear.of(second)[-1], Finished)


def test_a_cancel_takes_effect_between_two_frames(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    opened(engine, folder, qtbot)
    running = engine.submit(line(ON_AND_ON, LONG))
    waiting, last = engine.submit(line()), engine.submit(line())
    qtbot.waitUntil(lambda: bool(ear.of(running)), timeout=ANSWERING)
    engine.cancel(waiting)
    engine.cancel(running)
    engine.cancel(12345)
    qtbot.waitUntil(lambda: ear.ended(running, waiting, last), timeout=ANSWERING)
    assert isinstance(ear.of(running)[-1], Stopped)
    assert [type(event) for event in ear.of(waiting)] == [Stopped]
    assert isinstance(ear.of(last)[-1], Finished)
    assert not any(isinstance(event, Progress) and event.frames > 300 for event in ear.of(running))


def test_an_error_is_an_answer_and_the_next_job_goes_on(
    engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot
) -> None:
    opened(engine, folder, qtbot)
    empty, spoken = engine.submit(line("[sighs]")), engine.submit(line())
    qtbot.waitUntil(lambda: ear.ended(empty, spoken), timeout=ANSWERING)
    failed = ear.of(empty)[-1]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, RequestError)
    assert isinstance(ear.of(spoken)[-1], Finished)


def test_candidates_come_without_sound(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    opened(engine, folder, qtbot)
    number = engine.submit(line(settings=Settings(most_frames=20)))
    qtbot.waitUntil(lambda: ear.ended(number), timeout=ANSWERING)
    take = ear.of(number)[-1].takes[0]  # type: ignore[attr-defined]
    assert isinstance(take, Take)
    again = engine.submit(Regenerate(take.origin.prompt, take, (5, 9), (1, 2, 3)))
    qtbot.waitUntil(lambda: ear.ended(again), timeout=ANSWERING)
    chunks = [event for event in ear.of(again) if isinstance(event, Chunk)]
    assert {chunk.candidate for chunk in chunks} == {0, 1, 2}
    assert all(chunk.samples is None and chunk.codes.shape == (CODEBOOKS, GATHERED) for chunk in chunks)
    finished = ear.of(again)[-1]
    assert isinstance(finished, Finished)
    assert len(finished.takes) == 3
    for made in finished.takes:
        drawn = [chunk.codes for chunk in chunks if chunk.candidate == made.origin.seed - 1]
        start, stop = made.origin.span or (0, 0)
        number = min(stop - start, len(drawn) * GATHERED)
        assert np.array_equal(np.concatenate(drawn, axis=1)[:, :number], made.codes[:, start : start + number])


def test_prints_are_the_same_from_the_middle_on(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    told = opened(engine, folder, qtbot)
    codes = np.arange(CODEBOOKS * 40, dtype=np.int16).reshape(CODEBOOKS, 40) % 32
    other = codes.copy()
    other[:, 25:] = 3
    made = take(codes, told.codec)
    spliced = replace(made, codes=other, origin=replace(made.origin, parent=made.id, span=(25, 40)))
    whole, changed = engine.print_take(made), engine.print_take(spliced)
    qtbot.waitUntil(lambda: ear.ended(whole, changed), timeout=ANSWERING)
    before, expected = (ear.of(number)[-1] for number in (whole, changed))
    assert isinstance(before, Printed)
    assert isinstance(expected, Printed)
    assert (before.take_id, before.rate, len(before.samples)) == (made.id, 8000, 40 * 256)
    after = engine.print_take(spliced, before.samples)
    qtbot.waitUntil(lambda: ear.ended(after), timeout=ANSWERING)
    assert np.array_equal(ear.of(after)[-1].samples, expected.samples)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, (Printed, False)),
        ({"checkpoint": "another, whose codec is the same"}, (Printed, False)),
        ({"codec": "another"}, (Foreign, None)),
        ({"codec": ""}, (Printed, True)),
        ({"codec": "", "hop": 512}, (Foreign, None)),
    ],
)
def test_codes_of_another_codec_are_not_made_sound(
    engine: EngineThread,
    ear: Ear,
    folder: Path,
    qtbot: QtBot,
    changes: dict[str, object],
    expected: tuple[type, bool | None],
) -> None:
    told = opened(engine, folder, qtbot)
    made = take(np.zeros((CODEBOOKS, 4), np.int16), told.codec)
    made = replace(made, origin=replace(made.origin, **changes))  # type: ignore[arg-type]
    number = engine.print_take(made)
    qtbot.waitUntil(lambda: ear.ended(number), timeout=ANSWERING)
    answer = ear.of(number)[-1]
    assert (type(answer), getattr(answer, "guessed", None)) == expected


def test_a_take_without_a_codec_is_known_by_its_checkpoint(
    engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot
) -> None:
    told = opened(engine, folder, qtbot)
    made = take(np.zeros((CODEBOOKS, 4), np.int16), "")
    known = replace(made, origin=replace(made.origin, checkpoint=told.checkpoint))
    fewer = replace(known, codes=known.codes[1:])
    numbers = [engine.print_take(each) for each in (known, fewer)]
    qtbot.waitUntil(lambda: ear.ended(*numbers), timeout=ANSWERING)
    first, second = (ear.of(number)[-1] for number in numbers)
    assert isinstance(first, Printed)
    assert not first.guessed
    assert isinstance(second, Foreign)


def test_a_clip_becomes_codes(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    opened(engine, folder, qtbot)
    number = engine.encode(np.zeros(8000, np.float32), 16000)
    qtbot.waitUntil(lambda: ear.ended(number), timeout=ANSWERING)
    encoded = ear.of(number)[-1]
    assert isinstance(encoded, Encoded)
    assert encoded.codes.shape == (CODEBOOKS, 16)


def test_another_checkpoint_stops_what_runs(engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot) -> None:
    opened(engine, folder, qtbot)
    number = engine.submit(line(ON_AND_ON, LONG))
    qtbot.waitUntil(lambda: bool(ear.of(number)), timeout=ANSWERING)
    opened(engine, folder, qtbot)
    assert isinstance(ear.of(number)[-1], Stopped)


def test_closing_stops_what_runs_and_ends_the_thread(
    engine: EngineThread, ear: Ear, folder: Path, qtbot: QtBot
) -> None:
    opened(engine, folder, qtbot)
    number = engine.submit(line(ON_AND_ON, LONG))
    qtbot.waitUntil(lambda: bool(ear.of(number)), timeout=ANSWERING)
    engine.close()
    engine.close()
    assert isinstance(ear.of(number)[-1], Stopped)
    assert not any(thread.name == "engine" for thread in threading.enumerate())
