"""A frame whose shapes and addresses never change, so that CUDA can replay all of it as one graph.

Drawing, the fast AR and reading back are some thousand kernels, which take longer to launch one by one than to run.
Captured once for each length that the memory may be filled to, in steps, they are launched together. Captured or not,
the same function is computed as row by row; on the processor it runs uncaptured, for the tests to compare.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from engine.dual_ar import DualAR, Place
from engine.errors import TooLongError
from engine.frames import Rows, drawn_from, moved_on, told
from engine.request import Settings

STEP = 256  # positions by which the memory that a frame attends to grows
MOST_KEPT = 4  # static frames that wait to be used again


class StaticFrame:
    """One frame of so many rows, over and over: `step` draws the next one and reads it back.

    What the last step gave: `told` [B, 1 + K + 4], `before` [B, C] and `semantic_log_p` [B, 1 + S], until the next.
    """

    def __init__(
        self, model: DualAR, rows: int, capacity: int, settings: Settings, may_end: bool, capture: bool
    ) -> None:
        config, like = model.config, model.slow.stack.norm.weight.detach()
        self.settings, self.may_end, self.rows = settings, may_end, rows
        self.memory = model.slow.stack.memory(rows, capacity)
        self.told = torch.zeros(rows, 1 + config.num_codebooks + 4, device=like.device)
        self.before = like.new_zeros(rows, config.slow.dim)
        self.semantic_log_p = torch.zeros(rows, 1 + config.semantic_size, device=like.device)
        self._model = model
        self._fast = model.fast.stack.memory(rows, config.num_codebooks)
        self._hidden = like.new_zeros(rows, config.slow.dim)
        self._recent = torch.zeros(rows, settings.repetition_window, dtype=torch.long, device=like.device)
        self._positions = torch.zeros(rows, 1, dtype=torch.long, device=like.device)
        self._noise = torch.ones(rows, config.num_codebooks + 1, settings.top_k, device=like.device)
        self._capture = capture
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self._pool = torch.cuda.graph_pool_handle() if capture else None

    def go_on_from(self, rows: Rows) -> None:
        """Copy where rows stand; from now on they stand here."""
        longest = max(rows.memory.lengths)
        self.memory.keys[:, :, :, :longest] = rows.memory.keys[:, :, :, :longest]
        self.memory.values[:, :, :, :longest] = rows.memory.values[:, :, :, :longest]
        self.memory.lengths = list(rows.memory.lengths)
        self._hidden.copy_(rows.hidden)
        self._recent.copy_(rows.recent)
        self._positions.copy_(torch.tensor(rows.memory.lengths)[:, None])
        rows.memory, rows.hidden, rows.recent = self.memory, self._hidden, self._recent

    @torch.inference_mode()
    def step(self, rows: Rows) -> None:
        """Draw and read the next frame. Raises TooLongError before anything is written past the end."""
        needed = max(self.memory.lengths) + 1
        if needed > self.memory.capacity:
            raise TooLongError(
                f"This needs {needed} positions and the memory holds {self.memory.capacity}.",
                needed,
                self.memory.capacity,
            )
        self._noise.copy_(rows.noise(self._model.config.num_codebooks, self.settings.top_k))
        stop = min(whole_steps(needed), self.memory.capacity)
        if self._capture:
            self._captured(stop).replay()
        else:
            self._frame(stop)
        self.memory.advance(1)
        rows.frame += 1

    @torch.inference_mode()
    def prepare(self, stop: int) -> None:
        """Capture the frames up to a length ahead of time."""
        for each in range(STEP, min(whole_steps(stop), self.memory.capacity) + 1, STEP):
            self._captured(each)

    def _frame(self, stop: int) -> None:
        """The whole frame, with the memory attended to up to `stop`; nothing in it asks the host."""
        drawn = drawn_from(
            self._model, self._hidden, self._recent, self._noise, self._fast, self.settings, self.may_end
        )
        self.before.copy_(self._hidden)
        self.told.copy_(told(drawn))
        self.semantic_log_p.copy_(drawn.semantic_log_p)
        seen = torch.arange(stop, device=self._positions.device) <= self._positions[..., None]  # [B, 1, stop]
        place = Place(None, stop, self._positions, seen[:, None])
        x = self._model.slow.embed_frames(drawn.codes)[:, None]
        self._hidden.copy_(self._model.slow.stack.read(x, self.memory, place)[:, -1])
        self._recent.copy_(moved_on(self._recent, drawn.codes))
        self._positions.add_(1)

    def _captured(self, stop: int) -> torch.cuda.CUDAGraph:
        graph = self._graphs.get(stop)
        if graph is not None:
            return graph
        state = (self._hidden, self._recent, self._positions)
        kept = [each.clone() for each in state]
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):  # libraries choose their kernels and take their memory outside of the capture
            self._frame(stop)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self._frame(stop)
        for tensor, before in zip(state, kept, strict=True):
            tensor.copy_(before)
        self._graphs[stop] = graph
        return graph


class StaticFrames:
    """The static frames of a model: those in use belong to who took them, a few of the others are kept."""

    def __init__(self, model: DualAR, capture: bool) -> None:
        self._model = model
        self._capture = capture
        self._kept: list[StaticFrame] = []

    def take(self, rows: Rows, settings: Settings, may_end: bool) -> StaticFrame:
        """A static frame that goes on from where rows stand, with the room that their memory has."""
        frame = self._kept_one(len(rows.seeds), rows.memory.capacity, replace(settings, most_frames=None), may_end)
        frame.go_on_from(rows)
        return frame

    def give_back(self, frame: StaticFrame) -> None:
        self._kept = [*self._kept, frame][-MOST_KEPT:]

    def prepare(self, settings: Settings, length: int) -> None:
        """Have the frame of one take of a line captured before it is asked for."""
        frame = self._kept_one(1, length, replace(settings, most_frames=None), may_end=True)
        frame.prepare(length)
        self.give_back(frame)

    def _kept_one(self, rows: int, capacity: int, settings: Settings, may_end: bool) -> StaticFrame:
        for frame in self._kept:
            alike = (frame.rows, frame.settings, frame.may_end) == (rows, settings, may_end)
            if alike and frame.memory.capacity >= capacity:
                self._kept.remove(frame)
                return frame
        most = self._model.config.max_seq_len
        return StaticFrame(self._model, rows, min(whole_steps(capacity), most), settings, may_end, self._capture)


def whole_steps(length: int) -> int:
    return -(-length // STEP) * STEP
