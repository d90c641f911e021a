"""Takes of a line, or of several lines at once, sounding while they come."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from engine.errors import EngineError, RequestError, TooLongError
from engine.frames import begin
from engine.held import Recalled
from engine.performance import Loaded, Performance
from engine.prompt import Reading, frame_columns, read
from engine.request import (
    Described,
    Event,
    Failed,
    Finished,
    Generate,
    How,
    Progress,
    Prompt,
    Report,
    Score,
    Settings,
)
from engine.speaking import Heard, Speaking
from engine.text import expected_seconds, frame_cap, has_words
from engine.voicing import Voicing

LEAST_ROOM = 1.5  # times the expected length must fit behind the prompt; the cap yields to the model's limit


def generate(loaded: Loaded, request: Generate) -> Iterator[Event]:
    """One take per seed, in one batch; rows that end leave it. Raises RequestError, TooLongError or DeviceError before
    it starts."""
    for _, event in Lines(loaded, (request,)):
        if isinstance(event, Failed):
            raise event.error
        yield event


class Lines:
    """Requests that are drawn in one batch and answered as if each were alone: (its place among them, an event), until
    each has its Finished, or Failed where it cannot be done. Their settings must be the same but for `most_frames`."""

    def __init__(self, loaded: Loaded, requests: Sequence[Generate]) -> None:
        self._loaded = loaded
        self._requests = requests
        self._left: set[int] = set()

    def leave(self, number: int) -> None:
        """Draw no more of a request; nothing more is said of it."""
        self._left.add(number)

    def __iter__(self) -> Iterator[tuple[int, Event]]:
        lines: list[_Line] = []
        for number, request in enumerate(self._requests):
            try:
                lines.append(_line(self._loaded, number, request, len(self._requests) == len(request.seeds) == 1))
            except EngineError as error:
                yield number, Failed(error)
        if not lines:
            return
        try:
            speaking = self._speaking(lines)
        except EngineError as error:
            for line in lines:
                yield line.number, Failed(error)
            return
        try:
            yield from self._spoken(speaking, lines)
        finally:
            speaking.close()

    def _speaking(self, lines: list[_Line]) -> Speaking:
        """All candidates of all lines in one batch, in order. Raises DeviceError where they do not fit."""
        settings = self._requests[0].settings
        candidates = [line for line in lines for _ in line.performances]
        for first, line in enumerate(candidates):
            line.first = min(line.first, first)
        capacity = max(line.length for line in lines) + max(line.most for line in lines)
        self._loaded.check_room(len(candidates), capacity)
        memory = lines[0].recalled.memory
        if len(candidates) > 1 or memory.capacity < capacity:
            sources = [(line.recalled.memory, 0) for line in candidates]
            memory = memory.joined(sources, [line.length for line in candidates], capacity)
        hidden = torch.cat([line.recalled.hidden for line in candidates])
        seeds = [each.seed for line in lines for each in line.performances]
        rows = begin(memory, hidden, np.zeros(0), seeds, 0, settings)
        return Speaking(self._loaded.checkpoint.model, rows, settings, self._loaded.statics)

    def _spoken(self, speaking: Speaking, lines: list[_Line]) -> Iterator[tuple[int, Event]]:
        for heard in speaking.frames(max(line.most for line in lines), may_end=True):
            for line in lines:
                if line.number in self._left:
                    line.give_up(speaking)
                elif line.going:
                    for event in line.hear(self._loaded, speaking, heard):
                        if line.number in self._left:
                            break
                        yield line.number, event


@dataclass(eq=False)
class _Line:
    """A request on its way. Its candidates are the batch's from `first` on; `going` are those that still speak."""

    number: int
    request: Generate
    reading: Reading
    recalled: Recalled
    expected: int
    most: int
    began: float
    performances: list[Performance]
    voices: list[Voicing]
    going: set[int]
    first: int = 1 << 30
    first_sound: float | None = field(default=None)

    @property
    def length(self) -> int:
        return self.reading.columns.shape[1]

    def hear(self, loaded: Loaded, speaking: Speaking, heard: Heard) -> Iterator[Event]:
        """What a frame of the batch means for this line."""
        for place, candidate in enumerate(heard.candidates):
            own = candidate - self.first
            if own not in self.going:
                continue
            performance = self.performances[own]
            if not heard.ended[place]:
                performance.add(heard, place)
                performance.capped = performance.frames == self.most
            over = bool(heard.ended[place]) or performance.capped
            chunk = self.voices[own].chunk(own, over)
            if chunk is not None:
                self.first_sound = self.first_sound or time.perf_counter() - self.began
                yield chunk
            if over:
                self._hold(loaded, speaking, candidate)
                self.going.remove(own)
                speaking.leave(candidate)
        frames = max(performance.frames for performance in self.performances)
        if self.going or any(performance.capped for performance in self.performances):
            yield Progress(frames, self.expected, self.most)
        if not self.going:
            yield self._finished(loaded)

    def give_up(self, speaking: Speaking) -> None:
        for own in self.going:
            speaking.leave(self.first + own)
        self.going.clear()

    def _hold(self, loaded: Loaded, speaking: Speaking, candidate: int) -> None:
        """Hold what a candidate that is over has read: its prompt and its frames but, where it was cut, the last."""
        config = loaded.checkpoint.config
        codes = self.performances[candidate - self.first].codes(config.num_codebooks)
        columns = np.concatenate([self.reading.columns, frame_columns(codes, config)], axis=1)
        memory, row = speaking.rows.memory, speaking.row(candidate)
        loaded.held.hold(columns[:, : memory.lengths[row]], memory, row)
        loaded.held.keep_voices(columns[:, : self.reading.voices_stop], memory, row)

    def _finished(self, loaded: Loaded) -> Finished:
        request, codebooks = self.request, loaded.checkpoint.config.num_codebooks
        takes = tuple(
            performance.take(
                loaded.origin(request.prompt, performance.seed, request.settings, How.GENERATED), codebooks
            )
            for performance in self.performances
        )
        scores = tuple(
            Score(None, float(take.frame_data.log_p.sum(0).mean()) if take.frames else 0.0) for take in takes
        )
        report = Report(
            time.perf_counter() - self.began,
            self.first_sound,
            sum(take.frames for take in takes),
            self.recalled.read,
            self.recalled.reused,
            self.reading.turns_left_out,
        )
        return Finished(takes, scores, report)


def _line(loaded: Loaded, number: int, request: Generate, alone: bool) -> _Line:
    """Read a request's prompt; where its one candidate speaks alone, into the memory that it speaks from.

    Raises RequestError or TooLongError where it cannot be spoken.
    """
    began = time.perf_counter()
    if not request.seeds:
        raise RequestError("A line cannot be generated without a seed.")
    if not has_words(request.prompt.text):
        raise RequestError("There is nothing to speak in this line: it holds no word.")
    checkpoint = loaded.checkpoint
    expected, most = _expected(loaded, request.prompt, request.settings)
    reading = read(request.prompt, min(most, round(LEAST_ROOM * expected)), checkpoint.tokenizer, checkpoint.config)
    length = reading.columns.shape[1]
    most = min(most, checkpoint.config.max_seq_len - length)
    room = length + most if alone else length
    recalled = loaded.held.recall(checkpoint.model, reading.columns, room, reading.voices_stop)
    loaded.held.hold(reading.columns, recalled.memory)
    performances = [Performance(seed) for seed in request.seeds]
    voices = [Voicing(loaded.codec, performance, expected) for performance in performances]
    going = set(range(len(performances)))
    return _Line(number, request, reading, recalled, expected, most, began, performances, voices, going)


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
