"""Samples to codes and back, whatever the codec is made of.

Decoding is causal: the samples of a frame depend on it and the frames before it alone, so a stream of chunks gives
what one pass gives, and frames that have been heard never change.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import ParamSpec

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.causal import Stream, reach
from engine.codec_config import (
    CodecConfig,
    DacConfig,
    QuantizerConfig,
    SpectralConfig,
    TransformerConfig,
    VoicedConfig,
    read_config,
)
from engine.codec_dac import DacBack, DacFront
from engine.codec_spectral import SpectralBack, SpectralFront
from engine.codec_voiced import VoicedBack
from engine.errors import RequestError
from engine.quantizer import Part, Quantizer
from engine.threads import in_one_pass

__all__ = [
    "Codec",
    "CodecConfig",
    "DacConfig",
    "Part",
    "QuantizerConfig",
    "SpectralConfig",
    "Stream",
    "TransformerConfig",
    "VoicedConfig",
    "read_config",
]

PRINT_BLOCK = 64  # frames that a print decodes at a time
ENCODE_BLOCK = 256  # frames that are encoded at a time, which bounds the memory that a long clip takes

P = ParamSpec("P")


def exactly(method: Callable[P, Tensor]) -> Callable[P, Tensor]:
    """Without gradients, and in true fp32 by kernels chosen alike each time; cuDNN would round to TF32 by itself."""

    @functools.wraps(method)
    def run(*args: P.args, **kwargs: P.kwargs) -> Tensor:
        fp32 = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False)
        with torch.inference_mode(), fp32:
            return method(*args, **kwargs)

    return run


def end_that_speaks(config: CodecConfig) -> SpectralBack | DacBack:
    """The back of a codec of this kind."""
    if isinstance(config, VoicedConfig):
        return VoicedBack(config)
    return SpectralBack(config) if isinstance(config, SpectralConfig) else DacBack(config)


class Codec(nn.Module):
    """The face of every kind of codec. `part` says which halves are there; encoding and decoding need their own.

    Codes are integers [codebook, frame], row 0 semantic; samples are float32 [frame * hop] in -1..1.
    """

    def __init__(self, config: CodecConfig, part: Collection[Part] = ("encode", "decode")) -> None:
        super().__init__()
        self.front: SpectralFront | DacFront
        self.back: SpectralBack | DacBack
        self.config = config
        self.sample_rate = config.sample_rate
        self.hop = config.frame_samples
        self.codebook_sizes = config.quantizer.codebook_sizes
        self.codebooks = len(self.codebook_sizes)
        self.quantizer = Quantizer(config.quantizer, part)
        if "encode" in part:
            self.front = SpectralFront(config) if isinstance(config, SpectralConfig) else DacFront(config)
        if "decode" in part:
            self.back = end_that_speaks(config)
            self.reach = reach([self.quantizer.upsample, self.back])  # frames before a block that it must see

    @property
    def device(self) -> torch.device:
        return self.quantizer.limits.device

    @in_one_pass
    @exactly
    def encode(self, samples: Tensor) -> Tensor:
        """Samples [T] at this codec's rate -> codes int64 [codebook, ceil(T / hop)]."""
        frames = -(-samples.shape[0] // self.hop)
        missing = frames * self.hop - samples.shape[0]
        padded = F.pad(samples.to(self.device, torch.float32), (0, missing + self.front.lookahead))
        stream = Stream()
        codes = [torch.empty(self.codebooks, 0, dtype=torch.int64, device=self.device)]
        for start in range(0, frames, ENCODE_BLOCK):
            stop = min(start + ENCODE_BLOCK, frames)
            block = padded[start * self.hop : stop * self.hop + self.front.lookahead]
            latent = self.front(block[None, None], stream)  # [1, C, T]
            codes.append(self.quantizer.encode(latent, stream))
        return torch.cat(codes, dim=1)

    def decode(self, codes: Tensor) -> Tensor:
        """Codes [codebook, frame] -> samples [frame * hop], in one pass."""
        return self.step(self.start(), codes)

    def start(self) -> Stream:
        """A stream that stands before the first frame."""
        return Stream()

    @exactly
    def step(self, stream: Stream, codes: Tensor) -> Tensor:
        """The next frames [codebook, n], any number of them -> their samples [n * hop]. `stream` moves on."""
        if codes.shape[1] == 0:
            return torch.empty(0, device=self.device)
        latent = self.quantizer.decode(codes.to(self.device), stream)  # [1, C, n]
        return self._speak(latent, stream)

    def print(self, codes: Tensor) -> Tensor:
        """Codes [codebook, frame] -> samples [frame * hop], the same to the bit wherever the frames before are."""
        return self.print_after(codes, torch.empty(0, device=self.device), 0)

    @in_one_pass
    @exactly
    def print_after(self, codes: Tensor, keep: Tensor, start_frame: int) -> Tensor:
        """What `print(codes)` gives, to the bit, at the cost of what comes from `start_frame` on.

        `keep` is a print of codes that are the same before `start_frame`; all of its blocks before the one that holds
        that frame are used again. Raises RequestError where it does not hold them.

        Each block is decoded alone from the `reach` frames before it, in the same shape each time, the last one
        padded: so its bits depend on nothing but those frames.
        """
        frames, kept = codes.shape[1], start_frame // PRINT_BLOCK * PRINT_BLOCK
        if not 0 <= start_frame <= frames or keep.shape[0] < kept * self.hop:
            raise RequestError(f"A print of {keep.shape[0]} samples cannot be gone on with from frame {start_frame}.")
        padded = F.pad(codes.to(self.device), (0, -frames % PRINT_BLOCK))
        samples = [keep[: kept * self.hop].to(self.device)]
        stream = Stream()
        latent = torch.empty(1, self.config.quantizer.input_dim, 0, device=self.device)
        for start in range(0, frames, PRINT_BLOCK):
            block = self.quantizer.decode(padded[:, start : start + PRINT_BLOCK], stream)  # [1, C, block]
            latent = torch.cat([latent, block], dim=-1)[..., -(self.reach + PRINT_BLOCK) :]
            if start >= kept:
                samples.append(self._speak(latent, Stream())[-PRINT_BLOCK * self.hop :])
        return torch.cat(samples)[: frames * self.hop]

    def _speak(self, latent: Tensor, stream: Stream) -> Tensor:
        """[1, C, n] -> samples [n * hop]."""
        return self.back(self.quantizer.upsample(latent, stream), stream)[0, 0]
