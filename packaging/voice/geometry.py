"""What codes mean, for a language model that would otherwise have to find out: which of a codebook's codes are
neighbours. Tables begin with it, and the fast AR is forgiven for a neighbour of the right code.

Shapes: K codebooks, V codebook size, C model width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from torch import Tensor

from engine.codec_file import load_codec
from engine.dual_ar import DualAR
from engine.quantizer import Codebook

NEIGHBOURS = 2.5  # codes that a right one is spread over, as the exponential of the entropy
SPREAD, OWN = 0.05, 0.015  # of a table's first values: what follows from the code's meaning, and what is its own


@dataclass(frozen=True, eq=False)
class Near:
    """The codes `start` to `start + n` of one codebook: `points` [n, dim], of unit variance, and `share` [n, n], what
    each of them is worth where the right one is that of the row. Rows of `share` sum to one."""

    start: int
    points: Tensor
    share: Tensor

    @property
    def stop(self) -> int:
        return self.start + len(self.points)


def read_codebooks(folder: Path) -> list[Near]:
    """The codebooks of the codec in `folder`, each with the codes that it uses."""
    quantizer = load_codec(folder, "cpu").quantizer
    books = [*quantizer.semantic_quantizer.quantizers, *quantizer.quantizer.quantizers]
    return [near(cast(Codebook, book).codebook.weight.detach()) for book in books]


def near(rows: Tensor) -> Near:
    """A codebook's rows [V, dim], of which those it does not use are nothing."""
    used = rows.abs().sum(1).nonzero()[:, 0]
    start, points = int(used[0]), rows[used[0] : used[-1] + 1].clone()
    apart = torch.cdist(points, points).square()
    narrow, wide = 1e-6 * apart.mean(), apart.mean()
    for _ in range(40):
        middle = (narrow * wide).sqrt()
        share = (-apart / middle).softmax(-1)
        entropy = -(share * share.clamp(min=1e-30).log()).sum(-1).mean()
        if entropy > math.log(NEIGHBOURS):
            wide = middle
        else:
            narrow = middle
    return Near(start, (points - points.mean(0)) / points.std(), share)


@torch.no_grad()
def begin(model: DualAR, books: list[Near]) -> None:
    """Let every table of codes begin with what they mean: neighbours alike, codebooks apart."""
    config, slow, fast = model.config, model.slow, model.fast
    slow.fusion.weight.zero_()  # rows of codes that a codebook does not use are nothing
    for row, book in enumerate(books):
        own = slice(book.start, book.stop)
        first = row * config.codebook_size
        slow.fusion.weight[first + own.start : first + own.stop] = laid_out(book, config.slow.dim)
        fast.embeddings.weight[own] = laid_out(book, config.fast.dim)
        if row:
            fast.output.weight[own] = laid_out(book, config.fast.dim)
    first = config.semantic_start + books[0].start
    slow.embeddings.weight[first : first + len(books[0].points)] = laid_out(books[0], config.slow.dim)


def laid_out(book: Near, width: int) -> Tensor:
    """Points as rows [n, C]: turned by chance, moved to a place of their own."""
    dim = book.points.shape[1]
    turned = book.points @ torch.randn(dim, width) / math.sqrt(dim)
    return SPREAD * (turned + torch.randn(width)) + OWN * torch.randn(len(turned), width)
