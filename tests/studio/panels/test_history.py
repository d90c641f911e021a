"""The newest step is on top, the one where the user stands is marked, and a click goes to any."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.panels.history import HistoryPanel, HistoryRow

ROWS = tuple(HistoryRow(place, "Typing", f"Words {place}.") for place in (4, 3, 2, 1, 0))


@pytest.fixture
def panel(qtbot: QtBot) -> HistoryPanel:
    made = HistoryPanel()
    qtbot.addWidget(made)
    made.resize(300, 260)
    made.show()
    return made


def click(panel: HistoryPanel, row: int, qtbot: QtBot) -> None:
    rect = panel.rows.visualRect(panel.rows.model().index(row, 0))
    qtbot.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())


def test_a_click_goes_to_a_step_and_one_on_now_nowhere(panel: HistoryPanel, qtbot: QtBot) -> None:
    panel.show_history(ROWS, 3, (0, 1, 3, 4), 1)
    with qtbot.waitSignal(panel.step_wanted) as wanted:
        click(panel, 2, qtbot)
    assert wanted.args == [2]
    with qtbot.assertNotEmitted(panel.step_wanted):
        click(panel, 1, qtbot)


def test_what_a_step_is_to_now_is_said(panel: HistoryPanel) -> None:
    panel.show_history(ROWS, 3, (0, 1, 3, 4), 1)
    model = panel.rows.model()
    said = [model.index(row, 0).data() for row in range(5)]
    assert said == [
        "Typing, Words 4., undone",
        "Typing, Words 3., now",
        "Typing, Words 2., left behind",
        "Typing, Words 1.",
        "Typing, Words 0.",
    ]
    assert panel.rows.current_row() == ROWS[1]
    panel.grab()


def test_thousands_of_steps_are_shown_at_once(panel: HistoryPanel) -> None:
    rows = tuple(HistoryRow(place, "Typing") for place in range(20_000, -1, -1))
    panel.show_history(rows, 20_000, range(20_001), None)
    panel.grab()
    assert panel.rows.current_row() == rows[0]
