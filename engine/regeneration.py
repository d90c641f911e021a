"""A span of a take made anew: candidates in one batch, cut where the kept frames follow best, scored by their joins."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch

from engine.errors import RequestError
from engine.following import alike, candidate_looks, look_at
from engine.frames import Rows, begin, forced_log_p
from engine.likeness import LEAST_FRAMES, VoiceOfFrames
from engine.performance import Loaded, Performance
from engine.prompt import Reading, frame_columns, read, written
from engine.request import Chunk, Event, Exactly, Finished, Free, How, Progress, Prompt, Regenerate, Report, Score, Take
from engine.speaking import Speaking
from engine.splice import (
    FORCED,
    LOOK_WEIGHT,
    MARGIN_BELOW,
    MARGIN_COST,
    check_made,
    check_span,
    expected_frames,
    join,
    kept_starts,
    length_score,
    most_frames,
    shortlist,
    spliced_codes,
    spliced_data,
)
from engine.text import spoken
from engine.threads import in_one_pass

CUTS_BYTES = 1 << 28  # of memory that cuts are read with at once, unless the candidates have more


@dataclass(frozen=True)
class _Cut:
    """A candidate cut after `frames` of its frames, with the old take kept from frame `kept` on; `forced` [n, 2] are
    the log p of the first kept frames after it."""

    candidate: int
    frames: int
    kept: int
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
    check_made(take, checkpoint.digest)
    expected = expected_frames(take, len(spoken(take.origin.prompt.text)), request.span, request.length)
    most = most_frames(expected, request.length)
    reaches_end = stop == take.frames
    if reaches_end and take.capped and isinstance(request.length, Free):  # the take does not speak all of its text
        whole, cap = loaded.expected(request.prompt, settings)
        expected, most = max(expected, whole - start), max(most, cap - start)
    starts = kept_starts(request.span, take.frames, request.length, request.margin)
    may_end = reaches_end and not isinstance(request.length, Exactly)

    reading = read(request.prompt, start + most + FORCED, checkpoint.tokenizer, checkpoint.config)
    spoken_before = frame_columns(take.codes, checkpoint.config)[:, :start]  # all are looked at: others follow the span
    before = np.concatenate([reading.columns, spoken_before], axis=1)
    capacity = before.shape[1] + most + FORCED
    count = len(request.seeds)
    loaded.check_room(2 * count, capacity, capacity)  # the cuts of as many are read beside them
    recalled = loaded.held.recall(model, before, capacity, reading.voices_stop)
    loaded.held.hold(before, recalled.memory)

    follow = None if reaches_end else _codes_at(take, starts) + 1
    memory = recalled.memory.taken([0] * count, recalled.memory.lengths * count, capacity)
    rows = begin(memory, recalled.hidden.expand(count, -1), take.codes[0, :start], list(request.seeds), start, settings)
    performances = [Performance(seed) for seed in request.seeds]
    speaking = Speaking(model, rows, settings, loaded.statics)
    try:
        going = set(range(count))
        states: list[torch.Tensor] = []  # before each new frame, for scoring the cuts
        hints: list[torch.Tensor] = []
        for frame, heard in enumerate(speaking.frames(may_end, most)):
            if follow is not None:
                states.append(heard.before)
                hints.append(heard.semantic_log_p[:, follow])
            for place, candidate in enumerate(heard.candidates):
                if heard.ended[place]:
                    going.remove(candidate)
                    continue
                performances[candidate].add(heard, place)
                yield Chunk(candidate, performances[candidate].codes(take.codes.shape[0], frame), None)
            if going:
                yield Progress(frame + 1, max(1, round(expected)), most)
        if follow is None:
            for candidate in going:
                performances[candidate].capped = may_end
            cuts = [_uncut(candidate, performance, stop) for candidate, performance in enumerate(performances)]
        else:
            rows = speaking.rows
            states.append(rows.hidden)
            ahead = model.slow.logits(rows.hidden).float().log_softmax(-1)
            hints.append(ahead[:, follow])
            said = _words_said(loaded, request, reading, before, rows, performances, starts)
            follows = torch.stack(hints)[:, :count].cpu().numpy() + said  # [n + 1, B, R]
            cuts = _best_cuts(loaded, request, rows, states, follows, expected, before.shape[1], starts)
    finally:
        speaking.close()
    cuts = _ranked(loaded, request, performances, cuts, expected)
    takes = tuple(_spliced(loaded, request, performances[cut.candidate], cut) for cut in cuts)
    frames = sum(performance.frames for performance in performances)
    report = Report(time.perf_counter() - began, None, frames, recalled.read, recalled.reused, reading.turns_left_out)
    codebooks = take.codes.shape[0]
    beyond = tuple(performances[cut.candidate].codes(codebooks, cut.frames) for cut in cuts)
    yield Finished(takes, tuple(cut.score for cut in cuts), report, beyond)


def _codes_at(take: Take, frames: list[int]) -> torch.Tensor:
    """The semantic codes of these frames."""
    return torch.from_numpy(take.codes[0, frames].astype(np.int64))


def _ranked(
    loaded: Loaded, request: Regenerate, performances: list[Performance], cuts: list[_Cut], expected: float
) -> list[_Cut]:
    """The cuts best first, scored by voice and length as well."""
    codes, (start, stop) = request.take.codes, request.span
    kept = np.concatenate([codes[:, :start], codes[:, stop:]], axis=1)
    voice = VoiceOfFrames(loaded.codec, kept) if kept.shape[1] >= LEAST_FRAMES else None
    scored = []
    for cut in cuts:
        new = performances[cut.candidate].codes(codes.shape[0], 0, cut.frames)
        like = voice.likeness(new) if voice is not None else None
        length = length_score(cut.frames, expected + cut.kept - stop) if cut.frames else None
        if not cut.frames and expected > 0:  # nothing was said where words were wanted
            like = length = 0.0
        scored.append(replace(cut, score=replace(cut.score, voice=like, length=length)))
    return sorted(scored, key=lambda cut: cut.score.rank, reverse=True)


def _uncut(candidate: int, performance: Performance, stop: int) -> _Cut:
    """A candidate with nothing kept after it: ranked by its own mean log p."""
    data = performance.data()
    score = Score(None, float(data.log_p.sum(0).mean()) if performance.frames else -np.inf)
    return _Cut(candidate, performance.frames, stop, np.zeros((0, 2), np.float32), score)


def _words_said(
    loaded: Loaded,
    request: Regenerate,
    reading: Reading,
    before: np.ndarray,
    rows: Rows,
    performances: list[Performance],
    starts: list[int],
) -> np.ndarray:
    """For 0..n frames of each candidate and each kept start, [n + 1, B, R]: whether the model then looks at the text as
    it did before the first kept frame, so that the words of the span are said and the next ones are not begun; weighted
    log p."""
    take = request.take
    codes = np.stack([performance.codes(take.codes.shape[0]) for performance in performances])
    length = before.shape[1] - 1
    memory = rows.memory.taken(list(range(len(codes))), [length] * len(codes), length + 1 + codes.shape[2])
    same = _same_tail(loaded, take.origin.prompt, request.prompt)
    now = candidate_looks(loaded, take, reading, before[:, -1], codes, memory)
    said = [alike(now, then, same).T for then in look_at(loaded, take, starts)]
    return LOOK_WEIGHT * np.stack(said, axis=-1)


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
    starts: list[int],
) -> list[_Cut]:
    """The best cut of every candidate. `hints` [n + 1, B, R]; `position` is where the first new frame stands in memory.

    Cuts with what is kept beginning elsewhere are looked at only of candidates that join badly at the span's end.
    """
    take, stop = request.take, request.span[1]
    later = [start - stop for start in starts]
    places = [
        (candidate, cut, starts[kept])
        for candidate in range(hints.shape[1])
        for cut, kept in shortlist(hints[:, candidate], expected, request.length, later)
    ]
    longest = loaded.checkpoint.model.slow.stack.bytes_of(1, position + len(states) + FORCED)
    at_once = max(len(request.seeds), CUTS_BYTES // longest)
    best: dict[int, tuple[float, _Cut]] = {}
    for elsewhere in (False, True):
        tried = [
            (candidate, cut, kept)
            for candidate, cut, kept in places
            if (kept != stop) is elsewhere
            and (candidate not in best or (best[candidate][1].score.join or 0.0) < MARGIN_BELOW)
        ]
        followed = [
            each
            for start in range(0, len(tried), at_once)
            for each in _followed(loaded, request, rows, states, tried[start : start + at_once], position)
        ]
        for (candidate, cut, kept), forced in zip(tried, followed, strict=True):
            old = take.frame_data.log_p[:, kept : kept + len(forced)].T
            better = float(forced.sum(-1).mean() - old.sum(-1).mean()) - MARGIN_COST * abs(kept - stop)
            if candidate not in best or better > best[candidate][0]:
                score = Score(join(forced, old), float(forced.sum(-1).mean()))
                best[candidate] = (better, _Cut(candidate, cut, kept, forced, score))
    return [cut for _, cut in best.values()]


@in_one_pass
def _followed(
    loaded: Loaded,
    request: Regenerate,
    rows: Rows,
    states: list[torch.Tensor],
    places: list[tuple[int, int, int]],
    position: int,
) -> np.ndarray:
    """log p [N, n, 2] of the first n frames that are kept after each cut: (candidate, frames before it, first kept
    frame). They are read in one batch of rows of different length."""
    model, config, take = loaded.checkpoint.model, loaded.checkpoint.config, request.take
    count = min(FORCED, take.frames - request.span[1])
    lengths = [position + cut for _, cut, _ in places]
    memory = rows.memory.taken([candidate for candidate, _, _ in places], lengths, max(lengths) + FORCED)
    hidden = torch.stack([states[cut][candidate] for candidate, cut, _ in places])[:, None]  # [N, 1, C]
    followed = np.stack([frame_columns(take.codes[:, kept : kept + count], config) for _, _, kept in places])
    columns = torch.from_numpy(followed).to(hidden.device)  # [N, 1 + K, n]
    if count > 1:
        hidden = torch.cat([hidden, model.slow(columns[..., :-1], memory)], dim=1)
    targets = columns[:, 1:].transpose(1, 2)  # [N, n, K]
    log_p = forced_log_p(model, hidden.flatten(0, 1), targets.flatten(0, 1))
    return log_p.unflatten(0, (len(places), -1)).cpu().numpy()


def _spliced(loaded: Loaded, request: Regenerate, performance: Performance, cut: _Cut) -> Take:
    start, replaced = request.span[0], (request.span[0], cut.kept)
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
        spliced_codes(request.take, replaced, new),
        origin,
        spliced_data(request.take, replaced, performance.data(cut.frames), cut.forced),
        performance.capped or (request.take.capped and request.span[1] < request.take.frames),
    )
