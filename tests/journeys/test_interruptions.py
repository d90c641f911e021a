"""Whatever the user does while a line is being made: nothing is lost, and nothing comes where it does not belong."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from studio.document.state import Kind
from tests.journeys.hands import ALT, CONTROL, SHIFT, Hands, Travel

Key = Qt.Key


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "Tea.txt"
    path.write_text("Mira: Would you like some tea?\n\nTom: Where are you going?\n", encoding="utf-8")
    return path


def begin_line(hands: Hands, number: int) -> None:
    """Ctrl+Enter, and the first frames are there."""
    hands.until_loaded()
    hands.go_to(number)
    hands.press(Key.Key_Return, CONTROL)
    hands.until(lambda: (job := hands.performing.job) and job.frames)


def test_two_quick_presses_make_two_takes(travel: Travel, script: Path) -> None:
    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.go_to(1)
        hands.press(Key.Key_Return, CONTROL)
        hands.press(Key.Key_Return, CONTROL)
        hands.until_idle()
        assert len(set(hands.line(1).takes)) == 2
        assert hands.line(1).kept == hands.line(1).takes[-1]
        hands.press(Key.Key_Z, CONTROL)
        hands.press(Key.Key_Z, CONTROL)
        assert hands.line(1).takes == ()

    travel(journey, script)


def test_typing_goes_on_while_the_line_is_made(travel: Travel, script: Path) -> None:
    def journey(hands: Hands) -> None:
        begin_line(hands, 1)
        hands.type(" Or not?")
        assert hands.performing.job is not None
        assert hands.state(1).kind is Kind.GENERATING
        hands.until_idle()
        assert hands.line(1).text == "Would you like some tea? Or not?"
        assert hands.take(1).origin.prompt.text == "Would you like some tea?"
        state = hands.state(1)
        assert (state.kind, state.changed_words) == (Kind.STALE, 2)
        hands.press(Key.Key_Z, CONTROL)
        hands.press(Key.Key_Z, CONTROL)
        assert hands.line(1).text == "Would you like some tea?"

    travel(journey, script)


def test_a_line_that_is_deleted_is_made_no_further(travel: Travel, script: Path) -> None:
    def journey(hands: Hands) -> None:
        begin_line(hands, 2)
        second = hands.line(2)
        hands.press(Key.Key_Home, SHIFT)
        hands.press(Key.Key_Backspace)
        hands.press(Key.Key_Backspace)
        assert len(hands.lines) == 1
        hands.until_idle()
        assert len(hands.session.store) == 0
        while len(hands.lines) < 2 or hands.line(2).text != second.text:
            hands.press(Key.Key_Z, CONTROL)
        assert hands.line(2) == second
        assert hands.state(2).kind is Kind.NO_TAKE

    travel(journey, script)


def test_undo_while_a_line_is_made_leaves_its_take(travel: Travel, script: Path) -> None:
    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.replace_word(1, "tea", "milk")
        begin_line(hands, 1)
        hands.press(Key.Key_Z, CONTROL)
        assert hands.line(1).text == "Would you like some tea?"
        hands.until_idle()
        assert hands.take(1).origin.prompt.text == "Would you like some milk?"
        assert hands.state(1).changed_words == 1

    travel(journey, script)


def test_esc_stops_what_runs_and_then_what_waits(travel: Travel, script: Path) -> None:
    def journey(hands: Hands) -> None:
        with hands.held_frames() as go_on:
            begin_line(hands, 1)
            hands.go_to(2)
            hands.press(Key.Key_Return, CONTROL)
            assert [hands.state(number).kind for number in (1, 2)] == [Kind.GENERATING, Kind.QUEUED]
            hands.press(Key.Key_Escape)
            go_on()
            hands.until(lambda: hands.state(1).kind is Kind.NO_TAKE)
            assert hands.state(2).kind is Kind.GENERATING
            hands.press(Key.Key_Escape)
        hands.until_idle()
        assert [hands.state(number).kind for number in (1, 2)] == [Kind.NO_TAKE, Kind.NO_TAKE]
        assert len(hands.session.store) == 0

    travel(journey, script)


def test_a_new_project_while_a_line_is_made(travel: Travel, script: Path) -> None:
    def journey(hands: Hands) -> None:
        begin_line(hands, 1)
        hands.until(lambda: hands.playback.playing)
        hands.press(Key.Key_N, CONTROL)
        assert [line.text for line in hands.lines] == [""]
        assert not hands.playback.playing
        hands.until_idle()
        assert len(hands.session.store) == 0
        assert not hands.session.unsaved

    travel(journey, script)


def test_cancelling_a_regenerate_leaves_the_take(travel: Travel, script: Path) -> None:
    def journey(hands: Hands) -> None:
        begin_line(hands, 1)
        hands.until_idle()
        project = hands.session.project
        hands.drag_frames(1, 3, 8)
        with hands.held_frames():
            hands.press(Key.Key_Return, ALT)
            hands.until(lambda: (view := hands.performing.candidates.view) and view.share)
            hands.press(Key.Key_Escape)
        hands.until_idle()
        assert hands.session.project is project
        assert hands.performing.candidates.view is None
        assert not hands.shown.timeline._shown.busy

    travel(journey, script)
