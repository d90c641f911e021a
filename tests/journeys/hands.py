"""The user before the window: what hands do, and what eyes see."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from engine.request import Progress, Take
from studio.document.project import Line
from studio.document.state import LineState
from studio.engine_thread import _Running, _Worker
from studio.panels.timeline_layout import HEADS
from studio.panels.timeline_values import TimelineClip
from studio.problems import Problem
from studio.window import Window

NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
LEFT = Qt.MouseButton.LeftButton
PATIENCE = 60_000  # ms: torch is imported meanwhile, which takes a busy machine long


class Hands:
    """What a user does to the window and sees in it. Every wait ends when something is so, and fails where a problem
    comes that the journey does not expect."""

    def __init__(self, window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
        self.window, self._qtbot, self._monkeypatch = window, qtbot, monkeypatch
        self.session, self.performing, self.playback = window.session, window.performing, window.playback
        self.shown = window.display
        self.asked: list[str] = []  # what message boxes said
        self.answer = QMessageBox.StandardButton.Discard
        monkeypatch.setattr(QMessageBox, "exec", lambda box: self._answer(box))

    # Waiting

    def until(self, so: Callable[[], object]) -> None:
        def look() -> bool:
            problem = self.window.problems.problem
            if problem is not None:
                raise UnexpectedProblem(problem)
            return bool(so())

        self._qtbot.waitUntil(look, timeout=PATIENCE)

    def until_loaded(self) -> None:
        self.until(lambda: self.session.engine is not None)

    def until_idle(self) -> None:
        """Nothing is made any more, everything made can be heard and is shown, and no file is being written."""
        self.until(lambda: not (self.performing.job or self.performing._prints or self.window.paperwork._files.busy))
        self.until_shown()
        assert all(self.session.print_of(line.kept) is not None for line in self.lines if line.kept is not None)

    def until_shown(self) -> None:
        """The timeline and the takes show what has become known of them."""
        self.until(lambda: not self.shown._soon.isActive())

    @contextmanager
    def held_frames(self) -> Iterator[Callable[[], None]]:
        """In here nothing is drawn after the first frame of whatever is being made, so that no machine is too fast, or
        too busy, for what is done meanwhile. What comes back lets one frame more be drawn: a cancel takes effect."""
        gate, over, is_news = threading.Semaphore(0), threading.Event(), _Worker._is_news

        def held(worker: _Worker, running: _Running, place: int, event: object) -> bool:
            if isinstance(event, Progress) and event.frames > 1 and not over.is_set():
                gate.acquire(timeout=PATIENCE / 1000)
            return is_news(worker, running, place, event)

        with self._monkeypatch.context() as patched:
            patched.setattr(_Worker, "_is_news", held)
            try:
                yield gate.release
            finally:
                over.set()
                gate.release()

    def until_problem(self) -> Problem:
        """A problem is told: it is read and closed."""
        self._qtbot.waitUntil(lambda: self.window.problems.problem is not None, timeout=PATIENCE)
        problem = self.window.problems.problem
        assert problem is not None
        assert self.window.problems.isVisible()
        self.window.problems.close_problem()
        return problem

    # What is there

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.session.project.lines()

    def line(self, number: int) -> Line:
        """Lines are counted from 1."""
        return self.lines[number - 1]

    def take(self, number: int) -> Take:
        """The kept take of a line."""
        take = self.session.kept(self.line(number))
        assert take is not None
        return take

    def state(self, number: int) -> LineState:
        """Where a line stands, as the script shows it."""
        return self.shown.script._states[self.line(number).id]

    def clip(self, number: int) -> TimelineClip:
        return next(clip for clip in self.shown.clips if clip.line_id == self.line(number).id)

    # Keys

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """A key goes to whatever has the focus."""
        QTest.keyClick(self._focused(), key, modifiers)

    def type(self, text: str) -> None:
        for letter in text:
            if letter == "\n":
                self.press(Qt.Key.Key_Return)
            else:
                QTest.keyClick(self._focused(), letter)

    def _be_active(self) -> None:
        """What a window manager does: the offscreen platform leaves a list or dialog active that has closed."""
        active = QApplication.activeWindow()
        if active is not None and not active.isVisible():
            self.window.activateWindow()
            self.until(self.window.isActiveWindow)

    def _focused(self) -> QWidget:
        self._be_active()
        widget = QApplication.focusWidget()
        assert widget is not None
        return widget

    def go_to(self, number: int) -> None:
        """A click on the line's number in the script selects the line; its end is one key away."""
        rect = self.shown.script.name_rect(self.line(number).id)
        QTest.mouseClick(self.shown.script.viewport(), LEFT, NONE, QPoint(20, rect.center().y()))
        self.until(lambda: self.session.chosen == self.line(number).id)
        self.shown.script.setFocus()
        self.press(Qt.Key.Key_End)

    def replace_word(self, number: int, old: str, new: str) -> None:
        """A double click on a word selects it, and another is typed in its place."""
        self.go_to(number)
        text = self.line(number).text
        for _ in range(len(text) - text.rindex(old) - len(old)):
            self.press(Qt.Key.Key_Left)
        for _ in old:
            self.press(Qt.Key.Key_Left, SHIFT)
        self.type(new)
        assert new in self.line(number).text

    # Mouse

    def drag_frames(self, number: int, start: int, stop: int) -> None:
        """The pointer is drawn over a line's wave from one frame's border to another's, without snapping to words."""
        clip, timeline = self.clip(number), self.shown.timeline
        self._be_active()
        lane = timeline._shown.lane_of(clip)
        assert lane is not None
        y = lane.wave_top + lane.wave_height // 2
        places = [QPoint(HEADS + round(timeline.view.x(clip.moment(frame))), y) for frame in (start, stop)]
        middle = QPoint((places[0].x() + places[1].x()) // 2, places[0].y())
        QTest.mousePress(timeline, LEFT, ALT, places[0])
        for place in (middle, places[1]):
            point = QPointF(place)
            above = timeline.mapToGlobal(point)
            moved = QMouseEvent(QEvent.Type.MouseMove, point, above, Qt.MouseButton.NoButton, LEFT, ALT)
            QApplication.sendEvent(timeline, moved)
        QTest.mouseRelease(timeline, LEFT, ALT, places[1])

    def double_click_word(self, number: int, word: str) -> None:
        """The pointer is on a word of a line's wave, in its middle."""
        clip, timeline = self.clip(number), self.shown.timeline
        self._be_active()
        lane = timeline._shown.lane_of(clip)
        alignment = self.session.alignment_of(self.line(number).kept)
        assert lane is not None
        assert alignment is not None
        start = self.line(number).text.index(word)
        frames = alignment.span(start, start + len(word))
        x = HEADS + round(timeline.view.x(clip.moment(sum(frames) / 2)))
        QTest.mouseDClick(timeline, LEFT, pos=QPoint(x, lane.wave_top + lane.wave_height // 2))

    # Dialogs

    def choose_file(self, path: Path) -> None:
        """What the next file dialogs answer."""
        for name in ("getOpenFileName", "getSaveFileName"):
            self._monkeypatch.setattr(QFileDialog, name, lambda *_: (str(path), ""))

    def _answer(self, box: QMessageBox) -> QMessageBox.StandardButton:
        self.asked.append(box.text())
        return self.answer


class UnexpectedProblem(AssertionError):
    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.title} {problem.meaning}\n{problem.details}")


Travel = Callable[..., None]
"""`travel(journey, *arguments)`, see the fixture of that name."""
