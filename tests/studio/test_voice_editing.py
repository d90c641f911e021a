"""A voice in the editor: what the engine is asked about its clips, and what comes of the answers."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engine.request import Alignment, Failed, Samples, Speakers, Take, Voice
from studio.engine_thread import Aligned, WhoSpeaks
from studio.library import store
from studio.recogniser_thread import RecogniserThread
from studio.samples import Print
from studio.voice_editing import VoiceEditing
from tests.studio.test_voicing import RATE, Encoder, World, opened

WORDS = "Good evening."
HOP = 256


class Engine(Encoder):
    """Stands for the engine thread, with ears."""

    def __init__(self) -> None:
        super().__init__()
        self.aligned: list[tuple[Take, Samples]] = []
        self.listened: list[Samples] = []

    def align(self, take: Take, samples: Samples) -> int:
        self.aligned.append((take, samples))
        return 1_000 + len(self.aligned)

    def who_speaks(self, samples: Samples, rate: int) -> int:
        self.listened.append(samples)
        return 2_000 + len(self.listened)


class Player(QObject):
    aside_seconds: float | None = None

    def __init__(self) -> None:
        super().__init__()
        self.played: list[Print] = []

    def play_aside(self, held: Print, again: bool = False) -> None:
        self.played.append(held)
        self.aside_seconds = 0.0

    def stop(self) -> None:
        self.aside_seconds = None


class Quiet(QObject):
    """Stands for what speaks on trial, and for what knows the memories on disk."""

    changed = Signal(str)
    problem = Signal(object, str)

    def speaking(self, key: str) -> bool:
        return False

    def has(self, voice: Voice) -> bool:
        return False

    def stop(self) -> None:
        pass


class Desk(World):
    def __init__(self, folder: Path, qtbot: QtBot) -> None:
        super().__init__(folder, qtbot)
        self.engine, self.player, self.window = Engine(), Player(), QWidget()
        qtbot.addWidget(self.window)
        trying, remembering = Quiet(), Quiet()
        self.editing = VoiceEditing(self.window, self.session, self.voicing, self.player, trying,
                                    self.engine, remembering, RecogniserThread())  # type: ignore[arg-type]  # fmt: skip
        self.editing.problem.connect(lambda error, doing: self.problems.append((error, doing)))
        self.session.engine = opened()

    def open(self, name: str) -> None:
        self.editing.edit(name)
        self.settle()

    def advice(self, about: str) -> str | None:
        assert self.editing.editor is not None
        found = [each.fact for each in self.editing.editor.details.quality.advice if each.about == about]
        return found[0] if found else None


@pytest.fixture
def desk(tmp_path: Path, qtbot: QtBot) -> Iterator[Desk]:
    made = Desk(tmp_path, qtbot)
    made.settle()
    made.encoder.opened.emit(opened())
    made.settle()
    yield made
    if made.editing.editor is not None:
        made.editing.editor.reject()
    made.voicing.close()
    made.files.close()


def test_words_are_found_in_a_clip_of_any_length(desk: Desk) -> None:
    voice = desk.ready("ada", WORDS)
    desk.open("ada")
    editor = desk.editing.editor
    assert editor is not None
    editor.report_wanted.emit(voice.clips[0])
    ((take, samples),) = desk.engine.aligned
    assert take.origin.prompt.text == WORDS
    assert len(samples) == take.frames * HOP, "as long as a print of the codes, and not as the clip"
    assert not samples.flags.writeable
    begins = np.linspace(0, take.frames, len(WORDS) + 1).astype(np.int64)
    desk.engine.answered.emit(1_001, Aligned("", Alignment(begins, np.ones(2, np.float32))))
    words = editor._aligned[voice.clips[0]]
    assert [WORDS[word.start : word.stop] for word in words] == ["Good", "evening"]
    editor.report_wanted.emit(voice.clips[0])
    assert len(desk.engine.aligned) == 1, "it is asked once"


def test_where_the_engine_is_unsure_words_are_played_by_their_letters(desk: Desk) -> None:
    """Words that have no room are told of all the same."""
    voice = desk.ready("ada", WORDS)
    desk.open("ada")
    editor = desk.editing.editor
    assert editor is not None
    editor.report_wanted.emit(voice.clips[0])
    take, _ = desk.engine.aligned[0]
    begins = np.array([0] * 5 + [1] * 7 + [take.frames] * 2)
    desk.engine.answered.emit(1_001, Aligned("", Alignment(begins, np.full(2, 0.5, np.float32))))
    assert voice.clips[0] not in editor._aligned
    desk.settle()
    assert desk.advice("transcript") == "At least 1 word has no sound"


def test_a_failure_is_told(desk: Desk) -> None:
    voice = desk.ready("ada", WORDS)
    desk.open("ada")
    editor = desk.editing.editor
    assert editor is not None
    editor.report_wanted.emit(voice.clips[0])
    desk.engine.answered.emit(1_001, Failed(RuntimeError("out of memory")))
    assert [doing for _, doing in desk.problems] == ["find the words of a clip"]


def test_who_speaks_is_asked_once_whatever_the_words_are(desk: Desk) -> None:
    voice = desk.ready("ada", WORDS)
    desk.open("ada")
    editor = desk.editing.editor
    assert editor is not None
    clip = voice.clips[0]
    for words in (WORDS, "Good morning."):
        editor.report_wanted.emit(replace(clip, transcript=words))
    assert len(desk.engine.listened) == 1
    desk.settle()
    assert desk.advice("speakers") is None
    one = np.eye(1, 256, dtype=np.float32).repeat(5, axis=0)
    times = 0.4 * np.arange(5)
    desk.engine.answered.emit(2_001, WhoSpeaks(Speakers(one, times, times + 1.6)))
    desk.settle()
    assert desk.advice("speakers") == "One speaker"


def test_without_the_network_nothing_is_said_of_speakers(desk: Desk) -> None:
    voice = desk.ready("ada", WORDS)
    desk.open("ada")
    editor = desk.editing.editor
    assert editor is not None
    editor.report_wanted.emit(voice.clips[0])
    desk.engine.answered.emit(2_001, WhoSpeaks(None))
    desk.settle()
    assert desk.advice("speakers") is None
    editor.report_wanted.emit(voice.clips[0])
    assert len(desk.engine.listened) == 1


def test_a_spoken_consent_is_heard_and_stopped(desk: Desk) -> None:
    desk.ready("ada", WORDS)
    desk.open("ada")
    editor = desk.editing.editor
    assert editor is not None
    desk.editing.add_consent(np.full(RATE, 0.1, np.float32), RATE, "I allow it.")
    desk.settle()
    desk.settle()
    consent = editor.voice.spoken_consent
    assert consent is not None
    assert (consent.name, consent.transcript, consent.seconds) == ("Spoken consent.wav", "I allow it.", 1.0)
    editor.details.spoken.play_wanted.emit()
    desk.settle()
    assert [held.seconds for held in desk.player.played] == [1.0]
    desk.editing._look_at_player()
    assert editor.details.spoken.play.accessibleName() == "Stop"
    assert editor.wave.playhead is None, "it is not the clip that plays"
    editor.details.spoken.play_wanted.emit()
    desk.editing._look_at_player()
    assert editor.details.spoken.play.accessibleName() != "Stop"


def test_what_a_full_disk_refuses_stays_in_the_editor(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.ready("ada", WORDS)
    desk.open("ada")
    editor = desk.editing.editor
    assert editor is not None

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(store, "record_voice", full)
        editor.words.field.setPlainText("Good evening to you all.")
        editor.save.click()
        desk.settle()
        assert [doing for _, doing in desk.problems] == ["save the voice ada"]
        assert desk.editing.editor is editor
        assert "could not be saved" in editor.state.text()
    editor.save.click()
    desk.settle()
    assert desk.editing.editor is None
    saved = desk.voicing.named("ada")
    assert saved is not None
    assert saved.clips[0].transcript == "Good evening to you all."
