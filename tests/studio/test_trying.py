"""A sentence on trial is heard from its first samples on, and kept for as long as it is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from engine.request import (
    Chunk,
    Failed,
    Finished,
    FrameData,
    Generate,
    How,
    Origin,
    Prompt,
    Report,
    Samples,
    Settings,
    Stopped,
    Take,
    Voice,
)
from studio.engine_thread import Opened, Urgency
from studio.samples import Print
from studio.session.playback import AsideLive
from studio.trying import SEED, Trying, sentence_in

RATE, HOP = 8_000, 400
ADA = Voice("Ada")
OPENED = Opened(Path(), "c", Settings(), (), 300, RATE, HOP, "CPU", "fp32", 1)


class Engine(QObject):
    """Stands for the engine thread: it answers when the test says so."""

    opened = Signal(object)
    answered = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Generate] = []
        self.cancelled: list[int] = []

    def submit(self, request: Generate, urgency: Urgency) -> int:
        assert urgency is Urgency.AWAITED
        self.asked.append(request)
        return len(self.asked)

    def cancel(self, number: int) -> None:
        self.cancelled.append(number)

    def say(self, number: int, level: float) -> None:
        samples = np.full(HOP, level, np.float32)
        self.answered.emit(number, Chunk(0, np.zeros((3, 1), np.int16), samples))

    def finish(self, number: int, prompt: Prompt) -> None:
        origin = Origin(prompt, "c", SEED, Settings(), How.GENERATED, RATE, HOP)
        nothing = np.zeros((2, 2), np.float32)
        take = Take(np.zeros((3, 2), np.int16), origin, FrameData(nothing, nothing))
        self.answered.emit(number, Finished((take,), (), Report(0.0, None, 0, 0, 0)))


@dataclass
class Player:
    """Stands for the playback: it notes what it is to play."""

    live: list[AsideLive] = field(default_factory=list)
    whole: list[Print] = field(default_factory=list)

    def play_aside_live(self, source: AsideLive) -> None:
        self.live.append(source)

    def play_aside(self, held: Print, again: bool = False) -> None:
        self.whole.append(held)


@dataclass
class Desk:
    engine: Engine
    player: Player
    trying: Trying
    problems: list[tuple[Exception, str]]

    def heard(self) -> Samples:
        """What of the sentence that plays can be heard by now."""
        return self.player.live[-1].wave.samples


class Loaded:
    engine = OPENED


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    engine, player = Engine(), Player()
    trying = Trying(Loaded(), player, engine)  # type: ignore[arg-type]
    made = Desk(engine, player, trying, [])
    trying.problem.connect(lambda error, doing: made.problems.append((error, doing)))
    engine.opened.emit(OPENED)
    return made


def test_it_is_heard_while_it_is_being_made(desk: Desk) -> None:
    desk.trying.speak("Ada", ADA, "The boat is late.")
    (request,) = desk.engine.asked
    assert (request.prompt.text, request.prompt.voices, request.seeds) == ("The boat is late.", (ADA,), (SEED,))
    assert desk.trying.speaking("Ada")
    assert desk.player.live == []
    desk.engine.say(1, 0.1)
    assert len(desk.player.live) == 1, "it sounds with the first samples"
    assert len(desk.heard()) == HOP
    assert not desk.player.live[0].finished
    desk.engine.say(1, 0.2)
    assert len(desk.player.live) == 1
    np.testing.assert_array_equal(desk.heard(), np.repeat(np.array([0.1, 0.2], np.float32), HOP))
    desk.engine.finish(1, request.prompt)
    assert desk.player.live[0].finished
    assert desk.player.whole == [], "it is not played twice"
    assert len(desk.trying.prints["Ada"].samples) == 2 * HOP
    assert not desk.trying.speaking("Ada")


def test_what_is_compared_is_not_heard_by_itself(desk: Desk) -> None:
    desk.trying.speak("row 1", ADA, "The boat is late.", aloud=False)
    desk.engine.say(1, 0.1)
    desk.engine.finish(1, desk.engine.asked[0].prompt)
    assert (desk.player.live, desk.player.whole) == ([], [])
    assert desk.trying.prints["row 1"].rate == RATE


def test_spoken_again_the_old_sound_goes(desk: Desk) -> None:
    for number in (1, 2):
        desk.trying.speak("Ada", ADA, "The boat is late.")
        assert "Ada" not in desk.trying.prints
        desk.engine.say(number, 0.1 * number)
        desk.engine.finish(number, desk.engine.asked[0].prompt)
    assert len(desk.player.live) == 2
    assert float(desk.trying.prints["Ada"].samples[0]) == pytest.approx(0.2)


def test_a_failure_ends_what_sounds_and_is_told(desk: Desk) -> None:
    changed: list[str] = []
    desk.trying.changed.connect(changed.append)
    desk.trying.speak("Ada", ADA, "The boat is late.")
    desk.engine.say(1, 0.1)
    desk.engine.answered.emit(1, Failed(RuntimeError("out of memory")))
    assert desk.player.live[0].finished
    assert not desk.trying.speaking("Ada")
    assert changed == ["Ada", "Ada"]
    assert [doing for _, doing in desk.problems] == ["speak a sentence"]


def test_what_is_stopped_sounds_no_further(desk: Desk) -> None:
    desk.trying.speak("Ada", ADA, "The boat is late.")
    desk.engine.say(1, 0.1)
    desk.trying.stop()
    assert desk.engine.cancelled == [1]
    assert desk.player.live[0].finished
    desk.engine.say(1, 0.2)
    desk.engine.answered.emit(1, Stopped())
    assert len(desk.player.live) == 1
    assert desk.trying.prints == {}


def test_another_checkpoint_voids_what_was_asked(desk: Desk) -> None:
    desk.trying.speak("Ada", ADA, "The boat is late.")
    desk.engine.opened.emit(OPENED)
    desk.engine.say(1, 0.1)
    assert desk.player.live == []
    assert not desk.trying.speaking("Ada")


def test_without_a_checkpoint_nothing_is_asked(qtbot: QtBot) -> None:
    engine = Engine()
    trying = Trying(Loaded(), Player(), engine)  # type: ignore[arg-type]
    trying.speak("Ada", ADA, "The boat is late.")
    assert engine.asked == []
    assert not trying.speaking("Ada")


@pytest.mark.parametrize(("language", "begins"), [("", "The boat"), ("English", "The boat"), ("German", "Das Boot")])
def test_every_language_has_its_sentence(language: str, begins: str) -> None:
    assert sentence_in(language).startswith(begins)
