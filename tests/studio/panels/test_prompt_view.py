"""The prompt's window: what is read is shown to the last sign, and what is changed is wished for at once."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from engine.request import Described, PromptRow
from studio.document.project import Pronunciation, Reading
from studio.panels.prompt_view import LAST, NONE, SCENE, PromptDialog, PromptPage, counted

DANA = Pronunciation("Dana", "Dayna")
ROWS = (
    PromptRow("system", "<|speaker:0|>some words\n", 0, 9),
    PromptRow("system", "", 312, 312),
    PromptRow("user", "<|speaker:0|>[tired] Dayna?", 0, 12),
)
DESCRIBED = Described(ROWS, 345, 90, 2048, 2)


@pytest.fixture
def dialog(qtbot: QtBot) -> PromptDialog:
    made = PromptDialog()
    qtbot.addWidget(made)
    made.show_reading(Reading(pronunciations=(DANA,)))
    made.show()
    return made


def wishes(dialog: PromptDialog) -> list[Reading]:
    told: list[Reading] = []
    dialog.reading_wanted.connect(told.append)
    return told


def test_every_part_is_shown(dialog: PromptDialog) -> None:
    dialog.show_page(PromptPage("Line 3", ("Mira, voice heart, 312 frames",), DESCRIBED))
    shown = dialog.page.toPlainText()
    for text in ("<|speaker:0|> is Mira", "<|speaker:0|>some words", "312 frames of speech", "[tired] Dayna?"):
        assert text in shown
    assert dialog.counts.text() == counted(DESCRIBED)
    assert "33 tokens and 312 frames of 2,048" in counted(DESCRIBED)
    assert "2 of the oldest turns" in counted(DESCRIBED)
    dialog.show_page(PromptPage("Line 4", why_not="There is nothing to speak in this line."))
    assert dialog.page.toPlainText() == "There is nothing to speak in this line."


def test_showing_wishes_nothing(dialog: PromptDialog) -> None:
    told = wishes(dialog)
    for context in (0, 3, None):
        dialog.show_reading(Reading("({direction}) {text}", (DANA, Pronunciation("a", "b")), context))
    assert told == []
    assert dialog.context.currentIndex() == SCENE
    assert dialog.words.rowCount() == 2


def test_context_is_none_some_or_all(dialog: PromptDialog) -> None:
    told = wishes(dialog)
    dialog.context.setCurrentIndex(LAST)
    dialog.turns.setValue(4)
    dialog.context.setCurrentIndex(SCENE)
    dialog.context.setCurrentIndex(NONE)
    assert [wish.context for wish in told] == [1, 4, None, 0]
    assert all(wish.pronunciations == (DANA,) for wish in told)


def test_a_template_that_loses_the_text_is_refused(dialog: PromptDialog) -> None:
    told = wishes(dialog)
    dialog.template.setText("[{direction}]")
    dialog.template.editingFinished.emit()
    assert told == []
    assert dialog.wrong.text() == "It needs {text}, once."
    dialog.template.setText("{text} ({direction})")
    dialog.template.editingFinished.emit()
    assert [wish.template for wish in told] == ["{text} ({direction})"]


def test_words_are_added_changed_and_removed(dialog: PromptDialog) -> None:
    told = wishes(dialog)
    dialog.add.click()
    assert told == []
    dialog.words.item(1, 0).setText("quay")
    assert told == []
    dialog.words.item(1, 1).setText("key")
    assert told[-1].pronunciations == (DANA, Pronunciation("quay", "key"))
    heard: list[object] = []
    dialog.hear_wanted.connect(heard.append)
    dialog.hear.click()
    assert heard == [Pronunciation("quay", "key")]
    dialog.words.selectRow(0)
    dialog.remove.click()
    assert told[-1].pronunciations == (Pronunciation("quay", "key"),)
