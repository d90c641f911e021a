"""What an earlier run left behind is offered once, one after another, and answered."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.panels.problem_bar import ProblemBar
from studio.panels.recovery_bar import Offer, RecoveryBar
from studio.problems import Problem


@pytest.fixture
def bar(qtbot: QtBot) -> RecoveryBar:
    window = QWidget()
    window.resize(1200, 700)
    qtbot.addWidget(window)
    window.show()
    return RecoveryBar(window)


def test_each_offer_is_answered_in_turn(bar: RecoveryBar, qtbot: QtBot) -> None:
    assert bar.isHidden()
    for name in ("first", "second", "third"):
        bar.show_offer(Offer(f"Retake ended without closing {name}.", "Three steps.", name))
    assert bar.isVisible()
    assert "first" in bar.title.text()
    with qtbot.waitSignal(bar.recover_wanted) as recovered:
        qtbot.mouseClick(bar.recover, Qt.MouseButton.LeftButton)
    assert recovered.args == ["first"]
    with qtbot.waitSignal(bar.discard_wanted) as discarded:
        qtbot.mouseClick(bar.discard, Qt.MouseButton.LeftButton)
    assert discarded.args == ["second"]
    with qtbot.assertNotEmitted(bar.recover_wanted), qtbot.assertNotEmitted(bar.discard_wanted):
        qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert bar.offer is None


def test_a_problem_lies_above_it(bar: RecoveryBar) -> None:
    window = bar.parentWidget()
    problems = ProblemBar(window)
    problems.show_problem(Problem("The disk is full.", "Nothing is lost.", "Free some space."))
    bar.show_offer(Offer("Short.", "Short.", 1))
    assert window.childAt(bar.geometry().center()) in (problems, *problems.findChildren(QWidget))
    problems.close_problem()
    assert window.childAt(bar.geometry().center()) in (bar, *bar.findChildren(QWidget))


def test_it_keeps_to_the_lower_edge_and_grows_with_its_words(bar: RecoveryBar) -> None:
    window = bar.parentWidget()
    bar.show_offer(Offer("Short.", "Short.", 1))
    low = bar.height()
    assert bar.geometry().bottom() < window.height() - 26
    assert bar.geometry().top() > window.height() / 2
    bar.close_offer()
    bar.show_offer(Offer("Retake ended without closing “Long”.", "Many words. " * 60, 2))
    assert bar.height() > low
    window.resize(700, 600)
    assert window.rect().contains(bar.geometry())
