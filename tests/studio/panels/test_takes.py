from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from studio.controls import KeyButton
from studio.layouts import Column
from studio.panels.takes import DetailsPanel, TakeRow, TakesPanel

ROWS = (
    TakeRow("c", 3, None, 4.7, kept=True, starred=True, origin="span of take 2"),
    TakeRow("b", 2, None, 4.1, capped=True),
    TakeRow("a", 1, None, 3.8, binned=True),
)


@pytest.fixture
def panel(qtbot: QtBot) -> TakesPanel:
    made = TakesPanel()
    qtbot.addWidget(made)
    made.resize(296, 240)
    made.show()
    made.show_takes(3, 0, ROWS)
    made.grab()
    return made


def place(panel: TakesPanel, row: int, right: int) -> QPoint:
    rect = panel.rows.visualRect(panel.rows.rows.index(row))
    return QPoint(rect.right() - right, rect.center().y())


def test_a_click_chooses(panel: TakesPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.take_chosen) as wish:
        qtbot.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=place(panel, 1, 200))
    assert wish.args == ["b"]


@pytest.mark.parametrize(("row", "expected"), [(0, ["c", False]), (1, ["b", True])])
def test_the_star_stars_and_does_not_choose(panel: TakesPanel, qtbot: QtBot, row: int, expected: list[object]) -> None:
    with qtbot.assertNotEmitted(panel.take_chosen), qtbot.waitSignal(panel.star_wanted) as wish:
        qtbot.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=place(panel, row, 20))
    assert wish.args == expected


def test_keys_play_and_bin(panel: TakesPanel, qtbot: QtBot) -> None:
    panel.rows.setCurrentIndex(panel.rows.rows.index(1))
    with qtbot.waitSignal(panel.audition_wanted) as played:
        qtbot.keyClick(panel.rows, Qt.Key.Key_Space)
    with qtbot.waitSignal(panel.bin_wanted) as binned:
        qtbot.keyClick(panel.rows, Qt.Key.Key_Delete)
    assert played.args == binned.args == ["b"]


def test_the_menu(panel: TakesPanel, qtbot: QtBot) -> None:
    panel.open_menu(ROWS[1], QPoint(0, 0))
    menu = panel.findChild(QMenu)
    assert menu is not None
    with qtbot.waitSignal(panel.star_wanted) as wish:
        next(action for action in menu.actions() if action.text() == "Star").trigger()
    assert wish.args == ["b", True]
    menu.close()


def test_the_kept_take_is_current(panel: TakesPanel) -> None:
    assert panel.rows.current_row() is ROWS[0]
    panel.show_takes(3, 0, (replace(ROWS[0], kept=False), replace(ROWS[1], kept=True)))
    assert panel.rows.current_row().id == "b"  # type: ignore[union-attr]


def test_rows_are_spoken(panel: TakesPanel) -> None:
    spoken = [panel.rows.rows.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(3)]
    assert spoken == [
        "Take 3, 4.7 seconds, kept, starred",
        "Take 2, 4.1 seconds, capped",
        "Take 1, 3.8 seconds, binned",
    ]


def test_a_line_without_takes_offers_to_generate(panel: TakesPanel, qtbot: QtBot) -> None:
    panel.show_takes(4, 1, ())
    assert panel.empty.isVisible()
    with qtbot.waitSignal(panel.generate_wanted):
        panel.empty.button.click()
    panel.show_takes(None, 0, ())
    assert panel.empty.button.isHidden()


def test_details_and_the_seed(qtbot: QtBot) -> None:
    details = DetailsPanel()
    qtbot.addWidget(details)
    assert details.isHidden()
    details.show_details((("Seed", "48121"), ("Length", "free")))
    assert not details.isHidden()
    assert [label.text() for label in details.findChildren(QLabel)] == ["Seed", "Length", "free"]
    details.findChild(KeyButton).click()  # type: ignore[union-attr]
    assert QGuiApplication.clipboard().text() == "48121"
    details.show_details(())
    assert details.isHidden()


def test_a_locked_line_without_a_take_offers_none(panel: TakesPanel, qtbot: QtBot) -> None:
    panel.show_takes(3, 0, (), locked=True)
    assert not panel.empty.button.isEnabled()
    assert "locked" in panel.empty.sentence.text()
    panel.show_takes(3, 0, ())
    with qtbot.waitSignal(panel.generate_wanted):
        panel.empty.button.click()


def test_in_a_low_column_fewer_takes_are_seen_at_once(qtbot: QtBot) -> None:
    panel = TakesPanel()
    panel.show_takes(1, 0, tuple(TakeRow(str(number), number, None, 1.0) for number in range(9)))
    column = Column([panel])
    qtbot.addWidget(column)
    column.grew.connect(panel.give_room)
    column.resize(296, 800)
    column.show()
    assert panel.rows.sizeHint().height() == 6 * 40
    column.resize(296, 386)
    assert panel.rows.sizeHint().height() == 3 * 40
