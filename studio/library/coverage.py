"""Do the words and the sound of a clip go together? An estimate by the pace of speech: what only counting can tell.

A letter of an alphabet counts one, a kana or a Hangul syllable two, a Chinese character three: about what they take to
say.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex

from studio.library.levels import STEP, Levels

FASTEST = 27.0  # letters a second of speech (pauses not counted): nobody speaks faster
USUAL = 15.0
SLOWEST = 5.0
SQUEEZED = 80.0  # letters a second: a word that an alignment gives no more room than this has no sound of its own
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}'’\-]+")
_CHINESE = regex.compile(r"\p{Han}")
_SYLLABLE = regex.compile(r"[\p{Hiragana}\p{Katakana}\p{Hangul}]")
_LETTER = regex.compile(r"[\p{L}\p{N}]")
_LEAST_WORD = 3.0  # letters of the shortest word worth telling of
_LEAST_SQUEEZED = 4.0  # letters: "the" may well be over in a frame


@dataclass(frozen=True)
class Word:
    """A word of a transcript: its characters [start, stop), and when it is probably said, in seconds of the clip."""

    start: int
    stop: int
    begins: float
    ends: float


@dataclass(frozen=True)
class Coverage:
    """`pace` is letters a second of speech. `soundless` words at least have no sound; `wordless` seconds of speech at
    least have no words; both 0 where the two may go together."""

    pace: float
    soundless: int = 0
    wordless: float = 0.0


def letters(text: str) -> float:
    """How much there is to say in a text, in letters of an alphabet."""
    plain = len(_LETTER.findall(text))
    return plain + 2.0 * len(_CHINESE.findall(text)) + 1.0 * len(_SYLLABLE.findall(text))


def coverage(transcript: str, levels: Levels) -> Coverage:
    """How words and sound of a clip go together, `levels` those of what is left of it."""
    said, seconds = letters(transcript), levels.speech_seconds
    if seconds < 3 * STEP:
        return Coverage(0.0, soundless=len(_WORD.findall(transcript)))
    pace = said / seconds
    if pace > FASTEST:
        return Coverage(pace, soundless=max(1, _words_beyond(transcript, FASTEST * seconds)))
    if said and pace < SLOWEST:
        return Coverage(pace, wordless=seconds - said / SLOWEST)
    return Coverage(pace)


def words_in_time(transcript: str, levels: Levels) -> tuple[Word, ...]:
    """When each word is probably said: the letters spread evenly over what is speech, pauses left out."""
    found = [(match.start(), match.end(), letters(match.group())) for match in _WORD.finditer(transcript)]
    total = sum(weight for _, _, weight in found)
    steps = np.flatnonzero(levels.speaking)
    if not total or not len(steps):
        return ()
    words, said = [], 0.0
    for start, stop, weight in found:
        first = steps[min(len(steps) - 1, int(said / total * len(steps)))]
        said += weight
        last = steps[min(len(steps) - 1, max(0, int(np.ceil(said / total * len(steps))) - 1))]
        words.append(Word(start, stop, float(first) * STEP, float(last + 1) * STEP))
    return tuple(words)


def aligned_words(transcript: str, begins: Sequence[float]) -> tuple[Word, ...]:
    """When each word is said by the engine's alignment: `begins` are the seconds at which each character begins, and,
    last, at which all ends."""
    return tuple(
        Word(match.start(), match.end(), begins[match.start()], begins[match.end()])
        for match in _WORD.finditer(transcript)
        if match.end() < len(begins)
    )


def squeezed(words: Sequence[Word], transcript: str) -> tuple[Word, ...]:
    """The words that have no sound of their own: those for which an alignment found no room."""
    found = []
    for word in words:
        weight = letters(transcript[word.start : word.stop])
        if weight >= _LEAST_SQUEEZED and weight > SQUEEZED * (word.ends - word.begins):
            found.append(word)
    return tuple(found)


def writing_system(text: str) -> str:
    """What most letters of a text are written in, as Unicode names them ("LATIN"); "" where there are none."""
    counts: dict[str, int] = {}
    for letter in text[:20_000]:
        if letter.isalpha():
            name = unicodedata.name(letter, "").split(" ", 1)[0]
            name = {"CJK": "CHINESE", "HIRAGANA": "JAPANESE", "KATAKANA": "JAPANESE"}.get(name, name)
            counts[name] = counts.get(name, 0) + 1
    if counts.get("JAPANESE", 0) and "CHINESE" in counts:
        counts["JAPANESE"] += counts.pop("CHINESE")
    return max(counts, key=lambda name: counts[name]) if counts else ""


def _words_beyond(transcript: str, most_letters: float) -> int:
    """How many words stand after the first `most_letters` letters."""
    said, beyond = 0.0, 0
    for match in _WORD.finditer(transcript):
        said += letters(match.group())
        beyond += said > most_letters + _LEAST_WORD
    return beyond
