"""What a step of the history was about, in a few words: the line that changed, the name that was given."""

from __future__ import annotations

from studio.document.difference import difference, same_ends
from studio.document.history import History
from studio.document.project import Scene


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
    for line in lines.come or lines.gone:
        if len(old.scenes) == len(new.scenes):
            return " ".join(line.text.split())
    for before, after in ((old.scenes, new.scenes), (old.cast, new.cast), (old.voices, new.voices)):
        start, end = same_ends(before, after)
        changed = after[start : len(after) - end] or before[start : len(before) - end]
        if changed:
            return changed[0].title if isinstance(changed[0], Scene) else changed[0].name
    return ""
