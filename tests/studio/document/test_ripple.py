"""What stays where it is when ripple is off."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.document.edits import AddTakes, KeepTake, SetNote, SetPause, Together, apply
from studio.document.project import Line, LinePart, Project, Scene
from studio.document.ripple import staying
from studio.document.timing import layout

LENGTHS = {"short": 1.0, "long": 1.75}


def seconds_of(line: Line) -> float | None:
    return LENGTHS[line.kept] if line.kept else None


def project(pauses: list[int | None]) -> Project:
    lines = tuple(
        Line(str(n), (LinePart("Ada", "Yes."),), ("short", "long"), "short", pause=pause)
        for n, pause in enumerate(pauses)
    )
    return Project(scenes=(Scene("One", lines[:2]), Scene("Two", lines[2:])))


def starts(of: Project) -> list[float]:
    return [round(each.start_seconds, 6) for each in layout(of, seconds_of)]


@given(st.integers(0, 4), st.integers(-300, 3_000), st.lists(st.none() | st.integers(0, 900), min_size=5, max_size=5))
def test_a_pause_moves_the_next_line_and_no_other(at: int, pause: int, pauses: list[int | None]) -> None:
    before = project(pauses)
    after = starts(apply(before, staying(before, SetPause(str(at), pause), seconds_of)))
    moved = [n for n, (old, new) in enumerate(zip(starts(before), after, strict=True)) if old != new]
    assert set(moved) <= {at + 1} or after[at + 1] > starts(before)[at + 2]  # nothing begins before what is before it


@given(st.integers(0, 4), st.lists(st.none() | st.integers(0, 900), min_size=5, max_size=5))
def test_another_take_moves_nothing(at: int, pauses: list[int | None]) -> None:
    before = project(pauses)
    assert starts(apply(before, staying(before, KeepTake(str(at), "long"), seconds_of))) == starts(before)


def test_what_has_no_length_is_left_alone() -> None:
    before = project([None] * 5)
    for edit in (SetNote("1", "x"), KeepTake("1", "short"), AddTakes("gone", ("long",)), KeepTake("4", "long")):
        assert staying(before, edit, seconds_of) is edit
    together = staying(before, KeepTake("1", "long"), seconds_of)
    assert isinstance(together, Together)
    assert together.label == KeepTake("1", "long").label


@given(st.integers(0, 900), st.lists(st.none() | st.integers(0, 900), min_size=5, max_size=5))
def test_of_several_edits_each_lets_what_follows_stay(pause: int, pauses: list[int | None]) -> None:
    before = one_by_one = project(pauses)
    edits = (SetPause("0", pause), KeepTake("2", "long"))
    for edit in edits:
        one_by_one = apply(one_by_one, staying(one_by_one, edit, seconds_of))
    assert apply(before, staying(before, Together(edits, "Both"), seconds_of)) == one_by_one
