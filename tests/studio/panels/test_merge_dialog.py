"""What is ticked is what is wanted; with nothing ticked nothing can be."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.document.merge import Wanted
from studio.panels.merge_dialog import MergeChoice, MergeDialog

CHOICE = MergeChoice("Other & more", (("One", 3), ("", 1)), ("heart", "joe"), 2)


@pytest.fixture
def dialog(qtbot: QtBot) -> MergeDialog:
    made = MergeDialog(CHOICE)
    qtbot.addWidget(made)
    made.show()
    return made


def test_all_scenes_and_shared_takes_are_wanted_at_first(dialog: MergeDialog, qtbot: QtBot) -> None:
    assert [box.text() for box in dialog.scenes] == ["One · 3 lines", "Untitled scene · 1 line"]
    with qtbot.waitSignal(dialog.merge_wanted) as wanted:
        qtbot.mouseClick(dialog.merge, Qt.MouseButton.LeftButton)
    assert wanted.args == [Wanted((0, 1), True, (), True)]
    assert dialog.isHidden()


def test_what_is_unticked_does_not_come(dialog: MergeDialog) -> None:
    dialog.scenes[0].setChecked(False)
    dialog.takes.setChecked(False)
    dialog.voices["joe"].setChecked(True)
    dialog.shared.setChecked(False)
    assert dialog.wanted() == Wanted((1,), False, ("joe",), False)
    dialog.scenes[1].setChecked(False)
    assert not dialog.takes.isEnabled()
    assert dialog.merge.isEnabled()
    dialog.voices["joe"].setChecked(False)
    assert not dialog.merge.isEnabled()


def test_a_project_with_many_scenes_fits_on_the_screen(qtbot: QtBot) -> None:
    dialog = MergeDialog(MergeChoice("Long", tuple((f"Scene {n}", n) for n in range(200)), (), 0))
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.height() < 700
