"""How long text takes to speak, and which frames speak which characters where nothing better is known."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import regex

from engine.text.writing import Tag, tags, words

# Seconds for one character, first match wins. Measured rates of unhurried reading: about 15 letters a second in
# alphabets, 4 to 5 Chinese characters, 7 to 8 kana, 5 Hangul syllables; abugidas count their vowel signs.
_SECONDS = tuple(
    (regex.compile(characters), seconds)
    for characters, seconds in (
        (r"[ぁぃぅぇぉゃゅょァィゥェォャュョー]", 0.07),
        (r"\p{Han}", 0.22),
        (r"[\p{Hiragana}\p{Katakana}]", 0.13),
        (r"\p{Hangul}", 0.20),
        (r"\p{Ethiopic}", 0.17),
        (r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]", 0.075),
        (r"[\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}]", 0.075),
        (r"[\p{Tamil}\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Tibetan}]", 0.075),
        (r"[[\p{Arabic}\p{Hebrew}]&&\p{L}]", 0.09),
        (r"\p{N}", 0.25),
        (r"\p{L}", 1 / 15),
        (r"\p{M}", 0.0),
    )
)
_SENTENCE_PAUSE = frozenset(".!?…。！？｡؟۔।॥።။\n")
_CLAUSE_PAUSE = frozenset(",;:—–、，；：،؛‥")
_SENTENCE_SECONDS, _CLAUSE_SECONDS, _SYMBOL_SECONDS, _SPACE_SECONDS = 0.3, 0.15, 0.2, 1 / 15

_SOUNDING_TAG = regex.compile(r"pause|silen|breath|sigh|laugh|chuckl|giggl|gasp|cough|cry|sob|yawn|throat", regex.I)
_TAG_SECONDS, _SOUNDING_TAG_SECONDS = 0.2, 0.8

_CAP_TIMES, _CAP_MORE, _CAP_LEAST = 3.0, 2.0, 3.0


@lru_cache(maxsize=8192)
def _kind(character: str) -> tuple[str, float]:
    """What a character is (letter, pause, symbol, space, silent) and the seconds it takes."""
    if character in _SENTENCE_PAUSE:
        return "pause", _SENTENCE_SECONDS
    if character in _CLAUSE_PAUSE:
        return "pause", _CLAUSE_SECONDS
    if character.isspace():
        return "space", _SPACE_SECONDS
    for characters, seconds in _SECONDS:
        if characters.match(character):
            return "letter", seconds
    return ("symbol", _SYMBOL_SECONDS) if regex.match(r"\p{S}|[%&@#*]", character) else ("silent", 0.0)


@lru_cache(maxsize=256)
def pace(text: str) -> np.ndarray:
    """Seconds spoken before each character, float64 [characters + 1], read-only; tags are silent, a run of pauses is
    one."""
    steps = np.zeros(len(text) + 1)
    silent_until = iter(tags(text))
    tag = next(silent_until, None)
    before = "space"
    for place, character in enumerate(text):
        if tag is not None and place >= tag.stop:
            tag = next(silent_until, None)
        if tag is not None and place >= tag.start:
            continue
        kind, seconds = _kind(character)
        if kind == "silent" or (kind == "space" and before in ("pause", "symbol")):
            continue
        if kind == "letter" or kind != before:
            steps[place + 1] = seconds
        before = kind
    before_each = np.cumsum(steps)
    before_each.flags.writeable = False
    return before_each


def _tag_seconds(tag: Tag) -> float:
    return _SOUNDING_TAG_SECONDS if _SOUNDING_TAG.search(tag.phrase) else _TAG_SECONDS


def expected_seconds(text: str) -> float:
    """How long the text probably sounds, by script, with pauses for punctuation and a little for tags."""
    return float(pace(text)[-1]) + sum(_tag_seconds(tag) for tag in tags(text))


def frame_cap(text: str, frames_per_second: float) -> int:
    """The most frames this text may take: generous, so that whoever reaches it has run away."""
    seconds = max(_CAP_TIMES * expected_seconds(text) + _CAP_MORE, _CAP_LEAST)
    return math.ceil(seconds * frames_per_second)


def proportional_span(text: str, start: int, stop: int, frames: int) -> tuple[int, int]:
    """The frames of a performance of `text`, `frames` long, that speak text[start:stop], in proportion to time.

    At least one frame where start < stop. Text that takes no time to speak is all of the frames.
    """
    start = min(max(start, 0), len(text))
    stop = min(max(stop, start), len(text))
    seconds = pace(text)
    if seconds[-1] == 0.0:
        return (0, frames) if start < stop else (0, 0)
    first, last = (round(float(seconds[place] / seconds[-1]) * frames) for place in (start, stop))
    if first == last and start < stop and frames > 0:
        first = min(first, frames - 1)
        last = first + 1
    return first, last


def words_in_span(text: str, span: tuple[int, int], frames: int) -> tuple[int, int]:
    """The characters of the whole words spoken in a span: those whose middle lies in it, else the nearest word.

    (0, 0) where the text has no words.
    """
    places = words(text)
    if not places or frames <= 0:
        return 0, 0
    seconds = pace(text)
    frames_per_second = frames / seconds[-1]
    middles = [(seconds[start] + seconds[stop]) / 2 * frames_per_second for start, stop in places]
    inside = [place for place, middle in zip(places, middles, strict=True) if span[0] <= middle < span[1]]
    if inside:
        return inside[0][0], inside[-1][1]
    centre = (span[0] + span[1]) / 2
    return places[min(range(len(places)), key=lambda place: abs(middles[place] - centre))]
