"""What a checkpoint is asked to say. None of it was ever trained on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from voice.corpus import held_out

FROM_GRAMMAR = 160
TAGGED = 40
LONG = 12  # sentences of a longer text


@dataclass(frozen=True)
class Line:
    """One line to speak: `name` tells its take from all others; `kind` is "grammar", "free" or a tag.

    `words` are its words alone; for a tag, `place` is the character from which on its work is measured.
    """

    name: str
    kind: str
    text: str
    words: str
    place: int = 0


def plain_lines(most: int | None) -> list[Line]:
    """160 sentences of the corpus's own grammar and 40 written freely, taken in turn where only some are wanted."""
    free = (Path(__file__).parent / "free.txt").read_text(encoding="utf-8").splitlines()
    grammar = held_out()[:FROM_GRAMMAR]
    each = len(grammar) // len(free)
    lines: list[Line] = []
    for number, text in enumerate(free):
        own = enumerate(grammar[each * number : each * (number + 1)], each * number)
        lines += [Line(f"grammar-{place:03d}", "grammar", sentence, sentence) for place, sentence in own]
        lines.append(Line(f"free-{number:03d}", "free", text, text))
    return lines[:most]


def tagged_lines(tag: str, most: int | None) -> list[tuple[Line, Line]]:
    """40 sentences with the tag before about the middle word, each with its like without the tag."""
    pairs = []
    for number, text in enumerate(held_out()[FROM_GRAMMAR : FROM_GRAMMAR + TAGGED][:most]):
        words = text.split()
        before, after = (" ".join(part) for part in (words[: len(words) // 2], words[len(words) // 2 :]))
        name = f"{tag.strip('[]').replace(' ', '-')}-{number:03d}"
        start = f"{before} {tag} "
        tagged = Line(name, tag, start + after, text, len(start))
        pairs.append((tagged, Line(f"{name}-without", tag, text, text, len(before) + 1)))
    return pairs


def long_text(most: int | None) -> list[Line]:
    """Sentences that are spoken one after another, to hear whether the voice stays."""
    told = held_out()[FROM_GRAMMAR + TAGGED :][:LONG][:most]
    return [Line(f"long-{number:03d}", "long", text, text) for number, text in enumerate(told)]
