"""Speaking a frame at a time: draw its codes, let ended rows go, read it back. Also the reverse, scoring given frames.

Shapes: B rows that speak at once, K codebooks, C slow width, S semantic codes, V codebook size, W RAS window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engine.config import EVERY_RANK
from engine.dual_ar import DualAR, Memory
from engine.request import Settings
from engine.sampling import draw_code, draw_semantic, noise_of


@dataclass
class Rows:
    """The state of rows that speak from one point on, each by its own seed.

    `memory` ends at the position whose state after the norm is `hidden` [B, C]; `recent` [B, W] are the last semantic
    codes, -1 where there were none; `frames` are the numbers of each row's next frame in its take; `fast` the fast AR's
    memory. A row whose seed is None is free: nobody hears what it says.
    """

    memory: Memory
    hidden: Tensor
    recent: Tensor
    seeds: list[int | None]
    frames: list[int]
    fast: Memory | None = None

    def taken(self, rows: list[int]) -> Rows:
        """Rows of their own that go on from where these stand."""
        index = torch.tensor(rows, dtype=torch.long, device=self.hidden.device)
        return Rows(
            self.memory.taken(rows, [self.memory.lengths[row] for row in rows], self.memory.capacity),
            self.hidden[index],
            self.recent[index],
            [self.seeds[row] for row in rows],
            [self.frames[row] for row in rows],
        )

    def join(self, other: Rows) -> None:
        """Have other rows speak beside these, after them."""
        sources = [(each.memory, row) for each in (self, other) for row in range(len(each.seeds))]
        capacity = max(self.memory.capacity, other.memory.capacity)
        self.memory = Memory.joined(sources, self.memory.lengths + other.memory.lengths, capacity)
        self.hidden = torch.cat([self.hidden, other.hidden])
        self.recent = torch.cat([self.recent, other.recent])
        self.seeds, self.frames, self.fast = self.seeds + other.seeds, self.frames + other.frames, None

    def noise(self, codebooks: int, ranks: int) -> Tensor:
        """The chance of the next frame, [B, K + 1, R], on its way to where the rows are: CUDA is not waited for. More
        ranks than a codebook has codes have none."""
        ranks = min(ranks, EVERY_RANK)
        chance = [
            np.ones((codebooks + 1, ranks), np.float32) if seed is None else noise_of(seed, frame, codebooks, ranks)
            for seed, frame in zip(self.seeds, self.frames, strict=True)
        ]
        noise = torch.from_numpy(np.stack(chance))
        if self.hidden.device.type == "cuda":
            return noise.pin_memory().to(self.hidden.device, non_blocking=True)
        return noise.to(self.hidden.device)


@dataclass(frozen=True)
class Drawn:
    """One frame of each row: `codes` int64 [B, K], `ended` bool [B] where the row ended instead (its codes mean
    nothing), `log_p`, `entropy` and `margin` [B, 2] (slow, mean of the fast), `semantic_log_p` [B, 1 + S] of the slow
    AR."""

    codes: Tensor
    ended: Tensor
    log_p: Tensor
    entropy: Tensor
    margin: Tensor
    semantic_log_p: Tensor


def begin(memory: Memory, hidden: Tensor, before: np.ndarray, seeds: list[int], frame: int, settings: Settings) -> Rows:
    """Rows that go on from hidden [B, C]; `before` are the semantic codes spoken so far, for the RAS window."""
    window = settings.repetition_window
    recent = torch.full((len(seeds), window), -1, dtype=torch.long, device=hidden.device)
    if window and len(before):
        tail = torch.from_numpy(np.asarray(before[-window:], dtype=np.int64)).to(hidden.device)
        recent[:, window - len(tail) :] = tail
    return Rows(memory, hidden, recent, list(seeds), [frame] * len(seeds))


@torch.inference_mode()
def draw_frame(model: DualAR, rows: Rows, settings: Settings, may_end: list[bool]) -> Drawn:
    """Draw the next frame of every row. Where a row may not end, its end is masked."""
    codebooks = model.config.num_codebooks
    if rows.fast is None:
        rows.fast = model.fast.stack.memory(len(rows.seeds), codebooks)
    noise = rows.noise(codebooks, settings.top_k)
    ends = None if all(may_end) else ends_of(may_end, rows.hidden.device)
    return drawn_from(model, rows.hidden, rows.recent, noise, rows.fast, settings, ends)


def ends_of(may_end: list[bool], device: torch.device) -> Tensor:
    """What is added to the logit of each row's end, [B]: nothing where it may come."""
    return torch.tensor([0.0 if may else -torch.inf for may in may_end], device=device)


def drawn_from(
    model: DualAR,
    hidden: Tensor,
    recent: Tensor,
    noise: Tensor,
    fast_memory: Memory,
    settings: Settings,
    ends: Tensor | None,
) -> Drawn:
    """The frame that follows hidden [B, C] by the chance in noise [B, K + 1, R]; all of it stays on its device. `ends`
    [B] is added to the logits of the end."""
    codebooks = model.config.num_codebooks
    logits = model.slow.logits(hidden).float()  # [B, 1 + S]
    if ends is not None:
        logits[:, 0] += ends
    semantic_log_p = logits.log_softmax(-1)
    column = draw_semantic(logits, noise[:, 0], noise[:, codebooks], recent, settings)  # [B]
    slow = judgement(semantic_log_p, column)

    frame, fast = _sounded(model, hidden, (column - 1).clamp(min=0), noise, fast_memory, settings)
    log_p, entropy, margin = torch.stack([slow, fast.mean(1)], dim=1).unbind(-1)  # [B, 2] each
    return Drawn(frame, column == 0, log_p, entropy, margin, semantic_log_p)


@torch.inference_mode()
def draw_timbre(model: DualAR, rows: Rows, semantic: int, settings: Settings) -> Tensor:
    """The codes [B, K] of a frame whose semantic code is given: the others are drawn."""
    codebooks = model.config.num_codebooks
    if rows.fast is None:
        rows.fast = model.fast.stack.memory(len(rows.seeds), codebooks)
    noise = rows.noise(codebooks, settings.top_k)
    given = torch.full((len(rows.seeds),), semantic, dtype=torch.long, device=rows.hidden.device)
    return _sounded(model, rows.hidden, given, noise, rows.fast, settings)[0]


def _sounded(
    model: DualAR, hidden: Tensor, semantic: Tensor, noise: Tensor, fast_memory: Memory, settings: Settings
) -> tuple[Tensor, Tensor]:
    """Frames [B, K] that begin with semantic codes [B], and what is judged of their other codes, [B, K - 1, 3]."""
    if model.fast.frames is not None:
        return model.fast.frames(hidden, semantic, noise, fast_memory, settings)
    codes = [semantic]
    thoughts = [model.fast.start(hidden, semantic, fast_memory)]  # [B, V] each
    for codebook in range(1, model.config.num_codebooks):
        codes.append(draw_code(thoughts[-1], noise[:, codebook], settings))
        if codebook + 1 < model.config.num_codebooks:
            thoughts.append(model.fast.next(codes[-1], fast_memory))
    frame = torch.stack(codes, dim=1)
    return frame, judgement(torch.stack(thoughts, dim=1).float().log_softmax(-1), frame[:, 1:])


def told(drawn: Drawn) -> Tensor:
    """A frame as one tensor that a single copy brings to the host: float32 [B, 1 + K + 6], whether it ended, its codes,
    log_p, entropy, margin. Codes are small enough to be exact."""
    judgement = [drawn.log_p, drawn.entropy, drawn.margin]
    return torch.cat([drawn.ended[:, None].float(), drawn.codes.float(), *judgement], dim=1)


@torch.inference_mode()
def read_frame(model: DualAR, rows: Rows, codes: Tensor) -> None:
    """Let every row hear its frame, codes [B, K]: the memory and the hidden state move on by one position."""
    rows.hidden = model.slow.hear(codes, rows.memory)
    rows.recent = moved_on(rows.recent, codes)
    rows.frames = [frame + 1 for frame in rows.frames]


def moved_on(recent: Tensor, codes: Tensor) -> Tensor:
    """The RAS window [B, W] after a frame, codes [B, K]."""
    return torch.cat([recent[:, 1:], codes[:, :1]], dim=1) if recent.shape[1] else recent


def forced_log_p(model: DualAR, hidden: Tensor, codes: Tensor) -> Tensor:
    """log p of given frames at temperature 1, unfiltered: hidden [N, C] before each of codes [N, K]; [N, 2] (slow, mean
    of the fast)."""
    slow = model.slow.logits(hidden).float().log_softmax(-1).gather(-1, codes[:, :1] + 1)[:, 0]
    fast = model.fast.all(hidden, codes).float().log_softmax(-1).gather(-1, codes[:, 1:, None])[..., 0].mean(-1)
    return torch.stack([slow, fast], dim=1)


def judgement(log_p: Tensor, drawn: Tensor) -> Tensor:
    """log p of what was drawn, the entropy of its distribution, and by how much its best is likelier than the next:
    log_p [..., N], drawn [...], result [..., 3]."""
    entropy = -(log_p.exp() * log_p.clamp(min=-1e4)).sum(-1)
    first, second = log_p.topk(2).values.exp().unbind(-1)
    return torch.stack([log_p.gather(-1, drawn[..., None])[..., 0], entropy, first - second], dim=-1)
