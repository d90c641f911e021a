"""The pitch of recordings, step by step, as the decoder is to tell it: by autocorrelation.

Shapes: B recordings, S samples, T steps.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.codec import VoicedConfig
from engine.codec_voiced import MIDDLE

LOWEST, HIGHEST = 65.0, 450.0  # Hz
VOICED = 0.5  # of the sound comes again after a period
AS_GOOD = 0.87  # a shorter period that is nearly as good is the pitch: twice a period is one as well
AROUND, LEAP = 5, 0.25  # steps on either side, octaves
SILENT = 10 ** (-50 / 20)
RISE, VOICE = 5.0, 0.3  # weights of the rise and of the voice beside that of the octaves


def pitches(config: VoicedConfig, samples: Tensor) -> tuple[Tensor, Tensor]:
    """Samples [B, S] -> a pitch [B, T, 3] as `engine.codec_voiced` has it, its voice 1 or -1; and where its rise is
    known, [B, T]."""
    size, hop = config.n_fft, config.hop
    slices = F.pad(samples, (0, size - hop)).unfold(-1, size, hop)  # [B, T, n_fft]
    window = torch.hann_window(size, device=samples.device)
    again = _repeating(slices * window) / _repeating(window).clamp(min=1e-3)  # [B, T, lags]
    first, last = int(config.sample_rate / HIGHEST), int(config.sample_rate / LOWEST)
    before, at, after = again[..., first - 1 : last - 1], again[..., first:last], again[..., first + 1 : last + 1]
    strength = torch.where((at >= before) & (at >= after), at, 0.0)
    best = strength.amax(-1)
    lag = (strength >= AS_GOOD * best[..., None]).float().argmax(-1, keepdim=True)
    left, middle, right = (x.gather(-1, lag)[..., 0] for x in (before, at, after))
    between = (left - right) / (2 * (left - 2 * middle + right)).clamp(max=-1e-6)  # the parabola's peak
    period = lag[..., 0] + first + between.clamp(-0.5, 0.5)
    loud = slices.square().mean(-1).sqrt() > SILENT
    voiced = (best > VOICED) & loud
    octaves = steadied((config.sample_rate / period / MIDDLE).log2().where(voiced, torch.nan)).nan_to_num()
    rise = (octaves[:, 2:] - octaves[:, :-2]) / 2
    known = voiced[:, 2:] & voiced[:, 1:-1] & voiced[:, :-2] & (rise.abs() < 0.1)
    rise, known = F.pad(rise * known, (1, 1)), F.pad(known, (1, 1))
    return torch.stack([octaves, rise, voiced.float() * 2 - 1], dim=-1), known


def pitch_loss(told: Tensor, pitch: Tensor, known: Tensor) -> Tensor:
    """How far a told pitch [B, T, 3] is from the true one, as `pitches` gives it."""
    voiced = pitch[..., 2] > 0
    off = (told - pitch).abs()
    octaves = (off[..., 0] * voiced).sum() / voiced.sum().clamp(min=1)
    rise = (off[..., 1] * known).sum() / known.sum().clamp(min=1)
    voice = F.binary_cross_entropy_with_logits(told[..., 2], voiced.to(told))
    return octaves + RISE * rise + VOICE * voice


def steadied(octaves: Tensor) -> Tensor:
    """The same [B, T], NaN where there is no voice, but what leaps from its neighbours follows them."""
    around = F.pad(octaves, (AROUND, AROUND), value=torch.nan).unfold(-1, 2 * AROUND + 1, 1).nanmedian(-1).values
    return torch.where((octaves - around).abs() > LEAP, around, octaves)


def _repeating(slices: Tensor) -> Tensor:
    """How much slices [..., n] are like themselves at each lag [..., n], 1 at none."""
    size = slices.shape[-1]
    again = torch.fft.irfft(torch.fft.rfft(slices, 2 * size).abs().square())[..., :size]
    return again / again[..., :1].clamp(min=1e-9)
