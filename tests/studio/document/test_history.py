"""Undo and redo give back exactly the projects that were there, in any order of doing and undoing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.document.edits import AddCharacter, AddTakes, Edit, MarkTake, ReplaceLines, SetNote, SetTitle
from studio.document.history import History
from studio.document.project import Character, Line, LinePart, Mark, Project, Scene

START = Project("Play", (Scene("One", (Line("a", (LinePart("Ada", "Hello."),)),)),), (Character("Ada"),))


def typed(text: str) -> ReplaceLines:
    return ReplaceLines(0, 0, 1, (Line("a", (LinePart("Ada", text),)),))


words = st.sampled_from(["", "Hello.", "Hello there.", "Bye."])
edits: st.SearchStrategy[Edit] = st.one_of(
    words.map(typed),
    words.map(SetTitle),
    words.map(lambda note: SetNote("a", note)),
    st.sampled_from(["t1", "t2"]).map(lambda take: AddTakes("a", (take,))),
    st.sampled_from(["t1", "t2"]).map(lambda take: MarkTake(take, Mark(star=True))),
)
Move = tuple[Edit, str | None] | int
moves = st.lists(st.one_of(st.tuples(edits, st.sampled_from([None, "typing", "dragging"])), st.integers(-3, 3)))


@given(moves)
def test_any_order_of_doing_undoing_and_redoing_gives_the_exact_projects(script: list[Move]) -> None:
    history = History.start(START)
    seen = [START]  # what a plain list of projects would say; `at` is where it stands
    at = 0
    ever = {id(START): START}
    for move in script:
        if isinstance(move, int):
            for _ in range(abs(move)):
                if move < 0 and history.can_undo:
                    history, at = history.undo(), at - 1
                elif move > 0 and history.can_redo:
                    history, at = history.redo(), at + 1
        else:
            before = history
            history = history.do(*move)
            if history is not before:
                if len(history.steps) == len(before.steps):  # the step before is enlarged: it was never seen by itself
                    ever.pop(id(before.project))
                    at -= 1
                at += 1
                seen[at:] = [history.project]
                ever[id(history.project)] = history.project
        assert history.project is seen[at]
        assert [history.steps[place].project for place in history.branch] == seen
        assert {id(step.project) for step in history.steps} == ever.keys()


@given(moves, st.data())
def test_a_jump_goes_to_any_step_ever_and_undo_leads_from_there_to_the_first(script: list[Move], data: Any) -> None:
    history = History.start(START)
    for move in script:
        if not isinstance(move, int):
            history = history.do(*move)
        else:
            history = history.jump(move % len(history.steps))
    to = data.draw(st.integers(0, len(history.steps) - 1))
    there = history.jump(to)
    assert (there.at, there.project, there.steps) == (to, history.steps[to].project, history.steps)
    assert to in there.branch
    back, forth = there, there
    while back.can_undo:
        back = back.undo()
    assert back.at == 0
    while forth.can_redo:
        forth = forth.redo()
    assert forth.at == there.tip
    assert all(step.before != there.tip for step in history.steps)


def test_a_branch_left_behind_stays_reachable() -> None:
    history = History.start(START).do(typed("1")).do(typed("2")).undo().do(typed("3"))
    assert [step.project.line("a").text for step in history.steps] == ["Hello.", "1", "2", "3"]
    assert history.branch == (0, 1, 3)
    old = history.jump(2)
    assert old.project.line("a").text == "2"
    assert old.undo().redo().at == 2


def test_what_came_after_a_step_can_stand_alone() -> None:
    history = History.start(Project("0"))
    for title in "123":
        history = history.do(SetTitle(title))
    history = history.undo().do(SetTitle("4")).do(SetTitle("5")).undo()
    later = history.since(2)
    assert [step.project.title for step in later.steps] == ["2", "3", "4", "5"]
    assert [step.before for step in later.steps] == [None, 0, 0, 2]
    assert (later.project.title, later.redo().project.title, later.undo().can_undo) == ("4", "5", False)
    assert history.since(0).steps[-1].project is history.steps[-1].project
    later = history.since(4)
    assert [step.project.title for step in later.steps] == ["4", "5"]
    for place in (3, 5):
        with pytest.raises(IndexError):
            history.since(place)


def test_another_answer_takes_the_place_of_the_newest_step() -> None:
    asked = History.start(START).do(AddTakes("a", ("t1",)))
    other = asked.mark_saved(asked).do_instead(AddTakes("a", ("t2",)))
    assert len(other.steps) == 2
    assert other.project.line("a").takes == ("t2",)
    assert not other.clean
    with pytest.raises(IndexError):
        asked.do(SetTitle("x")).undo().do_instead(SetTitle("y"))
    with pytest.raises(IndexError):
        History.start(START).do_instead(SetTitle("y"))


@given(st.lists(words, min_size=1))
def test_one_gesture_is_one_step(texts: list[str]) -> None:
    history = History.start(START)
    for text in texts:
        history = history.do(typed(text), "typing in a")
    assert len(history.steps) <= 2
    assert history.project.line("a").text == texts[-1]
    assert (history.undo() if history.can_undo else history).project == START


def test_gestures_end_with_another_a_pause_an_undo_and_a_save() -> None:
    first = History.start(START).do(typed("1"), "a")
    assert len(first.do(typed("2"), "a").steps) == 2
    assert len(first.do(typed("2"), "b").steps) == 3
    assert len(first.do(typed("2")).steps) == 3
    assert len(first.end_gesture().do(typed("2"), "a").steps) == 3
    assert len(first.mark_saved(first).do(typed("2"), "a").steps) == 3
    assert len(first.do(SetTitle("x")).undo().do(typed("2"), "a").steps) == 4


def test_labels_say_what_undo_and_redo_would_do() -> None:
    history = History.start(START).do(typed("Bye.")).do(AddCharacter(Character("Bob")))
    assert (history.undo_label, history.redo_label) == ("Add character", "")
    assert (history.undo().undo_label, history.undo().redo_label) == ("Typing", "Add character")
    assert history.jump(0).undo_label == ""
    with pytest.raises(IndexError):
        history.redo()
    with pytest.raises(IndexError):
        history.jump(0).undo()


def test_an_edit_without_effect_is_no_step() -> None:
    history = History.start(START)
    assert history.do(typed("Hello.")) is history
    assert history.do(AddTakes("gone", ("t",))) is history


def test_clean_is_where_the_file_is() -> None:
    history = History.start(START)
    assert not history.clean
    saving = history.do(SetTitle("x"))
    later = saving.do(SetTitle("y")).mark_saved(saving)
    assert not later.clean
    assert later.undo().clean
    assert not later.undo().undo().clean
    assert not later.jump(0).do(SetTitle("z")).do(SetTitle("w")).clean


def test_what_was_typed_while_saving_is_not_clean() -> None:
    saving = History.start(START).do(typed("1"), "typing")
    assert not saving.do(typed("12"), "typing").mark_saved(saving).clean
