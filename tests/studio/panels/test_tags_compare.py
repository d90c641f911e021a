"""Comparing tags: what is asked for, what is heard blind, and what is adopted."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.panels.tags_compare import ACTS, AS_IT_IS, STRONGLY, Cell, CompareDialog, Manner, acting, in_words

WAVE = np.zeros((40, 2))
CELLS = (
    Cell(AS_IT_IS, WAVE, 2.0),
    Cell(Manner("tired"), WAVE, 2.5, np.full(30, 0.5), 0.1),
    Cell(Manner("tired, to herself", directed=True), WAVE, 1.5, np.full(20, 0.1), 0.1),
    Cell(Manner("sad")),
    Cell(Manner("loud"), why_not="It does not fit."),
    Cell(Manner("low"), WAVE, 1.0, np.full(20, 0.1)),
)


@pytest.fixture
def dialog(qtbot: QtBot) -> CompareDialog:
    made = CompareDialog()
    qtbot.addWidget(made)
    made.show_about("Who is there?", "At the start.", "[{direction}] {text}")
    made.show_cells(CELLS)
    made.show()
    return made


def names(dialog: CompareDialog) -> list[str]:
    return [view.accessibleName() for view in dialog._views]


def test_tags_and_directions_are_read_as_they_are_written(dialog: CompareDialog, qtbot: QtBot) -> None:
    dialog.tags.setText(" tired, [angry],tired,, a  b , c")
    dialog.directions.setText("tired,  to herself; loud;; tired; e; f")
    with qtbot.waitSignal(dialog.start_wanted) as wish:
        qtbot.keyClick(dialog.directions, Qt.Key.Key_Return)
    (manners,) = wish.args
    assert [each.said for each in manners] == [
        "[tired]", "[angry]", "[a b]", "[c]", "direction: tired, to herself", "direction: loud",
    ]  # fmt: skip
    assert dialog.start.isEnabled()
    dialog.tags.setText(" , ")
    dialog.directions.setText(" ; ")
    assert not dialog.start.isEnabled()
    with qtbot.assertNotEmitted(dialog.start_wanted):
        dialog.start.click()


def test_without_takes_it_says_what_to_do(dialog: CompareDialog) -> None:
    assert not dialog.empty.isVisible()
    dialog.show_cells(())
    assert dialog.empty.isVisible()


def test_the_template_of_directions_is_told(dialog: CompareDialog) -> None:
    assert "enters as [{direction}] {text}" in dialog.told.text()


def test_cells_say_what_they_are(dialog: CompareDialog) -> None:
    assert names(dialog) == ["as it is", "[tired]", "direction: tired, to herself", "[sad]", "[loud]", "[low]"]
    assert [(view.length.text(), view.effect.text()) for view in dialog._views] == [
        ("2.0 s", ""),
        ("2.5 s", "acts strongly"),
        ("1.5 s", "like an empty tag"),
        ("being made", ""),
        ("It does not fit.", ""),
        ("1.0 s", ""),
    ]
    assert [view.adopt.isEnabled() for view in dialog._views] == [True, True, True, False, False, True]
    dialog.grab()


def test_blind_hides_names_and_finds_its_way_back(dialog: CompareDialog) -> None:
    dialog.blind.click()
    assert names(dialog) == [f"Take {letter}" for letter in "ABCDEF"]
    assert not any(view.effect.text() for view in dialog._views)
    played: list[Manner] = []
    adopted: list[Manner] = []
    dialog.play_wanted.connect(played.append)
    dialog.adopt_wanted.connect(adopted.append)
    for view in dialog._views:
        view.play.click()
        view.adopt.click()
    assert set(played) == set(adopted) == {cell.manner for cell in CELLS if cell.wave is not None}
    dialog.blind.click()
    assert names(dialog)[0] == "as it is"


def test_acting_is_told_by_what_tags_do_that_mean_nothing() -> None:
    assert in_words(acting(np.zeros(0), 0.1)) == "like an empty tag"
    assert acting(np.full(4, 0.3), 0.1) == pytest.approx(3.0)
    assert in_words(acting(np.full(4, 1.2), 1.2)) == "like an empty tag"
    assert in_words(ACTS + 0.1) == "acts"
    assert in_words(STRONGLY + 0.1) == "acts strongly"
    assert in_words(acting(np.full(4, 1e-6), 0.0)) == "like an empty tag"
