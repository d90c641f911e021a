"""What is sent of a line: pronunciations and directions, and the way back to what was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.request import Voice
from studio.document.compare import prompt_for
from studio.document.edits import SetAsWritten, SetDirection, SetReading, apply
from studio.document.project import Character, Line, LinePart, Project, Pronunciation, Reading, Scene
from studio.document.sending import pronounced, sent

WORDS = (Pronunciation("Dana", "Dayna"), Pronunciation("dr", "doctor"), Pronunciation("Dana Point", "Dayna Poynt"))


def project(line: Line, direction: str = "", **reading: object) -> Project:
    cast = (Character("Mira", 0, "heart", direction=direction), Character("Tom", 1, "joe"))
    made = Reading(**reading)  # type: ignore[arg-type]
    return Project("", (Scene("", (line,)),), cast, (Voice("heart"), Voice("joe")), reading=made)


def line(*parts: tuple[str, str], **more: object) -> Line:
    return Line("a", tuple(LinePart(*part) for part in parts), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Dana is here.", "Dayna is here."),
        ("At Dana Point with Dana.", "At Dayna Poynt with Dayna."),
        ("Danas dana DANA", "Danas dana DANA"),
        ("Dr Brown, dr Grey", "doctor Brown, doctor Grey"),
        ("[calls Dana] Dana!", "[calls Dana] Dayna!"),
    ],
)
def test_whole_words_outside_tags_are_pronounced(text: str, said: str) -> None:
    assert pronounced(text, WORDS)[0] == said


def test_a_direction_enters_by_the_template() -> None:
    said = line(("Mira", "Somebody has to wait."), direction="to herself")
    assert sent(project(said), said).text == "[to herself] Somebody has to wait."
    assert sent(project(said, "tired"), said).text == "[tired, to herself] Somebody has to wait."
    template = "({direction}) {text} (end of it)"
    assert sent(project(said, template=template), said).text == "(to herself) Somebody has to wait. (end of it)"


def test_each_character_of_one_pass_has_its_own_direction() -> None:
    said = line(("Tom", "Well?"), ("Mira", "Not yet."), direction="low")
    assert [part.text for part in sent(project(said, "tired"), said).parts] == ["[low] Well?", "[tired] Not yet."]


def test_nothing_else_is_rewritten() -> None:
    said = line(("Mira", "  Two  blanks 【and】 <|im_end|> 4:31 "))
    assert sent(project(said), said).text == said.text


def test_the_prompt_holds_what_is_sent() -> None:
    said = line(("Mira", "Dana is here."), direction="glad")
    made = project(said, pronunciations=WORDS)
    assert prompt_for(made, said).text == "[glad] Dayna is here."
    made = apply(made, SetAsWritten("a", True))
    assert prompt_for(made, made.line("a")).text == "[glad] Dana is here."


def test_edits_change_what_is_sent() -> None:
    made = apply(project(line(("Mira", "Dana is here."))), SetDirection("a", "glad"))
    made = apply(made, SetReading(Reading("{direction}: {text}", WORDS)))
    assert sent(made, made.line("a")).text == "glad: Dayna is here."


TEXTS = st.text(st.sampled_from("Dana dr.[]P oint\n"), max_size=30) | st.text(max_size=12)


@given(
    parts=st.lists(st.tuples(st.sampled_from(["Mira", "Tom"]), TEXTS), min_size=1, max_size=3),
    direction=st.sampled_from(["", "low"]),
    of_mira=st.sampled_from(["", "tired"]),
    template=st.sampled_from(["[{direction}] {text}", "{text} ({direction})", "<{direction}>{text}</{direction}>"]),
)
def test_what_is_not_rewritten_leads_back_to_itself(
    parts: list[tuple[str, str]], direction: str, of_mira: str, template: str
) -> None:
    said = line(*parts, direction=direction)
    made = sent(project(said, of_mira, template=template, pronunciations=WORDS), said)
    old = new = 0
    for change in made.changes:
        assert said.text[old : change.old_start] == made.text[new : change.new_start]
        old, new = change.old_stop, change.new_stop
    assert said.text[old:] == made.text[new:]
    for place in range(len(made.text)):
        start, stop = made.to_written(place, place + 1)
        assert 0 <= start <= stop <= len(said.text)
