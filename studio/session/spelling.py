"""The spelling of the open project: looked up as the lint goes along, words to put in their place found behind it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from studio.document.lint import Finding, Fix, Learn, Rewrite, Rule
from studio.document.project import Line
from studio.document.spelling import Dictionary, NoDictionaryError
from studio.file_thread import FileThread

SOON = 900  # ms after the last key
MOST_ASKED = 20  # words at a time


class Spelling(QObject):
    """Words are looked up here, in a dictionary that was read on the file thread. Others like an unknown one are found
    there, in another, once nobody types any more."""

    learned = Signal(object)  # the ids of the lines that more is known of; None: of all

    def __init__(self, files: FileThread, parent: QObject) -> None:
        super().__init__(parent)
        self._files = files
        self._own: frozenset[str] = frozenset()
        self._dictionary: Dictionary | None = None
        self._behind: Dictionary | None = None
        self._language = ""
        self._like: dict[str, tuple[str, ...]] = {}
        self._wanted: dict[str, set[str]] = {}  # from words to the lines that they stand in
        self._soon = QTimer(self, interval=SOON, singleShot=True)
        self._soon.timeout.connect(self._ask)

    def speak(self, language: str) -> None:
        """Have the dictionary of that name read. Where there is none nothing is unknown."""
        if language != self._language:
            self._language = language
            self._dictionary = self._behind = None
            self._like.clear()
            self._wanted.clear()
            self._files.run(partial(_dictionaries, language), partial(self._read, language))

    def know(self, words: frozenset[str]) -> bool:
        """The user's own words, in small letters. Whether they are others than before."""
        changed, self._own = words != self._own, words
        return changed

    def findings(self, line: Line, names: frozenset[str]) -> tuple[Finding, ...]:
        """The words of the line that are not known, with what may have been meant as far as that is found."""
        if self._dictionary is None:
            return ()
        known = self._own | {piece.casefold() for name in names for piece in name.split()}
        text = line.text
        return tuple(
            Finding(Rule.SPELLING, line.id, start, stop, f"“{text[start:stop]}” is not in the dictionary.", fixes)
            for start, stop in self._dictionary.unknown(text, known)
            for fixes in (self._fixes(line.id, text[start:stop], start, stop),)
        )

    def _fixes(self, line_id: str, word: str, start: int, stop: int) -> tuple[Fix, ...]:
        if word not in self._like:
            self._wanted.setdefault(word, set()).add(line_id)
            self._soon.start()
        like = self._like.get(word, ())
        return (*(Rewrite(f"Make it “{each}”", start, stop, each) for each in like), Learn(word))

    @Slot()
    def _ask(self) -> None:
        """The words that were wanted last; a word on its way to another is soon no longer there."""
        wanted = dict(list(self._wanted.items())[-MOST_ASKED:])
        self._wanted.clear()
        self._files.run(partial(_like, self._behind, tuple(wanted)), partial(self._found, wanted))

    def _read(self, language: str, read: tuple[Dictionary, Dictionary] | None) -> None:
        if language == self._language:
            self._dictionary, self._behind = read or (None, None)
            self.learned.emit(None)

    def _found(self, wanted: dict[str, set[str]], like: dict[str, tuple[str, ...]]) -> None:
        self._like |= like
        self.learned.emit(frozenset().union(*wanted.values()))


def _dictionaries(language: str) -> tuple[Dictionary, Dictionary] | None:
    try:
        return Dictionary(language), Dictionary(language)
    except NoDictionaryError:
        return None


def _like(dictionary: Dictionary | None, words: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {word: dictionary.like(word) for word in words} if dictionary is not None else {}
