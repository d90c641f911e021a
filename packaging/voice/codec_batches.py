"""What the codec's training steps share: batches of sound, the engine's codec on them, and the frames' phonemes.

Shapes: B recordings, C latent channels, F frames, T steps of the codec's back, W its width, P phonemes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.causal import Stream
from engine.codec import Codec, SpectralConfig
from engine.codec_spectral import mel_bands
from engine.codec_voiced import VoicedBack
from voice.phonemes import SYMBOLS
from voice.recordings import Recording

RESOLUTIONS = ((256, 20), (512, 40), (1024, 80), (2048, 80))  # window, mel bands
QUIET = 1e-2


def padded(waves: Sequence[np.ndarray], codec: Codec) -> Tensor:
    """Waves of different lengths as [B, samples], silence behind them, and what the front looks ahead."""
    longest = max(-(-len(wave) // codec.hop) * codec.hop for wave in waves) + codec.front.lookahead
    batch = torch.zeros(len(waves), longest)
    for row, wave in enumerate(waves):
        batch[row, : len(wave)] = torch.from_numpy(wave)
    return batch


def latents(codec: Codec, samples: Tensor) -> Tensor:
    """[B, samples] -> [B, C, F], what the quantizer is asked to tell."""
    return refined(codec, codec.front(samples[None], Stream()))


def refined(codec: Codec, front: Tensor) -> Tensor:
    """What the front tells, [B, C, T] -> [B, C, F]."""
    stream, middle = Stream(), codec.quantizer
    return middle.pre_module(middle.downsample(front, stream), stream)


def listened(codec: Codec, meaning: Tensor) -> Tensor:
    """[B, C, F] of looked-up meanings -> what the codec's back reads of them, [B, T, W]: T of its steps."""
    stream, middle = Stream(), codec.quantizer
    assert isinstance(codec.back, VoicedBack)
    return codec.back.read(middle.upsample(middle.post_module(meaning, stream), stream), stream)


def spoken(codec: Codec, x: Tensor, pitch: Tensor) -> Tensor:
    """What was read, at a pitch [B, T, 3] -> samples [B, F * hop]."""
    assert isinstance(codec.back, VoicedBack)
    slices = torch.fft.irfft(codec.back.spectrum_at(pitch, x, Stream()))
    return torch.cat([codec.back.overlap_add(one[None], Stream())[0] for one in slices])  # one stream a recording


def frame_phonemes(recording: Recording, hop: int) -> Tensor:
    """[F, P]: the share of each phoneme in each frame."""
    frames = -(-len(recording.samples) // hop)
    shares = torch.zeros(frames, len(SYMBOLS))
    for sound in recording.sounds:
        column = SYMBOLS.index(sound.symbol)
        for frame in range(sound.start // hop, min(frames, -(-sound.stop // hop))):
            overlap = min(sound.stop, (frame + 1) * hop) - max(sound.start, frame * hop)
            shares[frame, column] += overlap / hop
    rest = 1 - shares.sum(1)
    shares[:, 0] += rest.clamp(min=0)
    return shares


def log_mel_loss(config: SpectralConfig, made: Tensor, wanted: Tensor) -> Tensor:
    """How far two sounds [B, samples] are apart in log-mel and linear spectra of four resolutions."""
    total = made.new_zeros(())
    for size, count in RESOLUTIONS:
        bands = mel_bands(replace(config, n_fft=size, hop=size // 4, n_mels=count)).to(made.device)
        window = torch.hann_window(size, device=made.device)
        spectrum, aim = (
            torch.stft(x, size, size // 4, window=window, return_complex=True).abs() for x in (made, wanted)
        )
        mel, mel_aim = ((bands @ x + QUIET).log10() for x in (spectrum, aim))
        linear = F.l1_loss(spectrum, aim) / (aim.mean() + 1e-3)
        total = total + F.l1_loss(mel, mel_aim) + 0.3 * linear
    return total
