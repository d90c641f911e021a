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
    `changed_words` their number; `seconds` the length of the kept take, `target` the one it should have; `share` 0..1
    how far the job is; `misread` are ranges of the text that a recogniser did not hear as they should be."""

    kind: Kind
    seconds: float | None = None
    changed: tuple[tuple[int, int], ...] = ()
    changed_words: int = 0
    share: float = 0.0
    capped: bool = False
    locked: bool = False
    problem: str = ""
    target: float | None = None
    misread: tuple[tuple[int, int], ...] = ()

    @property
    def beyond(self) -> float:
        """Seconds by which the take is longer than it should be; less than 0 where it is shorter. Nobody minds a tenth
        of a second or a twentieth of the whole: that is 0."""
        if self.seconds is None or self.target is None:
            return 0.0
        beyond = self.seconds - self.target
        return beyond if abs(beyond) > max(0.1, 0.05 * self.target) else 0.0
