"""What a recogniser heard of a take beside what it should have said: words that are missing, doubled or foreign, and
tags that were read aloud. Pure. A word that is spelt nearly alike counts as heard, for names are spelt in many ways.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.text import tags, words
from studio.document.same_words import UNITS, Spoken, alike, make, same, spoken_as

_WRONG = 1.5  # what a word heard as another costs, against 1 for a word too many or too few
_MOST_FOR_ONE = 6  # words of one side that may be one of the other: twenty-five dollars, $25

Pair = tuple[int, int, int, int]


class Mishap(enum.Enum):
    """What is wrong with words of a take; the value is what the screen says."""

    MISSING = "not heard"
    DOUBLED = "heard twice"
    FOREIGN = "heard as “{heard}”"
    EXTRA = "“{heard}” is heard beside it"
    TAG = "the tag is read aloud"


@dataclass(frozen=True)
class Misreading:
    """Characters [start, stop) of a take's text, what is wrong there, and what was heard instead or besides."""

    start: int
    stop: int
    mishap: Mishap
    heard: str = ""

    @property
    def words(self) -> str:
        return self.mishap.value.format(heard=self.heard)


def misreadings(text: str, heard: Sequence[str]) -> tuple[Misreading, ...]:
    """All that is wrong, in the order of the text. `heard` are words as a recogniser writes them."""
    places = words(text)
    said = [spoken_as(text[_with_unit(text, start, stop)]) for start, stop in places]
    there = [each for word in heard if (each := spoken_as(word)).main]
    found: list[Misreading] = []
    for first, last, begin, end in _paired(said, there):
        words_heard = there[begin:end]
        if first == last:
            found.append(_too_many(text, places, said, first, words_heard))
        elif not words_heard:
            found.append(Misreading(places[first][0], places[last - 1][1], Mishap.MISSING))
        elif last - first == end - begin == 1 and not alike(said[first], words_heard[0]):
            found.append(Misreading(places[first][0], places[last - 1][1], Mishap.FOREIGN, _written(words_heard)))
    return tuple(found)


def share_heard(text: str, found: Sequence[Misreading]) -> float:
    """How much of a take is as it should be, 1 for all of it."""
    wrong = sum(max(1, len(words(text[each.start : each.stop]))) for each in found)
    return max(0.0, 1 - wrong / max(1, len(words(text))))


def _too_many(
    text: str, places: Sequence[tuple[int, int]], said: Sequence[Spoken], at: int, extra: Sequence[Spoken]
) -> Misreading:
    """What words are that were heard before the word at place `at` and stand nowhere in the text."""
    count = len(extra)
    begin = places[at - 1][1] if at else 0
    stop = places[at][0] if at < len(places) else len(text)
    for tag in tags(text):
        if begin <= tag.start and tag.stop <= stop:
            named = {spoken_as(word) for word in text[tag.start : tag.stop].split()}
            if any(alike(word, name) for word in extra for name in named):
                return Misreading(tag.start, tag.stop, Mishap.TAG, _written(extra))
    for first, last in ((at - count, at), (at, at + count)):
        if first >= 0 and last <= len(said) and all(map(alike, said[first:last], extra)):
            return Misreading(places[first][0], places[last - 1][1], Mishap.DOUBLED, _written(extra))
    if not places:
        return Misreading(0, len(text), Mishap.EXTRA, _written(extra))
    beside = places[max(0, at - 1)]
    return Misreading(*beside, Mishap.EXTRA, _written(extra))


def _with_unit(text: str, start: int, stop: int) -> slice:
    """A word with the sign beside it that is spoken as one."""
    return slice(start - (text[start - 1 : start] in UNITS), stop + (text[stop : stop + 1] in UNITS))


def _written(heard: Sequence[Spoken]) -> str:
    return " ".join(each.written for each in heard)


def _paired(said: Sequence[Spoken], heard: Sequence[Spoken]) -> list[Pair]:
    """Which words stand for which, (first, last, begin, end) of both, with neighbours that are alike in kind together:
    the least that has to be wrong. A few words of one side may be one of the other."""
    rows, columns = len(said) + 1, len(heard) + 1
    cost = [[float("inf")] * columns for _ in range(rows)]
    came: list[list[tuple[int, int]]] = [[(0, 0)] * columns for _ in range(rows)]
    cost[0][0] = 0.0
    for row in range(rows):
        for column in range(columns):
            for down, right, price in _steps(said[row : row + _MOST_FOR_ONE], heard[column : column + _MOST_FOR_ONE]):
                total = cost[row][column] + price
                if total < cost[row + down][column + right]:
                    cost[row + down][column + right] = total
                    came[row + down][column + right] = (down, right)
    pairs: list[Pair] = []
    row, column = rows - 1, columns - 1
    while row or column:
        down, right = came[row][column]
        pairs.append((row - down, row, column - right, column))
        row, column = row - down, column - right
    return _together(pairs[::-1])


def _steps(said: Sequence[Spoken], heard: Sequence[Spoken]) -> Iterator[tuple[int, int, float]]:
    if said:
        yield 1, 0, 1.0
    if heard:
        yield 0, 1, 1.0
    if said and heard:
        yield 1, 1, 0.0 if same(said[0], heard[0]) else 0.1 if alike(said[0], heard[0]) else _WRONG
        for count in make(heard, said[0]):
            yield 1, count, 0.1
        for count in make(said, heard[0]):
            yield count, 1, 0.1


def _together(pairs: Sequence[Pair]) -> list[Pair]:
    """Runs of missing words as one, and runs of words too many as one."""
    joined: list[Pair] = []
    for first, last, begin, end in pairs:
        before = joined[-1] if joined else None
        missing = before is not None and begin == end and before[2] == before[3]
        extra = before is not None and first == last and before[0] == before[1]
        if before is not None and (missing or extra):
            joined[-1] = (before[0], last, before[2], end)
        else:
            joined.append((first, last, begin, end))
    return joined
