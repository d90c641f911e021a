"""Spelling by the American English dictionary that comes along. Tags and names are not looked at; a line in which most
words are unknown is in another language and is left alone.

A dictionary belongs to the thread that made it: looking a word up takes microseconds, finding others like it 0.2 s.
"""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache

from hunspell import Hunspell

from engine.text import words

_MOST_SUGGESTED = 4
_FOREIGN = 0.5  # a greater share of unknown words is another language
_FEW = 3


class Dictionary:
    """Words as they are written."""

    def __init__(self) -> None:
        self._words = Hunspell("en_US")
        self._knows = lru_cache(maxsize=1 << 15)(self._look_up)

    def knows(self, word: str) -> bool:
        return self._knows(word)

    def like(self, word: str) -> tuple[str, ...]:
        """Words that may have been meant, the likeliest first; slow."""
        written = _plain(word)
        return tuple(self._words.suggest(written))[:_MOST_SUGGESTED] if written else ()

    def unknown(self, text: str, names: Set[str]) -> tuple[tuple[int, int], ...]:
        """Where in a line stand words that are not known; names, in small letters, and words with digits are."""
        places = [(start, stop) for start, stop in words(text) if _is_word(text[start:stop])]
        found = [
            (start, stop)
            for start, stop in places
            if not self.knows(text[start:stop]) and not _named(text, start, stop, names)
        ]
        strange = sum(not self.knows(text[start:stop]) for start, stop in places)
        return () if strange > _FEW and strange > _FOREIGN * len(places) else tuple(found)

    def _look_up(self, word: str) -> bool:
        written = _plain(word)
        if not written:
            return False
        pieces = [piece for piece in written.split("-") if piece]
        return self._words.spell(written) or all(self._words.spell(piece.removesuffix("'s")) for piece in pieces)


def _plain(word: str) -> str:
    """As the dictionary writes it; "" where it cannot."""
    written = word.replace("’", "'")
    try:
        written.encode("iso-8859-1")
    except UnicodeEncodeError:
        return ""
    return written


def _is_word(word: str) -> bool:
    """Something that the dictionary could hold: no number, and written in its alphabet."""
    return len(word) > 1 and _plain(word) != "" and not any(letter.isdigit() or letter == "_" for letter in word)


def _named(text: str, start: int, stop: int, names: Set[str]) -> bool:
    """Somebody of the cast, a word of the user's, or written with a capital within a sentence: a name."""
    word = text[start:stop].replace("’", "'").removesuffix("'s").casefold()
    if word in names:
        return True
    before = text[:start].rstrip()
    return text[start].isupper() and bool(before) and (before[-1].isalnum() or before[-1] in ",;-–—'’\"")
