"""The thread on which a recogniser listens: to finished takes, and to clips whose words are wanted. However many ask,
one model is in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from engine.hearing import Recogniser
from studio.file_thread import FileThread

T = TypeVar("T")


class RecogniserThread(QObject):
    """The thread begins with the first work, and opens the recogniser for it."""

    failed = Signal(int, object)  # the number of what was to be done, and the error

    def __init__(
        self, parent: QObject | None = None, opening: Callable[[Path | None], Recogniser] = Recogniser.open
    ) -> None:
        super().__init__(parent)
        self._opening = opening
        self._folder: Path | None = None
        self._thread: FileThread | None = None
        self._closed = False
        self._opened: tuple[Path | None, Recogniser] | None = None  # belongs to the thread

    @property
    def folder(self) -> Path | None:
        return self._folder

    def choose(self, folder: Path | None) -> None:
        """Which recogniser listens from now on."""
        self._folder = folder

    def run(self, work: Callable[[Recogniser], T], done: Callable[[T], object]) -> int:
        """Do `work` with the recogniser, and give its result to `done` here. The number names it in `failed`.

        Once it is closed nothing is done: the answers that came last may still ask for more.
        """
        if self._closed:
            return 0
        if self._thread is None:
            self._thread = FileThread(self, name="recogniser")
            self._thread.failed.connect(self.failed)
        folder = self._folder

        def job() -> T:
            if self._opened is None or self._opened[0] != folder:
                self._opened = None  # the one before goes first: two of them may be more than there is memory
                self._opened = folder, self._opening(folder)
            return work(self._opened[1])

        return self._thread.run(job, done)

    def close(self) -> None:
        """Let what is being done come to its end, and end the thread."""
        self._closed = True
        if self._thread is not None:
            self._thread.close()
