"""A step is told by the line, or the name, that it was about."""

from __future__ import annotations

import pytest

from engine.request import Voice
from studio.document.edits import (
    AddCharacter,
    AddScene,
    AddTakes,
    ChangeCharacter,
    Edit,
    MarkTake,
    RemoveScene,
    ReplaceLines,
    SetTitle,
    SetVoices,
)
from studio.document.history import History
from studio.document.project import Character, Line, LinePart, Mark, Project, Scene
from studio.document.summary import about

LINES = (Line("a", (LinePart("Ada", "Hello\nthere."),)), Line("b", (LinePart("Ada", "Bye."),)))
START = Project("Play", (Scene("One", LINES), Scene("Two")), (Character("Ada"),))


def typed(line_id: str, text: str) -> Edit:
    place = "ab".index(line_id)
    return ReplaceLines(0, place, place + 1, (Line(line_id, (LinePart("Ada", text),)),))


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (typed("b", "Good bye."), "Good bye."),
        (typed("a", "Hello\nover there."), "…over"),
        (typed("a", "Hello\nthere. And so on."), "…And so on."),
        (ReplaceLines(0, 1, 2, (Line("x", (LinePart("Ada", "Good bye."),)),)), "Good bye."),
        (ReplaceLines(0, 0, 1, ()), "Hello there."),
        (AddTakes("a", ("t1",)), "Hello there."),
        (SetTitle("Second"), "Second"),
        (AddScene(1, Scene("Between")), "Between"),
        (RemoveScene(0), "One"),
        (AddCharacter(Character("Bob")), "Bob"),
        (ChangeCharacter("Ada", Character("Ada", 3)), "Ada"),
        (SetVoices((Voice("heart"),)), "heart"),
        (MarkTake("t1", Mark(star=True)), ""),
    ],
)
def test_what_a_step_was_about(edit: Edit, words: str) -> None:
    history = History.start(START).do(edit)
    assert about(history, 1) == words
    assert about(history, 0) == ""
