"""What is said of a comparison of tags; what it makes is heard in the journeys."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pytestqt.qtbot import QtBot

from studio.app import App
from studio.comparing import stands
from studio.session.performing import NO_MODEL


@pytest.mark.parametrize(
    ("place", "told"),
    [(0, "at the start of the line"), (5, "before “tea, Tom”"), (13, "at the end of the line")],
)
def test_where_the_tags_stand(place: int, told: str) -> None:
    assert stands("Some tea, Tom?", place) == told


def test_a_tag_does_not_part_a_word(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    window = app.window
    monkeypatch.setattr(window.session, "engine", SimpleNamespace(voices=()))
    told = []
    for place in (6, 8, 9, 11):
        window.comparing.open(place, ())
        told.append(window.comparing.dialog.told.text().split(".")[0])
    monkeypatch.undo()
    window.comparing.dialog.reject()
    assert told == ["The tags stand before “did they go”"] * 2 + ["The tags stand before “they go”"] * 2


def test_it_says_that_no_model_is_there(app: App, qtbot: QtBot) -> None:
    window = app.window
    window.session.choose_line(window.session.project.lines()[0].id)
    window.session.engineless = True
    with qtbot.waitSignal(window.performing.said, check_params_cb=lambda said: said == NO_MODEL):
        window.do("compare_tags")
    assert not window.comparing.dialog.isVisible()
