"""The plain way to draw a frame, to measure against: what the public reference spends its time on, on the same weights.

One position at a time through a cache of the whole context, whose key/value heads are repeated in full at each step
and attended to under a mask; the head over all rows of the text's table, sorted; ten passes of the fast AR.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.config import StackConfig
from engine.dual_ar import Attention, Block, DualAR, Stack
from engine.request import Settings
from engine.transformer import rotary_table, rotate


class Baseline:
    """One row that speaks plainly; `draw` gives a frame and reads it back."""

    def __init__(self, model: DualAR, settings: Settings) -> None:
        config = model.config
        self._model = model
        self._settings = settings
        self._slow = _Cached(model.slow.stack, config.max_seq_len)
        self._fast = _Cached(model.fast.stack, config.num_codebooks)
        self._table = model.slow.embeddings.weight.detach().to(model.slow.stack.norm.weight)

    def read(self, x: Tensor, position: int) -> Tensor:
        """The hidden state [1, 1, C] of an input [1, 1, C] at a position."""
        return self._slow.step(x, position)

    def draw(self, hidden: Tensor, position: int) -> Tensor:
        """Draw the frame after hidden [1, 1, C], read it at `position`, and give its hidden state."""
        model, config = self._model, self._model.config
        logits = F.linear(hidden[:, -1], self._table)  # [1, rows of the text's table]
        allowed = torch.full_like(logits, -torch.inf)
        allowed[:, config.semantic_start : config.semantic_end + 1] = 0
        code = self._drawn(logits + allowed) - config.semantic_start
        self._drawn(logits + allowed, 1.0, 0.9)  # the second draw, for repetitions
        codes = [code]
        self._fast.step(model.fast.project_in(hidden), 0)
        x = model.fast.embeddings(code)[:, None]
        for codebook in range(1, config.num_codebooks):
            code = self._drawn(model.fast.output(self._fast.step(x, codebook))[:, -1])
            codes.append(code)
            x = model.fast.embeddings(code)[:, None]
        frame = torch.stack(codes, dim=1)
        columns = torch.cat([frame[:, :1] + config.semantic_start, frame], dim=1)[..., None]
        return self.read(model.slow.embed(columns), position)

    def _drawn(self, logits: Tensor, temperature: float | None = None, top_p: float | None = None) -> Tensor:
        """One index [1] of logits [1, N], which are sorted in full."""
        settings = self._settings
        best, order = logits.float().sort(dim=-1, descending=True)
        cumulative = best.softmax(-1).cumsum(-1)
        dropped = cumulative > (top_p or settings.top_p)
        dropped |= torch.arange(best.shape[-1], device=best.device) >= settings.top_k
        dropped[..., 0] = False
        logits = logits.float().masked_fill(dropped.scatter(-1, order, dropped), -torch.inf)
        probabilities = (logits / (temperature or settings.temperature)).softmax(-1)
        noise = torch.empty_like(probabilities).exponential_(1)
        return (probabilities / noise).argmax(-1)


class _Cached:
    """A stack with a cache of its whole context, [1, G, positions, D] for keys and values of each layer."""

    def __init__(self, stack: Stack, positions: int) -> None:
        config: StackConfig = stack.config
        like = stack.norm.weight
        shape = (config.n_layer, 1, config.n_local_heads, positions, config.head_dim)
        self._stack = stack
        self._keys, self._values = like.new_zeros(shape), like.new_zeros(shape)
        self._rotary = rotary_table(positions, config.head_dim, config.rope_base, like.device)

    def step(self, x: Tensor, position: int) -> Tensor:
        for layer, block in enumerate(self._stack.layers):
            assert isinstance(block, Block)
            x = x + self._attend(block.attention, layer, block.attention_norm(x), position)
            x = x + block.feed_forward(block.ffn_norm(x))
        return self._stack.norm(x)

    def _attend(self, attention: Attention, layer: int, x: Tensor, position: int) -> Tensor:
        heads = attention.wqkv(x).unflatten(-1, (-1, attention.head_dim))
        q, k, v = heads.split((attention.heads, attention.groups, attention.groups), dim=2)
        if attention.normed:
            q, k = attention.q_norm(q), attention.k_norm(k)
        table = self._rotary[position]
        self._keys[layer, :, :, position] = rotate(k, table)[:, 0]
        self._values[layer, :, :, position] = v[:, 0]
        shared = attention.heads // attention.groups
        keys = self._keys[layer].repeat_interleave(shared, dim=1)  # [1, H, all positions, D]
        values = self._values[layer].repeat_interleave(shared, dim=1)
        mask = (torch.arange(keys.shape[2], device=keys.device) <= position)[None, None, None]
        mixed = F.scaled_dot_product_attention(rotate(q, table).transpose(1, 2), keys, values, attn_mask=mask)
        return attention.wo(mixed.transpose(1, 2).flatten(2))
