"""One small alphabet of sounds for all teachers, and where in a recording each letter of the text is spoken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from voice.recordings import Sound

SILENCE = "_"
SYMBOLS = (SILENCE, *"ɑæʌɔəɛɜɪiʊuAIOWYbdðfɡhjklmnŋpɹsʃtθʧʤvwzʒ")

_MERGED = {"aɪ": "I", "eɪ": "A", "oʊ": "O", "aʊ": "W", "ɔɪ": "Y", "tʃ": "ʧ", "dʒ": "ʤ"}
_FOLDED = {
    **dict.fromkeys("ɾT", "d"),
    **dict.fromkeys("ᵊɐɚ", "ə"),
    **dict.fromkeys("ᵻɨ", "ɪ"),
    **dict.fromkeys("aɒ", "ɑ"),
    "e": "ɛ",
    "o": "O",
    "g": "ɡ",
    "r": "ɹ",
    "ʔ": "t",
    "x": "k",
    "y": "i",
    "Q": "O",
}
_ARPABET = dict(
    zip(
        re.findall(
            r"\w+",
            "aa ae ah ao aw ax ay b ch d dh eh er ey f g hh ih iy jh "
            "k l m n ng ow oy p r s sh t th uh uw v w y z zh pau",
        ),
        "ɑæʌɔWəIbʧdðɛɜAfɡhɪiʤklmnŋOYpɹsʃtθʊuvwjzʒ_",
        strict=True,
    )
)
_LONG = "ː"  # lengthens the sound before it
_STRESS = "ˈˌ"  # belongs to the sound after it


def from_ipa(symbols: Sequence[str], starts: Sequence[int], stop: int) -> tuple[Sound, ...]:
    """A teacher's phonetic symbols, each beginning at its sample of `starts`, as sounds of the small alphabet.

    Marks of stress join the sound after them, marks of length the one before; what is no sound is silence.
    """
    sounds: list[Sound] = []
    pending: int | None = None
    for symbol, (start, end) in zip(symbols, pairwise([*starts, stop]), strict=True):
        if symbol in _STRESS:
            pending = start if pending is None else pending
            continue
        begin, pending = (start if pending is None else pending), None
        before = sounds[-1] if sounds else None
        merged = _MERGED.get(_raw(before) + symbol) if before else None
        if before and (symbol == _LONG or merged):
            sounds[-1] = Sound(merged or before.symbol, before.start, end)
        else:
            folded = _FOLDED.get(symbol, symbol)
            sounds.append(Sound(folded if folded in SYMBOLS else SILENCE, begin, end))
    return _joined(sounds)


def from_arpabet(names: Sequence[str], starts: Sequence[int], stop: int) -> tuple[Sound, ...]:
    """The same from the names that flite prints."""
    ends = [*starts[1:], stop]
    return _joined([Sound(_ARPABET[name], start, end) for name, start, end in zip(names, starts, ends, strict=True)])


def _raw(sound: Sound) -> str:
    """The first half of a diphthong as IPA writes it."""
    return {"ɑ": "a", "ɛ": "e", "O": "o"}.get(sound.symbol, sound.symbol)


def _joined(sounds: list[Sound]) -> tuple[Sound, ...]:
    """Neighbouring silences become one, empty sounds none."""
    kept: list[Sound] = []
    for sound in sounds:
        if sound.stop == sound.start:
            continue
        if kept and kept[-1].symbol == sound.symbol == SILENCE:
            kept[-1] = Sound(SILENCE, kept[-1].start, sound.stop)
        else:
            kept.append(sound)
    return tuple(kept)


def letter_times(text: str, spelled: Sequence[str], sounds: Sequence[Sound], length: int) -> tuple[int, ...]:
    """For each character the sample at which it is spoken.

    `spelled` are the sounds of each word of the text. They are laid along what was spoken, and a word's letters are
    spread evenly over its time; marks and spaces lie where the next word begins.
    """
    spoken = [sound for sound in sounds if sound.symbol != SILENCE]
    words = [(match.start(), match.end()) for match in re.finditer(r"[\w'’-]+", text)]
    if len(words) != len(spelled) or not spoken:
        return tuple(int(length * (place + 0.5) / len(text)) for place in range(len(text)))
    first = _laid_along("".join(spelled), "".join(sound.symbol for sound in spoken))
    edges = [0]
    for word in spelled:
        edges.append(edges[-1] + len(word))
    times = [-1] * len(text)
    for (start, stop), (a, b) in zip(words, pairwise(edges), strict=True):
        begin = spoken[min(first[a], len(spoken) - 1)].start
        end = spoken[max(min(first[b], len(spoken)) - 1, 0)].stop
        for place in range(start, stop):
            times[place] = round(begin + max(0, end - begin) * (place - start + 0.5) / (stop - start))
    following = length
    for place in reversed(range(len(text))):
        times[place] = following if times[place] < 0 else times[place]
        following = times[place]
    return tuple(min(time, length - 1) for time in accumulate(times, max))


def _laid_along(written: str, spoken: str) -> list[int]:
    """For each place of `written`, and its end, the place of `spoken` it is laid along at least cost of edits."""
    rows, columns = len(written) + 1, len(spoken) + 1
    cost = [[0] * columns for _ in range(rows)]
    cost[0] = list(range(columns))
    for i in range(1, rows):
        cost[i][0] = i
        for j in range(1, columns):
            same = cost[i - 1][j - 1] + (written[i - 1] != spoken[j - 1])
            cost[i][j] = min(same, cost[i - 1][j] + 1, cost[i][j - 1] + 1)
    places = [0] * rows
    i, j = rows - 1, columns - 1
    places[i] = j
    while i:
        if j and cost[i][j] == cost[i - 1][j - 1] + (written[i - 1] != spoken[j - 1]):
            i, j = i - 1, j - 1
        elif cost[i][j] == cost[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
            continue
        places[i] = j
    return places
