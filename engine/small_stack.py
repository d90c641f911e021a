"""Stacks of small layers on the processor, which read single positions, and speak frames, by compiled loops
(position_loop.py).

The weights stay the layers' own: they come to lie behind one another, and the layers look at them there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from engine.dual_ar import Block, DualAR, FastAR, Memory, Stack
from engine.packed import LARGE_WEIGHT
from engine.request import Settings

if TYPE_CHECKING:
    from engine.position_loop import Weights


def read_by_loops(model: DualAR) -> None:
    """Have single positions read by compiled loops where a model's layers are on the processor, in fp32, and small.
    Where they cannot be compiled, the layers go on."""
    slow, fast = _is_small(model.slow.stack), _is_small(model.fast.stack)
    if (slow or fast) and _can_loop():
        if slow:
            model.slow.stack.steps = SmallStack(model.slow.stack)
        if fast:
            model.fast.stack.steps = SmallStack(model.fast.stack)
            if isinstance(model.fast.output, nn.Linear) and _are_small(model.fast):
                model.fast.frames = SmallFast(model.fast)


class SmallStack:
    """Reads x [B, T, C] after what a memory holds, one position after another; the result is what the stack makes of
    it, [B, T, C]. T is small: what is long, the layers themselves read sooner."""

    def __init__(self, stack: Stack) -> None:
        from engine.position_loop import read_positions  # numba takes half a second to import: only where it is used

        self._loop = read_positions
        self._config = stack.config
        self.weights = _side_by_side(stack)

    def __call__(self, x: Tensor, memory: Memory) -> Tensor:
        memory.stop_after(x.shape[1])
        made = x.numpy().copy()
        first = np.array(memory.lengths, np.int64)
        config = self._config
        self._loop(
            made, self.weights, memory.keys.numpy(), memory.values.numpy(), first, config.n_head, config.norm_eps
        )
        memory.advance(x.shape[1])
        return torch.from_numpy(made)


class SmallFast:
    """Speaks frames as sampling.draw and the layers would: see `engine.dual_ar.FastAR.frames`. Its stack is read by
    loops already."""

    def __init__(self, fast: FastAR) -> None:
        from engine.position_loop import sound_frames

        assert isinstance(fast.stack.steps, SmallStack)
        self._loop = sound_frames
        self._weights = fast.stack.steps.weights
        self._fast = fast

    def __call__(
        self, hidden: Tensor, semantic: Tensor, noise: Tensor, memory: Memory, settings: Settings
    ) -> tuple[Tensor, Tensor]:
        fast, config = self._fast, self._fast.config
        codes = np.zeros((len(semantic), config.num_codebooks), np.int64)
        codes[:, 0] = semantic.numpy()
        judged = np.empty((len(codes), config.num_codebooks - 1, 3), np.float32)
        self._loop(
            fast.project_in(hidden).contiguous().numpy(),
            codes,
            judged,
            noise.numpy(),
            self._weights,
            fast.embeddings.weight.detach().numpy(),
            fast.output.weight.detach().numpy(),
            memory.keys.numpy(),
            memory.values.numpy(),
            config.fast.n_head,
            config.fast.norm_eps,
            float(settings.temperature),
            float(settings.top_p),
            settings.top_k,
        )
        memory.lengths = [config.num_codebooks] * len(codes)
        return torch.from_numpy(codes), torch.from_numpy(judged)


def _can_loop() -> bool:
    """Make the loops, or read what was made of them before; where that is damaged, it is made anew."""
    for _ in range(2):
        try:
            from engine.position_loop import compile_ahead, forget
        except ImportError:  # numba is not for this machine
            return False
        try:
            compile_ahead()
            return True
        except (OSError, RuntimeError):  # it can keep nothing on this machine
            return False
        except Exception:  # numba raises whatever comes of a damaged file
            forget()
    return False


def _is_small(stack: Stack) -> bool:
    layers = [module for module in stack.modules() if isinstance(module, nn.Linear)]
    return len(layers) == 5 * len(stack.layers) and _are_small(stack)


def _are_small(part: nn.Module) -> bool:
    """Are all of its weights small, here, and fp32?"""
    return all(
        each.device.type == "cpu" and each.dtype == torch.float32 and each.numel() < LARGE_WEIGHT
        for each in part.parameters()
    )


def _side_by_side(stack: Stack) -> Weights:
    """The weights of all layers behind one another; the layers' own become parts of them."""
    from engine.position_loop import Weights

    blocks = [block for block in stack.layers if isinstance(block, Block)]
    normed = stack.config.attention_qk_norm

    def all_of(owner_of: Callable[[Block], nn.Module]) -> np.ndarray:
        owners = [owner_of(block) for block in blocks]
        together = torch.stack([owner.get_parameter("weight").detach() for owner in owners])
        for owner, weight in zip(owners, together, strict=True):
            owner.weight = nn.Parameter(weight, requires_grad=False)
        return together.numpy()

    none = np.zeros((len(blocks), 0), np.float32)
    return Weights(
        all_of(lambda block: block.attention.wqkv),
        all_of(lambda block: block.attention.wo),
        all_of(lambda block: block.feed_forward.w1),
        all_of(lambda block: block.feed_forward.w3),
        all_of(lambda block: block.feed_forward.w2),
        all_of(lambda block: block.attention_norm),
        all_of(lambda block: block.ffn_norm),
        all_of(lambda block: block.attention.q_norm) if normed else none,
        all_of(lambda block: block.attention.k_norm) if normed else none,
        stack.norm.weight.detach().numpy(),
        stack.rotary_on(torch.device("cpu")).numpy(),
    )
