"""Selections: characters and frames of the same words, also in takes at which nobody has looked yet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.request import Alignment, FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.document.project import LinePart
from studio.document.sending import Sent
from studio.session.selection import carried, from_span, from_splice

TEXT = "The old door opened."
WORDS = {"The": (0, 4), "old": (4, 8), "door": (8, 14), "opened": (14, 20)}


def take(frames: int = 20, text: str = TEXT, span: tuple[int, int] | None = None, parent: str | None = None) -> Take:
    prompt = Prompt((Part(0, text),))
    origin = Origin(prompt, "digest", 1, Settings(), How.SPLICED, 44_100, 2048, parent=parent, span=span)
    nothing = np.zeros((2, frames), np.float32)
    return Take(np.zeros((10, frames), np.int16), origin, FrameData(nothing, nothing))


def alignment(text: str = TEXT, words: dict[str, tuple[int, int]] = WORDS) -> Alignment:
    begins = np.zeros(len(text) + 1, np.int64)
    for word, (start, stop) in words.items():
        first = text.index(word)
        begins[first:] = start
        begins[first + len(word) :] = stop
    return Alignment(begins, np.ones(len(words), np.float32))


def line(text: str = TEXT) -> Sent:
    return Sent("line", text, (LinePart("Mira", text),))


def test_words_after_a_splice_move_with_their_frames() -> None:
    parent, shorter = take(), take(18, "The old gate opened.", span=(8, 12), parent="p")
    found = carried(alignment(), parent, shorter)
    text = shorter.origin.prompt.text
    spans = {word: found.span(text.index(word), text.index(word) + len(word)) for word in text.strip(".").split()}
    assert spans == {"The": (0, 4), "old": (4, 8), "gate": (8, 12), "opened": (12, 18)}


def test_a_pause_put_in_before_a_word_belongs_to_none() -> None:
    paused = take(25, span=(8, 13), parent="p")
    found = carried(alignment(), take(), paused)
    assert found.span(TEXT.index("old"), TEXT.index("old") + 3) == (4, 13)
    assert found.span(TEXT.index("door"), TEXT.index("door") + 4) == (13, 19)


@pytest.mark.parametrize("written", [TEXT, "Well, the old door opened."])
def test_a_splice_is_chosen_with_the_words_it_was_made_for(written: str) -> None:
    """Wherever an alignment says that they stand."""
    spliced = take(18, TEXT, span=(8, 12), parent="p")
    start = TEXT.index("door")
    found = from_splice(line(written), spliced, (start, start + 4))
    assert (written[slice(*found.text)], found.span, found.spoken_so) == ("door", (8, 12), True)
    late = alignment(words={"The": (0, 9), "old": (9, 11), "door": (11, 15), "opened": (15, 18)})
    guessed = from_span(line(written), spliced, late, (8, 12))
    assert not guessed.spoken_so
    assert written[slice(*guessed.text)] != "door"
    assert replace(guessed, text=found.text, spoken_so=True) == found
