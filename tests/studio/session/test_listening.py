"""Takes are listened to where that is wanted, and what is misread is kept with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import HearingError
from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.document.listened import Mishap
from studio.recogniser_thread import RecogniserThread
from studio.session.listening import Listening
from tests.studio.session.stage import Studio

RATE, HOP, FRAMES = 8_000, 400, 10


@dataclass(frozen=True)
class Said:
    text: str


@dataclass(frozen=True)
class Piece:
    words: tuple[Said, ...]


class FakeEar:
    """Hears what the first sample tells."""

    def __init__(self) -> None:
        self.languages: list[str] = []

    def hear(self, samples: np.ndarray, rate: int, language: str) -> Iterator[Piece]:
        self.languages.append(language)
        for text in {1: ("Where to?",), 2: ("Where", "where to"), 3: ("Nowhere.",)}[round(float(samples[0]) * 10)]:
            yield Piece(tuple(Said(word) for word in text.split()))


def take(seed: int) -> Take:
    origin = Origin(Prompt((Part(0, "Where to?"),)), "none", seed, Settings(), How.GENERATED, RATE, HOP)
    nothing = np.zeros((2, FRAMES), np.float32)
    return Take(np.full((3, FRAMES), seed, np.int16), origin, FrameData(nothing, nothing))


def make(studio: Studio, seed: int) -> Take:
    """A take that says what its seed tells, and is printed."""
    made = take(seed)
    studio.session.add_takes(studio.ids()[0], (made,), "Generate line")
    studio.session.put_print(made.id, RATE, np.full(FRAMES * HOP, seed / 10, np.float32))
    return made


@pytest.fixture
def ear() -> FakeEar:
    return FakeEar()


@pytest.fixture
def listening(silent_studio: Studio, ear: FakeEar) -> Iterator[Listening]:
    def opening(folder: Path | None) -> FakeEar:
        if folder is None:
            raise HearingError("No recogniser is chosen.")
        return ear

    thread = RecogniserThread(opening=opening)  # type: ignore[arg-type]
    thread.choose(Path("a folder"))
    yield Listening(silent_studio.session, thread)
    thread.close()


def test_takes_are_listened_to_when_it_is_asked_for(silent_studio: Studio, listening: Listening, ear: FakeEar) -> None:
    session = silent_studio.session
    fine, doubled = make(silent_studio, 1), make(silent_studio, 2)
    assert not session.misread
    assert listening.listen_to((fine.id, doubled.id, "gone")) == 2
    silent_studio.until(lambda: len(session.misread) == 2)
    assert session.misread[fine.id] == ()
    assert [each.mishap for each in session.misread[doubled.id]] == [Mishap.DOUBLED]
    assert ear.languages == ["en", "en"]
    assert listening.listen_to((fine.id,)) == 0


def test_what_is_made_from_now_on_is_listened_to(silent_studio: Studio, listening: Listening) -> None:
    session = silent_studio.session
    listening.on = True
    worst, best = make(silent_studio, 3), make(silent_studio, 1)
    silent_studio.until(lambda: len(session.misread) == 2)
    line = silent_studio.line(1)
    assert listening.best_heard(line) == best.id
    session.step_take(-1)
    assert silent_studio.line(1).kept == worst.id
    assert listening.best_heard(silent_studio.line(1)) == best.id
    assert listening.best_heard(replace(line, takes=())) is None


def test_one_error_is_told_once(silent_studio: Studio, listening: Listening) -> None:
    told: list[Exception] = []
    listening.problem.connect(lambda error, _: told.append(error))
    listening._thread.choose(None)
    listening.on = True
    make(silent_studio, 1)
    make(silent_studio, 2)
    silent_studio.until(lambda: told)
    assert isinstance(told[0], HearingError)
    assert not listening.on
    assert len(told) == 1
    assert not silent_studio.session.misread


def test_it_closes_in_the_middle_of_listening(silent_studio: Studio, listening: Listening) -> None:
    first, second = make(silent_studio, 1), make(silent_studio, 2)
    silent_studio.until(lambda: silent_studio.session.print_of(second.id) is not None)
    listening.listen_to((first.id, second.id))
    listening._thread.close()
    assert list(silent_studio.session.misread) == [first.id], "the last answer is taken, and nothing more asked"
