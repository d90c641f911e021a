"""A candidate's frames becoming sound, a chunk at a time.

The schedule follows the measured rate: the first chunk is as short as it may be, later ones are as long as what sounds
already lasts. Where frames come slower than they sound, the first chunk waits until the rest will come in time, so that
what has begun to play does not falter.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch

from engine.codec import Codec
from engine.performance import Performance
from engine.request import Chunk

FIRST = 3  # frames of the first chunk
LEAST = 3  # frames of a later one where there is time: each costs the codec something of its own
AFTER_A_GAP = 8  # frames that are gathered where the player did run out
MOST = 16  # frames of the longest: longer ones are not cheaper any more
MARGIN = 0.2  # seconds of sound that are always left to play
CAUTION = 1.15  # times the expected length may come
ALIKE = 1 - 1e-6  # a rate this near that of sound is as quick: rounding would tell now this, now that


class Voicing:
    """What of a performance sounds already; `expected` is how many frames it will probably have."""

    def __init__(
        self,
        codec: Codec,
        performance: Performance,
        expected: int,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._codec = codec
        self._performance = performance
        self._expected = expected
        self._clock = clock
        self._stream = codec.start()
        self._sounded = 0
        self._began = clock()
        self._heard_at = 0.0  # when the first chunk was there
        self._decoding = 0.0  # seconds that the last chunk took

    def chunk(self, candidate: int, ended: bool) -> Chunk | None:
        """The frames that are due, decoded; None while too few are there. At the end whatever is left is due."""
        waiting = self._performance.frames - self._sounded
        if waiting == 0 or not (ended or self._due(waiting)):
            return None
        codes = self._performance.codes(self._codec.codebooks, self._sounded)
        began = self._clock()
        samples = self._codec.step(self._stream, torch.from_numpy(codes.astype(np.int64))).float().cpu().numpy()
        now = self._clock()
        self._decoding = now - began
        if self._sounded == 0:
            self._heard_at = now
        self._sounded += waiting
        return Chunk(candidate, codes, samples)

    def _due(self, waiting: int) -> bool:
        now, second = self._clock(), self._codec.sample_rate / self._codec.hop
        rate = self._performance.frames / max(now - self._began, 1e-9)  # frames a second
        slow = rate < ALIKE * second
        if self._sounded == 0:
            head_start = CAUTION * self._expected * (1 - rate / second) + second / rate if slow else 0.0
            return waiting >= max(FIRST, head_start)
        left_to_play = self._sounded / second - (now - self._heard_at)
        if slow:
            least = 1 if left_to_play > 0 else AFTER_A_GAP
        else:
            least = LEAST
        return waiting >= MOST or (waiting >= least and left_to_play < MARGIN + self._decoding + 1 / rate)
