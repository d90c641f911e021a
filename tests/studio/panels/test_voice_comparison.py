from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.panels.voice_comparison import MOST, NONE, VoiceComparison

NAMES = [f"Voice {number}" for number in range(9)]


@pytest.fixture
def comparison(qtbot: QtBot) -> VoiceComparison:
    made = VoiceComparison(NAMES, "Voice 4", "The boat is late.")
    qtbot.addWidget(made)
    made.show()
    return made


def test_six_at_most_the_chosen_one_first(comparison: VoiceComparison) -> None:
    shown = [choice.currentText() for choice in comparison.voices]
    assert shown == ["Voice 4", "Voice 0", "Voice 1", "Voice 2", "Voice 3", "Voice 5"]
    assert len(shown) == MOST


def test_all_of_them_speak(comparison: VoiceComparison) -> None:
    asked: list[tuple[int, str, str]] = []
    comparison.speak_wanted.connect(lambda *wish: asked.append(wish))
    comparison.voices[2].setCurrentText(NONE)
    comparison.speak.click()
    assert [(row, name) for row, name, _ in asked] == [
        (0, "Voice 4"), (1, "Voice 0"), (3, "Voice 2"), (4, "Voice 3"), (5, "Voice 5"),
    ]  # fmt: skip
    comparison.sentence.setText(" ")
    asked.clear()
    comparison.speak.click()
    assert asked == []


def test_what_was_spoken_is_heard_and_used(comparison: VoiceComparison, qtbot: QtBot) -> None:
    assert not comparison.plays[1].isEnabled()
    comparison.show_row(1, None, busy=True)
    comparison.grab()
    comparison.show_row(1, np.array([[-0.5, 0.5], [-1.0, 1.0]], np.float32))
    comparison.grab()
    with qtbot.waitSignal(comparison.play_wanted) as wish:
        comparison.plays[1].click()
    assert wish.args == [1]
    with qtbot.waitSignal(comparison.give_wanted) as wish:
        comparison.gives[1].click()
    assert wish.args == ["Voice 0"]
    comparison.voices[1].activated.emit(3)  # another voice: its sentence is not spoken yet
    assert not comparison.plays[1].isEnabled()
