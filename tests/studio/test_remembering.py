"""Whose prompt memory is on disk, asked of an engine that says what it is told to say."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from engine.request import Finished, Reference, Report, Voice
from studio.engine_thread import Remembered
from studio.remembering import Remembering

ADA = Voice("Ada", (Reference("Good evening.", np.zeros((4, 9), np.int16)),))


class Engine(QObject):
    opened = Signal(object)
    answered = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Voice, ...]] = []

    def look_for_memory(self, voices: tuple[Voice, ...]) -> int:
        self.asked.append(voices)
        return len(self.asked)


def test_it_is_asked_once_and_again_after_a_line(qtbot: QtBot) -> None:
    engine = Engine()
    remembering = Remembering(engine)  # type: ignore[arg-type]
    assert not remembering.has(ADA)
    assert not remembering.has(ADA)
    engine.answered.emit(1, Remembered((False,)))
    assert not remembering.has(ADA)
    assert len(engine.asked) == 1
    with qtbot.waitSignal(remembering.changed):
        engine.answered.emit(7, Finished((), (), Report(0.0, None, 0, 0, 0)))
    assert not remembering.has(ADA)
    with qtbot.waitSignal(remembering.changed):
        engine.answered.emit(2, Remembered((True,)))
    assert remembering.has(ADA)
    assert len(engine.asked) == 2


def test_another_checkpoint_is_asked_anew(qtbot: QtBot) -> None:
    engine = Engine()
    remembering = Remembering(engine)  # type: ignore[arg-type]
    remembering.has(ADA)
    engine.answered.emit(1, Remembered((True,)))
    assert remembering.has(ADA)
    engine.opened.emit(None)
    assert not remembering.has(ADA)
