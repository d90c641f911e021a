"""Lines that cannot be spoken as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from studio.document.state import Kind
from tests.journeys.hands import ALT, CONTROL, SHIFT, Hands, Travel

Key = Qt.Key


@pytest.mark.parametrize("text", ["", "[sighs]", "... ?!"])
def test_a_line_without_words_is_refused(travel: Travel, text: str) -> None:
    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.press(Key.Key_N, CONTROL)
        hands.type(f"MIRA: {text}")
        hands.press(Key.Key_Return, CONTROL)
        assert "nothing to speak in this line" in hands.until_problem().title
        assert hands.performing.job is None
        hands.press(Key.Key_Return, CONTROL | SHIFT)
        assert hands.performing.job is None

    travel(journey)


def test_a_line_of_nobody_is_refused(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.press(Key.Key_N, CONTROL)
        hands.type("Did you hear that?")
        hands.press(Key.Key_Return, CONTROL)
        assert "Nobody has no voice" in hands.until_problem().title

    travel(journey)


def test_a_long_line_becomes_several(travel: Travel, tmp_path: Path) -> None:
    sentences = ["Did you hear that?", "Who was at the door?", "Please, the doctor answered the phone."] * 12
    script = tmp_path / "Long.txt"
    script.write_text("Mira: " + " ".join(sentences), encoding="utf-8")

    def journey(hands: Hands) -> None:
        hands.until_loaded()
        assert len(hands.lines) == 1
        hands.go_to(1)
        hands.press(Key.Key_Return, CONTROL)
        assert len(hands.lines) > 1
        assert " ".join(line.text.strip() for line in hands.lines) == " ".join(sentences)
        assert {line.character for line in hands.lines} == {"Mira"}
        kinds = [hands.state(number).kind for number in range(1, len(hands.lines) + 1)]
        assert kinds == [Kind.GENERATING] + [Kind.QUEUED] * (len(hands.lines) - 1)
        while hands.performing.job is not None:
            waiting = hands.performing.waiting
            hands.press(Key.Key_Escape)
            hands.until(lambda before=waiting: hands.performing.job is None or hands.performing.waiting < before)
        hands.press(Key.Key_Z, CONTROL)
        assert len(hands.lines) == 1

    travel(journey, script)


def test_nothing_to_regenerate_is_said(travel: Travel, tmp_path: Path) -> None:
    script = tmp_path / "Short.txt"
    script.write_text("Mira: Is anybody home?", encoding="utf-8")

    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.go_to(1)
        hands.press(Key.Key_Return, ALT)
        hands.until_idle()
        assert hands.state(1).kind is Kind.READY
        hands.press(Key.Key_Return, ALT)
        hands.until(lambda: "speaks every word" in hands.window.display.jobs.words.accessibleName())

    travel(journey, script)
