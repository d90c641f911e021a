"""What a step of the history was about, in a few words: the line that changed, the name that was given."""

from __future__ import annotations

from studio.document.difference import difference, same_ends
from studio.document.history import History
from studio.document.project import Line, Scene


def about(history: History, place: int) -> str:
    """The words of the first line that the step changed, or the title, scene, character or voice; "" for the first
    step, and where nothing has a name."""
    step = history.steps[place]
    if step.before is None:
        return ""
    old, new = history.steps[step.before].project, step.project
    if old.title != new.title:
        return new.title
    lines = difference(old, new)
    if len(old.scenes) == len(new.scenes) and (lines.come or lines.gone):
        return _words(lines.gone, lines.come)
    for before, after in ((old.scenes, new.scenes), (old.cast, new.cast), (old.voices, new.voices)):
        start, end = same_ends(before, after)
        changed = after[start : len(after) - end] or before[start : len(before) - end]
        if changed:
            return changed[0].title if isinstance(changed[0], Scene) else changed[0].name
    return ""


def _words(gone: tuple[Line, ...], come: tuple[Line, ...]) -> str:
    """The words that are new in a line, with an ellipsis where others stay before them; the whole line where it is
    not its text that changed."""
    line = (come or gone)[0]
    words = " ".join(line.text.split())
    if len(gone) == 1 == len(come) and gone[0].id == line.id and gone[0].text != line.text:
        start, end = same_ends(" ".join(gone[0].text.split()), words)
        start = start + 1 if words[start : start + 1] == " " else words.rfind(" ", 0, start) + 1
        stop = words.find(" ", max(start, len(words) - end - 1))
        return ("…" if start else "") + words[start : stop if stop >= 0 else len(words)]
    return words
