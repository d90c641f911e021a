"""What runs and what came of it: jobs of the engine's, candidates, and how they are made."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.request import AtMost, Codes, Exactly, Free, Length, Prompt, Score, Span, Take
from studio.engine_thread import Urgency
from studio.samples import LiveWave
from studio.session.changes import Place


@dataclass(frozen=True)
class Options:
    """How spans are made anew: so many candidates; as long as they like, exactly or at most as long as before.

    Where the line has a target length, exactly means that the whole take gets that."""

    candidates: int = 6
    length: type[Free] | type[Exactly] | type[AtMost] = Free

    def length_of(self, place: Place, missing: int = 0) -> Length:
        """`missing` is by how many frames the take is shorter than the line's target length."""
        frames = place.span[1] - place.span[0]
        if self.length is Exactly:
            return Exactly(max(1, frames + missing))
        if self.length is AtMost:
            return AtMost(frames, place.characters)
        return Free(place.characters)


@dataclass(frozen=True)
class CandidatesView:
    """The answers to the last regenerate of a line, best first; `chosen` is the one that is the line's take now.
    `place` is what was asked for. `share` 0..1 while they are being made, None when they are there. `beyond` as in
    engine.request.Finished."""

    line_id: str
    place: Place
    takes: tuple[Take, ...] = ()
    scores: tuple[Score, ...] = ()
    chosen: int = 0
    share: float | None = None
    beyond: tuple[Codes, ...] = ()

    @property
    def take(self) -> Take | None:
        """The candidate that is chosen."""
        return self.takes[self.chosen] if self.takes else None

    @property
    def span(self) -> Span:
        """The frames that the chosen candidate was spoken in; until it is there, those that are to be spoken anew."""
        return (self.take.origin.span if self.take is not None else None) or self.place.span


@dataclass(eq=False)
class Performed:
    """A job of the engine's for a line. `wave` grows while the line sounds."""

    line_id: str
    prompt: Prompt
    urgency: Urgency = Urgency.AWAITED
    audible: bool = False
    place: Place | None = None  # of a regenerate
    wave: LiveWave | None = None
    finished: bool = False
    began: float | None = None
    frames: int = 0
    most: int = 1
    expected: int = 1

    @property
    def to_come(self) -> int:
        """Frames that are still to be drawn: as many as a span's candidates may have, or a line probably has."""
        return max(0, (self.expected if self.place is None else self.most) - self.frames)

    @property
    def share(self) -> float:
        return self.frames / max(1, self.frames + self.to_come)

    def rate(self) -> float | None:
        """Frames a second so far."""
        if self.began is None or not self.frames:
            return None
        return self.frames / max(1e-3, time.monotonic() - self.began)
