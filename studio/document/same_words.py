"""When words written in two ways are the same when they are spoken: numbers, times, names, short forms. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from num2words import num2words

_ALIKE, _OTHER_START = 0.72, 0.85  # how much of two spellings is the same; the second where they begin otherwise
_LONG_FORMS = {
    "alright": "all right", "can't": "can not", "cause": "because", "dr": "doctor", "gonna": "going to",
    "gotta": "got to", "mr": "mister", "mrs": "missus", "ok": "okay", "st": "saint", "til": "until",
    "wanna": "want to", "won't": "will not",
}  # fmt: skip
_ENDINGS = {"n't": "not", "'m": "am", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would", "'s": "is"}
UNITS = {"$": ("dollars", "dollar"), "£": ("pounds", "pound"), "€": ("euros", "euro"), "%": ("percent", "per cent")}
_NUMBER = re.compile(r"\d{1,9}")
_ORDINAL = re.compile(r"\D*(\d{1,9})(?:st|nd|rd|th)?\W*", re.IGNORECASE)
_PAIRS = re.compile(r"\D*(\d{1,2})(\d\d)\D*")


@dataclass(frozen=True)
class Spoken:
    """A word as it may be spoken, without spaces: `main` as it is read first, `forms` all of them."""

    written: str
    main: str
    forms: frozenset[str]


@lru_cache(maxsize=65_536)
def spoken_as(word: str) -> Spoken:
    """What a word may be when it is spoken."""
    written = plain(word)
    if not any(letter.isdecimal() for letter in written):
        return Spoken(written, written, frozenset({written, plain(_in_full(word.casefold().replace("’", "'")))}))
    word = word.replace(",", "")
    readings = [_spelled(word), _spelled(word.replace(".", " point "))]
    if (ordinal := _ORDINAL.fullmatch(word)) is not None:
        readings.append(num2words(int(ordinal[1]), to="ordinal"))
        readings.append(num2words(int(ordinal[1])))
    if (pairs := _PAIRS.fullmatch(word)) is not None:  # the year 1999, half past 430
        last = _spelled(pairs[2].lstrip("0"))
        readings.append(_spelled(pairs[1]) + (f" oh {last}" if pairs[2][0] == "0" else f" {last}"))
    units = [unit for sign, each in UNITS.items() if sign in word for unit in each]
    readings += [f"{reading} {unit}" for reading in readings for unit in units]
    forms = {written}
    for reading in readings:
        shorter = reading.replace(" and ", " "), reading.replace("one hundred", "a hundred")
        forms |= {plain(each) for each in (reading, *shorter)}
    return Spoken(written, plain(readings[0]), frozenset(forms))


def _in_full(word: str) -> str:
    """A word that is no short form of others."""
    word = word.strip(".,;:!?…\"”“ ")
    if word in _LONG_FORMS:
        return _LONG_FORMS[word]
    ending = next((each for each in _ENDINGS if word.endswith(each)), "")
    return f"{word.removesuffix(ending)} {_ENDINGS[ending]}" if ending else word


def same(one: Spoken, other: Spoken) -> bool:
    return not one.forms.isdisjoint(other.forms)


def alike(one: Spoken, other: Spoken) -> bool:
    """Are they the same, or spelt nearly alike? Names are spelt in many ways, numbers are not."""
    if same(one, other):
        return True
    return one.main == one.written and other.main == other.written and _spelt_alike(one.main, other.main)


@lru_cache(maxsize=65_536)
def _spelt_alike(one: str, other: str) -> bool:
    least = _ALIKE if one[:1] == other[:1] else _OTHER_START
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least and matcher.ratio() >= least


def make(several: Sequence[Spoken], one: Spoken) -> set[int]:
    """How many words at the start of `several` may together be the one word, each 2 or more."""
    counts = set()
    for form in one.forms:
        rest = form
        for count, each in enumerate(several, 1):
            piece = each.main if rest.startswith(each.main) else each.written
            if not rest.startswith(piece):
                break
            rest = rest[len(piece) :]
            if not rest:
                counts.add(count)
                break
    return counts - {1}


def plain(text: str) -> str:
    """Letters and digits alone, small."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _spelled(word: str) -> str:
    """Numbers in words."""
    return _NUMBER.sub(lambda number: f" {num2words(int(number[0]))} ", word)
