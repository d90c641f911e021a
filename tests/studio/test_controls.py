"""The shared controls show their keys, give way where there is no room, and can be reached without a mouse."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.controls import Chip, ElidedLabel, IconButton, KeyButton, SearchField, key_text
from studio.layouts import Column, FlowLayout, clear


def test_keys_are_shown_as_signs() -> None:
    assert key_text("C") == "C"
    assert key_text("+") == "+"
    assert key_text("Shift+Enter") == "⇧ ⏎"


def test_a_key_button_tells_its_key_and_grows_with_it(qtbot: QtBot) -> None:
    button = KeyButton("Joins", "C", "Hear both joins")
    qtbot.addWidget(button)
    wide = button.sizeHint().width()
    assert button.toolTip() == "Hear both joins (C)"
    button.show_key("")
    assert button.toolTip() == "Hear both joins"
    assert button.sizeHint().width() < wide


def test_buttons_are_reached_and_pressed_by_keys(qtbot: QtBot) -> None:
    for button in (KeyButton("Keep"), IconButton("play", "Play", "Space"), Chip("sighs", "Insert [sighs]")):
        qtbot.addWidget(button)
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
        with qtbot.waitSignal(button.clicked):
            qtbot.keyClick(button, Qt.Key.Key_Space)


def test_an_elided_label_says_the_whole_on_hover(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.show()
    label.show_text("A title that is far too long for its place")
    label.resize(60, 20)
    assert label.text().endswith("…")
    assert label.toolTip() == "A title that is far too long for its place"
    assert label.accessibleName() == label.toolTip()
    label.resize(600, 20)
    assert not label.toolTip()


def test_escape_empties_a_search(qtbot: QtBot) -> None:
    field = SearchField("Search")
    qtbot.addWidget(field)
    qtbot.keyClicks(field, "ada")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""


def test_chips_flow_into_rows(qtbot: QtBot) -> None:
    panel = QWidget()
    qtbot.addWidget(panel)
    flow = FlowLayout()
    panel.setLayout(flow)
    for _ in range(6):
        flow.addWidget(Chip("whispers sweetly", ""))
    one = flow.itemAt(0)
    assert one is not None
    assert flow.heightForWidth(2000) == 20
    assert flow.heightForWidth(one.sizeHint().width() * 2 + 6) == 3 * 20 + 2 * 6
    clear(flow)
    assert flow.count() == 0


def test_a_column_draws_no_line_above_what_is_hidden(qtbot: QtBot) -> None:
    first, second, third = QWidget(), QWidget(), QWidget()
    second.hide()
    column = Column([first, second, third])
    qtbot.addWidget(column)
    column.show()
    inside = column.widget()
    lines = [
        child for child in inside.children() if isinstance(child, QWidget) and child.property("kind") == "separator"
    ]
    assert [line.isVisible() for line in lines] == [False, True]
    second.show()
    assert [line.isVisible() for line in lines] == [True, True]
