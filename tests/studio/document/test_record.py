"""Nothing that a project holds is forgotten in its file and its journal."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from engine.request import Reference, Voice
from studio.document.history import History, Step
from studio.document.project import Character, Line, LinePart, Mark, Project, Reading, Scene
from studio.document.record import (
    FirstRecord,
    ProjectRecord,
    Restoring,
    StepRecord,
    project_record,
    step_record,
    voice_codes,
)

OTHER = Project(
    "Other",
    (Scene("One", (Line("a", (LinePart("Ada", "Hello."),)),)),),
    (Character("Ada"),),
    (),
    {"t1": Mark(star=True)},
    Reading(context=3),
    keeps_sound=True,
    language="de_DE",
)


def test_every_field_of_a_project_is_in_its_records() -> None:
    names = {field.name for field in fields(Project)}
    assert {field.name for field in fields(ProjectRecord)} == names
    assert {field.name for field in fields(StepRecord)} >= names


@pytest.mark.parametrize("name", sorted({field.name for field in fields(Project)} - {"voices"}))
def test_a_change_of_any_field_comes_back(name: str) -> None:
    before = Project()
    changed = Project(**{name: getattr(OTHER, name)})
    assert changed != before
    history = History((Step("First", before), Step("Then", changed, 0)), 1, 1)
    restoring = Restoring({})
    first, then = (step_record(history, place) for place in range(2))
    assert isinstance(first, FirstRecord)
    assert isinstance(then, StepRecord)
    restoring.first(first)
    restoring.next(then)
    assert restoring.steps[1].project == changed
    assert Restoring({}).project(project_record(changed)) == changed


def test_a_project_that_was_written_without_a_scene_is_one_to_write_in() -> None:
    restoring = Restoring({})
    restoring.first(FirstRecord("New project", ProjectRecord("Old")))
    restoring.next(StepRecord("Rename project", title="Older"))
    assert [step.project.scenes for step in restoring.steps] == [(Scene(""),)] * 2


def test_voices_keep_the_codec_that_their_codes_are_of() -> None:
    """Older files do not tell it."""
    voice = Voice("Ada", (Reference("Good evening.", np.zeros((4, 9), np.int16)),), "0123456789abcdef")
    project = Project(voices=(voice, replace(voice, name="Bob", codec="")))
    record = project_record(project)
    back = Restoring(voice_codes(project)).project(record)
    assert [each.codec for each in back.voices] == ["0123456789abcdef", ""]
    assert not back.voices[0].fits("another")
    assert back.voices[0].fits("")
    assert back.voices[1].fits("another")
    assert Voice("Nobody").fits("another")
