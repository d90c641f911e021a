"""The words of a recording are recognised part by part, so that it can be stopped between."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from engine.hearing import HeardPart, Recogniser
from engine.request import Samples
from studio.recogniser_thread import RecogniserThread

CODES = {
    "Arabic": "ar", "Chinese": "zh", "Czech": "cs", "Danish": "da", "Dutch": "nl", "English": "en", "Finnish": "fi",
    "French": "fr", "German": "de", "Greek": "el", "Hebrew": "he", "Hindi": "hi", "Hungarian": "hu",
    "Indonesian": "id", "Italian": "it", "Japanese": "ja", "Korean": "ko", "Norwegian": "no", "Polish": "pl",
    "Portuguese": "pt", "Romanian": "ro", "Russian": "ru", "Spanish": "es", "Swedish": "sv", "Thai": "th",
    "Turkish": "tr", "Ukrainian": "uk", "Vietnamese": "vi",
}  # fmt: skip
_SPACELESS = frozenset({"Chinese", "Japanese", "Thai"})


class Recognising(QObject):
    """One recording at a time."""

    progressed = Signal(float)  # how much was listened to, 0 to 1
    done = Signal(str)  # the words
    failed = Signal(object)

    def __init__(self, thread: RecogniserThread) -> None:
        super().__init__()
        self._thread = thread
        self._thread.failed.connect(self._fail)
        self._job: int | None = None
        self._asked = 0  # counts what was asked for: what an earlier one hears counts no more
        self._words: list[str] = []
        self._between = " "

    @property
    def busy(self) -> bool:
        return self._job is not None

    def hear(self, samples: Samples, rate: int, language: str) -> None:
        """Recognise the words of a recording; `language` is its name, "" finds out."""
        self._words, self._between = [], "" if language in _SPACELESS else " "
        code = CODES.get(language, "")
        self._asked += 1

        def begin(recogniser: Recogniser) -> Iterator[HeardPart]:
            return recogniser.hear(samples, rate, code)

        self._job = self._thread.run(begin, partial(self._begin, self._asked))

    def stop(self) -> None:
        """What is heard from now on counts no more."""
        self._job = None

    def _begin(self, asked: int, parts: Iterator[HeardPart]) -> None:
        if self._job is not None and asked == self._asked:
            self._go_on(parts)

    def _go_on(self, parts: Iterator[HeardPart]) -> None:
        self._job = self._thread.run(lambda _: next(parts, None), partial(self._hear, self._asked, parts))

    def _hear(self, asked: int, parts: Iterator[HeardPart], part: HeardPart | None) -> None:
        if self._job is None or asked != self._asked:
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
