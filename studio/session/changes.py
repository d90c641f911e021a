"""What Alt+Enter speaks anew: the selected span of a take, or the first of the places where the line's text changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.request import Alignment, Prompt, Span, Take
from engine.splice import BREATH
from engine.text import places_to_speak, spoken
from studio.document.compare import prompt_for, voices_in_turn
from studio.document.project import Line, Project
from studio.document.sending import Sent
from studio.session.selection import Range, Selection, span_of


@dataclass(frozen=True)
class Place:
    """A stretch of a take to be spoken anew. `text` is what the take then speaks as a whole, `inside` which characters
    of it the stretch does, `characters` how many of them are spoken, None where its text stays as it is.

    `margin` frames beside it may be kept or not, where that joins better: where words end is not known that exactly,
    where frames were chosen by hand it is. `by_changes`: there may be more places after it. `goes_on`: it is not the
    first, so it belongs to the same step.
    """

    span: Span
    words: str
    text: str
    inside: Range
    characters: int | None = None
    by_changes: bool = False
    goes_on: bool = False
    margin: int = 0

    def prompt(self, project: Project, line: Line, take: Take) -> Prompt:
        """What is read for it, after the turns that the take was spoken after while its voices are the same. As long as
        other places are to come, a line of one part holds their old words, so that text and frames stand together."""
        prompt, before = prompt_for(project, line), take.origin.prompt
        same_parts = len(before.parts) == len(prompt.parts)
        if before.context and same_parts and voices_in_turn(before) == voices_in_turn(prompt):
            parts = zip(before.parts, prompt.parts, strict=True)
            prompt = replace(before, parts=tuple(replace(old, text=new.text) for old, new in parts))
        if len(prompt.parts) != 1:
            return prompt
        return replace(prompt, parts=(replace(prompt.parts[0], text=self.text),))


def next_place(
    take: Take, alignment: Alignment | None, line: Sent, selection: Selection | None
) -> Place | None:
    """The selected span where frames are selected and nothing changed outside of them, else the leftmost change.

    None where nothing is selected and the take speaks the line as it is sent now.
    """
    old, new = take.origin.prompt.text, line.text
    changes = places_to_speak(old, new)
    if selection is not None and selection.span is not None and selection.span[0] < selection.span[1]:
        inside, said = line.from_written(*selection.text), _words(line.written, selection.text)
        if not changes:
            margin = BREATH if selection.by_text else 0
            return Place(selection.span, said, new, inside, margin=margin)
        if not selection.by_text:  # frames chosen by hand: they speak all that is between, in the text as it is now
            return Place(selection.span, said, new, inside, len(_words(new, inside)) or None)
    if not changes:
        return None
    first = changes[0]
    if len(line.parts) > 1:  # one place from the first change to the last: its text cannot be changed by halves
        first = replace(first, old_stop=changes[-1].old_stop, new_stop=changes[-1].new_stop)
        words, text = new[first.new_start : first.new_stop], new
    else:
        words = new[first.new_start : first.new_stop]
        text = old[: first.old_start] + words + old[first.old_stop :]
    inside = first.old_start, first.old_start + len(words)  # what stands before the first change is the same in both
    span = span_of(take, alignment, first.old_start, first.old_stop)
    return Place(span, spoken(words).strip(), text, inside, len(spoken(words)), by_changes=True, margin=BREATH)


def _words(text: str, place: tuple[int, int]) -> str:
    return spoken(text[place[0] : place[1]]).strip()
