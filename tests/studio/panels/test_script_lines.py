"""How edits of the text become lines, without any window."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.document.difference import same_ends
from studio.document.project import Line, LinePart, Project, Scene
from studio.panels.script_lines import (
    Heading,
    HeadingLostError,
    Row,
    changes,
    characters,
    edited,
    lines_from_text,
    row_text,
    rows_after,
    rows_of,
    shown,
    speaker_typed,
    text_from_rows,
    units,
)


def line(line_id: str, text: str, who: str = "Mira") -> Line:
    return Line(line_id, (LinePart(who, text),), takes=(f"take of {line_id}",))


def after(old: list[Row], *texts: str) -> list[tuple[str, str]]:
    """What becomes of rows: the id, "new" where it is none of theirs, and the text."""
    known = {row.id for row in old if isinstance(row, Line)}
    rows = rows_after(old, texts, "", lambda _text: None)
    assert [row_text(row) for row in rows] == list(texts)
    return [(row.id if row.id in known else "new", row.text) for row in rows if isinstance(row, Line)]


A, B, C = line("a", "one two"), line("b", "three"), line("c", "four")


def test_who_lives_on_in_what_an_edit_made() -> None:
    assert after([A], "one ", "two") == [("a", "one "), ("new", "two")]
    assert after([A], "", "one two") == [("new", ""), ("a", "one two")]
    assert after([A, B], "one twothree") == [("a", "one twothree")]
    assert after([line("e", ""), B], "three") == [("b", "three")]
    assert after([A, B, C], "four") == [("c", "four")]
    assert after([A, B, C], "one!", "four!") == [("a", "one!"), ("c", "four!")]
    assert after([A, B, C], "three", "four", "one two") == [("b", "three"), ("c", "four"), ("a", "one two")]
    assert after([A, B], "x", "y") == [("a", "x"), ("b", "y")]
    assert after([A, B], "one", "x", "y", "ree") == [("a", "one"), ("new", "x"), ("new", "y"), ("b", "ree")]


def test_a_new_line_is_spoken_by_who_speaks_above() -> None:
    rows = rows_after([line("a", "x", "Tom")], ("x", "y"), "Mira", lambda _text: None)
    assert [row.character for row in rows if isinstance(row, Line)] == ["Tom", "Tom"]


def test_headings_change_but_do_not_go() -> None:
    assert rows_after([Heading("One"), A], ("Two", "one two"), "", lambda _text: None) == [Heading("Two"), A]
    with pytest.raises(HeadingLostError):
        rows_after([A, Heading("One"), B], ("one three",), "", lambda _text: None)


def test_a_cut_line_comes_back_into_an_empty_one_but_not_over_takes() -> None:
    empty = Line("e", (LinePart("", ""),))
    assert rows_after([empty], ("four",), "", lambda _text: C) == [C]
    kept = rows_after([B], ("four",), "", lambda _text: C)[0]
    assert isinstance(kept, Line)
    assert kept.id == "b"


texts = st.text(st.sampled_from("ab\n\u2028\r\U0001f600"), max_size=8)
parts = st.lists(st.builds(LinePart, st.sampled_from(["", "Mira", "Tom"]), texts), max_size=3).map(tuple)


@given(parts=parts, text=texts.map(shown))
def test_an_edited_line_has_the_text_that_is_seen(parts: tuple[LinePart, ...], text: str) -> None:
    made = edited(Line("a", parts), text)
    assert shown(made.text) == text
    assert made.id == "a"


@given(old=st.lists(st.integers(0, 2), max_size=600), new=st.lists(st.integers(0, 2), max_size=600))
def test_same_ends_are_the_same_and_no_more(old: list[int], new: list[int]) -> None:
    start, stop = same_ends(old, new)
    assert old[:start] == new[:start]
    assert old[len(old) - stop :] == new[len(new) - stop :]
    assert start + stop <= min(len(old), len(new))
    if start + stop < min(len(old), len(new)):
        assert old[start] != new[start]
        assert old[-1 - stop] != new[-1 - stop]


@given(
    old=st.permutations([*"abcdefgh"]).flatmap(lambda ids: st.integers(0, 8).map(lambda n: ids[:n])),
    new=st.permutations([*"abcdefgh"]).flatmap(lambda ids: st.integers(0, 8).map(lambda n: ids[:n])),
)
def test_changes_lead_from_old_to_new(old: list[str], new: list[str]) -> None:
    before, then = (rows_of(Project(scenes=(Scene("", tuple(line(n, n) for n in ids)),))) for ids in (old, new))
    rows = list(before)
    for a, b, c, d in reversed(changes(before, then)):
        assert a > 0
        rows[a:b] = then[c:d]
    assert rows == then


@given(text=st.text(max_size=20), place=st.integers(0, 20))
def test_places_in_units_come_back(text: str, place: int) -> None:
    place = min(place, len(text))
    assert characters(text, units(text, place)) == place


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("mira: ", "Mira"),
        ("Mira : ", "Mira"),
        ("Mira:", None),
        ("MIRA：", "Mira"),
        ("OLD TOM: ", "OLD TOM"),
        ("Old Tom: ", "Old Tom"),
        ("Anna: ", "Anna"),
        ("Speaker 2: ", "Speaker 2"),
        ("日本：", "日本"),
        ("At 4: ", None),
        ("Note: ", None),
        ("Listen: ", None),
        ("She said: ", None),
        ("One of the Others: ", None),
        ("4: ", None),
        ("[x]: ", None),
        ("<|speaker:07|>", "Speaker 7"),
        ("<speaker:0>", None),
    ],
)
def test_names_are_read_as_they_are_typed(typed: str, name: str | None) -> None:
    assert speaker_typed(typed, ("Mira", "Tom")) == name


def test_a_stretch_of_the_script_pastes_back_as_it_was() -> None:
    two = Line("t", (LinePart("Mira", "Wait"), LinePart("Tom", "Gone.")))
    four, five = line("c", "four", ""), line("d", "Note: five", "Tom")
    rows: list[Row] = [Heading("One"), line("a", "one [sighs] two"), two, four, five]
    text = text_from_rows(rows, 1, len("Note: five"))
    read = [line for _, line in lines_from_text(text, ("Mira", "Tom"))]
    assert [line.parts for line in read] == [row.parts for row in rows if isinstance(row, Line)]


def test_part_of_a_stretch_begins_with_plain_words() -> None:
    assert text_from_rows([A, B, C], 4, 2) == "two\n\nMira: three\n\nMira: fo"
    assert text_from_rows([A], 4, 7) == "two"
    assert text_from_rows([A, B], 0, 0) == "Mira: one two"
