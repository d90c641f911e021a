"""The spelling of the open project: looked up as the lint goes along, words to put in their place found behind it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.document.lint import Finding, Fix, Learn, Rewrite, Rule
from studio.document.project import Line
from studio.document.spelling import Dictionary
from studio.file_thread import FileThread


class Spelling(QObject):
    """Words are looked up here, in a dictionary that was read on the file thread; others like an unknown one are found
    there, in another, and `learned` tells that more is known."""

    learned = Signal()

    def __init__(self, files: FileThread, parent: QObject) -> None:
        super().__init__(parent)
        self._files = files
        self._own: frozenset[str] = frozenset()
        self._dictionary: Dictionary | None = None
        self._behind: Dictionary | None = None
        self._like: dict[str, tuple[str, ...] | None] = {}  # None while they are being found
        files.run(lambda: (Dictionary(), Dictionary()), self._read)

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
            for fixes in (self._fixes(text[start:stop], start, stop),)
        )

    def _fixes(self, word: str, start: int, stop: int) -> tuple[Fix, ...]:
        if word not in self._like:
            self._like[word] = None
            self._files.run(partial(_like, self._behind, word), partial(self._found, word))
        like = self._like[word] or ()
        return (*(Rewrite(f"Make it “{each}”", start, stop, each) for each in like), Learn(word))

    def _read(self, dictionaries: tuple[Dictionary, Dictionary]) -> None:
        self._dictionary, self._behind = dictionaries
        self.learned.emit()

    def _found(self, word: str, like: tuple[str, ...]) -> None:
        self._like[word] = like
        if None not in self._like.values():
            self.learned.emit()


def _like(dictionary: Dictionary | None, word: str) -> tuple[str, ...]:
    return dictionary.like(word) if dictionary is not None else ()
