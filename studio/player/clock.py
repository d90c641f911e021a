"""How far a source has been heard, from what was written to the device and how long the device holds it. Without Qt."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable


class Heard:
    """Counts on the playback thread, is asked on any other.

    `latency` is the seconds from writing to hearing. Between two writes the clock goes on, never past what was written.
    """

    def __init__(self, rate: int, start: int, now: Callable[[], float] = time.monotonic) -> None:
        self.latency = 0.0
        self._rate = rate
        self._now = now
        self._lock = threading.Lock()
        self._pieces: deque[tuple[int, int | None, int]] = deque()  # written before it, its first sample, its count
        self._written = 0
        self._written_at = 0.0
        self._last = start  # the last sample known to have been heard; silence leaves it there
        self._frozen = False

    def written(self, pieces: Iterable[tuple[int | None, int]]) -> None:
        """So many samples went to the device: (first sample of the source, or None for silence, count)."""
        with self._lock:
            for first, count in pieces:
                self._pieces.append((self._written, first, count))
                self._written += count
            self._written_at = self._now()

    def seconds(self) -> float:
        """Where the ear is, in seconds of the source."""
        with self._lock:
            if not self._frozen:
                self._advance()
            return self._last / self._rate

    def freeze(self) -> None:
        """Stays where it is from now on."""
        with self._lock:
            if not self._frozen:
                self._advance()
                self._frozen = True

    def finish(self) -> None:
        """All that was written has been heard."""
        with self._lock:
            if not self._frozen:
                self._reach(self._written)
                self._frozen = True

    def _advance(self) -> None:
        since = self._now() - self._written_at
        self._reach(min(self._written, round(self._written + (since - self.latency) * self._rate)))

    def _reach(self, heard: int) -> None:
        """`heard` samples of those written have come out."""
        while self._pieces and self._pieces[0][0] + self._pieces[0][2] <= heard:
            _, first, count = self._pieces.popleft()
            if first is not None:
                self._last = first + count
        if self._pieces:
            before, first, _ = self._pieces[0]
            if first is not None and heard > before:
                self._last = first + heard - before
