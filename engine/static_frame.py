"""A frame whose shapes and addresses never change, so that CUDA can replay all of it as one graph.

Drawing, the fast AR and reading back are some thousand kernels, which take longer to launch one by one than to run.
Captured once for each length that the memory may be filled to, in steps, they are launched together. Rows come and go
without a new capture: each speaks in a slot. Captured or not, the same function is computed as row by row; on the
processor it runs uncaptured, for the tests to compare.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from engine.config import EVERY_RANK
from engine.dual_ar import DualAR, Place
from engine.errors import TooLongError
from engine.frames import Rows, drawn_from, moved_on, told
from engine.request import Settings

STEP = 256  # positions by which the memory that a frame attends to grows
MOST_KEPT = 4  # static frames that wait to be used again
MOST_BYTES = 1 << 30  # of the memories of those
MOST_ROUNDED = 16  # rows that free slots beside them cost next to nothing


class StaticFrame:
    """One frame of some rows, over and over: `step` draws the next one and reads it back.

    Its rows are slots, at first all free. What a free one says is not heard, and it stays at the first position of its
    memory. What the last step gave: `told` [B, 1 + K + 6], `before` [B, C] and `semantic_log_p` [B, 1 + S], until the
    next.
    """

    def __init__(self, model: DualAR, slots: int, capacity: int, settings: Settings, capture: bool) -> None:
        config, like = model.config, model.slow.stack.norm.weight.detach()
        device = like.device
        self.settings, self.slots = settings, slots
        self.rows = Rows(
            model.slow.stack.memory(slots, capacity),
            like.new_zeros(slots, config.slow.dim),
            torch.zeros(slots, settings.repetition_window, dtype=torch.long, device=device),
            [None] * slots,
            [0] * slots,
            model.fast.stack.memory(slots, config.num_codebooks),
        )
        self.told = torch.zeros(slots, 1 + config.num_codebooks + 6, device=device)
        self.before = like.new_zeros(slots, config.slow.dim)
        self.semantic_log_p = torch.zeros(slots, 1 + config.semantic_size, device=device)
        self._model = model
        self._positions = torch.zeros(slots, 1, dtype=torch.long, device=device)
        self._moving = torch.zeros(slots, 1, dtype=torch.long, device=device)  # 0 where a row is free
        self._ends = torch.zeros(slots, device=device)  # what is added to the logit of each row's end
        self._may_end = [True] * slots  # what of that is there
        self._noise = torch.ones(slots, config.num_codebooks + 1, min(settings.top_k, EVERY_RANK), device=device)
        self._capture = capture
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self._pool = torch.cuda.graph_pool_handle() if capture else None

    @property
    def bytes(self) -> int:
        """What it holds of the device's memory, but for what its graphs work with."""
        return self.rows.memory.bytes + self.semantic_log_p.nbytes

    def has_room_for(self, rows: Rows) -> bool:
        """Whether there are slots for more rows, and as much room in each as their memory has."""
        return self.rows.seeds.count(None) >= len(rows.seeds) and self.rows.memory.capacity >= rows.memory.capacity

    def let_in(self, rows: Rows) -> list[int]:
        """Copy where rows stand; they go on in these slots."""
        own = self.rows
        free = [slot for slot, seed in enumerate(own.seeds) if seed is None]
        taken = free[: len(rows.seeds)]
        for row, slot in enumerate(taken):
            length = rows.memory.lengths[row]
            own.memory.keys[:, slot, :, :length] = rows.memory.keys[:, row, :, :length]
            own.memory.values[:, slot, :, :length] = rows.memory.values[:, row, :, :length]
            own.hidden[slot] = rows.hidden[row]
            own.recent[slot] = rows.recent[row]
            own.seeds[slot], own.frames[slot] = rows.seeds[row], rows.frames[row]
            self._stand(slot, length, 1)
        return taken

    def free(self, slot: int) -> None:
        """Let others have a slot."""
        self.rows.seeds[slot] = None
        self._stand(slot, 0, 0)

    def free_all(self) -> None:
        for slot, seed in enumerate(self.rows.seeds):
            if seed is not None:
                self.free(slot)

    @torch.inference_mode()
    def step(self, may_end: list[bool]) -> None:
        """Draw and read the next frame; where a row may not end, its end is masked. Raises TooLongError before anything
        is written past the end."""
        rows = self.rows
        memory = rows.memory
        needed = max(memory.lengths) + 1
        if needed > memory.capacity:
            raise TooLongError(
                f"This needs {needed} positions and the memory holds {memory.capacity}.", needed, memory.capacity
            )
        self._noise.copy_(rows.noise(self._model.config.num_codebooks, self.settings.top_k))
        for slot, (now, may) in enumerate(zip(self._may_end, may_end, strict=True)):
            if now != may:
                self._ends[slot] = 0.0 if may else -torch.inf
        self._may_end = list(may_end)
        stop = min(whole_steps(needed), memory.capacity)
        if self._capture:
            self._captured(stop).replay()
        else:
            self._frame(stop)
        for slot, seed in enumerate(rows.seeds):
            if seed is not None:
                memory.lengths[slot] += 1
                rows.frames[slot] += 1

    @torch.inference_mode()
    def prepare(self, stop: int) -> None:
        """Capture the frames up to a length ahead of time."""
        for each in range(STEP, min(whole_steps(stop), self.rows.memory.capacity) + 1, STEP):
            self._captured(each)

    def _stand(self, slot: int, position: int, moving: int) -> None:
        self.rows.memory.lengths[slot] = position
        self._positions[slot] = position
        self._moving[slot] = moving

    def _frame(self, stop: int) -> None:
        """The whole frame, with the memory attended to up to `stop`; nothing in it asks the host."""
        rows = self.rows
        assert rows.fast is not None
        drawn = drawn_from(self._model, rows.hidden, rows.recent, self._noise, rows.fast, self.settings, self._ends)
        self.before.copy_(rows.hidden)
        self.told.copy_(told(drawn))
        self.semantic_log_p.copy_(drawn.semantic_log_p)
        seen = torch.arange(stop, device=self._positions.device) <= self._positions[..., None]  # [B, 1, stop]
        place = Place(None, stop, self._positions, seen[:, None])
        x = self._model.slow.embed_frames(drawn.codes)[:, None]
        rows.hidden.copy_(self._model.slow.stack.read(x, rows.memory, place)[:, -1])
        rows.recent.copy_(moved_on(rows.recent, drawn.codes))
        self._positions.add_(self._moving)

    def _captured(self, stop: int) -> torch.cuda.CUDAGraph:
        graph = self._graphs.get(stop)
        if graph is not None:
            return graph
        state = (self.rows.hidden, self.rows.recent, self._positions)
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

    def __init__(self, model: DualAR, capture: bool, most_bytes: int = MOST_BYTES) -> None:
        self._model = model
        self._capture = capture
        self._most_bytes = most_bytes
        self._kept: list[StaticFrame] = []

    def take(self, rows: Rows, settings: Settings) -> StaticFrame:
        """A static frame that goes on from where rows stand, in its first slots, with as much room."""
        slots = slots_for(len(rows.seeds))
        frame = self._kept_one(slots, rows.memory.capacity, replace(settings, most_frames=None))
        frame.let_in(rows)
        return frame

    def give_back(self, frame: StaticFrame) -> None:
        """Keep it for others, and let those go that wait the longest where all together are too many or too large."""
        frame.free_all()
        self._kept.append(frame)
        while len(self._kept) > MOST_KEPT or (self._kept and self.bytes > self._most_bytes):
            self._kept.pop(0)

    def let_go(self) -> None:
        """Keep none, so that others have the memory."""
        self._kept.clear()

    def prepare(self, settings: Settings, length: int) -> None:
        """Have the frame of one take of a line captured before it is asked for."""
        frame = self._kept_one(1, length, replace(settings, most_frames=None))
        frame.prepare(length)
        self.give_back(frame)

    def bytes_for(self, rows: int, positions: int) -> int:
        """What a static frame of so many rows takes."""
        return self._model.slow.stack.bytes_of(slots_for(rows), whole_steps(positions))

    @property
    def bytes(self) -> int:
        """What those that are kept hold."""
        return sum(frame.bytes for frame in self._kept)

    def _kept_one(self, slots: int, capacity: int, settings: Settings) -> StaticFrame:
        for frame in self._kept:
            if (frame.slots, frame.settings) == (slots, settings) and frame.rows.memory.capacity >= capacity:
                self._kept.remove(frame)
                return frame
        most = self._model.config.max_seq_len
        return StaticFrame(self._model, slots, min(whole_steps(capacity), most), settings, self._capture)


def whole_steps(length: int) -> int:
    return -(-length // STEP) * STEP


def slots_for(rows: int) -> int:
    """How many slots so many rows get: a power of two, so that more can join them and few shapes are captured."""
    return 1 << (rows - 1).bit_length() if rows <= MOST_ROUNDED else rows
