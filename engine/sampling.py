"""Drawing a code from logits. Chance is counted: the noise of a draw depends on (seed, frame, codebook, which draw)
alone, so a take is the same alone, in a batch, after a branch and in a replay.

Shapes: B rows, N logits, R the ranks that are left (top_k or fewer).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from engine.request import Settings

RAS_TEMPERATURE = 1.0
RAS_TOP_P = 0.9


def ranked(logits: Tensor, temperature: float, top_p: float, top_k: int) -> tuple[Tensor, Tensor]:
    """The probabilities [B, R] of what is left of logits [B, N], best first, and their indices [B, R].

    Dropped is what has an inclusive cumulative probability above top_p, never the first; the temperature comes after.
    """
    best, indices = logits.float().log_softmax(-1).topk(min(top_k, logits.shape[-1]), dim=-1)
    dropped = best.exp().cumsum(-1) > top_p
    dropped[..., 0] = False
    return (best / max(temperature, 1e-5)).masked_fill_(dropped, -torch.inf).softmax(-1), indices


def draw(logits: Tensor, noise: Tensor, temperature: float, top_p: float, top_k: int) -> Tensor:
    """One index [B] per row of logits [B, N]; `noise` [B, R] is exponential, one number for each rank that counts."""
    probabilities, indices = ranked(logits, temperature, top_p, min(top_k, noise.shape[1]))
    rank = (probabilities / noise[:, : probabilities.shape[1]]).argmax(-1, keepdim=True)
    return indices.gather(-1, rank)[:, 0]


def draw_code(logits: Tensor, noise: Tensor, settings: Settings) -> Tensor:
    """A draw by the take's settings."""
    return draw(logits, noise, settings.temperature, settings.top_p, settings.top_k)


def draw_semantic(logits: Tensor, noise: Tensor, second: Tensor, recent: Tensor, settings: Settings) -> Tensor:
    """Repetition-aware draw of a slow AR column [B] from logits [B, 1 + S]; column 0 ends the line.

    Where the draw is a code among the `recent` ones [B, W] (-1 where there was none), the `second` draw [B, R] at a
    temperature and top_p of its own is used instead.
    """
    first = draw_code(logits, noise, settings)
    if recent.shape[1] == 0:
        return first
    again = draw(logits, second, RAS_TEMPERATURE, RAS_TOP_P, settings.top_k)
    repeated = (first > 0) & (recent == (first - 1)[:, None]).any(-1)
    return torch.where(repeated, again, first)


def noise_of(seed: int, frame: int, codebooks: int, ranks: int) -> np.ndarray:
    """Exponential noise of one frame, float32 [codebooks + 1, ranks]: row k for codebook k, the last for RAS's second
    draw of codebook 0. The first ranks of a row are the same however many are asked for."""
    source = np.random.Philox(key=seed & (2**64 - 1), counter=[0, 0, 0, frame])
    chance = np.random.Generator(source)
    rows = np.empty((codebooks + 1, ranks))
    to_next_row = 2**128 - -(-ranks // 4)  # the row is the counter's third word, and each count gives four numbers
    for row in rows:
        chance.random(out=row)
        source.advance(to_next_row)
    return np.maximum(-np.log1p(-rows), 1e-10).astype(np.float32)
