"""Lint, states and counts follow the project: after any edits they are as if made anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.text import words
from studio.document.edits import AddCharacter, ReplaceLines
from studio.document.lint import Rule, findings, standards_of
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.engine_thread import EngineThread
from studio.file_thread import FileThread
from studio.samples import PrintCache
from studio.session import Performing, Session
from studio.session.counting import Counting, told
from studio.session.linting import Linting
from studio.session.standing import WANTING, Standing

TEXTS = st.sampled_from(["At 4:31, an engine.", "[sighs", "Nobody came tonight.", "", "[sighs]", "(laugh) Well then."])
OFF = frozenset({Rule.SPELLING})


class Stage:
    def __init__(self, folder: Path) -> None:
        self.files, self.engine = FileThread(), EngineThread()
        self.session = Session(self.files, PrintCache(folder))
        self.performing = Performing(self.session, self.engine)
        self.linting = Linting(self.session, self.files)
        self.counting = Counting(self.session)
        self.standing = Standing(self.session, self.performing)
        self.linting.switch_off(OFF)


@pytest.fixture
def stage(qapp: QApplication, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.engine.close()
    made.files.close()


def lines(texts: list[str], begin: int = 0) -> tuple[Line, ...]:
    return tuple(Line(f"l{begin + n}", (LinePart("Mira", text),)) for n, text in enumerate(texts))


EDITS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.lists(TEXTS, max_size=3)), max_size=8)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.lists(TEXTS, min_size=1, max_size=8), edits=EDITS)
def test_what_follows_edits_is_as_if_made_anew(
    stage: Stage, first: list[str], edits: list[tuple[int, int, list[str]]]
) -> None:
    session = stage.session
    session.start(Project(scenes=(Scene("", lines(first)),), cast=(Character("Mira"),)))
    stage.standing.follow()
    for number, (at, gone, texts) in enumerate(edits):
        count = len(session.project.scenes[0].lines)
        start = min(at, count)
        stop = min(start + gone, count)
        session.do(ReplaceLines(0, start, stop, lines(texts, 100 * (number + 1))))
        stage.standing.follow()
    project = session.project
    standards = standards_of(project, None, OFF)
    anew = {line.id: found for line in project.lines() if (found := findings(line, standards))}
    assert stage.linting.found == anew
    assert stage.counting.words == sum(len(words(line.text)) for line in project.lines())
    states = {line.id: stage.performing.state(line) for line in project.lines()}
    assert stage.standing.states == states
    assert stage.standing.wanting == {line_id for line_id, state in states.items() if state.kind in WANTING}
    assert [session.place(line.id) for line in project.lines()] == [(0, n) for n in range(len(project.lines()))]


def test_a_long_script_is_looked_at_bit_by_bit(stage: Stage, qtbot: QtBot) -> None:
    stage.session.start(Project(scenes=(Scene("", lines(["It was 1984 then."] * 300)),), cast=(Character("Mira"),)))
    assert stage.linting.busy
    qtbot.waitUntil(lambda: not stage.linting.busy)
    assert len(stage.linting.found) == 300
    assert len(stage.linting.in_order(7)) == 7
    qtbot.waitUntil(lambda: stage.counting.words == 1200)


def test_who_joins_the_cast_is_no_longer_unknown(stage: Stage) -> None:
    stage.session.start(Project(scenes=(Scene("", lines(["Nobody came tonight."])),)))
    assert [each.rule for each in stage.linting.found["l0"]] == [Rule.UNKNOWN]
    stage.session.do(AddCharacter(Character("Mira")))
    stage.linting._go_on()
    assert stage.linting.found == {}


def test_counts_in_words() -> None:
    assert told(1, 1, 5.2) == "1 line · 1 word · about 0:05"
    assert told(20_000, 320_000, 100_000.0) == "20,000 lines · 320,000 words · about 27 h 46 min"
