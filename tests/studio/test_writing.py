"""Writing in scenes that have no lines yet, and what else is done there."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from studio.app import App
from studio.document.project import Scene
from studio.document.script import project_from_script
from studio.window import Window


@pytest.fixture
def script() -> str:
    return ""


@pytest.fixture
def window(app: App) -> Window:
    return app.window


def begin(window: Window, *titles: str) -> None:
    """A scene with two lines, then scenes without any."""
    script = "# Tea\n\nMira: Some tea?\n\nTom: Where to?\n" + "".join(f"# {title}\n" for title in titles)
    window.session.start(project_from_script(script, ()))


def scenes(window: Window) -> list[list[str]]:
    return [[line.text for line in scene.lines] for scene in window.session.project.scenes]


def test_what_is_typed_into_an_empty_script_is_in_the_project(window: Window) -> None:
    assert window.session.project.scenes == (Scene(""),)
    QTest.keyClicks(window.display.script, "Hello.")
    assert scenes(window) == [["Hello."]]
    window.do("undo")
    assert scenes(window) == [[]]
    assert window.problems.problem is None


@pytest.mark.parametrize("verb", ["scene_pauses", "export", "join", "part", "find", "generate", "lock"])
def test_verbs_in_an_empty_script_break_nothing(window: Window, verb: str) -> None:
    window.do(verb)
    assert window.problems.problem is None


def test_the_scene_without_lines_is_the_one_that_is_worked_on(window: Window) -> None:
    begin(window, "Pier", "Sea")
    window.display.top.scene_chosen.emit(2)
    assert window.session.line is None
    assert window.display.scene == 2
    QTest.keyClicks(window.display.script, "Waves.")
    assert scenes(window) == [["Some tea?", "Where to?"], [], ["Waves."]]
    assert window.session.line is window.session.project.scenes[2].lines[0]
    assert window.problems.problem is None


def test_what_is_done_to_selected_lines_leaves_out_rows_that_are_none_yet(window: Window) -> None:
    begin(window, "Pier")
    script, session = window.display.script, window.session
    cursor = script.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.Start)
    cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    script.setTextCursor(cursor)
    assert script.lines_selected() == tuple(line.id for line in session.project.lines())
    window.do("lock")
    assert all(line.locked for line in session.project.lines())
    window.do("join")
    assert scenes(window) == [["Some tea?\nWhere to?"], []]


def test_find_and_join_in_a_scene_without_lines(window: Window) -> None:
    begin(window, "Pier")
    script = window.display.script
    script.choose_scene(1)
    assert script.line_selected() is None
    assert script.lines_selected() == ()
    window.do("join")
    window.do("find")
    window.searching.bar.field.setText("tea")
    window.searching.step(1)
    assert script.textCursor().selectedText() == "tea"
    assert window.problems.problem is None


def test_what_is_found_is_boxed_in_the_script_while_the_bar_is_open(window: Window) -> None:
    begin(window, "Pier")
    script, (first, *_) = window.display.script, window.session.project.lines()
    window.do("find")
    window.searching.bar.field.setText("TEA")
    assert script._matches == {first.id: [(5, 8)]}
    window.searching.bar.pattern.setChecked(True)
    window.searching.bar.field.setText("(tea")
    assert script._matches == {}
    window.searching.bar.field.setText("t.a")
    assert script._matches == {first.id: [(5, 8)]}
    window.searching.bar.close_bar()
    assert script._matches == {}
