"""The middle of a codec: latents to codes and back.

Each frame is first told by one semantic code, then what is left of it by several acoustic ones. Latents come at a
higher rate than frames, so they are downsampled on the way in and upsampled on the way out.
Shapes: C latent channels, T latents, F frames.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.causal import CausalConv, CausalTransposedConv, Chain, ConvNeXt, Stream, WindowedTransformer
from engine.codec_config import QuantizerConfig

Part = Literal["encode", "decode"]


class Codebook(nn.Module):
    """One codebook of `size` rows, looked up by cosine. Without `encode` it can only tell what a code means."""

    def __init__(self, channels: int, size: int, dim: int, encode: bool) -> None:
        super().__init__()
        if encode:
            self.in_proj = nn.Conv1d(channels, dim, 1)
        # Not nn.Embedding(size, dim): filling that with noise on the meta device imports half of torch's compiler.
        self.codebook = nn.Embedding.from_pretrained(torch.empty(size, dim), freeze=False)
        self.out_proj = nn.Conv1d(dim, channels, 1)

    def nearest(self, latent: Tensor) -> Tensor:
        """[1, C, F] -> codes [F]."""
        directions = F.normalize(self.in_proj(latent)[0].T)  # [F, dim]
        return (directions @ F.normalize(self.codebook.weight).T).argmax(dim=-1)

    def meaning(self, codes: Tensor) -> Tensor:
        """codes [F] -> [1, C, F]; the row itself is used, not its direction."""
        return self.out_proj(self.codebook(codes).T[None])


class Codebooks(nn.Module):
    """Codebooks that each tell what the ones before left over."""

    def __init__(self, channels: int, sizes: Collection[int], dim: int, encode: bool) -> None:
        super().__init__()
        self.quantizers = nn.ModuleList(Codebook(channels, size, dim, encode) for size in sizes)

    def encode(self, latent: Tensor) -> tuple[Tensor, Tensor]:
        """[1, C, F] -> codes [codebook, F] and what is left [1, C, F]."""
        codes = []
        for codebook in self._in_order():
            codes.append(codebook.nearest(latent))
            latent = latent - codebook.meaning(codes[-1])
        return torch.stack(codes), latent

    def decode(self, codes: Tensor) -> Tensor:
        """codes [codebook, F] -> [1, C, F]."""
        meanings = [codebook.meaning(row) for codebook, row in zip(self._in_order(), codes, strict=True)]
        return torch.stack(meanings).sum(dim=0)

    def _in_order(self) -> Iterable[Codebook]:
        return cast("Iterable[Codebook]", self.quantizers)


class Quantizer(nn.Module):
    """Latents [1, C, T] <-> codes [codebook, F]; only the pieces that `part` needs are there."""

    limits: Tensor

    def __init__(self, config: QuantizerConfig, part: Collection[Part]) -> None:
        super().__init__()
        channels, encode = config.input_dim, "encode" in part
        self.semantic_quantizer = Codebooks(channels, config.codebook_sizes[:1], config.codebook_dim, encode)
        self.quantizer = Codebooks(channels, config.codebook_sizes[1:], config.codebook_dim, encode)
        if encode:
            self.downsample = Chain(
                Chain([CausalConv(channels, channels, factor, stride=factor), ConvNeXt(channels)])
                for factor in config.downsample_factor
            )
            self.pre_module = WindowedTransformer(config.transformer, config.window_size)
        if "decode" in part:
            self.post_module = WindowedTransformer(config.transformer, config.window_size)
            self.upsample = Chain(
                Chain([CausalTransposedConv(channels, channels, factor, factor), ConvNeXt(channels)])
                for factor in reversed(config.downsample_factor)
            )
        # On the CPU even while the weights are still on the meta device: it is a value, not a weight.
        limits = torch.tensor(config.codebook_sizes, device="cpu")[:, None] - 1
        self.register_buffer("limits", limits, persistent=False)

    def encode(self, latent: Tensor, stream: Stream) -> Tensor:
        """[1, C, T] -> codes int64 [codebook, F]."""
        latent = self.pre_module(self.downsample(latent, stream), stream)  # [1, C, F]
        semantic, left = self.semantic_quantizer.encode(latent)
        acoustic, _ = self.quantizer.encode(left)
        return torch.cat([semantic, acoustic])

    @torch.inference_mode()
    def meanings(self, codes: Tensor) -> Tensor:
        """codes [codebook, F] -> what the semantic and the acoustic codes tell, one above the other [2 C, F]."""
        codes = codes.to(self.limits.device).clamp(min=0).minimum(self.limits)
        return torch.cat([self.semantic_quantizer.decode(codes[:1]), self.quantizer.decode(codes[1:])], dim=1)[0]

    def decode(self, codes: Tensor, stream: Stream) -> Tensor:
        """codes [codebook, F] -> what `post_module` makes of them [1, C, F]. Codes beyond a table are clamped."""
        codes = codes.long().clamp(min=0).minimum(self.limits)
        meaning = self.semantic_quantizer.decode(codes[:1]) + self.quantizer.decode(codes[1:])
        return self.post_module(meaning, stream)
