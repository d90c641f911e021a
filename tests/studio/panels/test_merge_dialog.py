"""What is ticked is what is wanted; with nothing ticked nothing can be."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.document.merge import Wanted
from studio.panels.merge_dialog import MergeChoice, MergeDialog

ONE = (("a", "Hello,\nyou."), ("b", "Who is there?"), ("c", ""))
CHOICE = MergeChoice("Other & more", (("One", ONE), ("", (("d", "Bye."),))), ("heart", "joe"), 2)
TICKED, UNTICKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


@pytest.fixture
def dialog(qtbot: QtBot) -> MergeDialog:
    made = MergeDialog(CHOICE)
    qtbot.addWidget(made)
    made.show()
    return made


def test_all_scenes_and_shared_takes_are_wanted_at_first(dialog: MergeDialog, qtbot: QtBot) -> None:
    scenes = [dialog.scenes.topLevelItem(at) for at in range(2)]
    assert [scene.text(0) for scene in scenes] == ["One · 3 lines", "Untitled scene · 1 line"]
    assert [scenes[0].child(at).text(0) for at in range(3)] == ["Hello, you.", "Who is there?", "An empty line"]
    with qtbot.waitSignal(dialog.merge_wanted) as wanted:
        qtbot.mouseClick(dialog.merge, Qt.MouseButton.LeftButton)
    assert wanted.args == [Wanted((0, 1), True, (), True)]
    assert dialog.isHidden()


def test_what_is_unticked_does_not_come(dialog: MergeDialog) -> None:
    dialog.scenes.topLevelItem(0).setCheckState(0, UNTICKED)
    dialog.takes.setChecked(False)
    dialog.voices["joe"].setChecked(True)
    dialog.shared.setChecked(False)
    assert dialog.wanted() == Wanted((1,), False, ("joe",), False)
    dialog.scenes.topLevelItem(1).child(0).setCheckState(0, UNTICKED)
    assert not dialog.takes.isEnabled()
    assert dialog.merge.isEnabled()
    dialog.voices["joe"].setChecked(False)
    assert not dialog.merge.isEnabled()


def test_some_lines_of_a_scene_can_be_wanted(dialog: MergeDialog) -> None:
    one = dialog.scenes.topLevelItem(0)
    one.child(1).setCheckState(0, UNTICKED)
    assert one.checkState(0) == Qt.CheckState.PartiallyChecked
    assert (dialog.wanted().scenes, dialog.wanted().left_out) == ((0, 1), {"b"})
    one.setCheckState(0, TICKED)
    assert dialog.wanted().left_out == frozenset()


def test_a_project_with_many_scenes_fits_on_the_screen(qtbot: QtBot) -> None:
    dialog = MergeDialog(MergeChoice("Long", tuple((f"Scene {n}", ((f"l{n}", "x"),)) for n in range(200)), (), 0))
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.height() < 700
