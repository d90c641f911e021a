"""A selection in the script and one on the wave are the same thing: characters of a line's text, frames of its take.

A take's alignment tells which frames speak which words. Until it is there, text maps to frames in proportion to the
time it should take.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.request import Alignment, Span, Take, frozen
from engine.text import Change, changed, moved, proportional_span, spoken, words, words_in_span
from studio.document.project import Line
from studio.document.sending import Sent

Range = tuple[int, int]


@dataclass(frozen=True)
class Selection:
    """What is chosen of a line: `text` characters of its text as it stands, `span` frames of its kept take, None where
    it has none. `by_text`: it was chosen in the script, so the frames are the guess. `spoken_so`: none is a guess, for
    these frames were made to speak this text."""

    line_id: str
    text: Range
    span: Span | None
    by_text: bool = False
    spoken_so: bool = False


def span_of(take: Take, alignment: Alignment | None, start: int, stop: int) -> Span:
    """The frames of a take that speak characters [start, stop) of its text."""
    if alignment is None:
        return proportional_span(take.origin.prompt.text, start, stop, take.frames)
    return alignment.span(start, stop)


def words_of(take: Take, alignment: Alignment | None, span: Span) -> Range:
    """The characters of the whole words that a take speaks in a span: those whose middle lies in it, else the nearest.

    (0, 0) where it speaks none.
    """
    text = take.origin.prompt.text
    if alignment is None:
        return words_in_span(text, span, take.frames)
    middles = {place: sum(alignment.span(*place)) / 2 for place in words(text)}
    inside = [place for place, middle in middles.items() if span[0] <= middle < span[1]]
    if inside:
        return inside[0][0], inside[-1][1]
    return min(middles, key=lambda place: abs(2 * middles[place] - sum(span)), default=(0, 0))


def carried(alignment: Alignment, parent: Take, take: Take) -> Alignment:
    """Where the words of a spliced take stand before anybody has looked: outside the span where they stood in the
    parent, inside it in the same proportion."""
    start, stop = take.origin.span or (0, take.frames)
    old_stop = parent.frames - (take.frames - stop)
    back = _turned(changed(parent.origin.prompt.text, take.origin.prompt.text))
    text = take.origin.prompt.text
    stood = np.array([alignment.begins[moved(back, place, place)[0]] for place in range(len(text) + 1)], np.float64)
    inside = start + (stood - start) * (stop - start) / max(1, old_stop - start)
    begins = np.where(stood < start, stood, np.where(stood >= old_stop, stood + stop - old_stop, inside))
    begins = np.maximum.accumulate(np.round(begins)).astype(np.int64)
    return Alignment(frozen(begins), frozen(np.zeros(len(words(text)), np.float32)))


def from_text(line: Sent, take: Take | None, alignment: Alignment | None, start: int, stop: int) -> Selection:
    """The selection of characters [start, stop) of the text that is written in the line."""
    if take is None or start == stop:
        return Selection(line.line_id, (start, stop), None, True)
    old = take.origin.prompt.text
    old_start, old_stop = moved(_turned(changed(old, line.text)), *line.from_written(start, stop))
    old_start, old_stop = _whole_words(old, old_start, old_stop)
    return Selection(line.line_id, (start, stop), span_of(take, alignment, old_start, old_stop), True)


def from_span(line: Sent, take: Take, alignment: Alignment | None, span: Span) -> Selection:
    """The selection of frames of the line's kept take, with the words that lie in them."""
    return Selection(line.line_id, _written(line, take, words_of(take, alignment, span)), span)


def from_splice(line: Sent, take: Take, text: Range) -> Selection:
    """The newest span of the line's kept take, which was made to speak characters `text` of what the take speaks."""
    return Selection(line.line_id, _written(line, take, text), take.origin.span, spoken_so=True)


def _written(line: Sent, take: Take, text: Range) -> Range:
    """Where characters of what a take speaks are written in the line."""
    return line.to_written(*moved(changed(take.origin.prompt.text, line.text), *text))


def words_on_frames(take: Take, alignment: Alignment | None) -> tuple[tuple[str, float, float], ...]:
    """The take's words, each with the seconds from the take's start between which it is spoken."""
    text = take.origin.prompt.text
    seconds = take.origin.hop / take.origin.rate
    placed = []
    for start, stop in words(text):
        first, last = span_of(take, alignment, start, stop)
        placed.append((text[start:stop], first * seconds, last * seconds))
    return tuple(placed)


def selected_words(line: Line, selection: Selection) -> str:
    """The words of the selection, for a title; "" where there are none."""
    return spoken(line.text[selection.text[0] : selection.text[1]]).strip()


def _whole_words(text: str, start: int, stop: int) -> Range:
    """The range with the words that it touches made whole."""
    touched = [place for place in words(text) if place[0] < stop and place[1] > start]
    return (min(start, touched[0][0]), max(stop, touched[-1][1])) if touched else (start, stop)


def _turned(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """The changes that lead back."""
    return tuple(Change(each.new_start, each.new_stop, each.old_start, each.old_stop) for each in changes)
