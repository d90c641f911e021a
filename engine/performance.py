"""What a request works with, and the frames of one candidate as they come."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from engine.checkpoint import Checkpoint, free_memory
from engine.codec import Codec
from engine.errors import DeviceError
from engine.held import Held
from engine.prompt import frame_columns, read
from engine.request import Codes, FrameData, How, Origin, Prompt, Settings, Span, Take, frozen
from engine.speaking import Heard
from engine.static_frame import StaticFrames
from engine.text import expected_seconds, frame_cap


@dataclass(frozen=True)
class Loaded:
    """A checkpoint with the decoding half of its codec, what it has read of late, the heads of its slow AR that follow
    the text once they are known (following.py), and static frames where it draws by them."""

    checkpoint: Checkpoint
    codec: Codec
    held: Held
    heads: list[tuple[int, int]] = field(default_factory=list)
    statics: StaticFrames | None = None

    @property
    def frames_per_second(self) -> float:
        return self.codec.sample_rate / self.codec.hop

    def expected(self, prompt: Prompt, settings: Settings) -> tuple[int, int]:
        """How many frames the line probably takes, and the most it may."""
        most = min(frame_cap(prompt.text, self.frames_per_second), settings.most_frames or 1 << 30)
        return max(1, min(most, round(expected_seconds(prompt.text) * self.frames_per_second))), most

    def states_before(self, prompt: Prompt, codes: Codes) -> Tensor:
        """The slow AR's states [F, C] before each frame of codes [codebook, F], of which there is one at least, read
        after a prompt. Errors as of `prompt.read`."""
        checkpoint, frames = self.checkpoint, codes.shape[1]
        reading = read(prompt, frames, checkpoint.tokenizer, checkpoint.config)
        room = reading.columns.shape[1] + frames
        recalled = self.held.recall(checkpoint.model, reading.columns, room, reading.voices_stop)
        hidden = recalled.hidden  # [1, C]
        if frames > 1:
            heard = torch.from_numpy(frame_columns(codes[:, :-1], checkpoint.config)).to(hidden.device)
            hidden = torch.cat([hidden, checkpoint.model.slow(heard[None], recalled.memory)[0]])
        return hidden

    def check_room(self, rows: int, positions: int, read: int = 0) -> None:
        """Raises DeviceError, before anything is read, where the memory of so many rows, and of `read` positions that
        they begin with, does not fit what is free. What is only kept for later makes room for it."""
        device, stack = self.checkpoint.place.device, self.checkpoint.model.slow.stack
        needed = stack.bytes_of(rows, positions) + stack.bytes_of(1, read)
        if self.statics is not None:  # what is read and what speaks on are two memories then
            needed += self.statics.bytes_for(rows, positions)
        free = free_memory(device)
        if needed > free:
            self.held.let_go()
            if self.statics is not None:
                self.statics.let_go()
            free = free_memory(device)
        if needed > free:
            raise DeviceError(
                f"{rows} takes of up to {positions} positions need {needed / 1e9:.1f} GB of memory and "
                f"{free / 1e9:.1f} GB are free on {device.type}: ask for fewer at once, or shorten the line.",
                needed,
                free,
            )

    def origin(
        self,
        prompt: Prompt,
        seed: int,
        settings: Settings,
        how: How,
        parent: str | None = None,
        span: Span | None = None,
    ) -> Origin:
        made, codec = self.checkpoint, self.codec
        return Origin(
            prompt, made.digest, seed, settings, how, codec.sample_rate, codec.hop, parent, span, made.codec_digest
        )


@dataclass
class Performance:
    """The frames of one candidate so far."""

    seed: int
    capped: bool = False
    _codes: list[np.ndarray] = field(default_factory=list)
    _log_p: list[np.ndarray] = field(default_factory=list)
    _entropy: list[np.ndarray] = field(default_factory=list)
    _margin: list[np.ndarray] = field(default_factory=list)

    @property
    def frames(self) -> int:
        return len(self._codes)

    def add(self, heard: Heard, place: int) -> None:
        """Go on with the frame that stands at a place in what was heard."""
        self._codes.append(heard.codes[place])
        self._log_p.append(heard.log_p[place])
        self._entropy.append(heard.entropy[place])
        self._margin.append(heard.margin[place])

    def codes(self, codebooks: int, start: int = 0, stop: int | None = None) -> Codes:
        """int16 [codebook, frame], read-only."""
        chosen = self._codes[start:stop]
        array = np.stack(chosen, axis=1) if chosen else np.zeros((codebooks, 0))
        return frozen(array.astype(np.int16))

    def data(self, stop: int | None = None) -> FrameData:
        return FrameData(*(_columns(each[:stop]) for each in (self._log_p, self._entropy, self._margin)))

    def take(self, origin: Origin, codebooks: int) -> Take:
        return Take(self.codes(codebooks), origin, self.data(), self.capped)


def _columns(rows: list[np.ndarray]) -> np.ndarray:
    return frozen(np.stack(rows, axis=1) if rows else np.zeros((2, 0), dtype=np.float32))
