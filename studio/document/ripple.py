"""Ripple: when a line or a pause becomes longer, what follows moves along. Switched off, it stays where it was: the
pause after what changed makes up for it, as far as there is room.
"""

from __future__ import annotations

from collections.abc import Callable

from studio.document.edits import AddTakes, Edit, KeepTake, SetPause, Together, apply
from studio.document.project import Line, Project
from studio.document.timing import layout


def staying(project: Project, edit: Edit, seconds_of: Callable[[Line], float | None]) -> Edit:
    """The edit together with the pause that lets all that follows stay where it stands. `seconds_of` as in `layout`.

    Takes of a line change the pause after it, a pause changes the one after the next line; of several edits together
    each does. Any other edit comes back as it is, and so does one after which nothing follows.
    """
    if isinstance(edit, Together):
        edits = []
        for each in edit.edits:
            edits.append(staying(project, each, seconds_of))
            project = apply(project, edits[-1])
        return Together(tuple(edits), edit.label)
    if not isinstance(edit, SetPause | KeepTake | AddTakes):
        return edit
    order = [(at, place) for at, scene in enumerate(project.scenes) for place in range(len(scene.lines))]
    ids = [project.scenes[at].lines[place].id for at, place in order]
    if edit.line_id not in ids:
        return edit
    changed = ids.index(edit.line_id) + isinstance(edit, SetPause)
    if changed + 1 >= len(ids):
        return edit
    before, after = layout(project, seconds_of), layout(apply(project, edit), seconds_of)
    later = round((after[changed + 1].start_seconds - before[changed + 1].start_seconds) * 1_000)
    if not later:
        return edit
    at, place = order[changed]
    pause = project.scenes[at].pause_after(place)
    return Together((edit, SetPause(ids[changed], pause - later)), edit.label)
