"""The parts that the slow AR, the fast AR and the codec's transformers share.

Shapes: B batch, T positions, H query heads, K key/value heads, D head width, C model width.
Rotary is interleaved (pairs 0-1, 2-3, ...) everywhere, and its tables are rounded to bf16: the published weights were
trained with the rounded ones, and exact tables garble the voice.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def rotary_table(
    positions: int, head_dim: int, theta: float, device: torch.device | None = None, start: int = 0
) -> Tensor:
    """cos and sin of every position from `start` on and pair: fp32 [positions, head_dim / 2, 2], rounded to bf16."""
    pairs = torch.arange(0, head_dim, 2, dtype=torch.float32, device=device)
    places = torch.arange(start, start + positions, dtype=torch.float32, device=device)
    angles = torch.outer(places, 1.0 / theta ** (pairs / head_dim))
    return torch.stack([angles.cos(), angles.sin()], dim=-1).bfloat16().float()


def rotate(x: Tensor, table: Tensor) -> Tensor:
    """Turn the pairs of x [..., D] by `table` [..., D / 2, 2], broadcast over x, in fp32; the result has x's type."""
    if torch.compiler.is_compiling():  # which knows no complex numbers
        one, other = x.float().unflatten(-1, (-1, 2)).unbind(-1)
        cos, sin = table.unbind(-1)
        return torch.stack([one * cos - other * sin, one * sin + other * cos], dim=-1).flatten(-2).type_as(x)
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * torch.view_as_complex(table)).flatten(-2).type_as(x)


class RMSNorm(nn.Module):
    """Root mean square norm in fp32, cast back, then times the weight."""

    def __init__(self, dim: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, x.shape[-1:], eps=self.eps) * self.weight


class FeedForward(nn.Module):
    """SwiGLU: w2(silu(w1 x) * w3 x)."""

    def __init__(self, dim: int, inner: int) -> None:
        super().__init__()
        self.w1 = nn.Linear(dim, inner, bias=False)
        self.w2 = nn.Linear(inner, dim, bias=False)
        self.w3 = nn.Linear(dim, inner, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))
