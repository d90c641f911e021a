"""The same acting in another timbre: the semantic codes of a span stay, the acoustic ones are drawn anew."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import torch

from engine.errors import RequestError
from engine.frames import begin, draw_timbre, read_frame
from engine.judging import judged
from engine.performance import Loaded
from engine.prompt import frame_columns, read
from engine.request import Event, Finished, FrameData, How, Progress, Report, Retimbre, Score, Take, frozen
from engine.splice import FORCED, check_made, check_span, join, spliced_codes


def retimbre(loaded: Loaded, request: Retimbre) -> Iterator[Event]:
    """Takes as long as the one they come from, best first. Raises RequestError or TooLongError before it starts."""
    began = time.perf_counter()
    take, (start, stop), count = request.take, request.span, len(request.seeds)
    checkpoint, model = loaded.checkpoint, loaded.checkpoint.model
    check_span(request.span, take.frames)
    if not request.seeds or start == stop:
        raise RequestError("Nothing is chosen whose timbre could be drawn anew.")
    check_made(take, checkpoint.digest)
    prompt = take.origin.prompt
    reading = read(prompt, take.frames, checkpoint.tokenizer, checkpoint.config)
    spoken = frame_columns(take.codes, checkpoint.config)  # all of them: what follows the span is judged later
    before = np.concatenate([reading.columns, spoken[:, :start]], axis=1)
    capacity = before.shape[1] + stop - start
    loaded.check_room(count, capacity, capacity)
    recalled = loaded.held.recall(model, before, capacity, reading.voices_stop)
    memory = recalled.memory.taken([0] * count, recalled.memory.lengths * count, capacity)
    said = take.codes[0]
    rows = begin(memory, recalled.hidden.expand(count, -1), said[:start], list(request.seeds), start, request.settings)
    drawn = []
    for frame in range(start, stop):
        codes = draw_timbre(model, rows, int(said[frame]), request.settings)
        drawn.append(codes)
        read_frame(model, rows, codes)
        yield Progress(frame - start + 1, stop - start, stop - start)
    new = torch.stack(drawn, dim=2).cpu().numpy()  # [B, K, stop - start]
    takes = [_retimbred(loaded, request, seed, codes) for seed, codes in zip(request.seeds, new, strict=True)]
    scored = sorted(((_score(request, each), each) for each in takes), key=lambda pair: pair[0].rank, reverse=True)
    report = Report(
        time.perf_counter() - began, None, count * (stop - start), recalled.read, recalled.reused,
        reading.turns_left_out,
    )  # fmt: skip
    nothing = frozen(np.zeros((take.codes.shape[0], 0), np.int16))
    yield Finished(tuple(each for _, each in scored), tuple(score for score, _ in scored), report, (nothing,) * count)


def _retimbred(loaded: Loaded, request: Retimbre, seed: int, codes: np.ndarray) -> Take:
    take = request.take
    origin = loaded.origin(take.origin.prompt, seed, request.settings, How.SPLICED, parent=take.id, span=request.span)
    nothing = frozen(np.zeros((2, take.frames), np.float32))
    made = Take(spliced_codes(take, request.span, codes), origin, FrameData(nothing, nothing), take.capped)
    return judged(loaded, made)


def _score(request: Retimbre, made: Take) -> Score:
    start, stop = request.span
    now = made.frame_data.log_p[:, stop : stop + FORCED]
    kept = request.take.frame_data.log_p[:, stop : stop + FORCED]
    log_p = float(made.frame_data.log_p[:, start:stop].sum(0).mean())
    return Score(join(now.T, kept.T) if now.shape[1] else None, log_p)
