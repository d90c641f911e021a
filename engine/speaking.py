"""Rows that speak frame after frame, and what the host hears of them.

On the processor each frame is heard before it is read back. CUDA runs ahead: a frame is looked at some frames late, so
that nothing waits for it, and what was drawn after a candidate's end is thrown away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engine.dual_ar import DualAR
from engine.frames import Rows, draw_frame, read_frame, told
from engine.request import Settings
from engine.static_frame import StaticFrame, StaticFrames

AHEAD = 4  # frames that CUDA may be ahead of what was heard


@dataclass(frozen=True, eq=False)
class Heard:
    """A frame of the n candidates that still spoke: `codes` int16 [n, K], `ended` bool [n] where one ended instead (its
    codes mean nothing), `log_p` and `entropy` float32 [n, 2] (slow, mean of the fast). On the device, for each row that
    was in the batch: `before` [B, C], the state it was drawn from, and `semantic_log_p` [B, 1 + S]."""

    candidates: list[int]
    codes: np.ndarray
    ended: np.ndarray
    log_p: np.ndarray
    entropy: np.ndarray
    before: Tensor
    semantic_log_p: Tensor


class Speaking:
    """Candidates that speak in one batch, numbered by the row they begin in. Close it when all is said."""

    def __init__(self, model: DualAR, rows: Rows, settings: Settings, statics: StaticFrames | None = None) -> None:
        self.rows = rows
        self._model = model
        self._settings = settings
        self._statics = statics
        self._static: StaticFrame | None = None
        self._candidates = list(range(len(rows.seeds)))  # which of them each row is
        self._over: set[int] = set()
        self._ahead = AHEAD if rows.hidden.device.type == "cuda" else 0

    def leave(self, candidate: int) -> None:
        """Hear no more of a candidate; its row leaves the batch."""
        self._over.add(candidate)

    def row(self, candidate: int) -> int:
        """Where in the memory of the batch a candidate is whose frame was heard last."""
        return self._candidates.index(candidate)

    def frames(self, most: int, may_end: bool) -> Iterator[Heard]:
        """At most so many frames, until all candidates have ended or left; none ends before the first of its take."""
        waiting: deque[_Pending] = deque()
        for _ in range(most):
            ending = may_end and self.rows.frame > 0
            static = self._static_for(ending) if ending == may_end else None
            codes: Tensor | None = None
            if static is not None:
                static.step(self.rows)
                pending = _Pending(self._candidates, static.told, static.before.clone(), static.semantic_log_p.clone())
            else:
                drawn = draw_frame(self._model, self.rows, self._settings, ending)
                pending = _Pending(self._candidates, told(drawn), self.rows.hidden, drawn.semantic_log_p)
                codes = drawn.codes
            waiting.append(pending)
            if len(waiting) > self._ahead:
                yield from self._heard(waiting.popleft())
            if self._over.issuperset(self._candidates):
                return
            if codes is not None:
                read_frame(self._model, self.rows, self._without_those_over(codes))
        while waiting:
            yield from self._heard(waiting.popleft())

    def close(self) -> None:
        """Let others use what this batch spoke with; its memory is not to be used after this."""
        if self._statics is not None and self._static is not None:
            self._statics.give_back(self._static)
            self._static = None

    def _static_for(self, may_end: bool) -> StaticFrame | None:
        if self._statics is not None and self._static is None:
            self._static = self._statics.take(self.rows, self._settings, may_end)
        return self._static

    def _without_those_over(self, codes: Tensor) -> Tensor:
        going = [row for row, candidate in enumerate(self._candidates) if candidate not in self._over]
        if len(going) == len(self._candidates):
            return codes
        self.rows.keep(going)
        self._candidates = [self._candidates[row] for row in going]
        return codes[going]

    def _heard(self, pending: _Pending) -> Iterator[Heard]:
        """What is new, and of whom; nothing where all who spoke then are over by now."""
        rows = [row for row, candidate in enumerate(pending.candidates) if candidate not in self._over]
        if not rows:
            return
        numbers = pending.numbers()[rows]  # [n, 1 + K + 4]
        candidates = [pending.candidates[row] for row in rows]
        ended = numbers[:, 0] > 0
        self._over.update(candidate for candidate, over in zip(candidates, ended.tolist(), strict=True) if over)
        yield Heard(
            candidates,
            numbers[:, 1:-4].astype(np.int16),
            ended,
            numbers[:, -4:-2],
            numbers[:, -2:],
            pending.before,
            pending.semantic_log_p,
        )


class _Pending:
    """A frame that is drawn, or will be, on its way to the host."""

    def __init__(self, candidates: list[int], numbers: Tensor, before: Tensor, semantic_log_p: Tensor) -> None:
        self.candidates = list(candidates)
        self.before = before
        self.semantic_log_p = semantic_log_p
        self._arrived: torch.cuda.Event | None = None
        if numbers.device.type == "cuda":
            self._numbers = torch.empty(numbers.shape, dtype=numbers.dtype, pin_memory=True)
            self._numbers.copy_(numbers, non_blocking=True)
            self._arrived = torch.cuda.Event()
            self._arrived.record()
        else:
            self._numbers = numbers.cpu().clone()

    def numbers(self) -> np.ndarray:
        if self._arrived is not None:
            self._arrived.synchronize()
        return self._numbers.numpy()
