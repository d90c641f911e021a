"""Whose prompt memory is on disk, asked of an engine that says what it is told to say."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from engine.request import (
    Finished,
    FrameData,
    How,
    Origin,
    Part,
    Prompt,
    Reference,
    Report,
    Settings,
    Take,
    Voice,
)
from studio.engine_thread import Remembered
from studio.remembering import Remembering

ADA = Voice("Ada", (Reference("Good evening.", np.zeros((4, 9), np.int16)),))
BEN = Voice("Ben", (Reference("Good morning.", np.ones((4, 9), np.int16)),))


class Engine(QObject):
    opened = Signal(object)
    answered = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Voice, ...]] = []

    def look_for_memory(self, voices: tuple[Voice, ...]) -> int:
        self.asked.append(voices)
        return len(self.asked)


def spoken_by(voice: Voice) -> Finished:
    """A line that this voice has just spoken."""
    prompt = Prompt((Part(0, "Good evening."),), (voice,))
    origin = Origin(prompt, "checkpoint", 1, Settings(), How.GENERATED, 44100, 2048)
    frame_data = FrameData(*(np.zeros(2, np.float32) for _ in fields(FrameData)))
    return Finished((Take(np.zeros((4, 2), np.int16), origin, frame_data),), (), Report(0.0, None, 0, 0, 0))


def test_all_are_asked_about_at_once(qtbot: QtBot) -> None:
    engine = Engine()
    remembering = Remembering(engine)  # type: ignore[arg-type]
    for voice in (ADA, BEN, ADA):
        assert not remembering.has(voice)
    qtbot.waitUntil(lambda: engine.asked == [(ADA, BEN)])
    with qtbot.waitSignal(remembering.changed):
        engine.answered.emit(1, Remembered((False, True)))
    assert not remembering.has(ADA)
    assert remembering.has(BEN)


def test_only_the_voices_of_a_spoken_line_are_asked_about_again(qtbot: QtBot) -> None:
    engine = Engine()
    remembering = Remembering(engine)  # type: ignore[arg-type]
    for voice in (ADA, BEN):
        remembering.has(voice)
    qtbot.waitUntil(lambda: len(engine.asked) == 1)
    engine.answered.emit(1, Remembered((False, False)))
    with qtbot.waitSignal(remembering.changed):
        engine.answered.emit(7, spoken_by(ADA))
    for voice in (ADA, BEN):
        assert not remembering.has(voice)
    qtbot.waitUntil(lambda: engine.asked[1:] == [(ADA,)])
    with qtbot.waitSignal(remembering.changed):
        engine.answered.emit(2, Remembered((True,)))
    assert remembering.has(ADA)


def test_another_checkpoint_is_asked_anew(qtbot: QtBot) -> None:
    engine = Engine()
    remembering = Remembering(engine)  # type: ignore[arg-type]
    remembering.has(ADA)
    qtbot.waitUntil(lambda: len(engine.asked) == 1)
    engine.answered.emit(1, Remembered((True,)))
    assert remembering.has(ADA)
    engine.opened.emit(None)
    assert not remembering.has(ADA)
