"""What the model reads for a line of the open project."""

from __future__ import annotations

from engine.request import Prompt
from studio.document.context import prompt_in_context
from studio.document.project import Line
from studio.session.session import Session


def prompt_of(session: Session, line: Line) -> Prompt:
    """The line as the voice model in use reads it: to that one, turns that another spoke are noise, and are left out.
    ScriptError as `prompt_for`."""
    opened = session.engine
    reads = opened.may_read if opened is not None else lambda _: True
    return prompt_in_context(session.project, session.store, line, reads)
