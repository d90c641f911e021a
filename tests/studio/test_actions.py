"""The table of verbs: every key once, every name once, and a user's own keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from studio.actions import VERBS, Actions
from studio.controls import Choice, IconButton, KeyButton


def test_names_and_keys_are_given_once() -> None:
    assert [name for name, times in Counter(verb.name for verb in VERBS).items() if times > 1] == []
    keys = Counter(QKeySequence(key).toString() for verb in VERBS for key in verb.keys)
    assert [key for key, times in keys.items() if times > 1 or not key] == []


def test_a_key_says_its_verb(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window, {"generate": "Ctrl+G"})
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    done: list[str] = []
    actions.wanted.connect(done.append)
    QTest.keyClick(window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    actions.allow({"regenerate": False})
    QTest.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    assert done == ["generate", "regenerate"]
    assert actions.keys()["generate"] == "Ctrl+G"
    actions.bind({})
    assert actions.keys()["generate"] == "Ctrl+Enter"


def test_a_verb_says_what_it_would_do_it_to(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window)
    actions.tell("undo", "Keep take")
    assert actions["undo"].text() == "Undo: Keep take"
    actions.tell("undo", "")
    assert actions["undo"].text() == "Undo"


@pytest.mark.parametrize(
    "make", [lambda: KeyButton("Keep"), lambda: IconButton("play", "Play"), lambda: QCheckBox("Now")]
)
def test_space_and_enter_press_the_button_that_has_the_focus(qtbot: QtBot, make: Callable[[], QAbstractButton]) -> None:
    window, button, field = QWidget(), make(), QLineEdit()
    qtbot.addWidget(window)
    stack = QVBoxLayout(window)
    stack.addWidget(field)
    stack.addWidget(button)
    actions = Actions(window)
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    done: list[str] = []
    actions.wanted.connect(done.append)
    button.clicked.connect(lambda: done.append("pressed"))
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    QTest.keyClick(button, Qt.Key.Key_Return)
    QTest.keyClick(button, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(button, Qt.Key.Key_M)
    field.setFocus()
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert done == ["pressed", "pressed", "play", "marker", "play"]


def test_space_opens_the_list_that_has_the_focus(qtbot: QtBot) -> None:
    window, choice = QWidget(), Choice("Folder")
    qtbot.addWidget(window)
    choice.addItems(["All", "Own"])
    QVBoxLayout(window).addWidget(choice)
    actions = Actions(window)
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    choice.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.assertNotEmitted(actions.wanted):
        QTest.keyClick(choice, Qt.Key.Key_Space)
    assert choice.view().isVisible()
    choice.hidePopup()
    with qtbot.waitSignal(actions.wanted) as wish:
        QTest.keyClick(choice, Qt.Key.Key_M)
    assert wish.args == ["marker"]


def test_a_lasting_verb_shows_whether_it_is_on(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window)
    assert all(actions[verb.name].isCheckable() == verb.lasting for verb in VERBS)
    assert not actions["keep_sound"].isChecked()
    actions.tick("keep_sound", True)
    assert actions["keep_sound"].isChecked()
