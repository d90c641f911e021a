"""The engine's face: open a checkpoint, and ask it for takes.

`for event in engine.generate(request)`: a yield is progress, about one a frame; not asking for the next is cancelling.
Nothing here calls back, prints, or starts a thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import torch
from torch import nn

from engine.audio import resample
from engine.checkpoint import PRECISIONS, Checkpoint, Place, free_memory, load, needed_bytes
from engine.codec import Codec, Part
from engine.codec_file import load_codec
from engine.compiling import use_compiled
from engine.drift import likeness, likeness_by_sound, reference_of, voice_of
from engine.dual_ar import DualAR
from engine.following import align
from engine.generation import Lines, describe, generate
from engine.held import Held
from engine.judging import judged
from engine.performance import Loaded
from engine.prompt import read
from engine.regeneration import regenerate
from engine.request import (
    Alignment,
    Codes,
    Described,
    Event,
    Generate,
    Likeness,
    Prompt,
    Request,
    Retimbre,
    Samples,
    Settings,
    Speakers,
    Take,
    Voice,
    frozen,
    reused_share,
)
from engine.scoring import divergence
from engine.speaker import SpeakerEncoder
from engine.splice import check_made
from engine.static_frame import StaticFrames
from engine.threads import use_threads
from engine.timbre import retimbre
from engine.voice_shelf import VoiceShelf
from engine.voices import first_clips, read_voices

DECODE: tuple[Part, ...] = ("decode",)
ENCODE: tuple[Part, ...] = ("encode",)
PREPARED = 1024  # positions: a voice, a line and its frames, as most are
LINES_AT_ONCE = {"cpu": 4, "mps": 4, "cuda": 8}  # more than this and each frame of theirs takes notably longer
MOST_REFERENCE = 12.0  # seconds of a voice's clips that tell who speaks
HELD_SHARE = 8  # one part in so many of the free memory may hold what was read


class Engine:
    """A checkpoint that speaks. One thread at a time may use it."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        device = checkpoint.place.device
        codec = load_codec(checkpoint.folder, device, part=DECODE)
        shelf = VoiceShelf(
            Path(platformdirs.user_cache_dir("retake", appauthor=False)) / "voices",
            checkpoint.digest,
            f"{checkpoint.place.precision} {device.type}",
        )
        held = Held(most_bytes=free_memory(device) // HELD_SHARE, shelf=shelf)
        self._loaded = Loaded(checkpoint, codec, held, statics=_statics(checkpoint))
        self._encoder: Codec | None = None
        self.compiled: str | None = None  # what came of it where the layers were to be compiled
        self._knows_speakers = True
        self._speaker: SpeakerEncoder | None = None
        self._sound_of: dict[Voice, Speakers | None] = {}

    @classmethod
    def open(
        cls, folder: Path, device: str | None = None, precision: str | None = None, compiled: bool = False
    ) -> Engine:
        """Load the checkpoint in a folder; CheckpointError or DeviceError where that cannot be. Its layers may be
        compiled, where that has proved faster (compiling.py): `info` tells what came of it."""
        checkpoint = load(folder, device, precision)
        use_threads(checkpoint.model)
        words = None
        if compiled:
            place = checkpoint.place
            rows = (1, LINES_AT_ONCE[place.device.type])
            words = use_compiled(checkpoint.model, place, folder, rows)
        engine = cls(checkpoint)
        engine.compiled = words
        return engine

    @property
    def checkpoint(self) -> str:
        """The digest that takes name their checkpoint by."""
        return self._loaded.checkpoint.digest

    @property
    def codec(self) -> str:
        """The digest that codes belong to."""
        return self._loaded.checkpoint.codec_digest

    @property
    def reference_seconds(self) -> tuple[float, float]:
        """How short and how long the clips of a voice may be, all together, to be cloned well."""
        return self._loaded.checkpoint.reference_seconds

    @property
    def settings(self) -> Settings:
        """How this checkpoint is drawn from by default."""
        return self._loaded.checkpoint.settings

    @property
    def sample_rate(self) -> int:
        return self._loaded.codec.sample_rate

    @property
    def hop(self) -> int:
        """Samples per frame."""
        return self._loaded.codec.hop

    @property
    def frames_per_second(self) -> float:
        return self._loaded.frames_per_second

    @property
    def codebooks(self) -> int:
        return self._loaded.checkpoint.config.num_codebooks

    @property
    def codebook_sizes(self) -> tuple[int, ...]:
        """How many codes each codebook has."""
        return self._loaded.codec.codebook_sizes

    @property
    def most_characters(self) -> int:
        """Text longer than this is better cut into lines of their own."""
        return self._loaded.checkpoint.most_characters

    def voices(self) -> dict[str, Voice]:
        """The voices that come with the checkpoint, by name."""
        read = read_voices(self._loaded.checkpoint.folder, self.encode)
        return {name: replace(voice, codec=self.codec) for name, voice in read.items()}

    def generate(self, request: Request) -> Iterator[Event]:
        """Answer a request event by event; the last one is `Finished`. Raises EngineErrors before or while it runs."""
        if isinstance(request, Generate):
            return generate(self._loaded, request)
        if isinstance(request, Retimbre):
            return retimbre(self._loaded, request)
        return regenerate(self._loaded, request)

    def divergence(self, take: Take, other: Prompt) -> np.ndarray:
        """How much it matters to each frame of a take that it was read after its own prompt and not after another."""
        return divergence(self._loaded, take, other)

    def describe(self, prompt: Prompt, settings: Settings) -> Described:
        """A prompt as it would be read, part by part, with what it takes of the model's memory."""
        return describe(self._loaded, prompt, settings)

    def align(self, take: Take, samples: Samples | None = None) -> Alignment:
        """Which frames of a take speak which characters of its text; its print helps where words are unsure."""
        check_made(take, self.checkpoint)
        return align(self._loaded, take, samples)

    def remembers(self, voice: Voice) -> bool:
        """Whether the memory of a voice, alone in a prompt, is on disk: then no run reads its clips again."""
        checkpoint = self._loaded.checkpoint
        reading = read(Prompt((), (voice,)), 1, checkpoint.tokenizer, checkpoint.config)
        return self._loaded.held.remembers(reading.columns[:, : reading.voices_stop])

    def likeness(self, take: Take, samples: Samples) -> Likeness:
        """How much each frame of a take is of its voice, as far as that can be told; `samples` are its print."""
        by_codes, voice = likeness(self._loaded.codec, take), voice_of(take)
        if voice is None or (heard := self.speakers(samples, self.sample_rate)) is None:
            return Likeness(by_codes)
        if voice not in self._sound_of:
            most = round(MOST_REFERENCE * self.frames_per_second)
            self._sound_of[voice] = self.speakers(self.decode(reference_of(voice)[:, :most]), self.sample_rate)
        reference = self._sound_of[voice]
        return Likeness(by_codes, None if reference is None else likeness_by_sound(take, heard, reference))

    def speakers(self, samples: Samples, rate: int) -> Speakers | None:
        """What the voice in a recording is like, window by window; None where the extra `quality` is not installed, or
        there is too little speech to tell."""
        if self._speaker is None and self._knows_speakers:
            self._speaker = SpeakerEncoder.find()
            self._knows_speakers = self._speaker is not None
        return self._speaker.speakers(samples, rate) if self._speaker is not None else None

    def judged(self, take: Take) -> Take:
        """The take with the frame data that it would have, had its codes been drawn: for comps and recordings."""
        check_made(take, self.checkpoint)
        return judged(self._loaded, take)

    def together(self, requests: Sequence[Generate], at_once: int | None = None, sound: bool = True) -> Lines:
        """Answer several requests of like settings in one batch, at most so many at once: events with the place of the
        request that they answer. Others may come to it later. Without `sound` there are no Chunks."""
        return Lines(self._loaded, requests, at_once, sound)

    @property
    def lines_at_once(self) -> int:
        """How many lines are best drawn in one batch."""
        return LINES_AT_ONCE[self._loaded.checkpoint.place.device.type]

    def encode(self, samples: Samples, rate: int) -> Codes:
        """Codes int16 [codebook, ceil(samples / hop)] of audio at any rate."""
        if self._encoder is None:
            checkpoint = self._loaded.checkpoint
            self._encoder = load_codec(checkpoint.folder, checkpoint.place.device, part=ENCODE)
        tensor = torch.from_numpy(np.array(resample(samples, rate, self.sample_rate), dtype=np.float32))
        return frozen(self._encoder.encode(tensor).cpu().numpy().astype(np.int16))

    def reads(self, take: Take) -> bool | None:
        """Whether a take's codes are of this codec, for which it is noise otherwise; None where an older file does not
        tell, and they may be."""
        if len(take.codes) != self.codebooks:
            return False
        return take.origin.meant_for(self.codec, self.checkpoint, self.sample_rate, self.hop)

    def decode(self, codes: Codes) -> Samples:
        """The finished print of codes: float32 [frames * hop], equal to the bit wherever codes begin alike."""
        codec = self._loaded.codec
        return frozen(codec.print(_tensor(codes)).float().cpu().numpy())

    def decode_after(self, codes: Codes, before: Samples, frame: int) -> Samples:
        """The same print, with what sounds before `frame` taken from a print whose codes are the same up to there."""
        codec = self._loaded.codec
        kept = torch.from_numpy(np.array(before[: frame * self.hop]))
        return frozen(codec.print_after(_tensor(codes), kept, frame).float().cpu().numpy())

    def info(self) -> dict[str, Any]:
        """What is loaded and what it takes: parts with their parameters, rates, device, precision, memory."""
        checkpoint, codec, held = self._loaded.checkpoint, self._loaded.codec, self._loaded.held
        slow, fast = checkpoint.model.slow, checkpoint.model.fast
        weights, free = needed_bytes(checkpoint.model, checkpoint.place), free_memory(checkpoint.place.device)
        return {
            "checkpoint": str(checkpoint.folder),
            "digest": checkpoint.digest,
            "parameters": {
                "slow AR": count(slow) - count(slow.fusion),
                "fast AR": count(fast),
                "fusion": count(slow.fusion),
                "codec decoder": count(codec),
            },
            "sample_rate": self.sample_rate,
            "frames_per_second": round(self.frames_per_second, 3),
            "codebooks": self.codebooks,
            "context": checkpoint.config.max_seq_len,
            "device": _device_name(checkpoint.place.device),
            "precision": checkpoint.place.precision,
            "compiled": self.compiled or "not asked for",
            "weights_bytes": weights,
            "fits": _fits(checkpoint.model, checkpoint.place, free + weights),
            "held_bytes": held.bytes,
            "held": {
                "read": held.read,
                "reused": held.reused,
                "reused_share": reused_share(held.read, held.reused),
                "voices from disk": held.from_shelf,
            },
            "free_bytes": free,
            "licence": _licence(checkpoint.folder),
            "voices": list(first_clips(checkpoint.folder)),
        }


def _statics(checkpoint: Checkpoint) -> StaticFrames | None:
    """Where whole frames can be captured as graphs, the frame of one take is, before anybody waits for it."""
    if checkpoint.place.device.type != "cuda" or torch.version.cuda is None:
        return None
    statics = StaticFrames(checkpoint.model, capture=True)
    statics.prepare(checkpoint.settings, PREPARED)
    return statics


def _tensor(codes: Codes) -> torch.Tensor:
    return torch.from_numpy(codes.astype(np.int64))


def count(module: nn.Module) -> int:
    """How many parameters a module has."""
    return sum(parameter.numel() for parameter in module.parameters())


def _fits(model: DualAR, place: Place, free: int) -> dict[str, bool]:
    """Which precisions fit the memory that would be free without this engine."""
    return {name: needed_bytes(model, Place(place.device, name)) < free for name in PRECISIONS}


def _device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper()


def _licence(folder: Path) -> str:
    """The first line of the checkpoint's licence or model card that says something."""
    for name in ("LICENSE.md", "LICENSE", "MODEL_CARD.md"):
        if (folder / name).exists():
            lines = (folder / name).read_text(encoding="utf-8", errors="replace").splitlines()
            return next((line.strip("# ").strip() for line in lines if line.strip("# ").strip()), "")
    return "none stated"
