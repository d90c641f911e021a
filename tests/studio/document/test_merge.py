"""What comes from another project finds its place, and nothing that is here changes."""

from __future__ import annotations

from itertools import count
from types import MappingProxyType

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.request import Reference, Voice
from studio.document.edits import apply
from studio.document.merge import Wanted, merge, shared_lines
from studio.document.project import Character, Line, LinePart, Mark, Project, Scene


def voice(name: str, codes: int) -> Voice:
    return Voice(name, (Reference("As I said.", np.full((10, 4), codes, np.int16)),))


def line(name: str, who: str, *takes: str) -> Line:
    return Line(name, (LinePart(who, f"{who} speaks."),), takes, takes[0] if takes else None)


HERE = Project(
    "Here",
    (Scene("One", (line("a", "Ada", "t1"), line("b", "Bob"))),),
    (Character("Ada", 0, "heart"), Character("Bob", 1, "joe")),
    (voice("heart", 1), voice("joe", 2)),
)
THERE = Project(
    "There",
    (Scene("Two", (line("a", "Ada", "t1", "t2"), line("c", "Eve", "t3"))), Scene("Three", (line("d", "Max"),))),
    (Character("Ada", 3, "heart"), Character("Eve", 2, "joe"), Character("Max", 4, "heart")),
    (voice("heart", 1), voice("joe", 9), voice("unused", 5)),
    MappingProxyType({"t2": Mark(star=True), "t3": Mark("best"), "t9": Mark("of nothing")}),
)


def merged(wanted: Wanted) -> Project:
    numbers = count()
    return apply(HERE, merge(HERE, THERE, wanted, lambda: f"new{next(numbers)}"))


def test_scenes_come_with_who_speaks_in_them_and_their_voices() -> None:
    project = merged(Wanted(scenes=(0,)))
    assert project.scenes[0] == HERE.scenes[0]
    assert [line.id for line in project.scenes[1].lines] == ["new0", "c"]
    assert [line.takes for line in project.scenes[1].lines] == [("t1", "t2"), ("t3",)]
    assert [each.name for each in project.cast] == ["Ada", "Bob", "Eve"]
    assert project.cast[0] == HERE.cast[0], "a character of that name is here"
    assert project.cast[2].voice == "joe 2", "it sounds otherwise than the one that is called so here"
    assert [each.name for each in project.voices] == ["heart", "joe", "joe 2"]
    assert dict(project.marks) == {"t2": Mark(star=True), "t3": Mark("best")}


def test_lines_come_alone_with_who_speaks_them() -> None:
    project = merged(Wanted(scenes=(0,), left_out=frozenset({"a"})))
    assert [line.id for line in project.scenes[1].lines] == ["c"]
    assert [each.name for each in project.cast] == ["Ada", "Bob", "Eve"]
    assert "t2" not in project.marks


def test_scenes_come_without_takes_where_these_are_not_wanted() -> None:
    project = merged(Wanted(scenes=(0, 1), takes=False))
    assert [line.takes for scene in project.scenes[1:] for line in scene.lines] == [(), (), ()]
    assert project.marks == {}


def test_voices_come_alone() -> None:
    project = merged(Wanted(voices=("heart", "joe", "unused")))
    assert project.scenes == HERE.scenes
    assert [each.name for each in project.voices] == ["heart", "joe", "joe 2", "unused"]


def test_takes_come_for_lines_that_both_have() -> None:
    assert shared_lines(HERE, THERE) == 1
    project = merged(Wanted(shared_takes=True))
    assert project.line("a").takes == ("t1", "t2")
    assert project.line("a").kept == "t1"
    assert dict(project.marks) == {"t2": Mark(star=True)}
    assert shared_lines(project, THERE) == 0


@given(
    st.sets(st.integers(0, 1)).map(tuple),
    st.booleans(),
    st.sets(st.sampled_from(["heart", "joe", "unused"])).map(tuple),
    st.booleans(),
)
def test_whatever_comes_what_was_here_stays_and_it_can_be_done_twice(
    scenes: tuple[int, ...], takes: bool, voices: tuple[str, ...], shared: bool
) -> None:
    wanted = Wanted(scenes, takes, voices, shared)
    once = apply(HERE, merge(HERE, THERE, wanted))
    twice = apply(once, merge(once, THERE, wanted))
    for project in (once, twice):
        assert project.cast[:2] == HERE.cast
        assert project.voices[:2] == HERE.voices
        assert [line.parts for line in project.scenes[0].lines] == [line.parts for line in HERE.scenes[0].lines]
        assert all(project.voice(each.voice) for each in project.cast)
    assert len(twice.voices) == len(once.voices), "the same voice comes once"
    assert len(twice.lines()) - len(once.lines()) == len(once.lines()) - 2
