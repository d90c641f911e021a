"""Text in whatever encoding it is in: told by its mark, UTF-8, or guessed."""

from __future__ import annotations

import re
from collections import Counter

from charset_normalizer import from_bytes

from studio.document.importers_limits import ImportFailedError

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_LOOKED_AT = 200_000
# What languages write besides a to z, by Windows' encodings of them. They share most of their bytes, so that a guess by
# how often letters come is wrong where there are few; but a language that has all that stands there is soon found.
_ALPHABETS = {
    "cp1252": (
        "äöüßé", "àâæçéèêëîïôœùûüÿ", "áéíñóúüªº", "ãõáâàéêíóôúç", "àèéìíòóù", "åäöé", "æøåéèêóòôü", "éëïöüèê",
        "áðéíóúýþæö",
    ),
    "cp1250": ("ąćęłńóśźż", "áčďéěíňóřšťúůýžäĺľôŕ", "áéíóöőúüű", "čćđšž", "ăâîşţ"),
    "cp1254": ("çğıİöşüâîû",),
}  # fmt: skip
_SIGNS = "‘’‚“”„«»‹›–—…·•¿¡§°©€£\u00a0"
_IN_A_WORD = re.compile(r"[^\W\d_][^\w\s’–—…·\x00-\x7f][^\W\d_]")
_MOST_MISFITS = 0.2


def decoded(data: bytes) -> tuple[str, str]:
    """The text, and a notice where its encoding was guessed. ImportFailedError where it is none."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), ""
    if b"\0" in data:
        if encoding := _wide(data):
            return data.decode(encoding, "replace"), f"Read as {encoding}, which was guessed."
        raise ImportFailedError("This is no text: it holds bytes that no text has.")
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError:
        encoding = _guessed(data[:_LOOKED_AT])
        return data.decode(encoding, "replace"), f"Read as {encoding.replace('_', '-')}, which was guessed."


def _wide(data: bytes) -> str:
    """UTF-16 without its mark, where most of every other byte and none of the others is nothing; "" where it is not."""
    data = data[:_LOOKED_AT]
    for encoding, high, low in (("utf-16-le", data[1::2], data[::2]), ("utf-16-be", data[::2], data[1::2])):
        if high.count(0) > 0.7 * len(high) and not low.count(0):
            return encoding
    return ""


def _guessed(data: bytes) -> str:
    found = min((_misfits(data, encoding), number, encoding) for number, encoding in enumerate(_ALPHABETS))
    if found[0] <= _MOST_MISFITS:
        return found[2]
    best = from_bytes(data, cp_exclusion=["utf_16", "utf_16_le", "utf_16_be", "utf_32"]).best()
    return best.encoding if best is not None else "cp1252"


def _misfits(data: bytes, encoding: str) -> float:
    """The share of letters and signs that none of the languages so written has, of those beyond a to z."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return 1.0
    counts = Counter(character for character in text if not character.isascii())
    beyond, plain = counts.total(), sum(character.isascii() and character.isalpha() for character in text)
    if beyond > plain or _IN_A_WORD.search(text):
        return 1.0
    alphabets = ({*alphabet, *alphabet.upper(), *_SIGNS} for alphabet in _ALPHABETS[encoding])
    return min(sum(n for sign, n in counts.items() if sign not in known) for known in alphabets) / beyond
