"""The ends of a causal DAC: samples down to latents, latents up to samples.

Pieces are called as `piece(x, stream)`, see `engine.causal`. Shapes: [1, channels, T].
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from engine.causal import CausalConv, CausalTransposedConv, Chain, Stream, WindowedTransformer
from engine.codec_config import DacConfig

DILATIONS = (1, 3, 9)


class Snake(nn.Module):
    """x + sin(a x)^2 / a, with one a for each channel."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x: Tensor, stream: Stream) -> Tensor:
        wave = (self.alpha * x).sin_().square_()  # in place: at sample rate these are the largest tensors of all
        return torch.addcmul(x, wave, (self.alpha + 1e-9).reciprocal())


class ResidualUnit(nn.Module):
    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.block = Chain(
            [
                Snake(channels),
                CausalConv(channels, channels, 7, dilation=dilation),
                Snake(channels),
                CausalConv(channels, channels, 1),
            ]
        )

    def forward(self, x: Tensor, stream: Stream) -> Tensor:
        return x + self.block(x, stream)


class Block(nn.Module):
    """A chain under the name that the files give it."""

    def __init__(self, *pieces: nn.Module) -> None:
        super().__init__()
        self.block = Chain(pieces)

    def forward(self, x: Tensor, stream: Stream) -> Tensor:
        return self.block(x, stream)


class DacFront(nn.Module):
    """Samples [1, 1, n x hop] -> latents [1, C, T]."""

    lookahead = 0  # samples beyond the last that a chunk of this front must see

    def __init__(self, config: DacConfig) -> None:
        super().__init__()
        pieces: list[nn.Module] = [CausalConv(1, config.encoder_dim, 7)]
        for width, rate, layers in zip(
            config.encoder_widths, config.encoder_rates, config.encoder_transformer_layers, strict=True
        ):
            pieces.append(_down(config, width, rate, layers))
        width = config.encoder_widths[-1]
        pieces += [Snake(width), CausalConv(width, config.quantizer.input_dim, 3)]
        self.block = Chain(pieces)

    def forward(self, samples: Tensor, stream: Stream) -> Tensor:
        return self.block(samples, stream)


def _down(config: DacConfig, width: int, rate: int, layers: int) -> Block:
    """[1, width / 2, T] -> [1, width, T / rate]."""
    units = [ResidualUnit(width // 2, dilation) for dilation in DILATIONS]
    pieces = [*units, Snake(width // 2), CausalConv(width // 2, width, 2 * rate, stride=rate)]
    if layers:
        general = config.transformer_general_config
        pieces.append(WindowedTransformer(general.at_width(width, layers), general.window_size))
    return Block(*pieces)


class DacBack(nn.Module):
    """Upsampled latents [1, C, T] -> samples [1, 1, n x hop]."""

    def __init__(self, config: DacConfig) -> None:
        super().__init__()
        width = config.decoder_dim
        pieces: list[nn.Module] = [CausalConv(config.quantizer.input_dim, width, 7)]
        for rate in config.decoder_rates:
            pieces.append(_up(width, rate))
            width //= 2
        pieces += [Snake(width), CausalConv(width, 1, 7)]
        self.model = Chain(pieces)

    def forward(self, latent: Tensor, stream: Stream) -> Tensor:
        return self.model(latent, stream).tanh()


def _up(width: int, rate: int) -> Block:
    """[1, width, T] -> [1, width / 2, T x rate]."""
    units = [ResidualUnit(width // 2, dilation) for dilation in DILATIONS]
    return Block(Snake(width), CausalTransposedConv(width, width // 2, 2 * rate, rate), *units)
