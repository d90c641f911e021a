"""Spelling by a dictionary of Hunspell's. Tags and names are not looked at, nor words in another alphabet than the
dictionary's; a line in which most words are unknown is in another language and is left alone.

A dictionary belongs to the thread that made it: looking a word up takes microseconds, finding others like it 0.2 s.
"""

from __future__ import annotations

import codecs
from collections.abc import Set
from functools import lru_cache
from pathlib import Path

from hunspell import Hunspell

from engine.text import words
from studio.document.dictionaries import ENGLISH, dictionaries

_MOST_SUGGESTED = 4
_FOREIGN = 0.5  # a greater share of unknown words is another language
_FEW = 3


class NoDictionaryError(ValueError):
    """There is no such dictionary, or it cannot be read."""


class Dictionary:
    """Words as they are written. `folder` holds the dictionary of that name; where none is given it is looked for.

    Raises NoDictionaryError."""

    def __init__(self, name: str = ENGLISH, folder: Path | None = None) -> None:
        folder = folder or dictionaries().get(name)
        if folder is None:
            raise NoDictionaryError(name)
        try:
            self._words = Hunspell(name, str(folder))
            self._alphabet = _alphabet(folder / f"{name}.dic", _encoding(folder / f"{name}.aff"))
        except (OSError, LookupError, UnicodeError) as error:
            raise NoDictionaryError(name) from error
        self._knows = lru_cache(maxsize=1 << 15)(self._look_up)

    def knows(self, word: str) -> bool:
        return self._knows(word)

    def like(self, word: str) -> tuple[str, ...]:
        """Words that may have been meant, the likeliest first; slow."""
        written = self._plain(word)
        return tuple(self._words.suggest(written))[:_MOST_SUGGESTED] if written else ()

    def unknown(self, text: str, names: Set[str]) -> tuple[tuple[int, int], ...]:
        """Where in a line stand words that are not known; names, in small letters, and words with digits are."""
        places = [(start, stop) for start, stop in words(text) if self._is_word(text[start:stop])]
        found = [
            (start, stop)
            for start, stop in places
            if not self.knows(text[start:stop]) and not _named(text, start, stop, names)
        ]
        strange = sum(not self.knows(text[start:stop]) for start, stop in places)
        return () if strange > _FEW and strange > _FOREIGN * len(places) else tuple(found)

    def _look_up(self, word: str) -> bool:
        written = self._plain(word)
        if not written:
            return False
        pieces = [piece for piece in written.split("-") if piece]
        return self._words.spell(written) or all(self._words.spell(piece.removesuffix("'s")) for piece in pieces)

    def _plain(self, word: str) -> str:
        """As the dictionary writes it; "" where it cannot."""
        written = word.replace("’", "'")
        return written if self._alphabet.issuperset(written.casefold()) else ""

    def _is_word(self, word: str) -> bool:
        """Something that the dictionary could hold: no number, and written in its alphabet."""
        return len(word) > 1 and self._plain(word) != "" and not any(each.isdigit() or each == "_" for each in word)


def _encoding(rules: Path) -> str:
    """The encoding that a dictionary's rules name for it."""
    rows = rules.read_text("latin-1").splitlines()
    named = next((row.split()[1] for row in rows if row.startswith("SET ") and len(row.split()) > 1), "ISO8859-1")
    return codecs.lookup(named.casefold().removeprefix("microsoft-")).name


def _alphabet(path: Path, encoding: str) -> frozenset[str]:
    """The small letters that words of a dictionary are written in, and the signs that may stand in any word."""
    rows = path.read_text(encoding, "replace").splitlines()
    letters = set("".join(row.partition("/")[0] for row in rows).casefold())
    return frozenset(each for each in letters if each.isalpha() and each != "\ufffd") | set("'-·.0123456789_")


def _named(text: str, start: int, stop: int, names: Set[str]) -> bool:
    """Somebody of the cast, a word of the user's, or written with a capital within a sentence: a name."""
    word = text[start:stop].replace("’", "'").removesuffix("'s").casefold()
    if word in names:
        return True
    before = text[:start].rstrip()
    return text[start].isupper() and bool(before) and (before[-1].isalnum() or before[-1] in ",;-–—'’\"")
