"""Finding and replacing: what is found, what comes in its place, and what cannot be looked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.document.edits import apply
from studio.document.finding import Match, PatternError, Query, find, replaced
from studio.document.project import Line, LinePart, Project, Scene

PROJECT = Project(
    scenes=(
        Scene("One", (Line("a", (LinePart("Mira", "The boat, the Boat."), LinePart("Tom", "boats"))),)),
        Scene("Two", (Line("b", (LinePart("Tom", "No boat [boat horn] at 4:31."),)),)),
    )
)


def texts(project: Project) -> list[tuple[str, ...]]:
    return [tuple(part.text for part in line.parts) for line in project.lines()]


def after(query: Query, text: str, only: Match | None = None) -> list[tuple[str, ...]]:
    project = PROJECT
    for edit in replaced(project, query, text, only):
        project = apply(project, edit)
    return texts(project)


def test_case_words_and_patterns() -> None:
    assert len(find(PROJECT, Query("boat"))) == 5
    assert len(find(PROJECT, Query("Boat", case=True))) == 1
    assert len(find(PROJECT, Query("boat", words=True))) == 4
    assert find(PROJECT, Query(r"\d+:\d+", pattern=True)) == (Match("b", 23, 27),)
    assert find(PROJECT, Query("boats")) == (Match("a", 20, 25),)
    assert find(PROJECT, Query("")) == ()
    assert find(PROJECT, Query("x*", pattern=True)) == ()


def test_replacing_all_or_one() -> None:
    whole = after(Query("boat", words=True), "ship")
    assert whole == [("The ship, the ship.", "boats"), ("No ship [ship horn] at 4:31.",)]
    assert after(Query("boat"), "ship", Match("a", 4, 8))[0] == ("The ship, the Boat.", "boats")
    assert after(Query(r"(\d+):(\d+)", pattern=True), r"\2 past \1")[1] == ("No boat [boat horn] at 31 past 4.",)
    assert after(Query("."), r"\1")[1] == (r"No boat [boat horn] at 4:31\1",)


@pytest.mark.parametrize("text", ["(", "[z-a]", "(?P<1>a)"])
def test_what_is_no_pattern_is_said(text: str) -> None:
    with pytest.raises(PatternError, match="no pattern"):
        find(PROJECT, Query(text, pattern=True))


def test_a_group_that_is_not_there_is_said() -> None:
    with pytest.raises(PatternError, match="put in its place"):
        replaced(PROJECT, Query("boat", pattern=True), r"\3")


def test_what_no_line_may_hold_is_not_put_in() -> None:
    project = Project(scenes=(Scene("", (Line("a", (LinePart("Mira", "a boat"),)),)),))
    (edit,) = replaced(project, Query("boat", pattern=True), r"ship\n\x07\t\u2028sea")
    assert texts(apply(project, edit)) == [("a ship   sea",)]


@given(
    parts=st.lists(st.text("ab\n", max_size=8), min_size=1, max_size=3),
    wanted=st.text("ab", min_size=1, max_size=2),
    text=st.text("abc", max_size=3),
)
def test_replacing_is_what_python_does_to_each_part(parts: list[str], wanted: str, text: str) -> None:
    line = Line("a", tuple(LinePart("Mira", part) for part in parts))
    project = Project(scenes=(Scene("", (line,)),))
    for match in find(project, Query(wanted, case=True)):
        assert line.text[match.start : match.stop] == wanted
    for edit in replaced(project, Query(wanted, case=True), text):
        project = apply(project, edit)
    assert texts(project) == [tuple(part.replace(wanted, text) for part in parts)]
