"""The program as a whole: what is done while the voice model is on its way, and where none comes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Voice
from studio.app import App
from studio.document.edits import ChangeCharacter, RenameScene, SetVoices
from studio.document.state import Kind
from studio.engine_thread import Opened
from tests.tiny import CODEBOOKS

VOICE = Voice("heart", (Reference("As I said.", np.ones((CODEBOOKS, 4), np.int16)),))
OPENED = Opened(Path("voice"), "digest", Settings(), (VOICE,), 400, 44_100, 2_048, "cpu", "fp32", 1)


def test_a_script_is_cast_when_the_voices_are_there(app: App) -> None:
    app.engine.opened.emit(OPENED)
    assert [each.voice for each in app.session.project.cast] == ["heart"]
    assert not app.session.history.can_undo


def a_take() -> Take:
    origin = Origin(Prompt((Part(0, "Where did they go?"),)), "digest", 1, Settings(), How.GENERATED, 44_100, 2_048)
    data = np.zeros((2, 6), np.float32)
    return Take(np.zeros((CODEBOOKS, 6), np.int16), origin, FrameData(data, data))


def test_where_no_voice_model_could_be_loaded_that_is_said_and_nothing_waits_for_it(
    app: App, qtbot: QtBot, tmp_path: Path
) -> None:
    session, performing, said = app.session, app.performing, list[str]()
    app.engine.opened.emit(OPENED)
    line = session.project.lines()[0]
    app.window.do("generate")
    performing.generate((line.id, line.id))
    assert performing.waiting > 0
    with qtbot.waitSignal(app.engine.unopened, timeout=60_000):
        app.load(tmp_path, "cpu", "fp32")
    qtbot.waitUntil(lambda: performing.job is None)
    assert (performing.waiting, performing.failures) == (0, {})
    assert session.engine is None
    assert app.window.problems.problem is not None
    performing.said.connect(said.append)
    app.window.paperwork.said.connect(said.append)
    for verb in ("generate", "generate_stale", "regenerate"):
        app.window.do(verb)
        assert said.pop() == "No voice model is loaded. Choose one in the settings."
    session.add_takes(line.id, (a_take(),), "Generate line")
    app.window.do("again")
    app.window.do("timbre")
    app.window.do("insert_pause")
    assert said == ["No voice model is loaded. Choose one in the settings."] * 3
    qtbot.waitUntil(lambda: not (app.files.busy or performing._prints))
    app.window.do("export")
    assert said[-1] == "The takes of this scene are not decoded yet, and no voice model is loaded to do it."
    assert performing.state(session.project.lines()[0]).kind is not Kind.GENERATING


def test_while_another_voice_model_is_loaded_jobs_wait_for_it(app: App) -> None:
    app.session.engineless = True
    app.engine.open = lambda *_: None  # type: ignore[method-assign]
    app.load(None, None, None)
    app.session.do(SetVoices((VOICE,)))
    app.session.do(ChangeCharacter("Mira", replace(app.session.project.cast[0], voice="heart")))
    app.window.do("generate")
    assert app.performing.job is not None


def test_casting_leaves_alone_what_was_saved_or_undone_meanwhile(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    session = app.session
    session.save(tmp_path / "x.retake")
    qtbot.waitUntil(lambda: session.path is not None)
    app.engine.opened.emit(OPENED)
    assert session.path == tmp_path / "x.retake"
    assert [each.voice for each in session.project.cast] == ["heart"]
    assert session.unsaved


def test_casting_leaves_a_save_that_is_under_way(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    session = app.session
    session.save(tmp_path / "x.retake")
    app.engine.opened.emit(OPENED)
    qtbot.waitUntil(lambda: session.path == tmp_path / "x.retake")
    assert [each.voice for each in session.project.cast] == ["heart"]
    assert session.unsaved


def test_casting_leaves_what_can_be_done_again(app: App) -> None:
    app.session.do(RenameScene(0, "Fog"))
    app.session.undo()
    app.engine.opened.emit(OPENED)
    app.session.undo()
    assert app.session.history.steps[1].project.scenes[0].title == "Fog"
