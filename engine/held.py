"""Memories of what was read, held for the next request: least recently used, bounded.

One rule serves the voices of a prompt, another line of the same voices, a retry, and a take whose span is made anew:
what a new prompt begins with in common with a held one is not read again.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engine.dual_ar import DualAR, Memory
from engine.voice_shelf import VoiceShelf

READ_AT_ONCE = 1024  # positions; bounds the mask and the activations of a long prompt


@dataclass(frozen=True)
class Recalled:
    """A memory with one row that ends with the columns asked for; `hidden` [1, C] is the state after the last one."""

    memory: Memory
    hidden: Tensor
    read: int
    reused: int


class Held:
    """The held memories; at most `most_bytes` of keys and values together. Those of voices are on the shelf as well."""

    def __init__(self, most_bytes: int, most_entries: int = 8, shelf: VoiceShelf | None = None) -> None:
        self._entries: OrderedDict[bytes, tuple[np.ndarray, Memory]] = OrderedDict()
        self._most_bytes = most_bytes
        self._most_entries = most_entries
        self._shelf = shelf
        self.read = 0  # positions, of all that was recalled
        self.reused = 0

    def recall(self, model: DualAR, columns: np.ndarray, capacity: int, voices_stop: int = 0) -> Recalled:
        """Read columns [1 + K, T] into a memory with room for `capacity`, going on from the nearest held one. The first
        `voices_stop` of them are the voices, which may lie on the shelf."""
        shared, nearest = self._nearest(columns)
        if shared < voices_stop and self._shelf is not None:
            kept = self._shelf.find(model, columns[:, :voices_stop])
            if kept is not None:
                shared, nearest = voices_stop, kept
        shared = min(shared, columns.shape[1] - 1)  # the last position is read again: its state begins the frames
        memory = nearest.taken([0], [shared], capacity) if nearest and shared else model.slow.stack.memory(1, capacity)
        device = memory.keys.device
        hidden: Tensor | None = None
        for start in range(shared, columns.shape[1], READ_AT_ONCE):
            part = torch.from_numpy(columns[:, start : start + READ_AT_ONCE]).to(device)
            hidden = model.slow(part[None], memory)[:, -1]
        assert hidden is not None
        self.read += columns.shape[1] - shared
        self.reused += shared
        return Recalled(memory, hidden, columns.shape[1] - shared, shared)

    def hold(self, columns: np.ndarray, memory: Memory, row: int = 0) -> None:
        """Hold a copy of a row of `memory`, which has read `columns` [1 + K, T] (T of its positions are kept)."""
        count = columns.shape[1]
        for name, (held, _) in list(self._entries.items()):
            both = min(held.shape[1], count)
            if np.array_equal(held[:, :both], columns[:, :both]):
                if held.shape[1] >= count:  # what begins like this one serves as well
                    self._entries.move_to_end(name)
                    return
                del self._entries[name]  # and this one serves where what is only its beginning did
        self._entries[columns.tobytes()] = (columns, memory.taken([row], [count], count))
        self._entries.move_to_end(columns.tobytes())
        while len(self._entries) > 1 and (len(self._entries) > self._most_entries or self.bytes > self._most_bytes):
            self._entries.popitem(last=False)

    def let_go(self) -> None:
        """Hold nothing, so that others have the memory."""
        self._entries.clear()

    def keep_voices(self, columns: np.ndarray, memory: Memory, row: int = 0) -> None:
        """Put what a row remembers of the voices it began with, columns [1 + K, T], on the shelf."""
        if self._shelf is not None:
            self._shelf.keep(columns, memory, row)

    def remembers(self, columns: np.ndarray) -> bool:
        """Whether what the voices in these columns are remembered by lies on the shelf."""
        return self._shelf is not None and self._shelf.has(columns)

    @property
    def from_shelf(self) -> int:
        """How often the voices of a prompt were found on the shelf."""
        return self._shelf.found if self._shelf is not None else 0

    @property
    def bytes(self) -> int:
        return sum(memory.bytes for _, memory in self._entries.values())

    def _nearest(self, columns: np.ndarray) -> tuple[int, Memory | None]:
        best, key = 0, None
        for name, (held, _) in self._entries.items():
            count = min(held.shape[1], columns.shape[1])
            differs = (held[:, :count] != columns[:, :count]).any(axis=0)
            shared = int(differs.argmax()) if differs.any() else count
            if shared > best:
                best, key = shared, name
        if key is None:
            return 0, None
        self._entries.move_to_end(key)
        return best, self._entries[key][1]
