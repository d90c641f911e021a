"""A span of a take made anew: candidates in one batch, cut where the kept frames follow best, scored by their joins."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from engine.errors import RequestError
from engine.following import alike, candidate_looks, look_at
from engine.frames import Rows, begin, forced_log_p
from engine.performance import Loaded, Performance
from engine.prompt import Reading, frame_columns, read, written
from engine.request import Chunk, Event, Exactly, Finished, How, Progress, Prompt, Regenerate, Report, Score, Take
from engine.speaking import Speaking
from engine.splice import (
    FORCED,
    LOOK_WEIGHT,
    check_span,
    expected_frames,
    join,
    most_frames,
    shortlist,
    spliced_codes,
    spliced_data,
)
from engine.text import spoken


@dataclass(frozen=True)
class _Cut:
    """A candidate cut after `frames` of its frames; `forced` [n, 2] are the log p of the first kept frames after it."""

    candidate: int
    frames: int
    forced: np.ndarray
    score: Score


def regenerate(loaded: Loaded, request: Regenerate) -> Iterator[Event]:
    """Spliced takes, best first. Raises RequestError or TooLongError before it starts."""
    began = time.perf_counter()
    take, (start, stop) = request.take, request.span
    checkpoint, model, settings = loaded.checkpoint, loaded.checkpoint.model, request.settings
    check_span(request.span, take.frames)
    if not request.seeds:
        raise RequestError("A span cannot be regenerated without a seed.")
    if take.origin.checkpoint != checkpoint.digest:
        raise RequestError("This take was made by another checkpoint: generate the line anew, or load that checkpoint.")
    expected = expected_frames(take, len(spoken(take.origin.prompt.text)), request.span, request.length)
    most = most_frames(expected, request.length)
    reaches_end = stop == take.frames
    may_end = reaches_end and not isinstance(request.length, Exactly)

    reading = read(request.prompt, start + most + FORCED, checkpoint.tokenizer, checkpoint.config)
    before = np.concatenate([reading.columns, frame_columns(take.codes[:, :start], checkpoint.config)], axis=1)
    capacity = before.shape[1] + most + FORCED
    recalled = loaded.held.recall(model, before, capacity, reading.voices_stop)
    loaded.held.hold(before, recalled.memory)

    count = len(request.seeds)
    loaded.check_room(count, capacity)
    memory = recalled.memory.taken([0] * count, recalled.memory.lengths * count, capacity)
    rows = begin(memory, recalled.hidden.expand(count, -1), take.codes[0, :start], list(request.seeds), start, settings)
    performances = [Performance(seed) for seed in request.seeds]
    speaking = Speaking(model, rows, settings, loaded.statics)
    try:
        going = set(range(count))
        states: list[torch.Tensor] = []  # before each new frame, for scoring the cuts
        hints: list[torch.Tensor] = []
        for frame, heard in enumerate(speaking.frames(most, may_end)):
            if not reaches_end:
                states.append(heard.before)
                hints.append(heard.semantic_log_p[:, 1 + int(take.codes[0, stop])])
            for place, candidate in enumerate(heard.candidates):
                if heard.ended[place]:
                    going.remove(candidate)
                    continue
                performances[candidate].add(heard, place)
                yield Chunk(candidate, performances[candidate].codes(take.codes.shape[0], frame), None)
            if going:
                yield Progress(frame + 1, max(1, round(expected)), most)
        if reaches_end:
            for candidate in going:
                performances[candidate].capped = may_end
            cuts = [_uncut(candidate, performance) for candidate, performance in enumerate(performances)]
        else:
            states.append(rows.hidden)
            ahead = model.slow.logits(rows.hidden).float().log_softmax(-1)
            hints.append(ahead[:, 1 + int(take.codes[0, stop])])
            said = _words_said(loaded, request, reading, before, rows, performances)
            follows = torch.stack(hints).cpu().numpy() + said
            cuts = _best_cuts(loaded, request, rows, states, follows, expected, before.shape[1])
    finally:
        speaking.close()
    cuts.sort(key=lambda cut: (cut.score.join or 0.0, cut.score.log_p), reverse=True)
    takes = tuple(_spliced(loaded, request, performances[cut.candidate], cut) for cut in cuts)
    frames = sum(performance.frames for performance in performances)
    report = Report(time.perf_counter() - began, None, frames, recalled.read, recalled.reused, reading.turns_left_out)
    codebooks = take.codes.shape[0]
    beyond = tuple(performances[cut.candidate].codes(codebooks, cut.frames) for cut in cuts)
    yield Finished(takes, tuple(cut.score for cut in cuts), report, beyond)


def _uncut(candidate: int, performance: Performance) -> _Cut:
    """A candidate with nothing kept after it: ranked by its own mean log p."""
    data = performance.data()
    score = Score(None, float(data.log_p.sum(0).mean()) if performance.frames else -np.inf)
    return _Cut(candidate, performance.frames, np.zeros((0, 2), np.float32), score)


def _words_said(
    loaded: Loaded,
    request: Regenerate,
    reading: Reading,
    before: np.ndarray,
    rows: Rows,
    performances: list[Performance],
) -> np.ndarray:
    """For 0..n frames of each candidate, [n + 1, B]: whether the model then looks at the text as it did before the
    first kept frame, so that the words of the span are said and the next ones are not begun; weighted log p."""
    take, stop = request.take, request.span[1]
    codes = np.stack([performance.codes(take.codes.shape[0]) for performance in performances])
    length = before.shape[1] - 1
    memory = rows.memory.taken(list(range(len(codes))), [length] * len(codes), length + 1 + codes.shape[2])
    then = look_at(loaded, take, stop)
    now = candidate_looks(loaded, take, reading, before[:, -1], codes, memory)
    return LOOK_WEIGHT * alike(now, then, _same_tail(loaded, take.origin.prompt, request.prompt)).T


def _same_tail(loaded: Loaded, old: Prompt, new: Prompt) -> int:
    """How many tokens at the end of both texts are the same."""
    one, other = (loaded.checkpoint.tokenizer.encode(written(each.parts)) for each in (old, new))
    same = 0
    while same < min(len(one), len(other)) and one[-1 - same] == other[-1 - same]:
        same += 1
    return same


def _best_cuts(
    loaded: Loaded,
    request: Regenerate,
    rows: Rows,
    states: list[torch.Tensor],
    hints: np.ndarray,
    expected: float,
    position: int,
) -> list[_Cut]:
    """The best cut of every candidate. `hints` [n + 1, B]; `position` is where the first new frame stands in memory.

    The kept frames after each shortlisted cut are teacher-forced, all cuts in one batch of rows of different length.
    """
    model, stop = loaded.checkpoint.model, request.span[1]
    kept = request.take.codes[:, stop : stop + FORCED]
    places = [
        (candidate, cut)
        for candidate in range(hints.shape[1])
        for cut in shortlist(hints[:, candidate], expected, request.length)
    ]
    lengths = [position + cut for _, cut in places]
    memory = rows.memory.taken([candidate for candidate, _ in places], lengths, max(lengths) + FORCED)
    hidden = torch.stack([states[cut][candidate] for candidate, cut in places])[:, None]  # [N, 1, C]
    columns = torch.from_numpy(frame_columns(kept, loaded.checkpoint.config)).to(hidden.device)  # [1 + K, n]
    if columns.shape[1] > 1:
        hidden = torch.cat([hidden, model.slow(columns[None, :, :-1].expand(len(places), -1, -1), memory)], dim=1)
    targets = columns[1:].T.expand(len(places), -1, -1)  # [N, n, K]
    now = forced_log_p(model, hidden.flatten(0, 1), targets.flatten(0, 1)).unflatten(0, (len(places), -1)).cpu().numpy()
    old = request.take.frame_data.log_p[:, stop : stop + FORCED].T
    best: dict[int, tuple[float, _Cut]] = {}
    for (candidate, cut), forced in zip(places, now, strict=True):
        follows = float(forced.sum(-1).mean())
        if candidate not in best or follows > best[candidate][0]:
            best[candidate] = (follows, _Cut(candidate, cut, forced, Score(join(forced, old), follows)))
    return [cut for _, cut in best.values()]


def _spliced(loaded: Loaded, request: Regenerate, performance: Performance, cut: _Cut) -> Take:
    start = request.span[0]
    new = performance.codes(request.take.codes.shape[0], 0, cut.frames)
    origin = loaded.origin(
        request.prompt,
        performance.seed,
        request.settings,
        How.SPLICED,
        parent=request.take.id,
        span=(start, start + cut.frames),
    )
    return Take(
        spliced_codes(request.take, request.span, new),
        origin,
        spliced_data(request.take, request.span, performance.data(cut.frames), cut.forced),
        performance.capped or (request.take.capped and request.span[1] < request.take.frames),
    )
