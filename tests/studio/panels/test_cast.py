from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio.document.project import Character
from studio.panels.cast import CastPanel

MIRA, TOM = Character("Mira", 0, "heart"), Character("Tom", 1)


@pytest.fixture
def panel(qtbot: QtBot) -> CastPanel:
    made = CastPanel()
    qtbot.addWidget(made)
    made.resize(232, 300)
    made.show()
    made.show_cast((MIRA, TOM), ("heart", "joe"))
    return made


def row_place(panel: CastPanel, row: int, right: int) -> QPoint:
    """`right` px from the row's right end, half way down."""
    rect = panel.rows.visualRect(panel.rows.rows.index(row))
    return QPoint(rect.right() - right, rect.center().y())


def actions(menu: QMenu) -> dict[str, QAction]:
    found: dict[str, QAction] = {}
    for action in menu.actions():
        inner = action.menu()
        found |= actions(inner) if isinstance(inner, QMenu) else {action.text().split("\t")[0]: action}
    return found


def open_menu(panel: CastPanel) -> QMenu:
    menu = next(menu for menu in panel.findChildren(QMenu) if menu.isVisible())
    assert isinstance(menu, QMenu)
    return menu


def test_a_click_chooses(panel: CastPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.character_chosen) as wish:
        qtbot.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=row_place(panel, 1, 180))
    assert wish.args == ["Tom"]


def test_arrows_choose(panel: CastPanel, qtbot: QtBot) -> None:
    panel.show_chosen("Mira")
    with qtbot.waitSignal(panel.character_chosen) as wish:
        qtbot.keyClick(panel.rows, Qt.Key.Key_Down)
    assert wish.args == ["Tom"]


def test_a_click_on_the_voice_opens_the_voices(panel: CastPanel, qtbot: QtBot) -> None:
    qtbot.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=row_place(panel, 1, 20))
    menu = open_menu(panel)
    with qtbot.waitSignal(panel.voice_wanted) as wish:
        actions(menu)["joe"].trigger()
    assert wish.args == ["Tom", "joe"]
    menu.close()


def test_the_menu_of_a_row(panel: CastPanel, qtbot: QtBot) -> None:
    for words, wish, expected in (
        ("Remove", panel.character_removed, ["Mira"]),
        ("Pink", panel.colour_wanted, ["Mira", 2]),
        ("joe", panel.voice_wanted, ["Mira", "joe"]),
    ):
        panel.open_menu(MIRA, QPoint(0, 0))
        menu = open_menu(panel)
        with qtbot.waitSignal(wish) as got:
            actions(menu)[words].trigger()
        assert got.args == expected
        menu.close()
        qtbot.waitUntil(lambda: not panel.findChildren(QMenu))


def test_a_name_is_written_in_place(panel: CastPanel, qtbot: QtBot) -> None:
    panel.show_chosen("Mira")
    qtbot.keyClick(panel.rows, Qt.Key.Key_F2)
    assert panel.name.text() == "Mira"
    panel.name.setText("Miranda")
    with qtbot.waitSignal(panel.character_renamed) as wish:
        qtbot.keyClick(panel.name, Qt.Key.Key_Return)
    assert wish.args == ["Mira", "Miranda"]
    assert panel.name.isHidden()


def test_a_name_that_is_taken_is_refused(panel: CastPanel, qtbot: QtBot) -> None:
    panel.write_name(MIRA)
    panel.name.setText("Tom")
    with qtbot.assertNotEmitted(panel.character_renamed):
        qtbot.keyClick(panel.name, Qt.Key.Key_Return)
    assert not panel.name.isHidden()


def test_a_character_is_added(panel: CastPanel, qtbot: QtBot) -> None:
    panel.add.click()
    qtbot.keyClicks(panel.new_name, "Announcer")
    with qtbot.waitSignal(panel.character_added) as wish:
        qtbot.keyClick(panel.new_name, Qt.Key.Key_Return)
    assert wish.args == ["Announcer"]


def test_escape_adds_nobody(panel: CastPanel, qtbot: QtBot) -> None:
    panel.add.click()
    qtbot.keyClicks(panel.new_name, "Ann")
    with qtbot.assertNotEmitted(panel.character_added):
        qtbot.keyClick(panel.new_name, Qt.Key.Key_Escape)
    assert panel.new_name.isHidden()


def test_an_empty_cast_says_what_to_do(panel: CastPanel) -> None:
    panel.show_cast((TOM,), ())
    assert panel._painter.missing == "no voice yet"
    panel.show_cast((), ())
    assert panel.empty.isVisible()
    panel.empty.button.click()
    assert panel.new_name.isVisible()
    assert panel.empty.isHidden()


def test_rows_are_spoken(panel: CastPanel) -> None:
    spoken = [panel.rows.rows.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in (0, 1)]
    assert spoken == ["Mira, voice heart", "Tom, no voice"]
