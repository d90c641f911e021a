"""What was heard of takes, in the window: words are marked, misread ones are spoken anew, the best heard is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.app import App
from studio.document.listened import Mishap, Misreading
from studio.settings import Preferences

RATE, HOP, TEXT = 8_000, 400, "Where did they go?"


def make(app: App, seed: int) -> Take:
    origin = Origin(Prompt((Part(0, TEXT),)), "none", seed, Settings(), How.GENERATED, RATE, HOP)
    take = Take(np.full((3, 40), seed, np.int16), origin, FrameData(*np.zeros((2, 2, 40), np.float32)))
    app.session.add_takes(app.session.project.lines()[0].id, (take,), "Generate line")
    app.session.put_print(take.id, RATE, np.zeros(40 * HOP, np.float32))
    return take


def test_misread_words_are_marked(app: App, qtbot: QtBot) -> None:
    take = make(app, 1)
    app.session.put_misread(take.id, (Misreading(6, 9, Mishap.MISSING), Misreading(10, 14, Mishap.FOREIGN, "you")))
    qtbot.waitUntil(lambda: any(clip.misread for clip in app.window.display.clips))
    (clip,) = app.window.display.clips
    assert clip.misread == ((1, "not heard"), (2, "heard as “you”"))
    line = app.session.project.lines()[0]
    assert app.session.state(line).misread == ((6, 9), (10, 14))
    (row,) = app.window.display.takes.rows.model().rows
    assert row.flags[-3:] == ("heard 50 %", "“did” not heard", "“they” heard as “you”")
    app.window.display.timeline.grab()
    app.window.display.script.grab()


def test_what_was_misread_is_chosen_and_asked_for(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(app.performing, "regenerate", lambda: asked.append(app.session.selection))
    app.window.do("regenerate_misread")
    take = make(app, 1)
    app.window.do("regenerate_misread")
    assert "listened" in app.window.problems.meaning.text() or "listened" in app.window.problems.title.text()
    app.window.problems.close_problem()
    app.session.put_misread(take.id, (Misreading(10, 14, Mishap.FOREIGN, "you"),))
    app.window.do("regenerate_misread")
    (selection,) = asked
    assert selection is not None
    start, stop = selection.span
    assert 0 < start < stop < 40


def test_the_take_that_is_heard_best_is_kept(app: App) -> None:
    best, worse = make(app, 1), make(app, 2)
    app.session.put_misread(best.id, ())
    app.session.put_misread(worse.id, (Misreading(0, 5, Mishap.MISSING),))
    assert app.session.project.lines()[0].kept == worse.id
    app.window.do("keep_best_heard")
    assert app.session.project.lines()[0].kept == best.id
    assert app.window.display.jobs.words.accessibleName() == "Listened to 2 takes: 1 place is misread"
    app.window.do("undo")
    assert app.session.project.lines()[0].kept == worse.id


def test_the_recogniser_is_a_preference(app: App) -> None:
    app.window.preferences_wanted.emit(Preferences(recogniser="somewhere", listens=True))
    listening = app.window.hearing.listening
    assert listening.on
    assert app.window.recogniser.folder == Path("somewhere")
