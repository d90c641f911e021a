"""A take of a line, or several at once, sounding while they come."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch

from engine.errors import RequestError, TooLongError
from engine.frames import begin, draw_frame, read_frame
from engine.performance import Loaded, Performance
from engine.prompt import frame_columns, read
from engine.request import (
    Chunk,
    Described,
    Event,
    Finished,
    Generate,
    How,
    Progress,
    Prompt,
    Report,
    Score,
    Settings,
)
from engine.text import expected_seconds, frame_cap, has_words

LEAST_ROOM = 1.5  # times the expected length must fit behind the prompt; the cap yields to the model's limit
CHUNKS = (3, 4, 8, 16)  # frames decoded at a time: the first soon, later ones in larger, cheaper pieces


def generate(loaded: Loaded, request: Generate) -> Iterator[Event]:
    """One take per seed, in one batch; rows that end leave it. Raises RequestError or TooLongError before it starts."""
    began = time.perf_counter()
    if not request.seeds:
        raise RequestError("A line cannot be generated without a seed.")
    if not has_words(request.prompt.text):
        raise RequestError("There is nothing to speak in this line: it holds no word.")
    checkpoint, model, settings = loaded.checkpoint, loaded.checkpoint.model, request.settings
    codebooks = checkpoint.config.num_codebooks
    expected, most = _expected(loaded, request.prompt, settings)

    reading = read(request.prompt, min(most, round(LEAST_ROOM * expected)), checkpoint.tokenizer, checkpoint.config)
    most = min(most, checkpoint.config.max_seq_len - reading.columns.shape[1])
    capacity = reading.columns.shape[1] + most
    recalled = loaded.held.recall(model, reading.columns, capacity)
    loaded.held.hold(reading.columns, recalled.memory)

    count = len(request.seeds)
    memory = recalled.memory
    if count > 1:
        memory = memory.taken([0] * count, memory.lengths * count, capacity)
    rows = begin(memory, recalled.hidden.expand(count, -1), np.zeros(0), list(request.seeds), 0, settings)
    performances = [Performance(seed) for seed in request.seeds]
    voices = [_Voicing(loaded, performance) for performance in performances]
    speaking = list(range(count))  # which candidate each row is
    first_sound: float | None = None

    for frame in range(most + 1):
        last = frame == most
        drawn = None if last else draw_frame(model, rows, settings, may_end=frame > 0)
        ended = drawn.ended.tolist() if drawn else [True] * len(speaking)
        for row, candidate in enumerate(speaking):
            if drawn and not ended[row]:
                performances[candidate].add(drawn, row)
                continue
            performances[candidate].capped = last
            columns = [reading.columns, frame_columns(performances[candidate].codes(codebooks), checkpoint.config)]
            loaded.held.hold(np.concatenate(columns, axis=1), rows.memory, row)
        for candidate, over in zip(speaking, ended, strict=True):
            chunk = voices[candidate].chunk(candidate, over)
            if chunk is not None:
                first_sound = first_sound or time.perf_counter() - began
                yield chunk
        going = [row for row, over in enumerate(ended) if not over]
        speaking = [speaking[row] for row in going]
        if not speaking or drawn is None:
            break
        if len(going) < len(ended):
            rows.keep(going)
        read_frame(model, rows, drawn.codes[going])
        yield Progress(frame + 1, expected, most)

    takes = tuple(
        performance.take(loaded.origin(request.prompt, performance.seed, settings, How.GENERATED), codebooks)
        for performance in performances
    )
    scores = tuple(Score(None, float(take.frame_data.log_p.sum(0).mean()) if take.frames else 0.0) for take in takes)
    report = Report(
        time.perf_counter() - began,
        first_sound,
        sum(take.frames for take in takes),
        recalled.read,
        recalled.reused,
        reading.turns_left_out,
    )
    yield Finished(takes, scores, report)


def describe(loaded: Loaded, prompt: Prompt, settings: Settings) -> Described:
    """The prompt as it would be read for a take of its line, whether it fits or not."""
    checkpoint = loaded.checkpoint
    limit = checkpoint.config.max_seq_len
    expected, most = _expected(loaded, prompt, settings)
    room = min(most, round(LEAST_ROOM * expected))
    try:
        reading = read(prompt, room, checkpoint.tokenizer, checkpoint.config)
    except TooLongError as error:  # nothing more can be left out of it
        bare = replace(prompt, context=())
        reading = read(bare, room + limit - error.positions, checkpoint.tokenizer, checkpoint.config)
        reading = replace(reading, turns_left_out=len(prompt.context))
    return Described(reading.rows, reading.columns.shape[1], room, limit, reading.turns_left_out)


def _expected(loaded: Loaded, prompt: Prompt, settings: Settings) -> tuple[int, int]:
    """How many frames the line probably takes, and the most it may."""
    most = min(frame_cap(prompt.text, loaded.frames_per_second), settings.most_frames or 1 << 30)
    return max(1, min(most, round(expected_seconds(prompt.text) * loaded.frames_per_second))), most


class _Voicing:
    """A candidate's frames becoming sound, a chunk at a time."""

    def __init__(self, loaded: Loaded, performance: Performance) -> None:
        self._codec = loaded.codec
        self._codebooks = loaded.checkpoint.config.num_codebooks
        self._performance = performance
        self._stream = loaded.codec.start()
        self._sounded = 0
        self._chunks = 0

    def chunk(self, candidate: int, ended: bool) -> Chunk | None:
        """The frames that are due, decoded; None while too few are there. At the end whatever is left is due."""
        waiting = self._performance.frames - self._sounded
        if waiting == 0 or (not ended and waiting < CHUNKS[min(self._chunks, len(CHUNKS) - 1)]):
            return None
        codes = self._performance.codes(self._codebooks, self._sounded)
        samples = self._codec.step(self._stream, torch.from_numpy(codes.astype(np.int64)))
        self._sounded += waiting
        self._chunks += 1
        return Chunk(candidate, codes, samples.float().cpu().numpy())
