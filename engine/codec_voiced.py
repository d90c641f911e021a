"""A spectral codec's end that has a voice: beside what it says as it is, pulses at a pitch that it tells, shaped by it.

A voice is pulses of the vocal folds, shaped by the mouth. An inverse transform of told magnitudes and phases has to
find the pulses' phases for itself, at every frequency anew, and sounds hoarse where it misses them. Here a pitch is
told, and the pulses follow from it: all harmonics hang on one phase, and what is left to tell is their envelope, which
is smooth, and what is no voice: breath, hiss, bursts. (Source and filter, as in WORLD, DDSP and the neural
source-filter models.)

How far the pulses have come is summed up since the voice began to sound, within `pitch_memory` steps: so what is heard
depends on so much of the past and no more. In a voice that sounds for longer it is summed up since a moment at which
the voice was weak, which is the same for as long as it is remembered.

Shapes: B recordings, T steps of `hop` samples, W width, M pitch_memory.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from engine.causal import Stream
from engine.codec_config import VoicedConfig
from engine.codec_spectral import SpectralBack, polar

MIDDLE = 160.0  # Hz, which a pitch of 0 means
OCTAVES = 2.0  # on either side of it
STEEPEST = 0.2  # octaves a step
HIGHEST = 0.97  # of half the sample rate: the highest harmonic's frequency at most
LOUDEST_FILTER = 1.0  # log of what a harmonic is raised by at most


class Pulses(nn.Module):
    """Pitch [B, T, 3] -> slices of pulses [B, T, n_fft], windowed: every harmonic a cosine of amplitude 1.

    A pitch is its octaves from MIDDLE at the slice's centre, the octaves that it rises in a step, and how sure it is
    that a voice sounds: above 0 it does, elsewhere there are no pulses.
    """

    window: Tensor

    def __init__(self, config: VoicedConfig) -> None:
        super().__init__()
        self.rate, self.n_fft, self.hop, self.memory = (
            config.sample_rate, config.n_fft, config.hop, config.pitch_memory,
        )  # fmt: skip
        self.register_buffer("window", torch.hann_window(config.n_fft, device="cpu"), persistent=False)

    def forward(self, pitch: Tensor, stream: Stream) -> Tensor:
        octaves, rise, voice = pitch.unbind(-1)  # [B, T] each
        hertz = MIDDLE * 2 ** octaves.clamp(-OCTAVES, OCTAVES)
        voice = voice.clamp(min=0)
        begun = self._begun(hertz * (self.hop / self.rate), voice, stream)  # cycles at the slices' centres

        away = torch.arange(self.n_fft, device=pitch.device) - self.n_fft / 2  # samples from the centre
        bend = rise.clamp(-STEEPEST, STEEPEST)[..., None] * (math.log(2) / (2 * self.hop))
        cycles = begun[..., None] + hertz[..., None] / self.rate * (away + bend * away.square())  # [B, T, n_fft]
        harmonics = (HIGHEST * self.rate / 2 / hertz).floor()[..., None]
        return cosines(cycles, harmonics) * self.window * (voice > 0)[..., None]

    def _begun(self, cycles: Tensor, voice: Tensor, stream: Stream) -> Tensor:
        """Cycles a step and the voice's strength [B, T] -> the phase of each step [B, T], in cycles."""
        past = stream.tails.get(self)
        if past is None:
            past = cycles.new_zeros(len(cycles), 2, self.memory)
        known = torch.cat([past, torch.stack([cycles, voice], dim=1)], dim=-1)  # [B, 2, M + T]
        stream.tails[self] = known[..., known.shape[-1] - self.memory :].clone()
        cycles, voice = known.unfold(-1, self.memory + 1, 1).unbind(1)  # [B, T, M + 1]: what each step looks back on
        start = anchors(voice)[..., None]
        steps = (cycles[..., 1:] + cycles[..., :-1]) / 2  # [B, T, M]
        since = torch.arange(self.memory, device=cycles.device) >= start
        phase = ((steps - steps.round()) * since).sum(-1)  # whole cycles would only cost places
        return phase - phase.floor()

    def earliest(self, output: int) -> int:
        return output - self.memory


def anchors(voice: Tensor) -> Tensor:
    """Where in what it looks back on, the strength of a voice [B, T, M + 1], each step counts from: [B, T].

    From the latest moment without a voice; else from the weakest of those at which it was weaker than before and after,
    since that stays the weakest while others come; else from the oldest."""
    age = torch.arange(voice.shape[-1] - 1, -1, -1, device=voice.device)
    valley = torch.zeros_like(voice, dtype=torch.bool)
    valley[..., 1:-1] = (voice[..., 1:-1] <= voice[..., :-2]) & (voice[..., 1:-1] < voice[..., 2:])
    far = 2.0 * len(age)
    return torch.where(voice <= 0, age - far, torch.where(valley, voice.clamp(max=far / 2), far - age)).argmin(-1)


def cosines(cycles: Tensor, count: Tensor) -> Tensor:
    """The sum of cos(2 pi k cycles) for k from 1 to `count`, by Dirichlet's kernel."""
    half = math.pi * (cycles - cycles.round())  # small where the cosines are together at their peak
    together = half.abs() < 1e-4
    kernel = torch.sin((2 * count + 1) * half) / torch.where(together, 1.0, torch.sin(half))
    return torch.where(together, count, (kernel - 1) / 2)


class VoicedBack(SpectralBack):
    """Upsampled latents [1, C, T] -> samples [1, 1, T x hop]."""

    def __init__(self, config: VoicedConfig) -> None:
        super().__init__(config)
        self.pitch = nn.Linear(config.back_dim, 3)
        self.filter = nn.Linear(config.back_dim, config.n_fft + 2)
        self.pulses = Pulses(config)
        last = self.overlap_add
        del self.overlap_add
        self.overlap_add = last  # comes after the pulses, as `reach` must know

    def spectrum(self, x: Tensor, stream: Stream) -> Tensor:
        return self.spectrum_at(self.pitch(x), x, stream)

    def spectrum_at(self, pitch: Tensor, x: Tensor, stream: Stream) -> Tensor:
        """The spectra of what is read [B, T, W], spoken at a pitch [B, T, 3]: [B, T, n_fft / 2 + 1]."""
        pulses = torch.fft.rfft(self.pulses(pitch, stream))
        return super().spectrum(x, stream) + pulses * polar(self.filter(x), LOUDEST_FILTER)
