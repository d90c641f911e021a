"""Fourth step: the language model, trained with the engine's own modules.

Three losses: the slow AR's next semantic code (or the end); the fast AR's other codes, of which the right one's
neighbours count as well; and the attention of a few heads, which is shown the token being spoken (those heads are named
in the config and find words on frames) or the one after it.

python -m voice.train_model FOLDER [--steps N] [--batch B] [--processes P] [--rate R] [--cool STEPS]
[--referred SHARE] [--name NAME]
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, distributed, nn
from torch.nn import functional as F

from engine.config import ModelConfig, read_config
from engine.dual_ar import Attention, Block, DualAR, FastAR
from engine.tokenizer import Tokenizer
from voice.course import Course, rank
from voice.encode import Spoken, read_codes
from voice.geometry import Near, begin, read_codebooks
from voice.lessons import Batch, Lesson, Teaching
from voice.own_history import remembering_itself
from voice.unremembered import Unremembered

LOOK_AHEAD = ((2, 0), (2, 2))  # (layer, head): at the token after the one being spoken
FIRST_ROW, LAST_ROW = 1.8, 0.2  # weights of the fast AR's rows: each tells less of the sound than the one before
EARLY, LATE_FRAMES = 5, 4  # the fast AR learns so many rows from all frames, the others from every so-manieth
FAST_WEIGHT, GAZE_WEIGHT = 4.0, 0.3
HIDDEN = 0.25  # of the spoken frames
TURNING = ("attention.wqkv.weight", "attention.wo.weight", "w1.weight", "w2.weight", "w3.weight")
HELD_OUT = 64  # recordings kept for checking
POOL = 24  # batches whose lessons are sorted by length together


class Gaze:
    """Catches what chosen heads attend to while the slow AR runs."""

    def __init__(self, model: DualAR, heads: tuple[tuple[int, int], ...]) -> None:
        self.shares: dict[tuple[int, int], Tensor] = {}
        for layer in {layer for layer, _ in heads}:
            block = model.slow.stack.layers[layer]
            assert isinstance(block, Block)
            chosen = [head for at, head in heads if at == layer]
            block.attention.register_forward_hook(partial(self._catch, layer, chosen))

    def _catch(
        self, layer: int, heads: list[int], attention: Attention, _: Any, told: tuple[Tensor, Tensor, Tensor]
    ) -> None:
        for head in heads:
            key = head * attention.groups // attention.heads  # the key head that it shares
            self.shares[layer, head] = log_attention(told[0][:, :, head], told[1][:, :, key])


def log_attention(queries: Tensor, keys: Tensor) -> Tensor:
    """The log of what one head attends to, of its queries and keys [B, T, D]: [B, T, T]."""
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    ahead = torch.ones(scores.shape[1:], dtype=torch.bool, device=scores.device).triu(1)
    return scores.masked_fill(ahead, -1e4).log_softmax(-1)


def losses(model: DualAR, gaze: Gaze, books: list[Near], batch: Batch) -> dict[str, Tensor]:
    """The losses of one batch, each a mean: `slow`, `fast`, `gaze`."""
    config, slow = model.config, model.slow
    hidden = slow(batch.columns, Unremembered(len(batch.columns), batch.columns.device))  # [B, T, C]
    asked = batch.target >= 0
    hidden, target = hidden[asked], batch.target[asked]
    table = slow.embeddings.weight
    head = torch.cat([table[config.end_id][None], table[config.semantic_start : config.semantic_end + 1]])
    slow_loss = F.cross_entropy(F.linear(hidden, head), target)

    frames = (target > 0).nonzero()[:, 0]
    fast_loss = acoustic_loss(model.fast, books, hidden[frames], batch.codes[asked][frames])

    wanted = [(batch.here, head) for head in config.alignment_heads] + [(batch.ahead, head) for head in LOOK_AHEAD]
    off = [-(where * gaze.shares[head]).sum() / asked.sum() for where, head in wanted]
    return {"slow": slow_loss, "fast": fast_loss, "gaze": torch.stack(off).mean()}


def acoustic_loss(fast: FastAR, books: list[Near], hidden: Tensor, codes: Tensor) -> Tensor:
    """The fast AR's loss on frames, hidden [N, C] and codes [N, K]: the mean over rows, each weighed."""
    weights = torch.linspace(FIRST_ROW, LAST_ROW, codes.shape[1] - 1, device=hidden.device)
    whole = torch.zeros(len(codes), dtype=torch.bool, device=hidden.device)
    whole[::LATE_FRAMES] = True
    all_rows = row_losses(fast, books, hidden[whole], codes[whole])
    early = row_losses(fast, books, hidden[~whole], codes[~whole, : EARLY + 1])
    first = torch.cat([all_rows[:, : early.shape[1]], early]).mean(0)
    return (weights * torch.cat([first, all_rows[:, early.shape[1] :].mean(0)])).mean()


def row_losses(fast: FastAR, books: list[Near], hidden: Tensor, codes: Tensor) -> Tensor:
    """How far each acoustic row of frames is from the shares of the right codes' neighbours, [N, rows]."""
    x = torch.cat([fast.project_in(hidden)[:, None], fast.embeddings(codes[:, :-1])], dim=1)
    logits = fast.output(fast.stack(x, Unremembered(len(x), x.device))[:, 1:])
    told = []
    for row, book in enumerate(books[1 : codes.shape[1]]):
        share = book.share[codes[:, row + 1] - book.start].to(logits)
        told.append((share * logits[:, row, book.start : book.stop]).sum(-1))
    return logits.logsumexp(-1) - torch.stack(told, dim=1)


def new_model(config: ModelConfig, books: list[Near]) -> DualAR:
    """A model with small random weights, and tables that tell what codes mean."""
    model = DualAR(config)
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2:
            std = 0.05 if "embeddings" in name or "fusion" in name else 0.7 / math.sqrt(parameter.shape[1])
            nn.init.normal_(parameter, 0.0, std)
    begin(model, books)
    return model


def shares(spoken: list[Spoken]) -> list[float]:
    """How often each recording is learned from, summed up: a voice as often as the root of how many it has."""
    counts = Counter(one.voice for one in spoken)
    return list(accumulate(counts[one.voice] ** -0.5 for one in spoken))


def endless(teaching: Teaching, size: int, referred: float, seed: int) -> Iterator[list[Lesson]]:
    """Batches of lessons of about one length, from seeded chance."""
    chance = random.Random(seed)
    kinds = [(kind, spoken, shares(spoken)) for kind, spoken in ((False, teaching.named), (True, teaching.spoken))]
    while True:
        lessons = []
        for kind, spoken, often in kinds:
            count = round(POOL * (referred if kind else 1 - referred))
            chosen = chance.choices(spoken, cum_weights=often, k=count * size)
            lessons += [teaching.lesson(one, kind, chance) for one in chosen]
        lessons.sort(key=lambda lesson: lesson.columns.shape[1])
        batches = [lessons[start : start + size] for start in range(0, len(lessons), size)]
        chance.shuffle(batches)
        yield from batches


def train(options: argparse.Namespace) -> None:
    folder: Path = options.folder
    config, tokenizer = read_config(folder / "model"), Tokenizer(folder / "model", read_config(folder / "model"))
    spoken = list(read_codes(folder / "codes"))
    random.Random(0).shuffle(spoken)
    checking = Teaching(spoken[:HELD_OUT], tokenizer, config)
    teaching = Teaching(spoken[HELD_OUT:], tokenizer, config)
    device = torch.device(options.device)
    torch.manual_seed(0)
    books = read_codebooks(folder / "codec")
    model = new_model(config, books).to(device)
    books = [replace(book, share=book.share.to(device)) for book in books]
    gaze = Gaze(model, config.alignment_heads + LOOK_AHEAD)
    path = folder / f"{options.name}.pt"
    course = Course(path, model, options.steps, options.rate, 0.05, 0.998, TURNING, options.cool)
    answers = [checking.lesson(one, False, random.Random(0)) for one in checking.named]
    check = checking.batch(answers, 0.0, np.random.default_rng(0)).to(device)
    source = endless(teaching, options.batch, options.referred, 2 * course.step + rank())
    parent = multiprocessing.parent_process()
    for step in course:
        if parent is not None and not parent.is_alive():
            return  # it was killed, and another course may begin where this one was saved
        batch = teaching.batch(next(source), HIDDEN, np.random.default_rng(2 * step + rank())).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            batch = remembering_itself(model, books, batch, torch.Generator(device).manual_seed(2 * step + rank()))
            parts = losses(model, gaze, books, batch)
        course.learn(parts["slow"] + FAST_WEIGHT * parts["fast"] + GAZE_WEIGHT * parts["gaze"], **parts)
        if (step + 1) % 500 == 0 and rank() == 0:
            with torch.no_grad():
                told = {key: round(value.item(), 3) for key, value in losses(model, gaze, books, check).items()}
            print(f"held out: {told}", flush=True)


def side_by_side(number: int, meeting: str, options: argparse.Namespace) -> None:
    """One of several processes that train one model, each on batches of its own."""
    torch.set_num_threads(1)
    where = Path(meeting).as_uri()
    distributed.init_process_group("gloo", init_method=where, rank=number, world_size=options.processes)
    train(options)
    distributed.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", default="model", help="of the course's file in the folder")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--batch", type=int, default=16, help="lessons of each process in a step")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--cool", type=int, metavar="STEPS", help="how many of the last ones the rate falls in")
    parser.add_argument("--referred", type=float, default=0.25, help="share of lessons with a reference")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cuda: then with --processes 1 and a larger batch")
    options = parser.parse_args()
    if options.processes == 1:
        train(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        meeting = str(Path(folder) / "meeting")
        spawning = multiprocessing.get_context("spawn")
        numbers = range(options.processes)
        processes = [spawning.Process(target=side_by_side, args=(number, meeting, options)) for number in numbers]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
    sys.exit(max(process.exitcode or 0 for process in processes))


if __name__ == "__main__":
    main()
