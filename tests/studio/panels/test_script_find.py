"""The bar that finds and replaces."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.document.finding import Query
from studio.panels.script_find import FindBar


@pytest.fixture
def bar(qtbot: QtBot) -> FindBar:
    made = FindBar()
    qtbot.addWidget(made)
    made.open_bar(True, "boat")
    return made


def test_it_opens_with_what_is_selected(bar: FindBar, qtbot: QtBot) -> None:
    assert bar.query == Query("boat")
    assert bar.text.isVisible()
    bar.open_bar(False, "")
    assert not bar.text.isVisible()
    assert bar.query == Query("boat")


def test_options_make_another_query(bar: FindBar, qtbot: QtBot) -> None:
    queries: list[Query] = []
    bar.query_changed.connect(queries.append)
    bar.case.click()
    bar.words.click()
    bar.pattern.click()
    assert queries[-1] == Query("boat", True, True, True)


def test_keys_step_replace_and_close(bar: FindBar, qtbot: QtBot) -> None:
    steps: list[int] = []
    texts: list[str] = []
    bar.step_wanted.connect(steps.append)
    bar.replace_wanted.connect(texts.append)
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    bar.text.setText("ship")
    qtbot.keyClick(bar.text, Qt.Key.Key_Return)
    assert (steps, texts) == ([1, -1], ["ship"])
    with qtbot.waitSignal(bar.closed):
        qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_it_says_what_is_found(bar: FindBar) -> None:
    bar.show_found(1, 12)
    assert bar.count.text() == "2 of 12"
    bar.show_found(None, 0)
    assert bar.count.text() == "Nothing found"
    assert not bar.all.isEnabled()
    bar.show_found(None, 0, "That is no pattern.")
    assert bar.count.text() == "That is no pattern."
