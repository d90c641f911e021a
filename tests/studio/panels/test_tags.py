from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.controls import Chip
from studio.panels.tags import PHRASES, TagsPanel


@pytest.fixture
def panel(qtbot: QtBot) -> TagsPanel:
    made = TagsPanel()
    qtbot.addWidget(made)
    made.resize(296, 300)
    made.show()
    return made


def test_a_click_wishes_the_phrase(panel: TagsPanel, qtbot: QtBot) -> None:
    chip = next(chip for chip in panel.findChildren(Chip) if chip.text() == "sighs")
    with qtbot.waitSignal(panel.tag_wanted) as wish:
        qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert wish.args == ["sighs"]


@pytest.mark.parametrize("written", ["speaking slowly", " [speaking slowly] "])
def test_a_phrase_of_ones_own(panel: TagsPanel, qtbot: QtBot, written: str) -> None:
    qtbot.keyClicks(panel.phrase, written)
    with qtbot.waitSignal(panel.tag_wanted) as wish:
        qtbot.keyClick(panel.phrase, Qt.Key.Key_Return)
    assert wish.args == ["speaking slowly"]
    assert panel.phrase.text() == ""


def test_an_empty_phrase_is_none(panel: TagsPanel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(panel.tag_wanted):
        qtbot.keyClicks(panel.phrase, "[]")
        qtbot.keyClick(panel.phrase, Qt.Key.Key_Return)


def test_phrases_are_enough_and_different(panel: TagsPanel) -> None:
    assert len(set(PHRASES)) == len(PHRASES) >= 24
    assert [chip.text() for chip in panel.findChildren(Chip)] == list(PHRASES)
