"""From a source to blocks in the order in which they are heard. Without Qt."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

BLOCK = 2048
_FADE_SECONDS = 0.004

Loop = tuple[int, int]
Piece = tuple[int | None, int]  # the first sample of the source, None for silence, and how many


class Source(Protocol):
    """What is played, at `rate` samples a second."""

    @property
    def rate(self) -> int: ...

    def read(self, start_sample: int, count: int) -> np.ndarray:
        """Float32 samples from `start_sample` on, `count` of them; fewer or none where the source ends."""
        ...


@runtime_checkable
class GrowingSource(Source, Protocol):
    """A source that is added to while it plays, until it is `finished`: before that, fewer samples mean "not yet"."""

    @property
    def finished(self) -> bool: ...


class Reader:
    """Goes over the loop's end back to its start, and gives silence where more is still to come.

    Wherever sound begins or ends, a few milliseconds are faded.
    """

    def __init__(self, source: Source, start: int, loop: Loop | None) -> None:
        self._source = source
        self._growing = source if isinstance(source, GrowingSource) else None
        self._at = start
        self._loop = loop if loop and start < loop[1] else None
        self._fade = max(1, round(_FADE_SECONDS * source.rate))
        self._faded_from = start
        self.ended = False

    def next_block(self) -> tuple[np.ndarray, list[Piece]]:
        """Float32 [2048] (fewer at the end), and where they are from."""
        parts: list[np.ndarray] = []
        pieces: list[Piece] = []
        room = BLOCK
        while room and not self.ended:
            count = min(room, self._loop[1] - self._at) if self._loop else room
            final = self._growing is None or self._growing.finished  # asked first: what comes in between is read
            samples = self._source.read(self._at, count)
            short = len(samples) < count
            if len(samples):
                parts.append(self._shaped(samples, ends=short))
                pieces.append((self._at, len(samples)))
                self._at += len(samples)
                room -= len(samples)
            if short and not final:
                parts.append(np.zeros(room, np.float32))
                pieces.append((None, room))
                self._faded_from = self._at
                room = 0
            elif self._loop and (short or self._at >= self._loop[1]):
                self._go_round(self._loop)
            elif short:
                self.ended = True
        return np.concatenate(parts) if parts else np.zeros(0, np.float32), pieces

    def fade_out(self) -> np.ndarray:
        """A few milliseconds of what would come next, going to nothing."""
        samples = self._source.read(self._at, self._fade)
        return np.asarray(samples * np.linspace(1, 0, len(samples), dtype=np.float32), np.float32)

    def _go_round(self, loop: Loop) -> None:
        if self._at <= loop[0]:  # nothing of the loop is there
            self.ended = True
        self._at = self._faded_from = loop[0]

    def _shaped(self, samples: np.ndarray, ends: bool) -> np.ndarray:
        """A copy, faded where sound begins or ends in it."""
        shaped = np.array(samples, np.float32)
        place = np.arange(len(shaped))
        since = self._at - self._faded_from
        if since < self._fade:
            shaped *= np.minimum((place + since) / self._fade, 1).astype(np.float32)
        left = len(shaped) if ends else self._loop[1] - self._at if self._loop else None
        if left is not None and left - len(shaped) < self._fade:
            shaped *= np.clip((left - 1 - place) / self._fade, 0, 1).astype(np.float32)
        return shaped
