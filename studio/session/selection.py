"""A selection in the script and one on the wave are the same thing: characters of a line's text, frames of its take.

Until a take knows which frames speak which words, text maps to frames in proportion to the time it should take.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.request import Span, Take
from engine.text import Change, changed, moved, proportional_span, spoken, words, words_in_span
from studio.document.project import Line
from studio.document.sending import Sent

Range = tuple[int, int]


@dataclass(frozen=True)
class Selection:
    """What is chosen of a line: `text` characters of its text as it stands, `span` frames of its kept take, None where
    it has none. `by_text`: it was chosen in the script, so the frames are the guess."""

    line_id: str
    text: Range
    span: Span | None
    by_text: bool = False


@dataclass(frozen=True)
class Wanted:
    """A stretch of a take to be spoken anew: its frames, the words that shall be spoken there, and the whole text
    that the take will then speak."""

    span: Span
    words: str
    text: str


def from_text(line: Sent, take: Take | None, start: int, stop: int) -> Selection:
    """The selection of characters [start, stop) of the text that is written in the line."""
    if take is None or start == stop:
        return Selection(line.line_id, (start, stop), None, True)
    old = take.origin.prompt.text
    old_start, old_stop = moved(_turned(changed(old, line.text)), *line.from_written(start, stop))
    return Selection(line.line_id, (start, stop), proportional_span(old, old_start, old_stop, take.frames), True)


def from_span(line: Sent, take: Take, span: Span) -> Selection:
    """The selection of frames of the line's kept take, with the words that lie in them."""
    old = take.origin.prompt.text
    new_start, new_stop = moved(changed(old, line.text), *words_in_span(old, span, take.frames))
    return Selection(line.line_id, line.to_written(new_start, new_stop), span)


def words_on_frames(take: Take) -> tuple[tuple[str, float, float], ...]:
    """The take's words, each with the seconds from the take's start between which it is spoken."""
    text = take.origin.prompt.text
    seconds = take.origin.hop / take.origin.rate
    placed = []
    for start, stop in words(text):
        first, last = proportional_span(text, start, stop, take.frames)
        placed.append((text[start:stop], first * seconds, last * seconds))
    return tuple(placed)


def selected_words(line: Line, selection: Selection) -> str:
    """The words of the selection, for a title; "" where there are none."""
    return spoken(line.text[selection.text[0] : selection.text[1]]).strip()


def _turned(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """The changes that lead back."""
    return tuple(Change(each.new_start, each.new_stop, each.old_start, each.old_stop) for each in changes)
