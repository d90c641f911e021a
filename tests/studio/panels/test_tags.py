from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.document.phrases import FIRST, SECTIONS
from studio.panels.tags import TagChip, TagsPanel


@pytest.fixture
def panel(qtbot: QtBot) -> TagsPanel:
    made = TagsPanel()
    qtbot.addWidget(made)
    made.resize(296, 300)
    made.show()
    return made


def chip(panel: TagsPanel, phrase: str) -> TagChip:
    return next(chip for chip in panel.findChildren(TagChip) if chip.text() == phrase)


def test_a_click_wishes_the_phrase(panel: TagsPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.tag_wanted) as wish:
        qtbot.mouseClick(chip(panel, "sighs"), Qt.MouseButton.LeftButton)
    assert wish.args == ["sighs"]


@pytest.mark.parametrize("written", ["speaking to the sea", " [speaking to the sea] "])
def test_a_phrase_of_ones_own(panel: TagsPanel, qtbot: QtBot, written: str) -> None:
    qtbot.keyClicks(panel.phrase, written)
    assert panel.phrases == ()
    with qtbot.waitSignal(panel.tag_wanted) as wish:
        qtbot.keyClick(panel.phrase, Qt.Key.Key_Return)
    assert wish.args == ["speaking to the sea"]
    assert panel.phrase.text() == ""


def test_an_empty_phrase_is_none(panel: TagsPanel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(panel.tag_wanted):
        qtbot.keyClicks(panel.phrase, "[]")
        qtbot.keyClick(panel.phrase, Qt.Key.Key_Return)


def test_sections_and_searching(panel: TagsPanel, qtbot: QtBot) -> None:
    assert set(panel.phrases) == set(FIRST)
    panel.section.setCurrentIndex(1 + SECTIONS.index("Pauses"))
    assert "long pause" in panel.phrases
    qtbot.keyClicks(panel.phrase, "trembl")
    assert "trembling voice" in panel.phrases
    assert "long pause" not in panel.phrases


def test_what_was_used_and_liked_stands_first(panel: TagsPanel, qtbot: QtBot) -> None:
    panel.show_offers(("my own",), ("tired",))
    assert panel.phrases[:2] == ("tired", "my own")
    with qtbot.waitSignal(panel.favourite_wanted) as wish:
        chip(panel, "tired").menu().actions()[0].trigger()
    assert wish.args == ["tired"]
    assert chip(panel, "tired").dragged().text() == "[tired] "
