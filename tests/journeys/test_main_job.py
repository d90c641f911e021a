"""The main job, end to end: a script is typed, heard, made anew in places, undone, saved, opened and exported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile
from PySide6.QtCore import Qt

from engine.request import How
from studio.document.state import Kind
from studio.document.timing import Mix
from tests.journeys.hands import ALT, CONTROL, SHIFT, Hands, Travel

Key = Qt.Key


def test_from_a_typed_script_to_a_wav(travel: Travel, tmp_path: Path) -> None:
    def journey(hands: Hands) -> None:
        see_the_example(hands)
        write_a_script(hands)
        hear_the_first_line_while_it_is_made(hands)
        make_the_rest(hands)
        make_a_span_anew(hands)
        choose_among_the_candidates(hands)
        change_a_word(hands)
        undo_and_redo(hands)
        cancel(hands)
        save_and_open(hands, tmp_path / "door.retake")
        export(hands, tmp_path / "door.wav")

    travel(journey)


def see_the_example(hands: Hands) -> None:
    hands.until_loaded()
    assert [each.name for each in hands.session.project.cast] == ["Mira", "Tom"]
    assert all(each.voice for each in hands.session.project.cast)
    assert len(hands.lines) == 8
    assert len(hands.shown.clips) == 8


def write_a_script(hands: Hands) -> None:
    hands.press(Key.Key_N, CONTROL)
    assert [line.text for line in hands.lines] == [""]
    hands.type("MIRA: Who was at the door?\nTOM: [pause] Is anybody home this evening?")
    assert [(line.character, line.text) for line in hands.lines] == [
        ("MIRA", "Who was at the door?"),
        ("TOM", "[pause] Is anybody home this evening?"),
    ]
    cast = hands.session.project.cast
    assert [each.name for each in cast] == ["MIRA", "TOM"]
    assert cast[0].voice
    assert cast[1].voice
    assert cast[0].voice != cast[1].voice
    assert hands.state(2).kind is Kind.NO_TAKE


def hear_the_first_line_while_it_is_made(hands: Hands) -> None:
    hands.go_to(1)
    line_id = hands.line(1).id
    lengths: list[float] = []

    def grew(_: str) -> None:
        job = hands.performing.performing(line_id)
        assert job is not None
        assert job.wave is not None
        assert hands.state(1).kind is Kind.GENERATING
        assert hands.playback.playing
        lengths.append(hands.shown.timeline._shown.wave_of(hands.clip(1))[1])

    hands.performing.grew.connect(grew)
    hands.press(Key.Key_Return, CONTROL)
    hands.until_idle()
    hands.performing.grew.disconnect(grew)
    assert lengths  # one chunk or many: a machine that is busy waits until playing cannot run out
    assert lengths == sorted(set(lengths))
    assert hands.state(1).kind is Kind.READY
    printed = hands.session.print_of(hands.line(1).kept)
    assert printed is not None
    hands.until(lambda: hands.clip(1).wave is not None and np.array_equal(hands.clip(1).wave.samples, printed.samples))


def make_the_rest(hands: Hands) -> None:
    first = hands.line(1)
    hands.press(Key.Key_Return, CONTROL | SHIFT)
    assert hands.performing.job is not None
    hands.until_idle()
    assert hands.line(1) == first
    assert hands.state(2).kind is Kind.READY
    assert hands.take(2).origin.prompt.text == hands.line(2).text


def make_a_span_anew(hands: Hands) -> None:
    before, old = hands.session.project, hands.take(2)
    hands.drag_frames(2, 6, 11)
    assert hands.session.selection is not None
    assert hands.session.selection.span == (6, 11)
    hands.press(Key.Key_Return, ALT)
    hands.until_idle()
    new, view = hands.take(2), hands.performing.candidates.view
    assert view is not None
    assert len(view.takes) == len(hands.shown.candidates.chips) == 6
    assert new is view.takes[0]
    assert (new.origin.how, new.origin.parent) == (How.SPLICED, old.id)
    assert new.origin.span is not None
    start, stop = new.origin.span
    assert start == 6
    assert np.array_equal(new.codes[:, :start], old.codes[:, :start])
    assert np.array_equal(new.codes[:, stop:], old.codes[:, 11:])
    assert not np.array_equal(new.codes, old.codes)
    sounds, sounded = hands.session.print_of(new.id), hands.session.print_of(old.id)
    assert sounds is not None
    assert sounded is not None
    same = start * new.origin.hop
    assert np.array_equal(sounds.samples[:same], sounded.samples[:same])
    assert not np.array_equal(sounds.samples[same : same + 4096], sounded.samples[same : same + 4096])
    hands.press(Key.Key_Z, CONTROL)
    assert hands.session.project == before
    hands.press(Key.Key_Z, CONTROL | SHIFT)
    assert hands.take(2) is new


def choose_among_the_candidates(hands: Hands) -> None:
    hands.drag_frames(2, 6, 11)
    hands.press(Key.Key_Return, ALT)
    hands.until_idle()
    view, steps = hands.performing.candidates.view, len(hands.session.history.steps)
    assert view is not None
    hands.press(Key.Key_T)
    assert hands.take(2) is view.takes[1]
    hands.press(Key.Key_T, SHIFT)
    hands.press(Key.Key_T, SHIFT)
    assert hands.take(2) is view.takes[-1]
    hands.press(Key.Key_T)
    assert hands.take(2) is view.takes[0]
    assert len(hands.session.history.steps) == steps
    hands.until_idle()
    hands.press(Key.Key_C)
    assert hands.playback.playing
    hands.until(lambda: hands.playback.seconds > hands.clip(2).start + 0.1)
    hands.press(Key.Key_Space)
    hands.until(lambda: not hands.playback.playing)
    rests = hands.playback.seconds
    assert hands.clip(2).start < rests < hands.clip(2).stop


def change_a_word(hands: Hands) -> None:
    old = hands.take(2)
    hands.replace_word(2, "home", "here")
    state = hands.state(2)
    assert (state.kind, state.changed_words) == (Kind.STALE, 1)
    assert [hands.line(2).text[slice(*each)] for each in state.changed] == ["here"]
    hands.press(Key.Key_Return, ALT)
    hands.until_idle()
    new = hands.take(2)
    assert new.origin.prompt.text == hands.line(2).text
    assert hands.state(2).kind is Kind.READY
    assert new.origin.span is not None
    start, stop = new.origin.span
    assert 0 < start < stop < new.frames
    assert np.array_equal(new.codes[:, :start], old.codes[:, :start])
    kept = new.frames - stop
    assert np.array_equal(new.codes[:, -kept:], old.codes[:, -kept:])


def undo_and_redo(hands: Hands) -> None:
    """All the way back to the empty script, and forth again."""
    history = hands.session.history
    for step in reversed(history.steps[: history.at]):
        hands.press(Key.Key_Z, CONTROL)
        assert hands.session.project is step.project
    for step in history.steps[1 : history.at + 1]:
        hands.press(Key.Key_Y, CONTROL)
        assert hands.session.project is step.project
    hands.until_idle()
    assert hands.state(2).kind is Kind.READY


def cancel(hands: Hands) -> None:
    project = hands.session.project
    hands.go_to(1)
    with hands.held_frames():
        hands.press(Key.Key_Return, CONTROL)
        job = hands.performing.job
        assert job is not None
        hands.until(lambda: job.frames)
        frames = job.frames
        hands.press(Key.Key_Escape)
    hands.until(lambda: hands.performing.job is None)
    assert job.frames <= frames + 1, "it is stopped before another frame"
    assert hands.session.project is project
    hands.until_idle()
    hands.until(lambda: not hands.playback.playing)


def save_and_open(hands: Hands, path: Path) -> None:
    history, takes = hands.session.history, hands.session.store.takes()
    assert hands.session.unsaved
    hands.choose_file(path)
    hands.press(Key.Key_S, CONTROL)
    hands.until(lambda: not hands.session.unsaved)
    assert hands.session.path == path
    hands.press(Key.Key_N, CONTROL)
    assert hands.asked == []
    assert len(hands.session.store) == 0
    hands.press(Key.Key_O, CONTROL)
    hands.until(lambda: hands.session.path == path)
    opened = hands.session.history
    assert [(step.label, step.project.scenes, step.project.marks) for step in opened.steps] == [
        (step.label, step.project.scenes, step.project.marks) for step in history.steps
    ]
    assert opened.at == history.at
    assert [take.id for take in hands.session.store.takes()] == [take.id for take in takes]
    assert not hands.session.unsaved
    hands.until_idle()
    assert [hands.state(number).kind for number in (1, 2)] == [Kind.READY, Kind.READY]


def export(hands: Hands, path: Path) -> None:
    hands.press(Key.Key_E, CONTROL | SHIFT)
    dialog = hands.window.paperwork._exports
    assert dialog is not None
    dialog.path.setText(str(path))
    dialog.export.click()
    hands.until(lambda: "Wrote" in dialog.said.text())
    dialog.cancel.click()
    placed = hands.session.placed()
    prints = {line.id: held for line in hands.lines if (held := hands.session.print_of(line.kept))}
    rate = hands.take(1).origin.rate
    mix = Mix(placed, prints, rate)
    written, at = soundfile.read(path, dtype="float32")
    assert at == rate
    assert len(written) == mix.length
    assert np.abs(written).max() > 0.01
    assert np.abs(written - mix.read(0, mix.length)).max() <= 1 / 32768
