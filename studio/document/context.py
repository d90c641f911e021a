"""The earlier turns that the model hears before a line: those of its scene that have a take, as they were spoken."""

from __future__ import annotations

from collections.abc import Callable

from engine.request import Prompt, Take
from studio.document.compare import SpokenTurn, kept_take, missing_voices, prompt_for
from studio.document.project import Line, LinePart, Project
from studio.document.store import Store

Reads = Callable[[Take], bool]
"""Whether the codes of a take mean to the model what was spoken."""


def prompt_in_context(project: Project, store: Store, line: Line, reads: Reads = lambda _: True) -> Prompt:
    """The line as the model reads it, after the turns that the project wants it to hear; ScriptError as prompt_for."""
    return prompt_for(project, line, turns_before(project, store, line, reads))


def turns_before(project: Project, store: Store, line: Line, reads: Reads = lambda _: True) -> tuple[SpokenTurn, ...]:
    """The turns that the model shall hear before a line, the oldest first; never any of another scene.

    A line that has no take yet that the model reads, or whose characters have no voice, says nothing and is passed
    over.
    """
    most = project.reading.context
    if most == 0:
        return ()
    turns: list[SpokenTurn] = []
    for earlier in reversed(_earlier(project, line)):
        turn = _turn(project, store, earlier, reads)
        if turn is not None:
            turns.append(turn)
        if len(turns) == most:
            break
    return tuple(reversed(turns))


def _earlier(project: Project, line: Line) -> tuple[Line, ...]:
    for scene in project.scenes:
        for place, each in enumerate(scene.lines):
            if each.id == line.id:
                return scene.lines[:place]
    return ()


def _turn(project: Project, store: Store, line: Line, reads: Reads) -> SpokenTurn | None:
    """What was spoken of a line: the text is that of its take, which may be another than the line has now."""
    take = kept_take(store, line)
    if take is None or not reads(take) or missing_voices(project, line):
        return None
    speaking = [part.character for part in line.parts if part.text.strip()]
    spoken = take.origin.prompt.parts
    if len(speaking) != len(spoken):
        return None
    return SpokenTurn(tuple(LinePart(name, part.text) for name, part in zip(speaking, spoken, strict=True)), take.codes)
