"""The ends of a spectral codec: mel bands in, an inverse Fourier transform out.

Pieces are called as `piece(x, stream)`, see `engine.causal`. Shapes: [1, channels, T]; T counts steps of `hop` samples.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from engine.causal import CausalConv, Chain, ConvNeXt, Stream, carry_over, earliest_overlapping
from engine.codec_config import SpectralConfig

QUIETEST = 1e-3  # mel magnitudes below this are told as this
LOUDEST = 6.0  # log magnitudes above this are spoken as this


def mel_bands(config: SpectralConfig) -> Tensor:
    """Triangles with a peak of 1, evenly spaced in mel: [n_mels, n_fft / 2 + 1]."""
    low, high = (2595 * math.log10(1 + hertz / 700) for hertz in (config.mel_low, config.mel_high))
    corners = 700 * (10 ** (torch.linspace(low, high, config.n_mels + 2, device="cpu") / 2595) - 1)
    left, centre, right = (corners[i : i + config.n_mels, None] for i in range(3))
    bins = torch.linspace(0, config.sample_rate / 2, config.n_fft // 2 + 1, device="cpu")
    return torch.minimum((bins - left) / (centre - left), (right - bins) / (right - centre)).clamp(min=0)


class SpectralFront(nn.Module):
    """Samples [1, 1, n x hop + lookahead] -> latents [1, C, T]."""

    bands: Tensor
    window: Tensor

    def __init__(self, config: SpectralConfig) -> None:
        super().__init__()
        self.n_fft, self.hop = config.n_fft, config.hop
        self.lookahead = config.n_fft - config.hop  # samples beyond the last that a chunk of this front must see
        self.blocks = Chain(
            [CausalConv(config.n_mels, config.dim, 3), *(ConvNeXt(config.dim) for _ in range(config.front_blocks))]
        )
        self.register_buffer("bands", mel_bands(config), persistent=False)
        self.register_buffer("window", torch.hann_window(config.n_fft, device="cpu"), persistent=False)

    def forward(self, samples: Tensor, stream: Stream) -> Tensor:
        slices = samples[0].unfold(-1, self.n_fft, self.hop) * self.window  # [1, T, n_fft]
        magnitudes = torch.fft.rfft(slices).abs().mT  # [1, n_fft / 2 + 1, T]
        mel = (self.bands @ magnitudes).clamp(min=QUIETEST)  # [1, n_mels, T]
        return self.blocks(mel.log() / 2 + 0.5, stream)


class OverlapAdd(nn.Module):
    """Slices [1, T, n_fft] of samples, `hop` apart, windowed and laid over one another: [1, 1, T x hop]."""

    window: Tensor

    def __init__(self, n_fft: int, hop: int) -> None:
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft, device="cpu"), persistent=False)
        self.gain = hop / n_fft * 8 / 3  # squared Hann windows, so laid over one another, sum to its inverse

    def forward(self, slices: Tensor, stream: Stream) -> Tensor:
        length = slices.shape[1] * self.hop
        laid = slices.new_zeros(1, 1, length + self.n_fft - self.hop)
        for offset, part in zip(
            range(0, self.n_fft, self.hop), (slices * self.window).split(self.hop, dim=-1), strict=True
        ):
            laid[..., offset : offset + length] += part.flatten(1)  # each slice's stretch of `hop` samples
        return carry_over(self, laid, length, stream) * self.gain

    def earliest(self, output: int) -> int:
        return earliest_overlapping(output, self.n_fft, self.hop)


class SpectralBack(nn.Module):
    """Upsampled latents [1, C, T] -> samples [1, 1, T x hop]."""

    def __init__(self, config: SpectralConfig) -> None:
        super().__init__()
        width = config.back_dim
        self.blocks = Chain([CausalConv(config.dim, width, 7), *(ConvNeXt(width) for _ in range(config.back_blocks))])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, config.n_fft + 2)
        self.overlap_add = OverlapAdd(config.n_fft, config.hop)

    def forward(self, latent: Tensor, stream: Stream) -> Tensor:
        return self.overlap_add(torch.fft.irfft(self.spectrum(self.read(latent, stream), stream)), stream)

    def read(self, latent: Tensor, stream: Stream) -> Tensor:
        """What is told by latents [B, C, T], of any B: [B, T, width]."""
        return self.norm(self.blocks(latent, stream).mT)

    def spectrum(self, x: Tensor, stream: Stream) -> Tensor:
        """What is read [B, T, width] as spectra [B, T, n_fft / 2 + 1] of slices that are still to be windowed."""
        return polar(self.head(x), LOUDEST)


def polar(told: Tensor, loudest: float) -> Tensor:
    """Log magnitudes, at most so loud, then phases [..., 2 N] -> complex [..., N]."""
    log_magnitude, phase = told.chunk(2, dim=-1)
    return torch.polar(log_magnitude.clamp(max=loudest).exp(), phase)
