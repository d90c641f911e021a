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


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (
            ReplaceLines(
                0,
                1,
                2,
                (
                    Line(
                        "b",
                        (
                            LinePart("Ada", "Good"),
                            (ReplaceLines(0, 0, 1, (Line("a", (LinePart("Ada", "Hello over there."),)),)), "…over"),
                            (
                                ReplaceLines(0, 0, 1, (Line("a", (LinePart("Ada", "Hello\nthere. And so on."),)),)),
                                "…And so on.",
                            ),
                            (ReplaceLines(0, 1, 2, (Line("x", (LinePart("Ada", "Good bye."),)),)), "Good bye."),
                        ),
                    ),
                ),
            ),
            "Good",
        ),
        (ReplaceLines(0, 0, 1, (Line("a", (LinePart("Ada", "Hello over there."),)),)), "…over"),
        (ReplaceLines(0, 0, 1, (Line("a", (LinePart("Ada", "Hello\nthere. And so on."),)),)), "…there. And so on."),
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
