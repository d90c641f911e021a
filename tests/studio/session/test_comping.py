from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RequestError
from engine.request import Alignment, FrameData, How, Origin, Part, Prompt, Settings, Take, frozen
from studio.document.edits import Edit, KeepTake, SetLocked
from studio.document.store import Store
from studio.engine_thread import Encoded, Judged
from studio.session.comping import Comping, comped, heal_span, joins, meeting, paused, right_join
from tests.studio.session.stage import Studio, project

TEXT = "one two three"


def take(frames: int, first: int = 0, text: str = TEXT) -> Take:
    origin = Origin(Prompt((Part(0, text),)), "c", 1, Settings(), How.GENERATED, 8000, 64)
    data = -np.abs(np.random.default_rng(frames).normal(size=(2, 2, frames)).astype(np.float32))
    return Take(np.tile(np.arange(first, first + frames), (3, 1)).astype(np.int16), origin, FrameData(*data))


def evenly(frames: int) -> Alignment:
    return Alignment(frozen(np.linspace(0, frames, len(TEXT) + 1).round().astype(np.int64)), np.ones(3, np.float32))


def test_words_come_in_where_the_same_words_are_said() -> None:
    theirs, ours = meeting(take(26), take(52, 100), (18, 24), evenly(26), evenly(52))
    assert theirs == evenly(52).span(4, 7)
    assert ours == evenly(26).span(4, 7)
    nothing_touched = meeting(take(26), take(52, 100), (0, 1), evenly(26), evenly(52))
    assert nothing_touched == (evenly(52).span(0, 3), evenly(26).span(0, 3))


def test_other_words_or_no_alignment_come_in_frame_by_frame() -> None:
    assert meeting(take(26), take(52), (10, 30), None, evenly(52)) == ((10, 30), (10, 26))
    assert meeting(take(26), take(52, text="another line"), (4, 9), evenly(26), evenly(26)) == ((4, 9), (4, 9))


@given(st.integers(1, 30), st.data())
def test_a_comp_is_of_both_and_nothing_else(frames: int, data: st.DataObject) -> None:
    kept, other = take(frames), take(25, 100)
    ours = sorted(data.draw(st.tuples(st.integers(0, frames), st.integers(0, frames))))
    theirs = sorted(data.draw(st.tuples(st.integers(0, 25), st.integers(0, 25))))
    made = comped(kept, other, (theirs[0], theirs[1]), (ours[0], ours[1]))
    start, stop = made.origin.span
    assert made.codes.dtype == np.int16
    assert np.array_equal(made.codes[:, :start], kept.codes[:, : ours[0]])
    assert np.array_equal(made.codes[:, start:stop], other.codes[:, theirs[0] : theirs[1]])
    assert np.array_equal(made.codes[:, stop:], kept.codes[:, ours[1] :])
    assert (made.origin.how, made.origin.parent) == (How.COMPED, kept.id)
    assert right_join(made, kept) is None or 0 <= right_join(made, kept) <= 1


def test_the_worse_join_is_healed() -> None:
    made = comped(take(30), take(30, 100), (10, 20), (10, 20))
    store = Store([take(30)])
    assert heal_span(take(30), store) is None
    likely = np.zeros((2, 30), np.float32)
    likely[:, 20:28] = -5
    worse = Take(made.codes, made.origin, FrameData(likely, likely))
    assert heal_span(worse, store) == (17, 23)


def test_the_joins_of_earlier_splices_stay_where_they_are_left() -> None:
    first = take(30)
    second = comped(first, take(30, 100), (10, 14), (10, 20))  # 24 frames, joins at 10 and 14
    third = comped(second, take(30, 200), (0, 6), (2, 5))  # 27 frames, joins at 2 and 8, then 13 and 17
    fourth = comped(third, take(30, 300), (0, 2), (15, 27))  # to the end: 17 frames, 17 is gone
    store = Store([first, second, third, fourth])
    assert list(joins(first, store)) == []
    assert list(joins(second, store)) == [10, 14]
    assert list(joins(third, store)) == [2, 8, 13, 17]
    assert list(joins(fourth, store)) == [2, 8, 13, 15]
    assert joins(third, store)[8] == right_join(third, second)
    assert joins(third, store)[17] == right_join(second, first)
    assert list(joins(fourth, Store([fourth]))) == [15]


def test_a_take_of_another_codec_does_not_come_in(silent_studio: Studio) -> None:
    session = silent_studio.session
    session.start(project("One two."))
    one, two = take(8), take(9)
    two = replace(two, origin=replace(two.origin, codec="another", checkpoint="other"))
    one = replace(one, origin=replace(one.origin, codec="mine"))
    session.add_takes("line0", (one, two), "Generate line")
    comping = Comping(session, silent_studio.engine)
    told: list[Exception] = []
    comping.problem.connect(lambda error, _: told.append(error))
    comping.swipe("line0", two.id, (0, 4))
    assert [type(error) for error in told] == [RequestError]
    assert comping._asked == {}


def test_a_comp_for_the_project_before_is_nobodys(silent_studio: Studio) -> None:
    session = silent_studio.session
    session.start(project("One two."))
    session.add_takes("line0", (take(8), take(9, 100)), "Generate line")
    comping = Comping(session, silent_studio.engine)
    comping.pause("line0", 2, 4)
    comping.swipe("line0", take(9, 100).id, (0, 4))
    judged, encoded = *comping._asked, *comping._silences
    session.start(replace(session.project, title="Backup"))
    silent_studio.engine.answered.emit(judged, Judged(take(8)))
    silent_studio.engine.answered.emit(encoded, Encoded(take(4).codes))
    assert (len(session.store), session.history.can_undo, comping._asked) == (0, False, {})


def answered_pause(studio: Studio, comping: Comping, frames: int) -> None:
    """The engine makes the silence that was asked for, and judges the take with it in."""
    (encoded,) = comping._silences
    _, before, at = comping._silences[encoded]
    studio.engine.answered.emit(encoded, Encoded(take(frames).codes))
    (judged,) = comping._asked
    studio.engine.answered.emit(judged, Judged(paused(before, at, take(frames).codes)))


def test_a_second_pause_comes_into_what_the_first_has_made(silent_studio: Studio) -> None:
    session = silent_studio.session
    session.start(project("One two."))
    session.add_takes("line0", (take(8),), "Generate line")
    comping = Comping(session, silent_studio.engine)
    comping.pause("line0", 2, 3)
    comping.pause("line0", 2, 3)
    for frames in (11, 14):
        answered_pause(silent_studio, comping, 3)
        line = session.find("line0")
        assert line is not None
        kept = session.kept(line)
        assert kept is not None
        assert kept.frames == frames
    assert (comping._asked, comping._silences, comping._pauses) == ({}, {}, {})


@pytest.mark.parametrize("meanwhile", [SetLocked("line0", True), KeepTake("line0", take(9, 100).id)])
def test_a_pause_does_not_take_the_place_of_what_was_chosen_meanwhile(silent_studio: Studio, meanwhile: Edit) -> None:
    session = silent_studio.session
    session.start(project("One two.", "Three."))
    session.add_takes("line0", (take(8), take(9, 100)), "Generate line")
    comping = Comping(session, silent_studio.engine)
    comping.pause("line0", 2, 3)
    session.do(meanwhile)
    session.choose_line("line1")
    before = session.find("line0")
    answered_pause(silent_studio, comping, 3)
    after = session.find("line0")
    assert before is not None
    assert after is not None
    assert (after.kept, len(after.takes), session.chosen) == (before.kept, 3, "line1")
