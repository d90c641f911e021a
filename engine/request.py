"""The values that cross the engine's border: what it is asked, and what it answers. Frozen, without torch.

Arrays are read-only numpy arrays:
    codes    int16 [codebook, frame]; row 0 is semantic, the others acoustic
    samples  float32 [sample], mono, at the codec's own rate
A frame is one position of the slow AR. A span is a half-open range of frames (start, stop).
"""

from __future__ import annotations

import enum
import hashlib
import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

Codes = np.ndarray
Samples = np.ndarray
Span = tuple[int, int]


def frozen(array: np.ndarray) -> np.ndarray:
    """The same numbers in an array that nobody can write to; a copy only if the given one could still be written."""
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Reference:
    """One clip of a voice as the model reads it: the exact words in it, and its codes."""

    transcript: str
    codes: Codes


@dataclass(frozen=True)
class Voice:
    """A named voice: its reference clips in order. Without references the model speaks as it likes. `codec` is the
    digest of the codec that their codes are of, "" where that is not known."""

    name: str
    references: tuple[Reference, ...] = ()
    codec: str = ""

    def fits(self, codec: str) -> bool:
        """Whether, as far as is known, its codes mean to a codec what they should: to another they are noise."""
        return not (self.references and self.codec and codec) or self.codec == codec


@dataclass(frozen=True)
class Part:
    """A stretch of text spoken by one speaker; `speaker` None writes no `<|speaker:N|>` before it."""

    speaker: int | None
    text: str


@dataclass(frozen=True, eq=False)
class Turn:
    """An earlier turn: what was read and the codes that were spoken for it."""

    parts: tuple[Part, ...]
    codes: Codes


@dataclass(frozen=True)
class Prompt:
    """What the model reads before it speaks: voices by speaker number, earlier turns, this line."""

    parts: tuple[Part, ...]
    voices: tuple[Voice, ...] = ()
    context: tuple[Turn, ...] = ()

    @property
    def text(self) -> str:
        """The words of this line without speaker numbers, parts joined by a newline."""
        return "\n".join(part.text for part in self.parts)


@dataclass(frozen=True)
class Settings:
    """How to draw. `repetition_window` is RAS's, 0 switches it off; `most_frames` caps below the cap from the text."""

    temperature: float = 0.7
    top_p: float = 0.8
    top_k: int = 30
    repetition_window: int = 10
    most_frames: int | None = None


class How(enum.Enum):
    """How a take came to be."""

    GENERATED = "generated"
    SPLICED = "spliced"
    COMPED = "comped"
    IMPORTED = "imported"


@dataclass(frozen=True)
class Origin:
    """All that is needed to go on from a take: the prompt as it was read and how its codes were drawn from it.

    `checkpoint` is the digest of the checkpoint; `parent` the id of the take this one was made from, `span` the frames
    of *this* take that are new in it. `rate` is the codec's sample rate, `hop` its samples per frame, and `codec` its
    digest, "" where an older file does not tell it.
    """

    prompt: Prompt
    checkpoint: str
    seed: int
    settings: Settings
    how: How
    rate: int
    hop: int
    parent: str | None = None
    span: Span | None = None
    codec: str = ""

    def meant_for(self, codec: str, checkpoint: str, rate: int, hop: int) -> bool | None:
        """Whether codes made so mean to the codec of a checkpoint what they meant to their own; None where that is not
        known, and they may: to another one they are noise."""
        if self.codec and codec:
            return self.codec == codec
        if self.checkpoint == checkpoint:
            return True
        return None if (self.rate, self.hop) == (rate, hop) else False


@dataclass(frozen=True, eq=False)
class FrameData:
    """What the model thought of each frame, float32 [2, frame], row 0 the slow AR, row 1 the mean of the fast AR.

    `log_p` is the log probability of what was drawn, `entropy` that of its distribution (nats), and `margin` by how
    much the likeliest code was likelier than the next (of 1; None where an older file does not tell), all at
    temperature 1 and unfiltered.
    """

    log_p: np.ndarray
    entropy: np.ndarray
    margin: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Take:
    """One finished performance of a line. It never changes."""

    codes: Codes
    origin: Origin
    frame_data: FrameData
    capped: bool = False

    @property
    def frames(self) -> int:
        return self.codes.shape[1]

    @property
    def seconds(self) -> float:
        return self.frames * self.origin.hop / self.origin.rate

    @cached_property
    def id(self) -> str:
        """Sixteen hex digits of a digest over the codes and what made them: equal performances have equal names."""
        origin = self.origin
        made = (
            origin.checkpoint,
            origin.seed,
            origin.settings,
            origin.how.value,
            origin.parent,
            origin.span,
            origin.prompt.parts,
            self.codes.shape,
            self.capped,
        )
        return hashlib.sha256(repr(made).encode() + self.codes.tobytes()).hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class Alignment:
    """Which frames of a take speak its text.

    `begins` int64 [characters + 1] is the frame where each character of the take's text begins, never falling, the
    last the take's end; `sure` float32 [words] how sure that is of each of the text's words, 0 to 1.
    """

    begins: np.ndarray
    sure: np.ndarray

    def span(self, start: int, stop: int) -> Span:
        """The frames that speak characters [start, stop); at least one where there is any."""
        first, last = int(self.begins[start]), int(self.begins[stop])
        if first < last or start >= stop:
            return first, last
        first = min(first, max(0, int(self.begins[-1]) - 1))
        return first, min(first + 1, int(self.begins[-1]))


@dataclass(frozen=True, eq=False)
class Likeness:
    """How much each frame of a take is of the voice it was read after, float32 [frame], 1 as its own clips are.

    `by_codes` is told from the codec's latents, `by_sound` by a network that knows speakers, where that is installed
    and the take is long enough; None where it cannot be told.
    """

    by_codes: np.ndarray | None = None
    by_sound: np.ndarray | None = None

    @property
    def frames(self) -> np.ndarray | None:
        """The better founded one of the two."""
        return self.by_codes if self.by_sound is None else self.by_sound


@dataclass(frozen=True, eq=False)
class Speakers:
    """What the voice in a recording is like: `embeddings` float32 [window, 256] of length one, whose product tells how
    alike two of them are, and the seconds [window] at which each window's speech begins and ends."""

    embeddings: np.ndarray
    begins: np.ndarray
    ends: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """What the whole recording is like, float32 [256] of length one."""
        total = self.embeddings.sum(0)
        return total / np.linalg.norm(total)


@dataclass(frozen=True)
class Free:
    """A span as long as its words want: `characters` of new text are spoken in it, None where the text is the same."""

    characters: int | None = None


@dataclass(frozen=True)
class Exactly:
    """A span of exactly so many frames."""

    frames: int


@dataclass(frozen=True)
class AtMost:
    """A span of at most so many frames, otherwise as `Free`."""

    frames: int
    characters: int | None = None


Length = Free | Exactly | AtMost


@dataclass(frozen=True)
class Generate:
    """Make one take of the prompt's line per seed, in one batch."""

    prompt: Prompt
    seeds: tuple[int, ...]
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True)
class Regenerate:
    """Make a span of a take anew, one candidate per seed. `prompt` holds the text as it shall be now.

    What is kept after the span may begin `margin` frames earlier or later than it ends, where it joins
    badly there and better so.
    """

    prompt: Prompt
    take: Take
    span: Span
    seeds: tuple[int, ...]
    settings: Settings = field(default_factory=Settings)
    length: Length = field(default_factory=Free)
    margin: int = 0


@dataclass(frozen=True)
class Retimbre:
    """Keep what is said in a span and how it is acted, the semantic codes, and draw the sound of it anew: one candidate
    per seed, each as long as the span."""

    take: Take
    span: Span
    seeds: tuple[int, ...]
    settings: Settings = field(default_factory=Settings)


Request = Generate | Regenerate | Retimbre


@dataclass(frozen=True)
class PromptRow:
    """A part of a prompt as it is read: whose turn it is in, its text or else its frames, and how many positions of the
    model's memory it takes."""

    role: str
    text: str
    frames: int
    positions: int


@dataclass(frozen=True)
class Described:
    """A prompt as the model reads it, part by part. `positions` are those of all of it, `room` those that the line
    should find behind it, `limit` those that the model has; `turns_left_out` of the oldest turns did not fit."""

    rows: tuple[PromptRow, ...]
    positions: int
    room: int
    limit: int
    turns_left_out: int = 0

    @property
    def fits(self) -> bool:
        return self.positions + self.room <= self.limit


@dataclass(frozen=True)
class Progress:
    """One frame further. `frames` are drawn so far of at most `most`; `expected` is the guess from the text."""

    frames: int
    expected: int
    most: int


@dataclass(frozen=True, eq=False)
class Chunk:
    """New frames of one candidate (its place among the seeds) and how they sound; a regenerate's have no samples."""

    candidate: int
    codes: Codes
    samples: Samples | None


@dataclass(frozen=True)
class Score:
    """How good an answer is. `join` in 0..1: 1 joins as well as the old take did; None where nothing is kept after.

    `log_p` is the mean log p of the new frames, the ranking where there is no join. `voice` in 0..1 is how much they
    sound like the frames around them, `length` in 0..1 how near they are to the time that their words should take;
    None where that is not known.
    """

    join: float | None
    log_p: float
    voice: float | None = None
    length: float | None = None

    @property
    def rank(self) -> tuple[float, float]:
        """What candidates are ordered by, the greatest first: a bad join is heard most, another voice next."""
        known = [(self.join, 1.0), (self.voice, 0.5), (self.length, 0.5)]
        return math.prod(each**weight for each, weight in known if each is not None), self.log_p


@dataclass(frozen=True)
class Report:
    """What a job cost. `positions_read` were computed for the prompt, `positions_reused` were held in memory;
    `turns_left_out` of the context's oldest turns did not fit."""

    seconds: float
    first_sound_seconds: float | None
    frames: int
    positions_read: int
    positions_reused: int
    turns_left_out: int = 0

    @property
    def reused_share(self) -> float:
        """How much of the prompt was not read anew, 0 to 1."""
        return reused_share(self.positions_read, self.positions_reused)


def reused_share(read: int, reused: int) -> float:
    """The share of positions that were held in memory or kept on disk, 0 where there were none."""
    return round(reused / max(read + reused, 1), 4)


@dataclass(frozen=True)
class Finished:
    """The answers, best first for a regenerate, in the order of the seeds for a generate; one score for each.

    `beyond` are, for each answer of a regenerate, the frames it drew after its cut: the cut may be moved into them.
    """

    takes: tuple[Take, ...]
    scores: tuple[Score, ...]
    report: Report
    beyond: tuple[Codes, ...] = ()


@dataclass(frozen=True)
class Stopped:
    """The job was cancelled. `takes` are what was finished before, or cut where it stood (marked capped)."""

    takes: tuple[Take, ...] = ()


@dataclass(frozen=True)
class Failed:
    """The job could not be done."""

    error: Exception


Event = Progress | Chunk | Finished | Stopped | Failed
