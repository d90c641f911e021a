from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.panels.palette_dialog import PaletteDialog, VerbRow

VERBS = (
    VerbRow("generate", "Generate line", "Ctrl+Enter"),
    VerbRow("undo", "Undo", "Ctrl+Z", possible=False),
    VerbRow("generate_stale", "Generate all stale", "Ctrl+Shift+Enter"),
)


@pytest.fixture
def dialog(qtbot: QtBot) -> PaletteDialog:
    made = PaletteDialog()
    qtbot.addWidget(made)
    made.show_verbs(VERBS)
    made.show()
    made.grab()
    return made


def names(dialog: PaletteDialog) -> list[str]:
    return [verb.name for verb in dialog.rows.rows.rows]


def test_letters_narrow_and_enter_does(dialog: PaletteDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(dialog.search, "stale gen")
    assert names(dialog) == ["generate_stale"]
    with qtbot.waitSignal(dialog.verb_chosen) as wish:
        qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    assert wish.args == ["generate_stale"]
    assert dialog.isHidden()


def test_arrows_move(dialog: PaletteDialog, qtbot: QtBot) -> None:
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
        qtbot.keyClick(dialog.search, key)
    with qtbot.waitSignal(dialog.verb_chosen) as wish:
        qtbot.keyClick(dialog.search, Qt.Key.Key_Enter)
    assert wish.args == ["generate_stale"]


def test_what_is_not_possible_comes_last_and_does_nothing(dialog: PaletteDialog, qtbot: QtBot) -> None:
    assert names(dialog)[-1] == "undo"
    qtbot.keyClicks(dialog.search, "undo")
    with qtbot.assertNotEmitted(dialog.verb_chosen):
        qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    assert dialog.isVisible()


def test_nothing_found_says_so(dialog: PaletteDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(dialog.search, "xyz")
    assert dialog.none.isVisible()
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    assert dialog.isVisible()
