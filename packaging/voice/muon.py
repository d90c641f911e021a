"""Muon: steps for matrices that turn one space into another, of equal length in every direction.

The method is Keller Jordan's; torch's own rounds to bfloat16, which costs twice the time on processors.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

CURVE = (3.4445, -4.7750, 2.0315)  # pulls every singular value towards one
ROUNDS = 4
LIKE_ADAMW = 0.2  # the usual root mean square of an AdamW step, as a share of the rate


def evened(x: Tensor) -> Tensor:
    """A matrix with the directions of `x` and singular values near one."""
    tall = x.shape[0] > x.shape[1]
    x = (x.mT if tall else x) / (x.norm() + 1e-7)
    a, b, c = CURVE
    for _ in range(ROUNDS):
        square = x @ x.mT
        x = torch.addmm(x, torch.addmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, evened; steps are as long as AdamW's, so that both take one rate."""

    def __init__(self, weights: Iterable[nn.Parameter], lr: float, momentum: float = 0.95, decay: float = 0.0) -> None:
        super().__init__(weights, {"lr": lr, "momentum": momentum, "decay": decay})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for weight in group["params"]:
                state = self.state[weight]
                moving = state.setdefault("moving", torch.zeros_like(weight))
                moving.lerp_(weight.grad, 1 - group["momentum"])
                ahead = weight.grad.lerp(moving, group["momentum"])
                weight.mul_(1 - group["lr"] * group["decay"])
                length = LIKE_ADAMW * max(weight.shape) ** 0.5
                weight.add_(evened(ahead), alpha=-group["lr"] * length)
