"""The words of a recording are recognised on a thread of their own, part by part, so that it can be stopped between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from engine.hearing import HeardPart, Recogniser
from engine.request import Samples
from studio.file_thread import FileThread

CODES = {
    "Arabic": "ar", "Chinese": "zh", "Czech": "cs", "Danish": "da", "Dutch": "nl", "English": "en", "Finnish": "fi",
    "French": "fr", "German": "de", "Greek": "el", "Hebrew": "he", "Hindi": "hi", "Hungarian": "hu",
    "Indonesian": "id", "Italian": "it", "Japanese": "ja", "Korean": "ko", "Norwegian": "no", "Polish": "pl",
    "Portuguese": "pt", "Romanian": "ro", "Russian": "ru", "Spanish": "es", "Swedish": "sv", "Thai": "th",
    "Turkish": "tr", "Ukrainian": "uk", "Vietnamese": "vi",
}  # fmt: skip
_SPACELESS = frozenset({"Chinese", "Japanese", "Thai"})


class Recognising(QObject):
    """One recording at a time. The thread begins with the first."""

    progressed = Signal(float)  # how much was listened to, 0 to 1
    done = Signal(str)  # the words
    failed = Signal(object)

    def __init__(self, opening: Callable[[Path | None], Recogniser] = Recogniser.open) -> None:
        super().__init__()
        self._opening = opening
        self._folder: Path | None = None
        self._recogniser: Recogniser | None = None
        self._thread: FileThread | None = None
        self._job: int | None = None
        self._words: list[str] = []
        self._between = " "

    @property
    def busy(self) -> bool:
        return self._job is not None

    def choose(self, folder: Path | None) -> None:
        """Which recogniser listens; it is opened when it is needed."""
        if folder != self._folder:
            self._folder, self._recogniser = folder, None

    def hear(self, samples: Samples, rate: int, language: str) -> None:
        """Recognise the words of a recording; `language` is its name, "" finds out."""
        if self._thread is None:
            self._thread = FileThread(self, name="recogniser")
            self._thread.failed.connect(self._fail)
        self._words, self._between = [], "" if language in _SPACELESS else " "
        folder, recogniser, code = self._folder, self._recogniser, CODES.get(language, "")

        def begin() -> tuple[Recogniser, Iterator[HeardPart]]:
            opened = recogniser or self._opening(folder)
            return opened, opened.hear(samples, rate, code)

        self._job = self._thread.run(begin, self._begin)

    def stop(self) -> None:
        """What is heard from now on counts no more."""
        self._job = None

    def close(self) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.close()

    def _begin(self, begun: tuple[Recogniser, Iterator[HeardPart]]) -> None:
        self._recogniser, parts = begun
        if self._job is not None:
            self._go_on(parts)

    def _go_on(self, parts: Iterator[HeardPart]) -> None:
        assert self._thread is not None
        self._job = self._thread.run(partial(next, parts, None), partial(self._hear, parts))

    def _hear(self, parts: Iterator[HeardPart], part: HeardPart | None) -> None:
        if self._job is None:
            return
        if part is None:
            self._job = None
            self.done.emit(self._between.join(self._words))
            return
        self._words += [word.text for word in part.words]
        self.progressed.emit(part.heard / part.seconds)
        self._go_on(parts)

    @Slot(int, object)
    def _fail(self, number: int, error: object) -> None:
        if number == self._job:
            self._job = None
            self.failed.emit(error)
