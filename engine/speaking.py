"""Rows that speak frame after frame, and what the host hears of them. Others may join them at any frame.

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

AHEAD = 4  # frames that CUDA may be ahead of what was heard; the memory of each row has room for them


@dataclass(frozen=True, eq=False)
class Heard:
    """A frame of the n candidates that still spoke: `codes` int16 [n, K], `ended` bool [n] where one ended instead (its
    codes mean nothing), `log_p`, `entropy` and `margin` float32 [n, 2] (slow, mean of the fast). On the device, for
    each row that was in the batch: `before` [B, C], the state it was drawn from, and `semantic_log_p` [B, 1 + S]."""

    candidates: list[int]
    codes: np.ndarray
    ended: np.ndarray
    log_p: np.ndarray
    entropy: np.ndarray
    margin: np.ndarray
    before: Tensor
    semantic_log_p: Tensor


class Speaking:
    """Candidates that speak in one batch, numbered in the order in which they come to it. Close it when all is said."""

    def __init__(self, model: DualAR, rows: Rows, settings: Settings, statics: StaticFrames | None = None) -> None:
        self.rows = rows
        self._model = model
        self._settings = settings
        self._statics = statics
        self._static: StaticFrame | None = None
        self._count = len(rows.seeds)  # of the candidates so far
        self._candidates: list[int | None] = list(range(self._count))  # of each row; None where it is free
        self._joining: list[Rows] = []
        self._over: set[int] = set()
        self._ahead = AHEAD if rows.hidden.device.type == "cuda" else 0

    def join(self, rows: Rows) -> int:
        """Have more candidates speak from the next frame on; the number of the first of them."""
        first = self._count
        self._count += len(rows.seeds)
        self._joining.append(rows)
        return first

    def leave(self, candidate: int) -> None:
        """Hear no more of a candidate; its row leaves the batch."""
        self._over.add(candidate)

    def row(self, candidate: int) -> int:
        """Where in the memory of the batch a candidate is whose frame was heard last."""
        return self._candidates.index(candidate)

    def frames(self, may_end: bool, most: int | None = None) -> Iterator[Heard]:
        """Frame after frame, at most so many, until all candidates have ended or left; none ends before the first of
        its take."""
        waiting: deque[_Pending] = deque()
        drawn = 0
        while most is None or drawn < most:
            self._let_go_and_in()
            static = self._static_for()
            ends = [may_end and frame > 0 for frame in self.rows.frames]
            codes: Tensor | None = None
            if static is not None:
                static.step(ends)
                pending = _Pending(self._candidates, static.told, static.before.clone(), static.semantic_log_p.clone())
            else:
                frame = draw_frame(self._model, self.rows, self._settings, ends)
                pending = _Pending(self._candidates, told(frame), self.rows.hidden, frame.semantic_log_p)
                codes = frame.codes
            drawn += 1
            waiting.append(pending)
            if len(waiting) > self._ahead:
                yield from self._heard(waiting.popleft())
            if not self._joining and self._over.issuperset(self._going()):
                return
            if codes is not None:
                going = [row for row, candidate in enumerate(self._candidates) if candidate not in self._over]
                if len(going) < len(codes):
                    self._keep(going)
                if going:
                    read_frame(self._model, self.rows, codes if len(going) == len(codes) else codes[going])
        while waiting:
            yield from self._heard(waiting.popleft())

    def close(self) -> None:
        """Let others use what this batch spoke with; its memory is not to be used after this."""
        if self._statics is not None and self._static is not None:
            self._statics.give_back(self._static)
            self._static = None

    def _going(self) -> list[int]:
        return [candidate for candidate in self._candidates if candidate is not None]

    def _let_go_and_in(self) -> None:
        """Between two frames: the slots of those who are over become free, and those who wait to join do."""
        if self._static is not None:
            for slot, candidate in enumerate(self._candidates):
                if candidate is not None and candidate in self._over:
                    self._static.free(slot)
                    self._candidates[slot] = None
        first = self._count - sum(len(rows.seeds) for rows in self._joining)
        for rows in self._joining:
            numbers = list(range(first, first + len(rows.seeds)))
            first += len(rows.seeds)
            if self._static is not None and self._static.has_room_for(rows):
                for slot, number in zip(self._static.let_in(rows), numbers, strict=True):
                    self._candidates[slot] = number
                continue
            if self._static is not None and self._statics is not None:  # a larger one is taken for all of them
                self._keep([slot for slot, candidate in enumerate(self._candidates) if candidate is not None])
                self._statics.give_back(self._static)
                self._static = None
            if self._candidates:
                self.rows.join(rows)
            else:
                self.rows = rows
            self._candidates += numbers
        self._joining.clear()

    def _static_for(self) -> StaticFrame | None:
        if self._statics is not None and self._static is None:
            self._static = self._statics.take(self.rows, self._settings)
            self.rows = self._static.rows
            self._candidates += [None] * (len(self.rows.seeds) - len(self._candidates))
        return self._static

    def _keep(self, going: list[int]) -> None:
        """Let all rows go but these, which are copied."""
        if going:
            self.rows = self.rows.taken(going)
        self._candidates = [self._candidates[row] for row in going]

    def _heard(self, pending: _Pending) -> Iterator[Heard]:
        """What is new, and of whom; nothing where all who spoke then are over by now."""
        speaking = [
            (row, candidate)
            for row, candidate in enumerate(pending.candidates)
            if candidate is not None and candidate not in self._over
        ]
        if not speaking:
            return
        numbers = pending.numbers()[[row for row, _ in speaking]]  # [n, 1 + K + 6]
        candidates = [candidate for _, candidate in speaking]
        ended = numbers[:, 0] > 0
        self._over.update(candidate for candidate, over in zip(candidates, ended.tolist(), strict=True) if over)
        yield Heard(
            candidates,
            numbers[:, 1:-6].astype(np.int16),
            ended,
            numbers[:, -6:-4],
            numbers[:, -4:-2],
            numbers[:, -2:],
            pending.before,
            pending.semantic_log_p,
        )


class _Pending:
    """A frame that is drawn, or will be, on its way to the host."""

    def __init__(self, candidates: list[int | None], numbers: Tensor, before: Tensor, semantic_log_p: Tensor) -> None:
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
