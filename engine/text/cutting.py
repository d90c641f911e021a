"""Where text may be cut: sentences of any script, then clauses, then words, then characters as they are seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import regex

from engine.text.length import pace
from engine.text.writing import tags

_CLOSERS = r"[\p{Pe}\p{Pf}\"'”’]*+"

# Latin-like marks end a sentence only before a space; the others stand where no space follows. The look-behind keeps
# a long run of marks from being tried again from each of its characters.
_SENTENCE_END = regex.compile(
    rf"(?P<spaced>(?<![.!?…])[.!?…]++){_CLOSERS}\s++"
    rf"|[。！？｡؟۔।॥።።။]++[!?…]*+{_CLOSERS}\s*+"
    r"|\n\s*+"
)
_CLAUSE_END = regex.compile(
    rf"(?<![,;:…])[,;:…]++{_CLOSERS}\s++"
    rf"|[、，；：،؛—‥]++{_CLOSERS}\s*+"
    r"|(?<=\s)[–-]\s++"
)
_WORD_END = regex.compile(r"\s++")
_SHOWN = regex.compile(r"\X")

_LETTER = regex.compile(r"[\p{L}\p{N}]")
_FIRST_LETTER = regex.compile(r"[^\p{L}\p{N}]{0,3}([\p{L}\p{N}])")
_OPENERS = regex.compile(r"[\p{Ps}\p{Pi}¿¡\]]\s*+$")
_WORD_BEFORE = regex.compile(r"[\p{L}.]++$")
_ABBREVIATIONS = regex.compile(
    "mr|mrs|ms|dr|prof|st|sr|jr|rev|gen|col|sgt|capt|lt|hon|vs|etc|approx|dept|est|inc|ltd|co|cf|al"
    "|hr|fr|bzw|usw|ca|evtl|ggf|vgl|mme|mlle|mm|sra|srta|dra|dña|ud|uds|sig|dott|ing|avv",
    regex.I,
)
_ABBREVIATIONS_BEFORE_NUMBERS = regex.compile(
    "no|nr|vol|fig|p|pp|ch|art|sec|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec", regex.I
)

LONGEST_SECONDS = 30.0  # of speech in one go: beyond, voices drift, and one mistake costs much

Range = tuple[int, int]
Unit = tuple[Range, int]  # a range, and how deep the break before it lies: 0 between sentences, 1 clauses, ...


def cut(text: str, most_characters: int, most_seconds: float = LONGEST_SECONDS) -> tuple[str, ...]:
    """The text in pieces of at most so many characters and expected seconds; together they are the text exactly.

    Whitespace stays at the end of the piece before the cut. Every piece has something to speak, unless the text holds a
    longer stretch without words than a piece may be. Nothing is cut inside a tag or a character as it is seen, even
    where one is longer than a piece.
    """
    if most_characters < 1 or most_seconds <= 0:
        raise ValueError("a piece needs room for a character")
    if not text:
        return ()
    return tuple(text[start:stop] for start, stop in _Cutting(text, most_characters, most_seconds).pieces())


@dataclass
class _Cutting:
    """One text on its way into pieces; holds what is counted once for all of it."""

    text: str
    most_characters: int
    most_seconds: float

    def __post_init__(self) -> None:
        text = self.text
        self.seconds = pace(text)
        self.inside_tag = np.zeros(len(text) + 1, bool)
        silent = np.zeros(len(text), bool)
        for tag in tags(text):
            self.inside_tag[tag.start + 1 : tag.stop] = True
            silent[tag.start : tag.stop] = True
        letters = np.zeros(len(text) + 1, np.int64)
        letters[[match.end() for match in _LETTER.finditer(text)]] = 1
        letters[1:][silent] = 0
        self.letters = np.cumsum(letters)
        self.levels: tuple[Callable[[Range], Iterator[Range]], ...] = (
            lambda whole: self._speaking(self._between(whole, _sentence_ends(self.text, *whole))),
            lambda whole: self._speaking(self._between(whole, _ends(_CLAUSE_END, self.text, *whole))),
            lambda whole: self._speaking(self._between(whole, _ends(_WORD_END, self.text, *whole))),
            lambda whole: self._speaking(self._between(whole, _ends(_SHOWN, self.text, *whole))),
            lambda whole: self._between(whole, _ends(_SHOWN, self.text, *whole)),
        )

    def pieces(self) -> list[Range]:
        units = list(self._units((0, len(self.text)), 0))
        pieces: list[list[Unit]] = [[]]
        for unit in units:
            if pieces[-1] and not self._fits((pieces[-1][0][0][0], unit[0][1])):
                pieces.append([])
            pieces[-1].append(unit)
        if len(pieces) > 1:
            pieces[-2:] = self._evened(pieces[-2], pieces[-1])
        return [(piece[0][0][0], piece[-1][0][1]) for piece in pieces]

    def _fits(self, part: Range) -> bool:
        start, stop = part
        return stop - start <= self.most_characters and self.seconds[stop] - self.seconds[start] <= self.most_seconds

    def _speaks(self, part: Range) -> bool:
        return bool(self.letters[part[1]] > self.letters[part[0]])

    def _units(self, whole: Range, level: int, break_before: int = 0) -> Iterator[Unit]:
        """The largest stretches that fit, in order."""
        if level == len(self.levels) or self._fits(whole):
            yield whole, break_before
            return
        for part in self.levels[level](whole):
            yield from self._units(part, level + 1, break_before if part[0] == whole[0] else level)

    def _evened(self, first: list[Unit], second: list[Unit]) -> list[list[Unit]]:
        """The last two pieces shared out anew, so that no scrap is left: the strongest break, nearest to the middle."""
        units = first + second
        start, stop = units[0][0][0], units[-1][0][1]

        def weakness(place: int) -> tuple[bool, int, int]:
            middle = units[place][0][0]
            both_speak = self._speaks((start, middle)) and self._speaks((middle, stop))
            return not both_speak, units[place][1], abs(2 * middle - start - stop)

        possible = [
            place
            for place in range(1, len(units))
            if self._fits((start, units[place][0][0])) and self._fits((units[place][0][0], stop))
        ]
        best = min(possible, key=weakness, default=len(first))
        return [units[:best], units[best:]]

    def _between(self, whole: Range, ends: Iterable[int]) -> Iterator[Range]:
        start, stop = whole
        for end in ends:
            if start < end < stop and not self.inside_tag[end]:
                yield start, end
                start = end
        yield start, stop

    def _speaking(self, parts: Iterable[Range]) -> Iterator[Range]:
        """Parts without words join a neighbour: tags and opening marks the one after them, all else the one before."""
        ready: Range | None = None  # speaks; may still take in marks that follow
        waiting: Range | None = None  # waits for words
        for start, stop in parts:
            part = (start if waiting is None else waiting[0]), stop
            waiting = None
            if self._speaks(part):
                if ready is not None:
                    yield ready
                ready = part
            elif ready is None or self._opens(part):
                waiting = part
            else:
                ready = ready[0], part[1]
        if ready is not None:
            yield ready if waiting is None else (ready[0], waiting[1])
        elif waiting is not None:
            yield waiting

    def _opens(self, part: Range) -> bool:
        return _OPENERS.search(self.text, part[0], part[1]) is not None


def clause_stop(text: str, place: int) -> int:
    """Where the clause ends that holds text[place], without the space after it."""
    part = (place, len(text))
    stop = min(next(_sentence_ends(text, *part), len(text)), next(_ends(_CLAUSE_END, text, *part), len(text)))
    return place + len(text[place:stop].rstrip())


def _ends(pattern: regex.Pattern[str], text: str, start: int, stop: int) -> Iterator[int]:
    return (match.end() for match in pattern.finditer(text, start, stop))


def _sentence_ends(text: str, start: int, stop: int) -> Iterator[int]:
    for match in _SENTENCE_END.finditer(text, start, stop):
        mark = match["spaced"]
        if mark is None or "\n" in match[0] or not _goes_on(text, mark, match.start(), match.end()):
            yield match.end()


def _goes_on(text: str, mark: str, start: int, stop: int) -> bool:
    """Does the sentence go on after this mark and space: a small letter follows, or an abbreviation stands before?"""
    following = _FIRST_LETTER.match(text, stop)
    if following and following[1].islower():
        return True
    if mark != ".":
        return False
    found = _WORD_BEFORE.search(text[max(0, start - 12) : start])
    word = found[0] if found else ""
    before_number = following is not None and following[1].isdigit()
    return (
        _ABBREVIATIONS.fullmatch(word) is not None
        or "." in word.strip(".")
        or (len(word) == 1 and word != "I" and word.isupper())
        or (before_number and _ABBREVIATIONS_BEFORE_NUMBERS.fullmatch(word) is not None)
    )
