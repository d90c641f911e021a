"""The words that the sentences are made of: common ones, so that ordinary sentences are read. They lie in words.txt."""

from __future__ import annotations

import re
from pathlib import Path


def _read() -> dict[str, list[str]]:
    """Every list of words.txt by its name; its entries are parted by slashes."""
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    lists = re.findall(r"^\[(\w+)\][^\n]*\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    return {name: [" ".join(entry.split()) for entry in body.split("/")] for name, body in lists}


_LISTS = _read()
PEOPLE, NAMES, PLACES, THINGS = (_LISTS[name] for name in ("people", "names", "places", "things"))
SCENES, ADJECTIVES, MOODS = (_LISTS[name] for name in ("scenes", "adjectives", "moods"))
VERBS, DOINGS = _LISTS["verbs"], _LISTS["doings"]
ADVERBS, TIMES, NUMBERS = (_LISTS[name] for name in ("adverbs", "times", "numbers"))
OPENERS, REMARKS = _LISTS["openers"], _LISTS["remarks"]
