"""What the model reads for a line of the open project."""

from __future__ import annotations

from engine.errors import ScriptError
from engine.request import Prompt
from studio.document.context import prompt_in_context
from studio.document.project import Line
from studio.session.session import Session


def prompt_of(session: Session, line: Line) -> Prompt:
    """The line as the voice model in use reads it: to that one, turns that another spoke are noise, and are left out.
    ScriptError as `prompt_for`, and where a voice is one of another model's."""
    opened = session.engine
    reads = opened.may_read if opened is not None else lambda _: True
    prompt = prompt_in_context(session.project, session.store, line, reads)
    strange = [voice.name for voice in prompt.voices if opened is not None and not voice.fits(opened.codec)]
    if strange:
        raise ScriptError(
            f"The voice {strange[0]} was made for another voice model, and this one cannot read it. "
            "Choose one in the cast."
        )
    return prompt
