"""Lessons in which the model remembers what it would have said itself, and still has to say what is right.

A model that has only read true frames takes every detail of them for certain. When it speaks it reads its own, which
are never quite right, and one mistake brings the next: after true frames the recogniser heard three of four words,
after the model's own one of four.

Shapes: B lessons, T positions, N frames, K codebooks, C model width.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.dual_ar import DualAR, FastAR
from voice.geometry import Near
from voice.lessons import Batch
from voice.unremembered import Unremembered

TEMPERATURE = 0.3
LESSONS = 0.6  # share of a batch's lessons that remember frames of the model's own
SEMANTIC = 0.6  # share of these in which the first row is the model's own, too
AGAIN = 0.5  # share of the batches that are told twice, the second time after frames of the model's own


@torch.no_grad()
def remembering_itself(model: DualAR, books: list[Near], batch: Batch, chance: torch.Generator) -> Batch:
    """A batch of which some lessons read frames that the model told after reading the true ones, at times after reading
    frames that it told so before; in each lesson a share of its own. What is asked stays, and so do hidden frames."""
    count, device = round(LESSONS * len(batch.columns)), batch.columns.device
    few = torch.randperm(len(batch.columns), generator=chance, device=device)[:count]
    columns, target = batch.columns[few], batch.target[few]
    for _ in range(2 if _draw(1, chance) < AGAIN else 1):
        columns = _told_over(model, books, columns, target, chance)
    return replace(batch, columns=batch.columns.index_copy(0, few, columns))


def _told_over(model: DualAR, books: list[Near], columns: Tensor, target: Tensor, chance: torch.Generator) -> Tensor:
    """Columns [B, 1 + K, T] with a share of the frames that answer told anew after reading these columns."""
    config, count, device = model.config, len(columns), columns.device
    lesson, before = (target > 0).nonzero(as_tuple=True)  # the positions that tell a frame
    hidden = model.slow(columns, Unremembered(count, device))[lesson, before]
    likely = F.linear(hidden, model.slow.embeddings.weight[config.semantic_start : config.semantic_end + 1])
    free = _draw(count, chance)[lesson] < SEMANTIC
    semantic = torch.where(free, drawn(likely, chance), target[lesson, before] - 1)
    told = told_rows(model.fast, books, hidden, semantic, chance)
    share = torch.maximum(_draw(count, chance), _draw(count, chance))  # all of the frames more often than none
    own = _draw(len(lesson), chance) < share[lesson]
    lesson, at, told = lesson[own], before[own] + 1, told[own]
    shown = columns[lesson, 0, at] != config.end_id
    columns = columns.clone()
    columns[lesson, 1:, at] = told
    columns[lesson, 0, at] = torch.where(shown, config.semantic_start + told[:, 0], config.end_id)
    return columns


def told_rows(fast: FastAR, books: list[Near], hidden: Tensor, semantic: Tensor, chance: torch.Generator) -> Tensor:
    """What the fast AR makes of hidden states [N, C] and semantic codes [N]: whole frames [N, K]."""
    told = [semantic]
    memory = fast.stack.memory(len(hidden), len(books))
    logits = fast.start(hidden, semantic, memory)
    for book in books[1:]:
        told.append(book.start + drawn(logits[:, book.start : book.stop], chance))
        if len(told) < len(books):
            logits = fast.next(told[-1], memory)
    return torch.stack(told, dim=1)


def drawn(logits: Tensor, chance: torch.Generator) -> Tensor:
    """One of each row's codes, [N]."""
    return (logits / TEMPERATURE).softmax(-1).multinomial(1, generator=chance)[:, 0]


def _draw(count: int, chance: torch.Generator) -> Tensor:
    return torch.rand(count, generator=chance, device=chance.device)
