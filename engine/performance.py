"""What a request works with, and the frames of one candidate as they come."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engine.checkpoint import Checkpoint
from engine.codec import Codec
from engine.frames import Drawn
from engine.held import Held
from engine.request import Codes, FrameData, How, Origin, Prompt, Settings, Span, Take, frozen


@dataclass(frozen=True)
class Loaded:
    """A checkpoint with the decoding half of its codec, what it has read of late, and the heads of its slow AR that
    follow the text once they are known (following.py)."""

    checkpoint: Checkpoint
    codec: Codec
    held: Held
    heads: list[tuple[int, int]] = field(default_factory=list)

    @property
    def frames_per_second(self) -> float:
        return self.codec.sample_rate / self.codec.hop

    def origin(
        self,
        prompt: Prompt,
        seed: int,
        settings: Settings,
        how: How,
        parent: str | None = None,
        span: Span | None = None,
    ) -> Origin:
        return Origin(
            prompt, self.checkpoint.digest, seed, settings, how, self.codec.sample_rate, self.codec.hop, parent, span
        )


@dataclass
class Performance:
    """The frames of one candidate so far."""

    seed: int
    capped: bool = False
    _codes: list[np.ndarray] = field(default_factory=list)
    _log_p: list[np.ndarray] = field(default_factory=list)
    _entropy: list[np.ndarray] = field(default_factory=list)

    @property
    def frames(self) -> int:
        return len(self._codes)

    def add(self, drawn: Drawn, row: int) -> None:
        self._codes.append(drawn.codes[row].cpu().numpy())
        self._log_p.append(drawn.log_p[row].float().cpu().numpy())
        self._entropy.append(drawn.entropy[row].float().cpu().numpy())

    def codes(self, codebooks: int, start: int = 0, stop: int | None = None) -> Codes:
        """int16 [codebook, frame], read-only."""
        chosen = self._codes[start:stop]
        array = np.stack(chosen, axis=1) if chosen else np.zeros((codebooks, 0))
        return frozen(array.astype(np.int16))

    def data(self, stop: int | None = None) -> FrameData:
        return FrameData(_columns(self._log_p[:stop]), _columns(self._entropy[:stop]))

    def take(self, origin: Origin, codebooks: int) -> Take:
        return Take(self.codes(codebooks), origin, self.data(), self.capped)


def _columns(rows: list[np.ndarray]) -> np.ndarray:
    return frozen(np.stack(rows, axis=1) if rows else np.zeros((2, 0), dtype=np.float32))
