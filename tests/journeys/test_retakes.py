"""Takes in the hands of their user: a word changed, joins moved, a branch, the worst span, marks, the bin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QMessageBox

from engine.request import How
from studio.document.project import Mark
from studio.document.state import Kind
from tests.journeys.hands import ALT, CONTROL, SHIFT, Hands, Travel

Key = Qt.Key


def test_retakes(travel: Travel, tmp_path: Path) -> None:
    def journey(hands: Hands) -> None:
        speak_a_line(hands)
        change_words_in_two_places(hands)
        speak_a_word_anew(hands)
        move_a_join(hands)
        branch(hands)
        speak_the_worst_anew(hands)
        draw_the_timbre_anew(hands)
        put_a_comp_together(hands)
        cut_words_and_put_a_pause_in(hands)
        mark_and_bin(hands)
        arrange(hands)

    travel(journey)


def words_are_found(hands: Hands) -> None:
    hands.until_idle()
    hands.until(lambda: hands.session.alignment_of(hands.line(1).kept) is not None)
    hands.until_shown()


def speak_a_line(hands: Hands) -> None:
    hands.until_loaded()
    hands.press(Key.Key_N, CONTROL)
    hands.type("MIRA: The teacher found the keys near the river.")
    hands.press(Key.Key_Return, CONTROL)
    words_are_found(hands)
    assert hands.state(1).kind is Kind.READY
    alignment = hands.session.alignment_of(hands.line(1).kept)
    assert alignment is not None
    assert len(hands.clip(1).words) == 8


def change_words_in_two_places(hands: Hands) -> None:
    """The changes are done one after the other, and the kept words keep their frames."""
    old = hands.take(1)
    hands.replace_word(1, "keys", "phone")
    hands.replace_word(1, "teacher", "doctor")
    assert hands.state(1).changed_words == 2
    hands.press(Key.Key_Return, ALT)
    words_are_found(hands)
    assert hands.state(1).kind is Kind.READY
    new = hands.take(1)
    assert new.origin.prompt.text == "The doctor found the phone near the river."
    assert new.origin.how is How.SPLICED
    assert np.array_equal(new.codes[:, -6:], old.codes[:, -6:])
    told, span = dict(hands.shown.details._shown), new.origin.span
    assert told["Made"] == f"span of an earlier take · {span[0]}–{span[1]}"
    assert told["Voice"] == hands.session.project.cast[0].voice
    assert (told["Seed"], "Text" in told) == (str(new.origin.seed), False)
    assert hands.line(1).text[slice(*hands.session.selection.text)] == "phone"
    assert [round(seconds * 44_100 / 2048) for seconds, _ in hands.clip(1).joins][2:] == list(span)


def speak_a_word_anew(hands: Hands) -> None:
    """A word that is chosen on the wave is chosen in the script, and only its frames are new."""
    before = hands.take(1)
    hands.double_click_word(1, "found")
    selection = hands.session.selection
    assert selection is not None
    assert hands.line(1).text[slice(*selection.text)] == "found"
    start, stop = selection.span
    hands.press(Key.Key_Return, ALT)
    words_are_found(hands)
    after = hands.take(1)
    assert after.origin.parent == before.id
    assert after.origin.prompt.text == before.origin.prompt.text
    assert np.array_equal(after.codes[:, :start], before.codes[:, :start])
    assert np.array_equal(after.codes[:, -(before.frames - stop - 2) :], before.codes[:, stop + 2 :])


def move_a_join(hands: Hands) -> None:
    hands.drag_frames(1, 8, 16)
    hands.press(Key.Key_Return, ALT)
    words_are_found(hands)
    before, steps = hands.take(1), hands.session.history.at
    assert before.origin.span is not None
    stop = before.origin.span[1]
    hands.press(Key.Key_Comma)
    hands.until(lambda: hands.take(1).origin.span == (8, stop - 1))
    moved = hands.take(1)
    assert moved.frames == before.frames
    assert hands.session.history.at == steps
    assert hands.session.selection is not None
    assert hands.session.selection.span == (8, stop - 1)
    hands.press(Key.Key_Period)
    hands.until(lambda: hands.take(1).id == before.id)
    hands.press(Key.Key_C)
    assert hands.playback.playing
    hands.press(Key.Key_Space)


def branch(hands: Hands) -> None:
    before = hands.take(1)
    start = before.frames // 2
    hands.session.choose_span(hands.line(1).id, (start, start + 4))
    hands.press(Key.Key_B, ALT)
    words_are_found(hands)
    after = hands.take(1)
    assert after.origin.span is not None
    assert after.origin.span[0] == start
    assert after.origin.span[1] == after.frames
    assert np.array_equal(after.codes[:, :start], before.codes[:, :start])
    hands.press(Key.Key_Z, CONTROL)
    assert hands.take(1).id == before.id


def speak_the_worst_anew(hands: Hands) -> None:
    before = hands.take(1)
    hands.press(Key.Key_Return, ALT | SHIFT)
    words_are_found(hands)
    assert hands.take(1).origin.parent == before.id


def draw_the_timbre_anew(hands: Hands) -> None:
    before = hands.take(1)
    hands.press(Key.Key_Escape)
    hands.press(Key.Key_Y, ALT)
    words_are_found(hands)
    after = hands.take(1)
    assert after.id != before.id
    assert np.array_equal(after.codes[0], before.codes[0])


def put_a_comp_together(hands: Hands) -> None:
    line, before = hands.line(1), hands.take(1)
    first = hands.session.store.get(line.takes[0])
    hands.window.retaking.swipe(line.takes[0], 0.2, 0.6)
    hands.until(lambda: hands.take(1).origin.how is How.COMPED)
    words_are_found(hands)
    comp = hands.take(1)
    start, stop = comp.origin.span
    assert np.array_equal(comp.codes[:, :start], before.codes[:, :start])
    new = comp.codes[:, start:stop]
    assert any(np.array_equal(new, first.codes[:, at : at + stop - start]) for at in range(first.frames))
    hands.press(Key.Key_Z, CONTROL)
    assert hands.take(1).id == before.id


def cut_words_and_put_a_pause_in(hands: Hands) -> None:
    before, text = hands.take(1), hands.line(1).text
    start = text.index("phone")
    hands.session.choose_text(hands.line(1).id, start, start + len("phone"))
    hands.window.do("cut_words")
    words_are_found(hands)
    assert hands.line(1).text == "The doctor found the near the river."
    assert hands.state(1).kind is Kind.READY
    shorter = hands.take(1)
    assert shorter.origin.span is not None
    hands.session.choose_span(hands.line(1).id, (5, 9))
    hands.window.do("insert_pause")
    hands.until(lambda: hands.take(1).id != shorter.id)
    words_are_found(hands)
    paused = hands.take(1)
    assert paused.frames == shorter.frames + 5
    assert np.array_equal(paused.codes[:, :5], shorter.codes[:, :5])
    assert np.array_equal(paused.codes[:, 10:], shorter.codes[:, 5:])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QInputDialog, "getInt", lambda *_: (3, True))
        hands.window.do("insert_pause_of")
    hands.until(lambda: hands.take(1).frames == paused.frames + 3)
    while hands.line(1).text != text or hands.take(1).id != before.id:
        hands.press(Key.Key_Z, CONTROL)


def mark_and_bin(hands: Hands) -> None:
    line = hands.line(1)
    assert len(line.takes) > 2
    hands.shown.takes.star_wanted.emit(line.takes[0], True)
    hands.press(Key.Key_T, ALT | SHIFT)
    marks = hands.session.project.marks
    assert marks[line.takes[0]] == Mark(star=True)
    assert all(marks[each].binned for each in line.takes[1:] if each != line.kept)
    hands.answer = QMessageBox.StandardButton.Cancel
    hands.window.do("empty_bin")
    assert hands.line(1).takes == line.takes
    hands.answer = QMessageBox.StandardButton.Discard
    hands.window.do("empty_bin")
    assert hands.line(1).takes == (line.takes[0], line.kept)
    assert {take.id for take in hands.session.store} == {
        each for line in hands.session.project.lines() for each in line.takes
    }
    assert hands.session.project.marks == {line.takes[0]: Mark(star=True)}
    assert not hands.session.history.can_undo
    assert hands.session.unsaved
    hands.until(lambda: hands.session.print_of(line.kept))


def arrange(hands: Hands) -> None:
    """Levels, markers, pauses, who is heard; one step of undo for each gesture."""
    timeline, session, line_id = hands.shown.timeline, hands.session, hands.line(1).id
    steps = len(session.history.steps)
    for milliseconds in (400, 500, 620):
        timeline.pause_wanted.emit(line_id, milliseconds, milliseconds == 620)
    assert hands.line(1).pause == 620
    assert len(session.history.steps) == steps + 1
    timeline.pause_wanted.emit(line_id, 900, False)
    timeline.pause_given_up.emit()
    timeline.pause_given_up.emit()
    assert hands.line(1).pause == 620
    timeline.gain_wanted.emit("MIRA", -3.0, True)
    hands.window.do("louder")
    assert session.placed()[0].gain == -2.5
    hands.playback.seek(0.4)
    hands.window.do("marker")
    assert [each.seconds for each in hands.line(1).markers] == [0.4]
    hands.playback.seek(0.0)
    hands.window.do("next_marker")
    assert hands.playback.seconds == 0.4
    hands.window.do("marker")
    assert hands.line(1).markers == ()
    frame = round(0.4 * 44_100 / 2048)
    hands.playback.seek((frame + 0.5) * 2048 / 44_100)
    timeline.setFocus()
    hands.press(Key.Key_Escape)
    hands.press(Key.Key_BracketLeft)
    assert session.selection.span == (frame, hands.take(1).frames)
    hands.playback.seek((frame + 3.5) * 2048 / 44_100)
    hands.press(Key.Key_BracketRight)
    assert session.selection.span == (frame, frame + 4)
    hands.drag_frames(1, 2, 4)
    hands.press(Key.Key_1)
    assert hands.playback.playing
    hands.press(Key.Key_Space)
    hands.until(lambda: not hands.playback.playing)
    timeline.mute_toggled.emit("MIRA")
    assert hands.playback.mute == {"MIRA"}
    assert timeline._shown.lanes[0].mute
    timeline.solo_toggled.emit("MIRA")
    assert hands.playback.solo == {"MIRA"}
