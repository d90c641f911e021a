"""Where a line stands: what the gutter, the right edge and the buttons show. Values only; session.py fills them."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Kind(enum.Enum):
    """The state of a line; each has a shape of its own on screen."""

    EMPTY = "empty"  # nothing to speak
    NO_VOICE = "no voice"  # its character has none
    NO_TAKE = "no take"
    READY = "ready"  # the kept take speaks the line as it stands
    STALE = "stale"  # made from other text, voice codes or checkpoint than the line has now
    QUEUED = "queued"
    GENERATING = "generating"
    FAILED = "failed"


@dataclass(frozen=True)
class LineState:
    """`changed` are the character ranges [start, stop) of the line's text that the kept take does not speak,
    `changed_words` their number; `seconds` the length of the kept take; `share` 0..1 how far the job is."""

    kind: Kind
    seconds: float | None = None
    changed: tuple[tuple[int, int], ...] = ()
    changed_words: int = 0
    share: float = 0.0
    capped: bool = False
    locked: bool = False
    problem: str = ""
