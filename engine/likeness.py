"""Does a stretch of frames sound like the voice of the frames around it? Told from the codec's latents, whose means and
spreads over time differ from voice to voice far more than from word to word.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from engine.codec import Codec
from engine.request import Codes

LEAST_FRAMES = 12  # that tell what a voice is like
_USUAL = 2.0  # what words of one voice differ by at the median; of different voices it is 6
_SPREAD_FLOOR = 0.05  # of the spread of all channels: a channel that never moves tells nothing
_FALLS = 4.0


class VoiceOfFrames:
    """What a voice is like, from frames of it: codes [codebook, frame], at least LEAST_FRAMES of them."""

    def __init__(self, codec: Codec, codes: Codes) -> None:
        if codes.shape[1] < LEAST_FRAMES:
            raise ValueError(f"{codes.shape[1]} frames do not tell what a voice is like")
        self._codec = codec
        latents = codec.quantizer.meanings(_tensor(codes)).cpu().numpy()  # [channel, frame]
        self._mean = latents.mean(1)
        self._spread = latents.std(1) + _SPREAD_FLOOR * latents.std()

    def likeness(self, codes: Codes) -> float:
        """How much other frames are of this voice: 1 as words of one voice are, towards 0 where they are not."""
        if not codes.shape[1]:
            return 1.0
        latents = self._codec.quantizer.meanings(_tensor(codes)).cpu().numpy()
        apart = np.square((latents.mean(1) - self._mean) / self._spread).mean() * codes.shape[1]
        return math.exp(-max(0.0, float(apart) - _USUAL) / _FALLS)


def _tensor(codes: Codes) -> torch.Tensor:
    return torch.from_numpy(codes.astype(np.int64))
