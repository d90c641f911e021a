"""Linear layers whose weights are held in int8: half of bf16 and a quarter of fp32, in memory and on the bus.

Each output row has a scale of its own, so a weight is off by at most half of one 127th of its row's largest. What the
product is made of depends on the device, always the fastest that torch has there:

* On a processor with VNNI the inputs are rounded to int8 as well, each position by its own largest value, and the
  integer product is exact. Measured on a Xeon this took a seventh of the time of fp32 and half that of the product of
  int8 weights with bf16 inputs.
* On one without it that takes five times as long as fp32 (measured on an EPYC with AVX2): a few positions take the
  product with bf16 inputs, 0.8 of the time of fp32 for one position and 0.4 for four.
* On CUDA a few positions take the same integer product, on the tensor cores of cards that have them for int8: torch's
  own kernel for int8 weights reads a row per thread there, slower than bf16. The product wants more rows than a frame
  has, so rows of zeros are added.
* On MPS torch's kernel widens the weights as it reads them, and the inputs stay as they are.
* Many positions at once, as in a prompt, are cheaper with the weights of the layer widened first, but where there is
  VNNI; so are all of them on cards without such cores.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LEVELS = 127
VNNI = bool(torch.cpu._is_vnni_supported())  # whether this processor multiplies int8 faster than anything else
MOST_ROWS_FUSED = 16  # positions that are multiplied without widening the weights first
CPU_STEP = 16  # by which the inputs of a product with bf16 must be divisible: it reads so many at a time
CUDA_ROWS = 32  # that its integer product is given; 16 or fewer it refuses
CUDA_STEP = 8  # by which the sides of a weight must be divisible there
INT8_CORES = (7, 5)  # the first cards whose tensor cores multiply int8


class Int8Linear(nn.Module):
    """What nn.Linear does, with weights int8 [N, K] and a scale [N] for each row."""

    scale: Tensor

    def __init__(self, weight: Tensor, scale: Tensor, bias: Tensor | None = None) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.register_buffer("scale", scale, persistent=False)
        self.bias = bias

    def forward(self, x: Tensor) -> Tensor:
        rows = x.flatten(0, -2)  # [M, K]
        few = rows.shape[0] <= MOST_ROWS_FUSED
        on = x.device.type
        if on == "cpu" and VNNI:
            y = product_of_int8(rows, self.weight, self.scale)
        elif few and on == "cpu" and self.weight.shape[1] % CPU_STEP == 0:
            y = product_of_bf16(rows, self.weight, self.scale)
        elif few and on == "mps":
            y = torch._weight_int8pack_mm(rows, self.weight, self.scale)
        elif few and on == "cuda" and multiplies_int8(torch.cuda.get_device_capability(x.device), self.weight.shape):
            y = product_of_int8(rows, self.weight, self.scale, CUDA_ROWS)
        else:
            y = F.linear(rows, self.weight.to(x.dtype)) * self.scale
        y = y.unflatten(0, x.shape[:-1])
        return y if self.bias is None else y + self.bias


def quantised(weight: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """A weight [N, K] in int8 and the scale of each row [N] in `dtype`."""
    weight = weight.float()
    scale = (weight.abs().amax(1) / LEVELS).clamp(min=torch.finfo(torch.float16).tiny)
    return (weight / scale[:, None]).round().to(torch.int8), scale.to(dtype)


def product_of_bf16(x: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
    """x [M, K], rounded to bf16, times the transpose of int8 weight [N, K], in x's type."""
    ones = torch.ones(weight.shape[0], dtype=torch.bfloat16)  # so that the scales stay exact
    return torch._weight_int8pack_mm(x.bfloat16(), weight, ones).to(x.dtype) * scale


def multiplies_int8(capability: tuple[int, int], shape: torch.Size) -> bool:
    """Whether a card of this compute capability has an integer product for a weight of this shape [N, K]."""
    return capability >= INT8_CORES and all(side % CUDA_STEP == 0 for side in shape)


def product_of_int8(x: Tensor, weight: Tensor, scale: Tensor, rows: int = 0) -> Tensor:
    """x [M, K] times the transpose of int8 weight [N, K], in x's type; the integer product has `rows` rows at least."""
    exact = x.float()
    largest = torch.linalg.vector_norm(exact, torch.inf, dim=-1, keepdim=True).clamp_(min=1e-20)  # [M, 1]
    levels = (exact * (LEVELS / largest)).round_().to(torch.int8)
    if x.shape[0] < rows:
        levels = F.pad(levels, (0, 0, 0, rows - x.shape[0]))
    product = torch._int_mm(levels, weight.T)[: x.shape[0]]  # int32 [M, N]
    return (product * scale.float()).mul_(largest / LEVELS).to(x.dtype)
