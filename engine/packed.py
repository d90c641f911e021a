"""Linear layers of large models on a processor, whose weights lie in the order in which it multiplies them.

BLAS packs a weight anew for every product of more than one row, which costs as much as reading it several times.
oneDNN packs it once. Measured on an EPYC with one thread and weights of 12 MB, one row takes what it took (0.8 of the
bus), and four rows 1.5 times that, where BLAS takes 2.5 times. The packed weight takes the place of the other.
"""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor, nn

LARGE_WEIGHT = 1 << 20  # numbers in a weight from which on packing pays: smaller ones lie in the cache
ROWS = 4  # that the order is best for; one row and sixteen lose nothing by it


class PackedLinear(nn.Module):
    """What nn.Linear does, with a weight [N, K] that only oneDNN can read."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        super().__init__()
        self.weight = nn.Parameter(_packed(weight), requires_grad=False)
        self.bias = bias

    def forward(self, x: Tensor) -> Tensor:
        return _product(x, self.weight, self.bias)


@cache
def can_pack() -> bool:
    """Whether this processor's torch has such products, and they are right."""
    weight, x = torch.randn(24, 16), torch.randn(3, 16)
    try:
        return torch.allclose(_product(x, _packed(weight), None), x @ weight.T, atol=1e-4)
    except (AttributeError, RuntimeError):  # it was built without oneDNN, or names it otherwise
        return False


def _packed(weight: Tensor) -> Tensor:
    return torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
