"""How many words the script has, and how long they take: kept up to date by what changes, a whole script bit by bit."""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.text import expected_seconds, words
from studio.document.difference import difference
from studio.document.manuscript import many
from studio.document.project import Line, Project
from studio.session.session import Session

_AT_ONCE = 40  # lines; more of them wait for idle time
_SLICE = 0.004  # seconds


class Counting(QObject):
    """`words` outside tags, and the `seconds` that all lines should take by their text, pauses not among them."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._seen = Project()
        self._counted: dict[str, tuple[int, float]] = {}
        self._waiting: deque[Line] = deque()
        self.words, self.seconds = 0, 0.0
        self._idle = QTimer(self, interval=0, singleShot=True)
        self._idle.timeout.connect(self._go_on)
        session.project_changed.connect(self.follow)
        self.follow()

    @Slot()
    def follow(self) -> None:
        changed = difference(self._seen, self._session.project)
        self._seen = self._session.project
        for line in changed.gone:
            self._take_out(line.id)
        for number, line in enumerate(changed.come):
            if number < _AT_ONCE:
                self._count(line)
            else:
                self._waiting.append(line)
        if self._waiting:
            self._idle.start()
        if changed.gone or changed.come:
            self.changed.emit()

    def _count(self, line: Line) -> None:
        self._take_out(line.id)
        self._counted[line.id] = counted = len(words(line.text)), expected_seconds(line.text)
        self._add(counted, 1)

    def _take_out(self, line_id: str) -> None:
        counted = self._counted.pop(line_id, None)
        if counted is not None:
            self._add(counted, -1)

    def _add(self, counted: tuple[int, float], sign: int) -> None:
        self.words += sign * counted[0]
        self.seconds += sign * counted[1]

    @Slot()
    def _go_on(self) -> None:
        until = time.perf_counter() + _SLICE
        while self._waiting and time.perf_counter() < until:
            line = self._waiting.popleft()
            if self._session.find(line.id) is line:
                self._count(line)
        if self._waiting:
            self._idle.start()
        self.changed.emit()


def told(lines: int, count: int, seconds: float) -> str:
    """The counts in a few words; an hour has its minutes, a minute its seconds."""
    whole = round(seconds)
    length = f"{whole // 3600} h {whole % 3600 // 60} min" if whole >= 3600 else f"{whole // 60}:{whole % 60:02d}"
    return f"{many(lines, 'line')} · {many(count, 'word')} · about {length}"
