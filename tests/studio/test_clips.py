from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.clips import SHORT, Clips
from studio.document.edits import ReplaceLines
from studio.document.project import Line, LinePart, Project, Scene
from studio.engine_thread import EngineThread
from studio.file_thread import FileThread
from studio.samples import PrintCache
from studio.session import Performing, Session

LONG = SHORT + 200


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    files = FileThread()
    yield Session(files, PrintCache(tmp_path / "prints"))
    files.close()


@pytest.fixture
def clips(session: Session) -> Iterator[Clips]:
    engine = EngineThread()
    made = Clips(session, Performing(session, engine), session)
    made._later.setInterval(0)
    yield made
    engine.close()


def project(count: int) -> Project:
    lines = tuple(Line(f"l{n}", (LinePart("Mira", "Some tea?"),)) for n in range(count))
    return Project(scenes=(Scene("", lines),))


def said(session: Session, text: str, place: int = 0) -> None:
    line = session.project.scenes[0].lines[place]
    session.do(ReplaceLines(0, place, place + 1, (Line(line.id, (LinePart("Mira", text),)),)))


def test_those_of_a_short_script_are_there_at_once(session: Session, clips: Clips) -> None:
    session.start(project(3))
    clips.follow()
    assert [clip.line_id for clip in clips.clips] == ["l0", "l1", "l2"]
    assert clips.seconds > clips.clips[-1].start


def test_those_of_a_long_one_come_later_and_stay_what_they_were(
    session: Session, clips: Clips, qtbot: QtBot
) -> None:
    session.start(project(LONG))
    clips.make()
    before = clips.clips
    said(session, "Some more tea, and something to eat with it?", LONG - 1)
    clips.follow()
    assert clips.clips is before
    with qtbot.waitSignal(clips.made):
        pass
    assert len(clips.clips) == LONG
    assert all(now is old for now, old in zip(clips.clips[:-1], before[:-1], strict=True))
    assert clips.clips[-1].seconds > before[-1].seconds


def test_what_is_being_made_begins_anew_when_somebody_types(
    session: Session, clips: Clips, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.clips._SLICE", 0.0)  # no machine makes them all before somebody types
    session.start(project(LONG))
    clips.make()
    said(session, "Tea?")
    clips._begin()
    said(session, "Some more tea, and something to eat with it?")
    clips.wait()
    assert clips._making is None
    with qtbot.waitSignal(clips.made):
        pass
    assert clips.clips[0].seconds > clips.clips[1].seconds
