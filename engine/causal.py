"""The causal pieces that a codec is made of: convolutions, ConvNeXt blocks and windowed transformers.

No piece looks ahead, so any of them can be given its input in chunks. What a piece must keep of the past to go on lies
in a `Stream` that the caller owns: a fresh one is the beginning of the audio, and one pass over everything is a stream
of one chunk. Every piece is called as `piece(x, stream)` with x [B, channels, T].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.codec_config import TransformerConfig
from engine.transformer import FeedForward, RMSNorm, rotary_table, rotate

# A longer input is read in pieces of this many positions, so that attention masks stay small however long it is.
TRANSFORMER_PIECE = 512


@dataclass
class Stream:
    """How far a pass over the audio has come. Its tensors are replaced, never written to, so copies share them."""

    tails: dict[nn.Module, Tensor] = field(default_factory=dict)  # what each piece keeps of the past
    positions: dict[nn.Module, int] = field(default_factory=dict)  # how many positions each transformer has read

    def copy(self) -> Stream:
        return Stream(dict(self.tails), dict(self.positions))


class Chain(nn.ModuleList):
    """Pieces called one after another."""

    def forward(self, x: Tensor, stream: Stream) -> Tensor:
        for piece in self:
            x = piece(x, stream)
        return x


class CausalConv(nn.Module):
    """A convolution over the past: [B, inputs, T] -> [B, outputs, T / stride], where stride divides T."""

    def __init__(
        self, inputs: int, outputs: int, kernel: int, *, dilation: int = 1, stride: int = 1, groups: int = 1
    ) -> None:
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, kernel, stride=stride, dilation=dilation, groups=groups)
        self.stride = stride
        self.past = (kernel - 1) * dilation + 1 - stride

    def forward(self, x: Tensor, stream: Stream) -> Tensor:
        before = stream.tails.get(self)
        if before is None:
            before = x.new_zeros(*x.shape[:-1], self.past)
        x = torch.cat([before, x], dim=-1)  # [B, inputs, past + T]
        stream.tails[self] = x[..., x.shape[-1] - self.past :].clone()
        return self.conv(x)

    def earliest(self, output: int) -> int:
        return output * self.stride - self.past


class CausalTransposedConv(nn.Module):
    """A transposed convolution cropped on the right: [B, inputs, T] -> [B, outputs, T x stride].

    Its outputs overlap; what reaches beyond the end of a chunk is kept and added to the beginning of the next.
    """

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose1d(inputs, outputs, kernel, stride=stride)
        self.kernel = kernel
        self.stride = stride

    def forward(self, x: Tensor, stream: Stream) -> Tensor:
        y = F.conv_transpose1d(x, self.conv.weight, stride=self.stride)  # [B, outputs, T x stride + kernel - stride]
        y = carry_over(self, y, x.shape[-1] * self.stride, stream)
        assert self.conv.bias is not None
        return y + self.conv.bias[:, None]

    def earliest(self, output: int) -> int:
        return earliest_overlapping(output, self.kernel, self.stride)


def carry_over(piece: nn.Module, y: Tensor, length: int, stream: Stream) -> Tensor:
    """Add what `piece` kept to the beginning of y, keep what lies beyond `length`, and give back the first `length`.

    y is written to.
    """
    before = stream.tails.get(piece)
    if before is not None:
        y[..., : before.shape[-1]] += before
    stream.tails[piece] = y[..., length:].clone()
    return y[..., :length]


def earliest_overlapping(output: int, kernel: int, stride: int) -> int:
    """The first input whose `kernel` outputs, beginning at input x stride, hold position `output`."""
    return -((kernel - 1 - output) // stride)


@runtime_checkable
class Reaching(Protocol):
    """A piece whose outputs depend on inputs before them."""

    def earliest(self, output: int) -> int:
        """The first input position that output position `output` depends on."""


def reach(pieces: Iterable[nn.Module]) -> int:
    """How many inputs before a chunk its outputs depend on, for pieces called in this order."""
    earliest = 0
    modules = [module for piece in pieces for module in piece.modules()]
    for module in reversed(modules):
        if isinstance(module, Reaching):
            earliest = module.earliest(earliest)
    return -earliest


class ConvNeXt(nn.Module):
    """Depthwise convolution, then each position on its own: norm, four times wider, back. Residual; [B, C, T]."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.dwconv = CausalConv(channels, channels, 7, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.pwconv1 = nn.Linear(channels, 4 * channels)
        self.pwconv2 = nn.Linear(4 * channels, channels)
        self.gamma = nn.Parameter(torch.ones(channels))

    def forward(self, x: Tensor, stream: Stream) -> Tensor:
        y = self.norm(self.dwconv(x, stream).mT)  # [B, T, C]
        y = self.gamma * self.pwconv2(F.gelu(self.pwconv1(y)))
        return x + y.mT


class LayerScale(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma


class WindowedAttention(nn.Module):
    """Attention to the last `window` positions. The stream keeps the keys and values of the last window - 1."""

    def __init__(self, config: TransformerConfig, window: int) -> None:
        super().__init__()
        self.heads, self.head_dim, self.window = config.n_head, config.head_dim, window
        self.wqkv = nn.Linear(config.dim, 3 * config.n_head * config.head_dim, bias=False)
        self.wo = nn.Linear(config.n_head * config.head_dim, config.dim, bias=False)

    def forward(self, x: Tensor, rotary: Tensor, mask: Tensor, stream: Stream) -> Tensor:
        """x [B, T, C]; rotary [T, D / 2, 2]; mask [T, kept + T], true where a query may look."""
        heads = self.wqkv(x).unflatten(-1, (3, self.heads, self.head_dim))  # [B, T, 3, H, D]
        queries, keys, values = heads.permute(2, 0, 3, 1, 4)  # [B, H, T, D] each
        queries, keys = rotate(queries, rotary), rotate(keys, rotary)
        kept = stream.tails.get(self)  # [2, B, H, kept, D]
        if kept is not None:
            keys, values = torch.cat([kept[0], keys], dim=2), torch.cat([kept[1], values], dim=2)
        first = max(0, keys.shape[2] - (self.window - 1))
        stream.tails[self] = torch.stack([keys[:, :, first:], values[:, :, first:]])
        mixed = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)  # [B, H, T, D]
        return self.wo(mixed.transpose(1, 2).flatten(2))


class WindowedBlock(nn.Module):
    def __init__(self, config: TransformerConfig, window: int) -> None:
        super().__init__()
        self.attention_norm = RMSNorm(config.dim, config.norm_eps)
        self.attention = WindowedAttention(config, window)
        self.attention_layer_scale = LayerScale(config.dim)
        self.ffn_norm = RMSNorm(config.dim, config.norm_eps)
        self.feed_forward = FeedForward(config.dim, config.intermediate_size)
        self.ffn_layer_scale = LayerScale(config.dim)

    def forward(self, x: Tensor, rotary: Tensor, mask: Tensor, stream: Stream) -> Tensor:
        x = x + self.attention_layer_scale(self.attention(self.attention_norm(x), rotary, mask, stream))
        return x + self.ffn_layer_scale(self.feed_forward(self.ffn_norm(x)))


class WindowedTransformer(nn.Module):
    """A transformer in which each position sees the last `window`, itself included: [B, C, T] -> [B, C, T]."""

    def __init__(self, config: TransformerConfig, window: int) -> None:
        super().__init__()
        self.config, self.window = config, window
        self.layers = nn.ModuleList(WindowedBlock(config, window) for _ in range(config.n_layer))
        self.norm = RMSNorm(config.dim, config.norm_eps)

    def forward(self, x: Tensor, stream: Stream) -> Tensor:
        pieces = [self._read(piece, stream) for piece in x.mT.split(TRANSFORMER_PIECE, dim=1)]  # [B, <= piece, C]
        return torch.cat(pieces, dim=1).mT

    def _read(self, x: Tensor, stream: Stream) -> Tensor:
        position, length = stream.positions.get(self, 0), x.shape[1]
        stream.positions[self] = position + length
        kept = min(position, self.window - 1)
        rotary = rotary_table(length, self.config.head_dim, self.config.rope_base, x.device, start=position)
        index = torch.arange(kept + length, device=x.device)
        distance = index[kept:, None] - index  # [T, kept + T], from each query back to each key
        mask = (distance >= 0) & (distance < self.window)
        for layer in self.layers:
            x = layer(x, rotary, mask, stream)
        return self.norm(x)
