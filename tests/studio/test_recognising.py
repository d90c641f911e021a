"""Words of a recording, heard on a thread of their own by a recogniser that says what it is told to say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from engine.errors import HearingError
from engine.hearing import HeardPart, HeardWord
from studio.recogniser_thread import RecogniserThread
from studio.recognising import CODES, Recognising

SILENCE = np.zeros(100, np.float32)


class Ear:
    def __init__(self) -> None:
        self.languages: list[str] = []

    def hear(self, samples: np.ndarray, rate: int, language: str) -> Iterator[HeardPart]:
        self.languages.append(language)
        for number, text in enumerate(("They", "carried"), 1):
            yield HeardPart((HeardWord(text, 0.0, 1.0, 0.9),), float(number), 2.0)


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
def recognising(qtbot: QtBot, ear: Ear) -> Iterator[Recognising]:
    opened: list[Path | None] = []

    def opening(folder: Path | None) -> Ear:
        opened.append(folder)
        if folder is None:
            raise HearingError("No recogniser is chosen.")
        return ear

    thread = RecogniserThread(opening=opening)  # type: ignore[arg-type]
    thread.choose(Path("model"))
    yield Recognising(thread)
    thread.close()
    assert opened.count(Path("model")) <= 1, "opened once"


def test_words_come_part_by_part(qtbot: QtBot, recognising: Recognising, ear: Ear) -> None:
    shares: list[float] = []
    recognising.progressed.connect(shares.append)
    for language in ("English", ""):
        with qtbot.waitSignal(recognising.done) as heard:
            recognising.hear(SILENCE, 100, language)
        assert heard.args == ["They carried"]
    assert shares == [0.5, 1.0] * 2
    assert ear.languages == ["en", ""]
    assert not recognising.busy


def test_what_was_stopped_says_nothing(qtbot: QtBot, recognising: Recognising) -> None:
    recognising.hear(SILENCE, 100, "English")
    recognising.stop()
    with qtbot.assertNotEmitted(recognising.done):
        recognising._thread.close()


def test_what_is_asked_after_a_stop_is_heard_alone(qtbot: QtBot, recognising: Recognising, ear: Ear) -> None:
    recognising.hear(SILENCE, 100, "English")
    recognising.stop()
    with qtbot.waitSignal(recognising.done) as heard:
        recognising.hear(SILENCE, 100, "")
    assert heard.args == ["They carried"]


def test_all_who_ask_share_one_model_and_hear_of_their_own_work(qtbot: QtBot) -> None:
    opened: list[Path | None] = []

    def opening(folder: Path | None) -> Ear:
        opened.append(folder)
        return Ear()

    thread = RecogniserThread(opening=opening)  # type: ignore[arg-type]
    one, other = Recognising(thread), Recognising(thread)
    for folder in (Path("small"), Path("large"), Path("small")):
        thread.choose(folder)
        with qtbot.waitSignals([one.done, other.done]):
            one.hear(SILENCE, 100, "English")
            other.hear(SILENCE, 100, "")
    assert opened == [Path("small"), Path("large"), Path("small")], "one at a time is in memory"
    with qtbot.assertNotEmitted(other.failed):
        failed = thread.run(lambda _: 1 / 0, print)
        with qtbot.waitSignal(thread.failed) as refused:
            pass
    assert refused.args[0] == failed
    thread.close()


def test_a_refusal_is_told(qtbot: QtBot, recognising: Recognising) -> None:
    recognising._thread.choose(None)
    with qtbot.waitSignal(recognising.failed) as refused:
        recognising.hear(SILENCE, 100, "")
    assert isinstance(refused.args[0], HearingError)
    assert not recognising.busy


def test_languages_have_codes_of_their_own() -> None:
    assert len(set(CODES.values())) == len(CODES)
