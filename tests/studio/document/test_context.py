"""The turns that the model hears before a line: never of another scene, never too many, numbered with the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take, Voice
from studio.document.compare import line_state
from studio.document.context import prompt_in_context, turns_before
from studio.document.project import Character, Line, LinePart, Project, Reading, Scene
from studio.document.state import Kind
from studio.document.store import Store

CAST = (Character("Mira", 0, "heart"), Character("Tom", 1, "joe"), Character("Bo", 2))
VOICES = (Voice("heart"), Voice("joe"))


def take(number: int, text: str) -> Take:
    codes = np.full((4, 5), number, np.int16)
    prompt = Prompt((Part(0, text),), (VOICES[0],))
    origin = Origin(prompt, "c", number, Settings(), How.GENERATED, 8000, 64)
    return Take(codes, origin, FrameData(np.zeros((2, 5), np.float32), np.zeros((2, 5), np.float32)))


def stage(context: int | None) -> tuple[Project, Store]:
    store = Store()
    lines = []
    for number, (who, text) in enumerate([("Mira", "One."), ("Tom", "Two."), ("Bo", "Three."), ("Mira", "Four.")]):
        take_id = store.add(take(number, text))
        lines.append(Line(f"l{number}", (LinePart(who, text),), (take_id,), take_id))
    lines.append(Line("l4", (LinePart("Tom", "Five."),)))
    other = Scene("Other", (Line("m0", (LinePart("Mira", "Six."),)),))
    project = Project("", (Scene("", tuple(lines)), other), CAST, VOICES, reading=Reading(context=context))
    return project, store


def texts(project: Project, store: Store, line_id: str) -> list[str]:
    return [turn.parts[0].text for turn in turns_before(project, store, project.line(line_id))]


def test_none_some_or_all_of_the_scene() -> None:
    assert texts(*stage(0), "l4") == []
    assert texts(*stage(2), "l4") == ["Two.", "Four."]
    assert texts(*stage(None), "l4") == ["One.", "Two.", "Four."]
    assert texts(*stage(None), "m0") == []
    assert texts(*stage(None), "l0") == []


def test_turns_that_the_model_does_not_read_are_passed_over() -> None:
    project, store = stage(2)
    mine = turns_before(project, store, project.line("l4"), lambda take: take.origin.prompt.text != "Two.")
    assert [turn.parts[0].text for turn in mine] == ["One.", "Four."]


def test_everybody_who_speaks_in_it_has_a_number() -> None:
    project, store = stage(None)
    prompt = prompt_in_context(project, store, project.line("l4"))
    assert prompt.voices == VOICES
    assert prompt.parts == (Part(1, "Five."),)
    assert [turn.parts[0].speaker for turn in prompt.context] == [0, 1, 0]
    assert [int(turn.codes[0, 0]) for turn in prompt.context] == [0, 1, 3]


def test_context_makes_nothing_stale() -> None:
    project, store = stage(0)
    line = project.line("l3")
    heard = replace(project, reading=Reading(context=None))
    assert line_state(project, store, line, "c").kind is Kind.READY
    assert line_state(heard, store, line, "c").kind is Kind.READY
