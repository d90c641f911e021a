"""What the language model learns from: a prompt as the engine reads it, the frames that answer it, and where to look.

Shapes: B lessons, T positions, K codebooks.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor

from engine.config import ModelConfig
from engine.prompt import frame_columns, read
from engine.request import Part, Prompt, Reference, Turn, Voice
from engine.tokenizer import Tokenizer
from voice.encode import Spoken

VOICES = ("heart", "joe", "slt", "rms")  # spoken without a reference by <|speaker:0|> and so on
REFERENCE_FRAMES = (14, 100)
LONGEST = 130  # frames of an answer
GAZE_WIDTH = 1.3  # frames
NEVER = -1e6  # a frame that is far from all others
TWO_VOICES = 0.25  # of the lessons with a reference
DIALOGUES = 0.15  # of the lessons: a line of two parts, by two voices
AFTER_A_TURN = 0.15  # of the lessons come after an earlier turn


@dataclass(frozen=True, eq=False)
class Lesson:
    """One sequence: `columns` [1 + K, T] is the prompt, then the frames. `answer` is the first frame's position;
    `text` are the positions of this line's text, `times` the frame at which each of these tokens is spoken."""

    columns: np.ndarray
    answer: int
    text: tuple[int, int]
    times: np.ndarray


@dataclass(frozen=True, eq=False)
class Batch:
    """Lessons side by side, padded at the end, as inputs and what each position should tell.

    `columns` [B, 1 + K, T] with some frames hidden; `codes` [B, T, K] that come next; `target` [B, T] the next semantic
    code + 1, 0 for the end, -1 where nothing is asked; `here` and `ahead` [B, T, T] where attention should lie.
    """

    columns: Tensor
    codes: Tensor
    target: Tensor
    here: Tensor
    ahead: Tensor

    def to(self, device: torch.device) -> Batch:
        return Batch(*(getattr(self, field.name).to(device) for field in fields(self)))


class Teaching:
    """Turns recordings into lessons, with one chance for all of its choices."""

    def __init__(self, spoken: Sequence[Spoken], tokenizer: Tokenizer, config: ModelConfig) -> None:
        self._tokenizer, self._config = tokenizer, config
        self.spoken = [one for one in spoken if 6 <= one.codes.shape[1] <= LONGEST]
        self.named = [one for one in self.spoken if one.voice in VOICES]
        self._references: dict[str, list[Spoken]] = {}
        for one in self.spoken:
            if REFERENCE_FRAMES[0] <= one.codes.shape[1] <= REFERENCE_FRAMES[1]:
                self._references.setdefault(one.voice, []).append(one)

    def lesson(self, one: Spoken, referred: bool, chance: random.Random) -> Lesson:
        """A recording, at times with another's as a dialogue, as the answer to its text: with references, or by the
        voices' own numbers."""
        lines = [one]
        if chance.random() < DIALOGUES:
            other = self._clip(self._other(one.voice, referred, chance), one, chance)
            if one.codes.shape[1] + other.codes.shape[1] <= LONGEST:
                lines.append(other)
        names: Sequence[str] = VOICES
        voices: tuple[Voice, ...] = ()
        if referred:
            names = list(dict.fromkeys(line.voice for line in lines))
            if len(names) == 1 and chance.random() < TWO_VOICES:
                names.insert(chance.randrange(2), self._other(one.voice, True, chance))
            voices = tuple(Voice(name, (self._reference(name, lines, chance),)) for name in names)
        numbers = [names.index(line.voice) for line in lines]
        context: tuple[Turn, ...] = ()
        if chance.random() < AFTER_A_TURN:
            before = self._clip(chance.choice(list(names if referred else self._known(VOICES))), one, chance)
            context = (Turn((Part(names.index(before.voice), before.text),), before.codes),)
        parts = tuple(Part(number, line.text) for number, line in zip(numbers, lines, strict=True))
        prompt = Prompt(parts, voices, context)
        codes = np.concatenate([line.codes for line in lines], axis=1)
        reading = read(prompt, codes.shape[1] + 1, self._tokenizer, self._config)
        columns = np.concatenate([reading.columns, frame_columns(codes, self._config)], axis=1)
        return Lesson(columns, reading.columns.shape[1], reading.text, self._times(numbers, lines))

    def _known(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name in self._references]

    def _other(self, name: str, referred: bool, chance: random.Random) -> str:
        """Another voice, one with a number of its own where there is no reference."""
        names = [other for other in (self._references if referred else self._known(VOICES)) if other != name]
        return chance.choice(names) if names else name

    def _clip(self, name: str, not_this: Spoken, chance: random.Random) -> Spoken:
        clip = not_this
        while clip is not_this:
            clip = chance.choice(self._references[name])
        return clip

    def _reference(self, name: str, lines: Sequence[Spoken], chance: random.Random) -> Reference:
        clip = lines[0]
        while clip in lines:
            clip = self._clip(name, clip, chance)
        return Reference(clip.text, clip.codes)

    def _times(self, numbers: Sequence[int], lines: Sequence[Spoken]) -> np.ndarray:
        """The frame at which each token of the written line is spoken; a speaker's tag never is."""
        text, letters = "", np.zeros(0, dtype=np.float32)
        frames = 0
        for number, line in zip(numbers, lines, strict=True):
            tag = f"\n<|speaker:{number}|>" if text else f"<|speaker:{number}|>"
            text += tag + line.text
            letters = np.concatenate([letters, np.full(len(tag), NEVER, dtype=np.float32), line.letters + frames])
            frames += line.codes.shape[1]
        offsets = self._tokenizer.offsets(text)
        return np.array([letters[start : max(start + 1, stop)].mean() for start, stop in offsets], dtype=np.float32)

    def batch(self, lessons: Sequence[Lesson], hidden: float, chance: np.random.Generator) -> Batch:
        """Lessons as one batch; this share of the spoken frames is hidden, so that the text is needed."""
        config = self._config
        longest = max(lesson.columns.shape[1] for lesson in lessons)
        shape = (len(lessons), longest)
        columns = np.zeros((shape[0], 1 + config.num_codebooks, longest), dtype=np.int64)
        columns[:, 0] = config.end_id
        target = np.full(shape, -1, dtype=np.int64)
        codes = np.zeros((*shape, config.num_codebooks), dtype=np.int64)
        here = np.zeros((*shape, longest), dtype=np.float32)
        ahead = np.zeros_like(here)
        for row, lesson in enumerate(lessons):
            start, stop = lesson.answer, lesson.columns.shape[1]
            columns[row, :, :stop] = lesson.columns
            target[row, start - 1 : stop - 1] = lesson.columns[1, start:] + 1
            target[row, stop - 1] = 0
            codes[row, start - 1 : stop - 1] = lesson.columns[1:, start:].T
            looking = _gaze(lesson.times, stop - start)
            here[row, start - 1 : stop, slice(*lesson.text)] = looking
            ahead[row, start - 1 : stop, slice(*lesson.text)] = _next(looking)
        spoken = (columns[:, 0] >= config.semantic_start) & (columns[:, 0] <= config.semantic_end)
        hide = spoken & (chance.random(shape) < hidden)
        columns[:, 0][hide] = config.end_id
        return Batch(*(torch.from_numpy(array) for array in (columns, codes, target, here, ahead)))


def _gaze(times: np.ndarray, frames: int) -> np.ndarray:
    """[1 + frames, tokens]: how attention should lie on the tokens before each frame, and before the end."""
    moments = np.arange(frames + 1, dtype=np.float32)[:, None] + 0.5
    nearness = -((moments - times[None]) ** 2) / (2 * GAZE_WIDTH**2)
    shares = np.exp(nearness - nearness.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def _next(looking: np.ndarray) -> np.ndarray:
    """The same, one token further."""
    moved = np.zeros_like(looking)
    moved[:, 1:] = looking[:, :-1]
    moved[:, -1] += looking[:, -1]
    return moved
