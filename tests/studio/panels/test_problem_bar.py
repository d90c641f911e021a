from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.panels.problem_bar import ProblemBar
from studio.problems import Problem

DISK = Problem("Line 4 was not finished.", "212 frames are kept.", "Free 40 MB.", "OSError 28", "Generate again")
DEVICE = Problem("The device is gone.", "Nothing is lost.", "Choose another.")


@pytest.fixture
def bar(qtbot: QtBot) -> ProblemBar:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1280, 720)
    window.show()
    made = ProblemBar(window)
    made.window_held = window  # type: ignore[attr-defined]
    return made


def test_it_lies_over_the_window_and_follows_it(bar: ProblemBar) -> None:
    assert bar.isHidden()
    bar.show_problem(DISK)
    for width in (1280, 700):
        bar.window().resize(width, 600)
        assert bar.window().rect().contains(bar.geometry())
        assert bar.geometry().bottom() < 600 - 26


def test_it_says_all_three(bar: ProblemBar) -> None:
    bar.show_problem(DISK)
    assert bar.title.text() == "Line 4 was not finished."
    assert bar.meaning.text() == "212 frames are kept. Free 40 MB."
    assert bar.action.text() == "Generate again"


def test_details_are_copied(bar: ProblemBar) -> None:
    bar.show_problem(DISK)
    bar.copy.click()
    assert QGuiApplication.clipboard().text() == "OSError 28"
    assert bar.copy.text() == "Copied"


def test_the_action_is_a_wish_and_closes(bar: ProblemBar, qtbot: QtBot) -> None:
    bar.show_problem(DISK)
    with qtbot.waitSignal(bar.action_wanted) as wish:
        bar.action.click()
    assert wish.args == [DISK]
    assert bar.isHidden()


def test_problems_wait_for_one_another(bar: ProblemBar, qtbot: QtBot) -> None:
    for problem in (DISK, DEVICE, DISK):
        bar.show_problem(problem)
    assert bar.more.text() == "1 of 2"
    with qtbot.waitSignal(bar.closed) as wish:
        bar.close_button.click()
    assert wish.args == [DISK]
    assert bar.problem is DEVICE
    assert bar.copy.isHidden()
    assert bar.action.isHidden()
    bar.close_problem()
    assert bar.isHidden()


def test_copied_is_said_of_one_problem_only(bar: ProblemBar) -> None:
    bar.show_problem(DISK)
    bar.copy.click()
    bar.close_problem()
    bar.show_problem(DISK)
    assert bar.copy.text() == "Copy details"
