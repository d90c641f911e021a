"""Takes of a line, or of several lines at once, sounding while they come."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from engine.codec import Codec
from engine.errors import DeviceError, EngineError, RequestError, TooLongError
from engine.frames import Rows, begin
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
from engine.speaking import AHEAD, Heard, Speaking
from engine.text import has_words
from engine.voicing import Voicing

FULL = "The memory of the device is too small for this line: close other programs, or choose another precision."
LEAST_ROOM = 1.5  # times the expected length must fit behind the prompt; the cap yields to the model's limit


def generate(loaded: Loaded, request: Generate) -> Iterator[Event]:
    """One take per seed, in one batch; rows that end leave it. Raises RequestError, TooLongError or DeviceError before
    it starts."""
    for _, event in Lines(loaded, (request,)):
        if isinstance(event, Failed):
            raise event.error
        yield event


class Lines:
    """Requests that are drawn in one batch and answered as if each were alone: (its number, an event), until each has
    its Finished, or Failed where it cannot be done. Their settings must be the same but for `most_frames`.

    At most `at_once` of them speak at the same time, fewer where the memory is small; the others come in at the next
    frame when there is room for them, and so do those that are added while it runs. Without `sound` no Chunk tells
    how they sound so far.
    """

    def __init__(
        self, loaded: Loaded, requests: Sequence[Generate], at_once: int | None = None, sound: bool = True
    ) -> None:
        self._loaded = loaded
        self._sound = sound
        self._at_once = at_once or sys.maxsize
        self._count = 0
        self._waiting: deque[tuple[int, Generate]] = deque()
        self._left: set[int] = set()
        self._going: list[_Line] = []
        self._speaking: Speaking | None = None
        self._changed = False  # whether more may fit than when it was tried last
        for request in requests:
            self.add(request)

    def add(self, request: Generate) -> int:
        """Have another line spoken, from the next frame on where there is room; its number."""
        self._waiting.append((self._count, request))
        self._count += 1
        self._changed = True
        return self._count - 1

    def leave(self, number: int) -> None:
        """Draw no more of a request; nothing more is said of it."""
        self._waiting = deque(waiting for waiting in self._waiting if waiting[0] != number)
        self._left.add(number)

    def __iter__(self) -> Iterator[tuple[int, Event]]:
        try:
            yield from self._let_in()
            while self._speaking is not None:
                for heard in self._speaking.frames(may_end=True):
                    yield from self._hear(self._speaking, heard)
                    yield from self._let_in()
                self._speaking.close()
                self._speaking = None
                yield from self._let_in()
        finally:
            if self._speaking is not None:
                self._speaking.close()

    def _hear(self, speaking: Speaking, heard: Heard) -> Iterator[tuple[int, Event]]:
        for line in self._going:
            if line.number in self._left:
                line.give_up(speaking)
                continue
            for event in line.hear(self._loaded, speaking, heard):
                if line.number in self._left:
                    break
                yield line.number, event
        going = [line for line in self._going if line.going]
        self._changed = self._changed or len(going) < len(self._going)
        self._going = going

    def _let_in(self) -> Iterator[tuple[int, Event]]:
        """Those who wait come in, as many as there is room for. Who cannot be spoken even alone is answered."""
        if not self._changed:
            return
        self._changed = False
        lines: list[_Line] = []
        while self._waiting and len(self._going) + len(lines) < self._at_once:
            number, request = self._waiting.popleft()
            try:
                line = _read(self._loaded, number, request)
                self._check_room([*lines, line])
            except EngineError as error:
                if isinstance(error, DeviceError) and (lines or self._going):
                    self._waiting.appendleft((number, request))
                    break
                yield number, Failed(error)
            else:
                lines.append(line)
        if lines:
            yield from self._begun(lines)

    def _begun(self, lines: list[_Line]) -> Iterator[tuple[int, Event]]:
        """Have lines speak; fewer of them where the memory turns out too small after all."""
        try:
            rows = self._rows(lines)
        except torch.OutOfMemoryError:
            if not self._going and len(lines) == 1:
                yield lines[0].number, Failed(DeviceError(FULL))
            else:
                self._at_once = max(1, (len(self._going) + len(lines)) // 2)
                self._waiting.extendleft((line.number, line.request) for line in reversed(lines))
            self._changed = not self._going
            yield from self._let_in()
            return
        if self._speaking is None:
            first, settings = 0, lines[0].request.settings
            self._speaking = Speaking(self._loaded.checkpoint.model, rows, settings, self._loaded.statics)
        else:
            first = self._speaking.join(rows)
        for line in lines:
            line.begin(self._loaded.codec if self._sound else None, first)
            first += len(line.performances)
        self._going += lines

    def _check_room(self, lines: list[_Line]) -> None:
        """Raises DeviceError where lines do not fit beside those that speak."""
        together = self._going + lines
        candidates = sum(len(line.performances) for line in together)
        self._loaded.check_room(candidates, max(line.room for line in together), sum(line.length for line in lines))

    def _rows(self, lines: list[_Line]) -> Rows:
        """All candidates of lines, in order, before their first frame; their prompts are read."""
        candidates = [line for line in lines for _ in line.performances]
        capacity = max(line.room for line in lines)
        recalled = [line.read(self._loaded, capacity if len(candidates) == 1 else line.length) for line in lines]
        spread = [each for line, each in zip(lines, recalled, strict=True) for _ in line.performances]
        memory = spread[0].memory
        if len(candidates) > 1:
            lengths = [line.length for line in candidates]
            memory = memory.joined([(each.memory, 0) for each in spread], lengths, capacity)
        hidden = torch.cat([each.hidden for each in spread])
        seeds = [each.seed for line in lines for each in line.performances]
        return begin(memory, hidden, np.zeros(0), seeds, 0, lines[0].request.settings)


@dataclass(eq=False)
class _Line:
    """A request on its way. Its candidates are the batch's from `first` on; `going` are those that still speak."""

    number: int
    request: Generate
    reading: Reading
    expected: int
    most: int
    performances: list[Performance]
    going: set[int]
    first: int = 0
    began: float = 0.0
    positions: tuple[int, int] = (0, 0)  # of the prompt, read and reused
    first_sound: float | None = None
    voices: list[Voicing] = field(default_factory=list)

    @property
    def length(self) -> int:
        return self.reading.columns.shape[1]

    @property
    def room(self) -> int:
        """The positions that each of its candidates may fill."""
        return self.length + self.most + AHEAD

    def read(self, loaded: Loaded, capacity: int) -> Recalled:
        """Read the prompt into a memory of such a capacity."""
        self.began = time.perf_counter()
        columns = self.reading.columns
        recalled = loaded.held.recall(loaded.checkpoint.model, columns, capacity, self.reading.voices_stop)
        loaded.held.hold(columns, recalled.memory)
        self.positions = recalled.read, recalled.reused
        return recalled

    def begin(self, codec: Codec | None, first: int) -> None:
        """From now on its candidates speak, in the batch from `first` on; with a codec, they sound."""
        self.first = first
        if codec is not None:
            self.voices = [Voicing(codec, performance, self.expected) for performance in self.performances]

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
            chunk = self.voices[own].chunk(own, over) if self.voices else None
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
            *self.positions,
            self.reading.turns_left_out,
        )
        return Finished(takes, scores, report)


def _read(loaded: Loaded, number: int, request: Generate) -> _Line:
    """A request whose prompt is written but not read. Raises RequestError or TooLongError where it cannot be spoken."""
    if not request.seeds:
        raise RequestError("A line cannot be generated without a seed.")
    if not has_words(request.prompt.text):
        raise RequestError("There is nothing to speak in this line: it holds no word.")
    checkpoint = loaded.checkpoint
    expected, most = loaded.expected(request.prompt, request.settings)
    least = min(most, round(LEAST_ROOM * expected)) + AHEAD
    reading = read(request.prompt, least, checkpoint.tokenizer, checkpoint.config)
    most = min(most, checkpoint.config.max_seq_len - reading.columns.shape[1] - AHEAD)
    performances = [Performance(seed) for seed in request.seeds]
    return _Line(number, request, reading, expected, most, performances, set(range(len(performances))))


def describe(loaded: Loaded, prompt: Prompt, settings: Settings) -> Described:
    """The prompt as it would be read for a take of its line, whether it fits or not."""
    checkpoint = loaded.checkpoint
    limit = checkpoint.config.max_seq_len
    expected, most = loaded.expected(prompt, settings)
    room = min(most, round(LEAST_ROOM * expected)) + AHEAD
    try:
        reading = read(prompt, room, checkpoint.tokenizer, checkpoint.config)
    except TooLongError as error:  # nothing more can be left out of it
        bare = replace(prompt, context=())
        reading = read(bare, room + limit - error.positions, checkpoint.tokenizer, checkpoint.config)
        reading = replace(reading, turns_left_out=len(prompt.context))
    return Described(reading.rows, reading.columns.shape[1], room, limit, reading.turns_left_out)
