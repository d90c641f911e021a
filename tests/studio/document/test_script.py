"""Scripts are read as people write them, and written so that nothing changes on the way back."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.request import Voice
from engine.text import clean
from studio.document.names import may_be_called
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.document.script import NARRATOR, new_line_id, parse, project_from_script, split_long, to_text

Said = list[list[tuple[str, str]]]


def said(text: str, *known: str) -> Said:
    """The lines of all scenes as (name, text) of their parts."""
    return [
        [(part.character, part.text) for part in line.parts]
        for scene in parse(text, known).scenes
        for line in scene.lines
    ]


def one(name: str, text: str) -> list[tuple[str, str]]:
    return [(name, text)]


def test_turns_headings_blank_rows_and_rows_that_go_on() -> None:
    script = parse(
        "# The garden\n\nADA: Did you hear\nthat?\nBOB: No.\n\nNothing at all.\n\n"
        "## Later\n\n  ADA:   [softly] Listen.  \n"
    )
    assert [scene.title for scene in script.scenes] == ["The garden", "Later"]
    assert script.names == ("ADA", "BOB")
    assert [[(line.character, line.text) for line in scene.lines] for scene in script.scenes] == [
        [("ADA", "Did you hear that?"), ("BOB", "No."), ("BOB", "Nothing at all.")],
        [("ADA", "[softly] Listen.")],
    ]


def test_a_script_that_names_nobody_is_the_narrators() -> None:
    script = parse("It was late.\nVery late.\n\nAt 4:31 the bell rang. Note: nobody heard it.\n\nNote: it was cracked.")
    assert script.names == (NARRATOR,)
    assert [line.text for line in script.scenes[0].lines] == [
        "It was late. Very late.",
        "At 4:31 the bell rang. Note: nobody heard it.",
        "Note: it was cracked.",
    ]


@pytest.mark.parametrize(
    "prose",
    [
        "4:31 is the time.",
        "Note: this is prose.",
        "Dear reader: once upon a time.",
        "https://example.org is a place.",
        "He said: go.\n\nThen he said nothing.\n\nHe said: stay.",
        "What she wanted to say was this: no.",
        "NOTE:without a space.",
    ],
)
def test_prose_is_nobodys_label(prose: str) -> None:
    assert parse(prose).names == (NARRATOR,)


def test_what_counts_as_a_name() -> None:
    assert said("DR. WHO: Hi.") == [one("DR. WHO", "Hi.")]
    assert said("Anna: Hello.\nBen: Hi.") == [one("Anna", "Hello."), one("Ben", "Hi.")]
    assert said("It was late.\n\nAnna: Hello.\n\nIt rained.\n\nAnna: Bye.")[1] == one("Anna", "Hello.")
    assert said("It was late.\n\nnote: Hello.", "Note")[1] == one("Note", "Hello.")
    assert said("小明：你好。\n小红：再见：好吗？") == [one("小明", "你好。"), one("小红", "再见：好吗？")]


def test_one_name_however_it_is_written() -> None:
    assert said("ANNA: Hello.\nAnna: Hi.\nanna: Ho.", "Anna") == [
        one("Anna", "Hello."),
        one("Anna", "Hi."),
        one("Anna", "Ho."),
    ]
    assert parse("It was late.\n\nNARRATOR: Still.").names == ("NARRATOR",)


def test_numbered_speakers() -> None:
    assert said("<|speaker:1|>Hello.<|speaker:0|> Bye.\n<|speaker:1|>\nSo soon?") == [
        one("Speaker 1", "Hello."),
        one("Speaker 0", "Bye."),
        one("Speaker 1", "So soon?"),
    ]
    assert parse("<|speaker:").names == (NARRATOR,)


def test_parts_of_one_line() -> None:
    assert said("ADA: I say\n+ BOB: and I\n+ ADA: too.") == [[("ADA", "I say"), ("BOB", "and I"), ("ADA", "too.")]]


@pytest.mark.parametrize("empty", ["", "\n\n", "   \n\t\n", "\ufeff"])
def test_nothing_is_no_scene(empty: str) -> None:
    assert parse(empty).scenes == ()


words = st.text(st.characters(codec="utf-8"), max_size=12).map(clean)
rows = st.one_of(
    words,
    st.sampled_from(
        ["# Not a heading", "+ ADA: no part", "ADA: no label", "\\", "<|speaker:1|>x", ": ", " x ", "[sighs]"]
    ),
)
texts = st.lists(rows, min_size=1, max_size=3).map("\n".join)
names = st.one_of(st.sampled_from(["ADA", "Ada", "ada", "Old Bob", "小明"]), words).filter(may_be_called)
titles = words.map(lambda text: " ".join(text.split()))


@given(st.data())
def test_a_project_written_and_read_is_the_same(data: st.DataObject) -> None:
    cast = data.draw(st.lists(names, min_size=1, max_size=4, unique=True))
    parts = st.builds(LinePart, st.sampled_from(["", *cast]), texts)
    ids = count()
    lines = st.lists(parts, min_size=1, max_size=3).map(lambda parts: Line(str(next(ids)), tuple(parts)))
    scenes = data.draw(st.lists(st.builds(Scene, titles, st.lists(lines, max_size=4).map(tuple)), max_size=3))
    project = Project("Play", tuple(scenes), tuple(Character(name) for name in cast))
    again = parse(to_text(project), cast)
    assert [(scene.title, [line.parts for line in scene.lines]) for scene in again.scenes] == [
        (scene.title, [line.parts for line in scene.lines]) for scene in project.scenes
    ]


@given(st.text())
def test_any_text_can_be_read_and_keeps_on_meaning_the_same(text: str) -> None:
    script = parse(text)
    project = Project(scenes=script.scenes)
    again = parse(to_text(project), script.names)
    assert [(scene.title, [line.parts for line in scene.lines]) for scene in again.scenes] == [
        (scene.title, [line.parts for line in scene.lines]) for scene in project.scenes
    ]


def test_a_project_from_a_script_is_cast_in_turn() -> None:
    project = project_from_script("ADA: a\nBOB: b\nEVE: c\nADA: d", (Voice("heart"), Voice("joe")), "Play")
    assert [(each.name, each.colour, each.voice) for each in project.cast] == [
        ("ADA", 0, "heart"),
        ("BOB", 1, "joe"),
        ("EVE", 2, "heart"),
    ]
    assert [voice.name for voice in project.voices] == ["heart", "joe"]
    assert len({line.id for line in project.lines()}) == 4
    assert project_from_script("ADA: a", ()).cast[0].voice is None


@pytest.mark.parametrize("empty", ["", " \n\n"])
def test_a_script_without_a_word_is_a_project_to_write_in(empty: str) -> None:
    assert project_from_script(empty, ()).scenes == (Scene(""),)


def test_long_lines_become_several() -> None:
    line = Line(
        "a", (LinePart("ADA", "One sentence here. Another one there. A third."),), ("t",), "t", note="n", pause=900
    )
    ids = iter(["b", "c"])
    lines = split_long(line, 20, lambda: next(ids))
    assert [each.text for each in lines] == ["One sentence here.", "Another one there.", "A third."]
    assert [each.id for each in lines] == ["a", "b", "c"]
    assert (lines[0].takes, lines[0].kept, lines[0].note) == (("t",), "t", "n")
    assert [each.pause for each in lines] == [0, 0, 900]
    assert split_long(line, 100) == (line,)


def test_parts_of_a_long_line_become_lines_of_their_own() -> None:
    line = Line("a", (LinePart("ADA", "Hello there."), LinePart("BOB", "Hello yourself.")))
    assert [each.parts for each in split_long(line, 20, new_line_id)] == [(part,) for part in line.parts]
