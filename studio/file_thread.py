"""The file thread: saving, opening, importing, peaks. The only place where that kind of work crosses threads. The
journal has one of its own, so that nothing holds it up.

Work runs in the order in which it was asked for, one at a time, so that a save never overtakes another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, QThread, Signal, Slot

T = TypeVar("T")


_Heard = Callable[[Any], object]


@dataclass(frozen=True, eq=False)
class _Job:
    number: int
    work: Callable[[], object] = field(repr=False)


class _Worker(QObject):
    """Lives on the file thread and does there what it is told."""

    finished = Signal(int, object)
    failed = Signal(int, object)

    @Slot(object)
    def do(self, job: _Job) -> None:
        try:
            result = job.work()
        except Exception as error:  # every error is for the window's thread to explain
            self.failed.emit(job.number, error)
        else:
            self.finished.emit(job.number, result)

    @Slot()
    def leave(self) -> None:
        """The last thing in the line: everything asked for before is done."""
        self.thread().quit()


class FileThread(QObject):
    """Give it work with `run`; what comes of it is told on the thread this object lives on: `finished`, or `failed`
    where whoever gave it does not hear of that."""

    finished = Signal(int, object)
    failed = Signal(int, object)
    _wanted = Signal(object)
    _leaving = Signal()

    def __init__(self, parent: QObject | None = None, name: str = "files") -> None:
        super().__init__(parent)
        self._numbers = count(1)
        self._waiting: dict[int, tuple[_Heard | None, _Heard | None]] = {}
        self._doing: dict[int, str] = {}
        self._thread = QThread()
        self._thread.setObjectName(name)
        self._worker = _Worker()
        self._worker.moveToThread(self._thread)
        self._wanted.connect(self._worker.do)
        self._leaving.connect(self._worker.leave)
        self._worker.finished.connect(self._finish)
        self._worker.failed.connect(self._fail)
        self._thread.start()

    def run(
        self,
        work: Callable[[], T],
        done: Callable[[T], object] | None = None,
        failed: Callable[[Exception], object] | None = None,
        doing: str = "",
    ) -> int:
        """Do `work` on the file thread and give its result to `done` here, or its error to `failed`. The number names
        the job in the signals; `doing` says what it is for.

        `work` must hold values only: no widget, and no object that this thread goes on changing.
        """
        if not self._thread.isRunning():
            raise RuntimeError("the file thread is closed")
        job = _Job(next(self._numbers), work)
        self._waiting[job.number] = (done, failed)
        self._doing[job.number] = doing
        self._wanted.emit(job)
        return job.number

    @property
    def busy(self) -> bool:
        """Something is being done or waits, or its answer is on the way."""
        return bool(self._waiting)

    def doing(self, number: int) -> str:
        """What a job is for, until what came of it is told."""
        return self._doing.get(number, "")

    def is_doing(self, doing: str) -> bool:
        """Something that is for this is being done or waits, or its answer is on the way."""
        return doing in self._doing.values()

    def settle(self) -> None:
        """Wait here until everything asked for is done and answered; the user's clicks wait as well."""
        flags = QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
        while self.busy:
            QCoreApplication.processEvents(flags)

    def close(self) -> None:
        """Do what was asked for, hear all answers, and end the thread. Nothing can be run after."""
        if not self._thread.isRunning():
            return
        self._leaving.emit()
        self._thread.wait()
        QCoreApplication.sendPostedEvents(self)

    @Slot(int, object)
    def _finish(self, number: int, result: object) -> None:
        done, _ = self._waiting.pop(number)
        if done is not None:
            done(result)
        self.finished.emit(number, result)
        del self._doing[number]

    @Slot(int, object)
    def _fail(self, number: int, error: object) -> None:
        _, failed = self._waiting.pop(number)
        if failed is not None:
            failed(error)
        else:
            self.failed.emit(number, error)
        del self._doing[number]
