"""Journeys go through the real `main`, with the embedded voice and a silent player."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from studio.__main__ import main
from studio.window import Window
from tests.journeys.hands import Hands, Travel, UnexpectedProblem

Journey = Callable[[Hands], None]


@pytest.fixture
def travel(qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Travel:
    """`travel(journey, *arguments)`: main(arguments) opens the window, `journey` acts in its event loop, and then the
    window is closed. Seeds are counted, so that a journey hears the same takes each time."""
    monkeypatch.setenv("RETAKE_SILENT", "1")
    numbers = itertools.count()
    monkeypatch.setattr(random, "SystemRandom", lambda: random.Random(next(numbers)))
    errors: list[BaseException] = []

    def go(journey: Journey) -> None:
        window = next(each for each in qapp.topLevelWidgets() if isinstance(each, Window) and each.isVisible())
        hands = Hands(window, qtbot, monkeypatch)
        try:
            window.activateWindow()
            qtbot.waitUntil(window.isActiveWindow)
            journey(hands)
            if window.problems.problem is not None:
                raise UnexpectedProblem(window.problems.problem)
        except BaseException as error:  # it goes on where main was called
            errors.append(error)
        finally:
            hands.answer = QMessageBox.StandardButton.Discard
            if not window.close():
                qapp.exit()

    def travel(journey: Journey, *arguments: str | Path) -> None:
        errors.clear()
        first = QTimer(interval=0, singleShot=True)
        first.timeout.connect(lambda: go(journey))
        first.start()
        assert main([str(argument) for argument in arguments]) == 0
        if errors:
            raise errors[0]

    return travel
