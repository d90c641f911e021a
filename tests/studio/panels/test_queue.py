"""The queue panel: what runs, waits and failed; moving, cancelling, trying again."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.panels.queue import QueuePanel, QueueRow, Stage

RUNNING = QueueRow(Stage.RUNNING, "a", 1, "Who is there?", share=0.4, says="98 frames/s")
FIRST = QueueRow(Stage.WAITING, "b", 2, "Nobody.", 7)
SECOND = QueueRow(Stage.WAITING, "c", 3, "Somebody.", 8, takes=3)
FAILED = QueueRow(Stage.FAILED, "d", 4, "At last.", says="Bo has no voice. Choose one in the cast")


def panel(qtbot: QtBot) -> QueuePanel:
    made = QueuePanel()
    qtbot.addWidget(made)
    made.resize(232, 240)
    made.show_jobs((RUNNING, FIRST, SECOND, FAILED))
    made.show()
    return made


def choose(made: QueuePanel, place: int) -> None:
    made.rows.setCurrentIndex(made.rows.rows.index(place))


def test_it_is_there_only_while_there_is_something(qtbot: QtBot) -> None:
    made = panel(qtbot)
    assert made.isVisible()
    made.show_jobs(())
    assert not made.isVisible()


def test_the_parts_of_a_row_act(qtbot: QtBot) -> None:
    made = panel(qtbot)
    cancelled: list[object] = []
    retried: list[str] = []
    made.cancel_wanted.connect(cancelled.append)
    made.retry_wanted.connect(retried.append)
    for place in range(4):
        index = made.rows.rows.index(place)
        parts = made.rows._painter.parts(made.rows.visualRect(index), made.rows.rows.rows[place])
        (where,) = parts.values()
        QTest.mouseClick(made.rows.viewport(), Qt.MouseButton.LeftButton, pos=where.center())
    assert cancelled == [RUNNING, FIRST, SECOND]
    assert retried == ["d"]


def test_keys_move_and_cancel(qtbot: QtBot) -> None:
    made = panel(qtbot)
    moves: list[tuple[int, int]] = []
    cancelled: list[object] = []
    made.move_wanted.connect(lambda *wish: moves.append(wish))
    made.cancel_wanted.connect(cancelled.append)
    choose(made, 2)
    QTest.keyClick(made.rows, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    choose(made, 1)
    QTest.keyClick(made.rows, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(made.rows, Qt.Key.Key_Delete)
    assert moves == [(8, 0), (7, 1)]
    assert cancelled == [FIRST]


def test_the_chosen_row_stays_chosen_while_jobs_go_on(qtbot: QtBot) -> None:
    made = panel(qtbot)
    choose(made, 2)
    made.show_jobs((SECOND, FAILED))
    assert made.rows.current_row() == SECOND
