"""The lint of the open project, kept up to date: edited lines at once, a whole script in slices of idle time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from heapq import nsmallest
from itertools import islice

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from studio.document.difference import difference
from studio.document.lint import Finding, Rule, Standards, cast_findings, findings, standards_of
from studio.document.project import Line, Project
from studio.file_thread import FileThread
from studio.session.session import Session
from studio.session.spelling import Spelling

_AT_ONCE = 40  # lines; more of them wait for idle time
_SLICE = 0.004  # seconds


class Linting(QObject):
    """`found` holds the findings of every line that has any, by line id."""

    changed = Signal()

    def __init__(self, session: Session, files: FileThread, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._spelling = Spelling(files, self)
        self._spelling.learned.connect(self._look_again)
        self._off: frozenset[Rule] = frozenset()
        self._standards = Standards()
        self._seen = Project()
        self._waiting: deque[Line] = deque()
        self._of_cast: tuple[Finding, ...] = ()
        self.found: dict[str, tuple[Finding, ...]] = {}
        self._idle = QTimer(self, interval=0, singleShot=True)
        self._idle.timeout.connect(self._go_on)
        session.project_changed.connect(self.follow)
        self.follow()

    @property
    def off(self) -> frozenset[Rule]:
        return self._off

    @property
    def count(self) -> int:
        return sum(map(len, self.found.values())) + len(self._of_cast)

    @property
    def busy(self) -> bool:
        """Lines are still waiting to be looked at."""
        return bool(self._waiting)

    def switch_off(self, rules: frozenset[Rule]) -> None:
        """These rules are not looked for from now on; all others are."""
        if rules != self._off:
            self._off = rules
            self.follow()

    def know(self, words: frozenset[str]) -> None:
        """The user's own words."""
        if self._spelling.know(words):
            self._look_again(None)

    @Slot(object)
    def _look_again(self, line_ids: frozenset[str] | None) -> None:
        """More is known of the spelling of these lines, or of all."""
        if line_ids is None:
            self._waiting = deque(self._session.project.lines())
        else:
            found = (self._session.find(line_id) for line_id in line_ids)
            self._waiting.extend(line for line in found if line is not None)
        self._start()

    def in_order(self, most: int) -> tuple[Finding, ...]:
        """The findings in the order of the script, those of the cast first; no more than `most`."""
        lines = [line_id for line_id in self.found if self._session.find(line_id) is not None]
        first = nsmallest(most, lines, key=self._session.place)
        return tuple(islice((*self._of_cast, *(each for line_id in first for each in self.found[line_id])), most))

    @Slot()
    def follow(self) -> None:
        """What has changed in the project is looked at again; all of it where other rules or names hold."""
        project, before = self._session.project, self._seen
        engine = self._session.engine
        standards = standards_of(project, engine.most_characters if engine else None, self._off)
        self._seen = project
        self._spelling.speak(project.language)
        changed = difference(before, project)
        if project.cast is not before.cast or changed.come or changed.gone or standards.off != self._standards.off:
            self._of_cast = cast_findings(project, self._off)
        if standards != self._standards:
            self._standards = standards
            self._drop_gone(project)
            self._waiting.clear()
            self._look_at(project.lines())
        else:
            for line in changed.gone:
                self.found.pop(line.id, None)
            self._look_at(changed.come)
        self.changed.emit()

    def _look_at(self, lines: Iterable[Line]) -> None:
        for number, line in enumerate(lines):
            if number < _AT_ONCE:
                self._look(line)
            else:
                self._waiting.append(line)
        self._start()

    def _look(self, line: Line) -> None:
        found = findings(line, self._standards)
        if Rule.SPELLING not in self._off:
            found += self._spelling.findings(line, self._standards.names)
        if found:
            self.found[line.id] = found
        else:
            self.found.pop(line.id, None)

    def _drop_gone(self, project: Project) -> None:
        there = {line.id for line in project.lines()}
        self.found = {line_id: found for line_id, found in self.found.items() if line_id in there}

    def _start(self) -> None:
        if self._waiting:
            self._idle.start()

    @Slot()
    def _go_on(self) -> None:
        until = time.perf_counter() + _SLICE
        while self._waiting and time.perf_counter() < until:
            line = self._waiting.popleft()
            if self._session.find(line.id) is line:
                self._look(line)
        if self._waiting:
            self._idle.start()
        else:
            self.changed.emit()
