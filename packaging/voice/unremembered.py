"""Whole sequences through the engine's own layers at once, so that gradients flow.

Shapes: B rows, T positions.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.dual_ar import Memory, Place


class Unremembered(Memory):
    """A memory that holds nothing: every position looks at those before it in the same pass."""

    def __init__(self, rows: int, device: torch.device) -> None:
        self.lengths = [0] * rows
        self._device = device

    def advance(self, count: int) -> None:
        pass

    def place(self, count: int) -> Place:
        mask = torch.ones(count, count, dtype=torch.bool, device=self._device).tril()
        return Place(0, count, None, mask[None, None])

    def write(self, layer: int, place: Place, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        return keys.transpose(1, 2), values.transpose(1, 2)
