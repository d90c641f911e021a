"""What the model remembers of the voices that prompts begin with, kept on disk so that no run reads them twice.

A file holds the keys and values of one ordered set of voices. Its name is made of all that they depend on: checkpoint,
precision, device, and the columns, which are the transcripts and the codes. A damaged file is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import zlib
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from engine.dual_ar import DualAR, Memory
from engine.whole_file import WholeFile

MOST_BYTES = 2 << 30
LEAST_POSITIONS = 32  # less than this, such as a system turn without voices, is read sooner than found


class VoiceShelf:
    """A folder of such files, for one checkpoint as it is loaded; where it grows too large the oldest used go."""

    def __init__(self, folder: Path, checkpoint: str, precision: str, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._named = f"{checkpoint} {precision}"
        self._most_bytes = most_bytes
        self._there: set[Path] = set()  # as far as this engine knows
        self.found = 0

    def has(self, columns: np.ndarray) -> bool:
        """Whether there is a file for columns; it is not opened."""
        return columns.shape[1] >= LEAST_POSITIONS and self._path(columns).exists()

    def find(self, model: DualAR, columns: np.ndarray) -> Memory | None:
        """A memory of one row that has read columns [1 + K, T], None where there is none."""
        path = self._path(columns)
        if columns.shape[1] < LEAST_POSITIONS or not path.exists():
            return None
        memory = model.slow.stack.memory(1, columns.shape[1])
        try:
            with safe_open(path, framework="pt") as file:
                keys, values = file.get_tensor("keys"), file.get_tensor("values")
                whole = (file.metadata() or {}).get("sum") == _sum_of(keys, values)
                same = np.array_equal(file.get_tensor("columns").numpy(), columns)
            if not whole or not same or keys.shape != memory.keys.shape or keys.dtype != memory.keys.dtype:
                return None
            memory.keys.copy_(keys)
            memory.values.copy_(values)
        except (OSError, SafetensorError, RuntimeError):
            return None
        memory.lengths = [columns.shape[1]]
        with contextlib.suppress(OSError):
            path.touch()
        self._there.add(path)
        self.found += 1
        return memory

    def keep(self, columns: np.ndarray, memory: Memory, row: int) -> None:
        """Keep what a row remembers of the columns [1 + K, T] that it began with; done without where that cannot be."""
        path, count = self._path(columns), columns.shape[1]
        if count < LEAST_POSITIONS or path in self._there:
            return
        tensors = {
            "keys": memory.keys[:, row : row + 1, :, :count].cpu().contiguous(),
            "values": memory.values[:, row : row + 1, :, :count].cpu().contiguous(),
            "columns": torch.from_numpy(np.ascontiguousarray(columns)),
        }
        self._there.add(path)
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            with WholeFile(path) as file:
                file.write(save(tensors, {"sum": _sum_of(tensors["keys"], tensors["values"])}))
            self._clear_away()

    def _path(self, columns: np.ndarray) -> Path:
        name = hashlib.sha256(self._named.encode() + columns.tobytes()).hexdigest()[:32]
        return self._folder / f"{name}.safetensors"

    def _clear_away(self) -> None:
        files = sorted(
            ((path.stat().st_mtime, path.stat().st_size, path) for path in self._folder.glob("*.safetensors")),
            reverse=True,
        )
        total = 0
        for _, size, path in files:
            total += size
            if total > self._most_bytes:
                path.unlink(missing_ok=True)
                self._there.discard(path)


def _sum_of(keys: torch.Tensor, values: torch.Tensor) -> str:
    """Tells damage: a number that is another where any bit is."""
    total = 0
    for each in (keys, values):
        total = zlib.crc32(each.contiguous().view(torch.uint8).numpy().data, total)
    return f"{total:08x}"
