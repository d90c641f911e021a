"""Comparing tags: what is asked for, what is heard blind, and what is adopted."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.panels.tags_compare import Cell, CompareDialog, acting

WAVE = np.zeros((40, 2))
CELLS = (
    Cell("", WAVE, 2.0),
    Cell("tired", WAVE, 2.5, np.full(30, 0.4)),
    Cell("angry", WAVE, 1.5, np.zeros(20)),
    Cell("sad"),
    Cell("loud", why_not="It does not fit."),
)


@pytest.fixture
def dialog(qtbot: QtBot) -> CompareDialog:
    made = CompareDialog()
    qtbot.addWidget(made)
    made.show_about("Who is there?", "At the start")
    made.show_cells(CELLS)
    made.show()
    return made


def names(dialog: CompareDialog) -> list[str]:
    return [view.name.text() for view in dialog._views]


def test_tags_are_read_as_they_are_written(dialog: CompareDialog, qtbot: QtBot) -> None:
    dialog.tags.setText(" tired, [angry],tired,, a  b , c, d, e, f")
    with qtbot.waitSignal(dialog.start_wanted) as wish:
        qtbot.keyClick(dialog.tags, Qt.Key.Key_Return)
    assert wish.args == [("tired", "angry", "a b", "c", "d", "e")]
    dialog.tags.setText(" , ")
    with qtbot.assertNotEmitted(dialog.start_wanted):
        dialog.start.click()


def test_cells_say_what_they_are(dialog: CompareDialog) -> None:
    assert names(dialog) == ["without a tag", "[tired]", "[angry]", "[sad]", "[loud]"]
    assert [view.length.text() for view in dialog._views] == [
        "2.0 s",
        "2.5 s · acts strongly",
        "1.5 s · hardly acts",
        "being made",
        "It does not fit.",
    ]
    assert [view.adopt.isEnabled() for view in dialog._views] == [True, True, True, False, False]
    dialog.grab()


def test_blind_hides_names_and_finds_its_way_back(dialog: CompareDialog) -> None:
    dialog.blind.click()
    assert names(dialog) == [f"Take {letter}" for letter in "ABCDE"]
    assert not any("acts" in view.length.text() for view in dialog._views)
    played: list[str] = []
    adopted: list[str] = []
    dialog.play_wanted.connect(played.append)
    dialog.adopt_wanted.connect(adopted.append)
    for view in dialog._views:
        view.play.click()
        view.adopt.click()
    assert sorted(played) == sorted(adopted) == ["", "angry", "tired"]
    dialog.blind.click()
    assert names(dialog)[0] == "without a tag"


def test_acting_in_a_word() -> None:
    assert acting(np.zeros(0)) == "hardly acts"
    assert acting(np.full(4, 0.1)) == "acts"
