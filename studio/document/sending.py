"""What is sent of a line: its text with the direction put to it and the pronunciations in their places.

These two are the user's own, and all the rewriting there is. A place in the text that is sent leads back to what was
written, so that what a take speaks can be shown there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import regex

from engine.text import Change, moved, tags
from studio.document.project import Line, LinePart, Project, Pronunciation

DIRECTION, TEXT = "{direction}", "{text}"


@dataclass(frozen=True)
class Sent:
    """`parts` as the model reads them, of a line in which stands `written`; `changes` lead from there to here."""

    line_id: str
    written: str
    parts: tuple[LinePart, ...]
    changes: tuple[Change, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts)

    def from_written(self, start: int, stop: int) -> tuple[int, int]:
        """Where characters of the line's text stand in what is sent."""
        return moved(self.changes, start, stop)

    def to_written(self, start: int, stop: int) -> tuple[int, int]:
        """Where characters of what is sent come from."""
        back = tuple(Change(each.new_start, each.new_stop, each.old_start, each.old_stop) for each in self.changes)
        return moved(back, start, stop)


def sent(project: Project, line: Line) -> Sent:
    """What is sent of the line now."""
    directed = line.direction or any(character.direction for character in project.cast)
    words = () if line.as_written else project.reading.pronunciations
    if not directed and not words:
        return Sent(line.id, line.text, line.parts)
    parts: list[LinePart] = []
    changes: list[Change] = []
    place = new_place = 0
    for number, part in enumerate(line.parts):
        text, found = pronounced(part.text, words)
        before, after = _around(project, line, part, number) if part.text.strip() else ("", "")
        if before:
            changes.append(Change(place, place, new_place, new_place + len(before)))
        shift = new_place + len(before)
        changes += [Change(place + a, place + b, shift + c, shift + d) for a, b, c, d in found]
        if after:
            stop = place + len(part.text)
            changes.append(Change(stop, stop, shift + len(text), shift + len(text) + len(after)))
        parts.append(LinePart(part.character, before + text + after))
        place, new_place = place + len(part.text) + 1, new_place + len(parts[-1].text) + 1
    return Sent(line.id, line.text, tuple(parts), tuple(changes))


def pronounced(text: str, words: tuple[Pronunciation, ...]) -> tuple[str, tuple[tuple[int, int, int, int], ...]]:
    """The text with words as they are to be spoken, and which [a, b) of it have become which [c, d). Tags stay."""
    pattern, spoken = _looking_for(words)
    if pattern is None:
        return text, ()
    quiet = tags(text) if "[" in text else ()
    pieces: list[str] = []
    found: list[tuple[int, int, int, int]] = []
    last = length = 0
    for match in pattern.finditer(text):
        start, stop = match.span()
        said = spoken.get(match[0], spoken.get(match[0].casefold()))
        if said is None or any(tag.start <= start < tag.stop for tag in quiet):
            continue
        pieces += (text[last:start], said)
        length += start - last
        found.append((start, stop, length, length + len(said)))
        length += len(said)
        last = stop
    return "".join(pieces) + text[last:], tuple(found)


def directed(template: str, direction: str, text: str) -> tuple[str, str]:
    """What a template puts before and after the text; nothing where there is no direction."""
    if not direction:
        return "", ""
    before, _, after = template.partition(TEXT)
    before, after = (each.replace(DIRECTION, direction) for each in (before, after))
    return before, after


def _around(project: Project, line: Line, part: LinePart, number: int) -> tuple[str, str]:
    character = project.character(part.character)
    said = [character.direction if character else "", line.direction if number == 0 else ""]
    return directed(project.reading.template, ", ".join(filter(None, said)), part.text)


@lru_cache(maxsize=4)
def _looking_for(words: tuple[Pronunciation, ...]) -> tuple[regex.Pattern[str] | None, dict[str, str]]:
    """A pattern for whole words, the longest first, and what is said for each."""
    spoken = {each.written: each.spoken for each in words if each.written.strip()}
    if not spoken:
        return None, {}
    longest = sorted(spoken, key=len, reverse=True)
    either = "|".join(
        f"(?i:{regex.escape(word)})" if word == word.casefold() else regex.escape(word) for word in longest
    )
    return regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?:{either})(?![\p{{L}}\p{{N}}])"), spoken
