"""Lists in a window that has keys of its own: what a list does with a key comes first there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from studio.actions import Actions
from studio.document.project import Character
from studio.panels.cast import CastPanel
from studio.panels.queue import QueuePanel, QueueRow, Stage
from studio.panels.takes import TakeRow, TakesPanel
from studio.panels.voices import VoiceRow, VoicesPanel
from studio.rows import RowList

Key, Modifier = Qt.Key, Qt.KeyboardModifier


def takes() -> tuple[QWidget, RowList, str]:
    panel = TakesPanel()
    panel.show_takes(1, 0, tuple(TakeRow(name, number, None, 1.0) for number, name in enumerate("abc", 1)))
    return panel, panel.rows, "bin_wanted"


def cast() -> tuple[QWidget, RowList, str]:
    panel = CastPanel()
    panel.show_cast((Character("Ada"), Character("Bob"), Character("Eve")), ())
    return panel, panel.rows, "character_removed"


def voices() -> tuple[QWidget, RowList, str]:
    panel = VoicesPanel()
    panel.show_voices(tuple(VoiceRow(name, in_library=True) for name in ("Ada", "Bob", "Eve")))
    return panel, panel.rows, "delete_wanted"


def queue() -> tuple[QWidget, RowList, str]:
    panel = QueuePanel()
    panel.show_jobs(tuple(QueueRow(Stage.WAITING, name, number, "Hm.", number) for number, name in enumerate("abc", 1)))
    return panel, panel.rows, "cancel_wanted"


@pytest.mark.parametrize("make", [takes, cast, voices, queue])
def test_del_and_the_ends_are_the_lists(qtbot: QtBot, make: Callable[[], tuple[QWidget, RowList, str]]) -> None:
    panel, rows, wish = make()
    window, done, removed = _window(qtbot, panel)
    getattr(panel, wish).connect(lambda *_: removed.append(rows.currentIndex().row()))
    rows.setFocus()
    rows.setCurrentIndex(rows.rows.index(1))
    QTest.keyClick(rows, Key.Key_Delete)
    QTest.keyClick(rows, Key.Key_End)
    assert rows.currentIndex().row() == 2
    QTest.keyClick(rows, Key.Key_Home)
    assert rows.currentIndex().row() == 0
    rows.setCurrentIndex(rows.model().index(-1, 0))
    QTest.keyClick(rows, Key.Key_Delete)  # of nothing; but no words are cut by it either
    assert (removed, done) == ([1], [])
    QTest.keyClick(window, Key.Key_Delete)
    QTest.keyClick(rows, Key.Key_T)
    assert done == ["cut_words", "next_take"]


def test_what_waits_is_moved_by_keys_that_elsewhere_choose_takes(qtbot: QtBot) -> None:
    panel, rows, _ = queue()
    _, done, moved = _window(qtbot, panel)
    panel.move_wanted.connect(lambda *wish: moved.append(wish))  # type: ignore[attr-defined]
    rows.setFocus()
    rows.setCurrentIndex(rows.rows.index(0))
    QTest.keyClick(rows, Key.Key_Down, Modifier.AltModifier)
    assert (moved, done) == ([(1, 1)], [])


def _window(qtbot: QtBot, panel: QWidget) -> tuple[QWidget, list[str], list[object]]:
    window = QWidget()
    qtbot.addWidget(window)
    QVBoxLayout(window).addWidget(panel)
    actions = Actions(window)
    done: list[str] = []
    actions.wanted.connect(done.append)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window, done, []


def test_tab_shows_a_place_in_a_list_where_none_is_chosen(qtbot: QtBot) -> None:
    panel = TakesPanel()
    qtbot.addWidget(panel)
    panel.show_takes(1, 0, tuple(TakeRow(name, number, None, 1.0) for number, name in enumerate("abc", 1)))
    panel.show()
    qtbot.waitUntil(panel.isActiveWindow)
    panel.rows.clearFocus()
    with qtbot.assertNotEmitted(panel.take_chosen):
        panel.rows.setFocus(Qt.FocusReason.TabFocusReason)
    assert panel.rows.currentIndex().row() == 0
    assert not panel.rows.selectedIndexes()
