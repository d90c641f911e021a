"""Fish Audio S2's language model: a slow AR over time and a fast AR over the codebooks of one frame.

Shapes: B rows, T positions, K codebooks, S semantic codes, V codebook size, C model width, H query heads, G key/value
heads, D head width. State (`Memory`) is an argument that the caller owns, may copy, cut to a position, and spread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.config import ModelConfig, StackConfig
from engine.errors import TooLongError
from engine.request import Settings
from engine.transformer import FeedForward, RMSNorm, rotary_table, rotate


@dataclass(frozen=True)
class Place:
    """Where the next T positions of each row go in a memory: from `start` to `stop` in all rows alike or, where `start`
    is None, at `positions` [B, T]. `mask` is bool [B or 1, 1, T, stop], True where a position may look, None where it
    may look at everything up to `stop`."""

    start: int | None
    stop: int
    positions: Tensor | None = None
    mask: Tensor | None = None

    def rows_of(self, table: Tensor) -> Tensor:
        """The rows [B or 1, T, ...] of a table [position, ...] that these positions stand for."""
        if self.positions is None:
            return table[None, self.start : self.stop]
        return table[self.positions]


class Memory:
    """Keys and values of all positions read so far: [layer, B, G, capacity, D] each. Rows may differ in length."""

    def __init__(self, stack: StackConfig, rows: int, capacity: int, like: Tensor) -> None:
        shape = (stack.n_layer, rows, stack.n_local_heads, capacity, stack.head_dim)
        self.keys = like.new_zeros(shape)
        self.values = like.new_zeros(shape)
        self.lengths = [0] * rows
        self._next: tuple[list[int], Tensor] | None = None  # the lengths as the device has them, [B, 1]

    @property
    def capacity(self) -> int:
        return self.keys.shape[3]

    @property
    def bytes(self) -> int:
        return 2 * self.keys.nelement() * self.keys.element_size()

    def taken(self, rows: list[int], lengths: list[int], capacity: int) -> Memory:
        """A memory of its own made of these rows (any may repeat), each cut to its length, with room for `capacity`."""
        return self.joined([(self, row) for row in rows], lengths, capacity)

    @staticmethod
    def joined(sources: Sequence[tuple[Memory, int]], lengths: list[int], capacity: int) -> Memory:
        """A memory made of rows of several of one model, each cut to its length, with room for `capacity`."""
        like = sources[0][0].keys
        layers, _, heads, _, width = like.shape
        other = object.__new__(Memory)
        other.keys = like.new_zeros((layers, len(sources), heads, capacity, width))
        other.values = torch.zeros_like(other.keys)
        other.lengths = list(lengths)
        other._next = None
        for place, ((memory, row), length) in enumerate(zip(sources, lengths, strict=True)):
            other.keys[:, place, :, :length] = memory.keys[:, row, :, :length]
            other.values[:, place, :, :length] = memory.values[:, row, :, :length]
        return other

    def stop_after(self, count: int) -> int:
        """Where the longest row ends after `count` more positions. Raises TooLongError where that is past the end."""
        stop = max(self.lengths) + count
        if stop > self.capacity:
            raise TooLongError(
                f"This needs {stop} positions and the memory holds {self.capacity}.", stop, self.capacity
            )
        return stop

    def place(self, count: int) -> Place:
        """Where `count` more positions of each row go. Raises TooLongError before anything is written past the end."""
        stop = self.stop_after(count)
        start = self.lengths[0] if len(set(self.lengths)) == 1 else None
        if start is not None and count == 1:
            return Place(start, stop)
        device = self.keys.device
        if start is None:
            positions = self._positions(count)
        else:  # nothing of the host's, so that it can be captured in a graph
            positions = torch.arange(start, stop, device=device)[None]  # [1, T]
        mask = (torch.arange(stop, device=device) <= positions[..., None])[:, None]
        return Place(start, stop, positions if start is None else None, mask)

    def _positions(self, count: int) -> Tensor:
        """The next positions of each row, [B, T]. From frame to frame they move on where they are computed with: what
        comes from the host is waited for."""
        if count == 1 and self._next is not None and self._next[0] == self.lengths:
            return self._next[1]
        first = torch.tensor(self.lengths, device=self.keys.device)
        positions = first[:, None] + torch.arange(count, device=self.keys.device)
        self._next = (list(self.lengths), positions) if count == 1 else None
        return positions

    def write(self, layer: int, place: Place, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Add keys and values [B, T, G, D] of one layer at `place`; all of that layer up to its stop comes back."""
        kept_keys, kept_values = self.keys[layer], self.values[layer]
        if place.start is not None:
            kept_keys[:, :, place.start : place.stop] = keys.transpose(1, 2)
            kept_values[:, :, place.start : place.stop] = values.transpose(1, 2)
        else:
            rows = torch.arange(keys.shape[0], device=keys.device)[:, None]
            kept_keys.transpose(1, 2)[rows, place.positions] = keys
            kept_values.transpose(1, 2)[rows, place.positions] = values
        return kept_keys[:, :, : place.stop], kept_values[:, :, : place.stop]

    def advance(self, count: int) -> None:
        self.lengths = [length + count for length in self.lengths]
        if self._next is not None:
            self._next = (self.lengths, self._next[1] + count) if count == 1 else None


class Attention(nn.Module):
    """Causal grouped-query attention with rotary and, in the slow AR, a norm over each head of q and k.

    The H / G query heads that share a key/value head stand as further positions of one head, so that no key is copied.
    """

    def __init__(self, config: StackConfig) -> None:
        super().__init__()
        self.heads, self.groups, self.head_dim = config.n_head, config.n_local_heads, config.head_dim
        self.wqkv = nn.Linear(config.dim, (self.heads + 2 * self.groups) * self.head_dim, bias=False)
        self.wo = nn.Linear(self.heads * self.head_dim, config.dim, bias=False)
        self.normed = config.attention_qk_norm
        if self.normed:
            self.q_norm = RMSNorm(config.head_dim, config.norm_eps)
            self.k_norm = RMSNorm(config.head_dim, config.norm_eps)

    def forward(self, x: Tensor, rotary: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries [B, T, H, D], keys and values [B, T, G, D] of x [B, T, C]."""
        heads = self.wqkv(x).unflatten(-1, (-1, self.head_dim))  # [B, T, H + 2 G, D]
        turning, v = heads.split((self.heads + self.groups, self.groups), dim=2)
        if self.normed:
            q, k = turning.split((self.heads, self.groups), dim=2)
            turning = torch.cat([self.q_norm(q), self.k_norm(k)], dim=2)
        q, k = rotate(turning, rotary).split((self.heads, self.groups), dim=2)
        return q, k, v

    def mixed(self, q: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """What queries [B, T, H, D] make of keys and values [B, G, stop, D]: [B, T, H D]."""
        shared = self.heads // self.groups
        q = q.unflatten(2, (self.groups, shared)).permute(0, 2, 3, 1, 4).flatten(2, 3)  # [B, G, H / G x T, D]
        mask = mask if mask is None else mask.repeat(1, 1, shared, 1)
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
        y = y.unflatten(2, (shared, -1)).permute(0, 3, 1, 2, 4)  # [B, T, G, H / G, D]
        return y.flatten(2)


@dataclass(frozen=True, eq=False)
class Halves:
    """What a layer does before and after the memory, compiled for one position of so many rows (compiling.py)."""

    before: Callable[[Block, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]
    after: Callable[[Block, Tensor, Tensor], Tensor]
    rows: frozenset[int]


class Block(nn.Module):
    """A pre-norm transformer layer."""

    def __init__(self, config: StackConfig) -> None:
        super().__init__()
        self.compiled: Halves | None = None
        self.attention = Attention(config)
        self.feed_forward = FeedForward(config.dim, config.intermediate_size)
        self.attention_norm = RMSNorm(config.dim, config.norm_eps)
        self.ffn_norm = RMSNorm(config.dim, config.norm_eps)

    def forward(self, x: Tensor, rotary: Tensor, memory: Memory, layer: int, place: Place) -> Tensor:
        compiled = self.compiled if x.shape[1] == 1 else None
        if compiled is not None and x.shape[0] in compiled.rows:
            q, k, v = compiled.before(self, x, rotary)
            return compiled.after(self, x, self.attention.mixed(q, *memory.write(layer, place, k, v), place.mask))
        q, k, v = self.before(x, rotary)
        return self.after(x, self.attention.mixed(q, *memory.write(layer, place, k, v), place.mask))

    def before(self, x: Tensor, rotary: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What is asked of the memory, and what is added to it."""
        return self.attention(self.attention_norm(x), rotary)

    def after(self, x: Tensor, mixed: Tensor) -> Tensor:
        """What becomes of x [B, T, C] by what the memory answered, [B, T, H D]."""
        x = x + self.attention.wo(mixed)
        return x + self.feed_forward(self.ffn_norm(x))


class Stack(nn.Module):
    """Layers and their final norm: reads x [B, T, C] after what `memory` holds, and remembers it."""

    def __init__(self, config: StackConfig, positions: int) -> None:
        super().__init__()
        self.config = config
        self.positions = positions
        self.layers = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.norm = RMSNorm(config.dim, config.norm_eps)
        self.steps: Callable[[Tensor, Memory], Tensor] | None = None  # reads few positions sooner (small_stack.py)
        self._rotary: Tensor | None = None  # made on the weights' device at first use

    def memory(self, rows: int, capacity: int) -> Memory:
        return Memory(self.config, rows, capacity, self.norm.weight.detach())

    def bytes_of(self, rows: int, capacity: int) -> int:
        """What a memory would take."""
        config, element = self.config, self.norm.weight.element_size()
        return 2 * config.n_layer * rows * config.n_local_heads * capacity * config.head_dim * element

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        hidden = self.read(x, memory, memory.place(x.shape[1]))
        memory.advance(x.shape[1])
        return hidden

    def read(self, x: Tensor, memory: Memory, place: Place) -> Tensor:
        """Read x [B, T, C] at a place of the caller's choice; how far the memory is filled stays as it is."""
        rotary = place.rows_of(self.rotary_on(x.device))[:, :, None]  # [B or 1, T, 1, D / 2, 2]
        for layer, block in enumerate(self.layers):
            x = block(x, rotary, memory, layer, place)
        return self.norm(x)

    def step(self, x: Tensor, memory: Memory) -> Tensor:
        """What `forward` does, where x [B, T, C] is a position or two of each row, as in every frame."""
        return self(x, memory) if self.steps is None else self.steps(x, memory)

    def rotary_on(self, device: torch.device) -> Tensor:
        """cos and sin of every position and pair, [position, D / 2, 2]."""
        if self._rotary is None or self._rotary.device != device:
            with torch.inference_mode(False):  # a tensor like others, which compiled layers tell apart
                self._rotary = rotary_table(self.positions, self.config.head_dim, self.config.rope_base, device)
        return self._rotary


def _table(size: int, dim: int) -> nn.Embedding:
    """An unfilled nn.Embedding(size, dim): to fill it with noise on the meta device imports half of torch's compiler,
    which takes longer than loading the embedded voice."""
    return nn.Embedding.from_pretrained(torch.empty(size, dim), freeze=False)


class SlowAR(nn.Module):
    """One position per frame; its hidden state picks the semantic code and feeds the fast AR."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = _table(config.vocab_size, config.slow.dim)
        self.fusion = _table(config.num_codebooks * config.codebook_size, config.slow.dim)
        self.stack = Stack(config.slow, config.max_seq_len)
        self._spoken_rows: Tensor | None = None

    def embed(self, columns: Tensor) -> Tensor:
        """Columns [B, 1 + K, T] to inputs [B, T, C]. A spoken frame is its semantic token and all its codes, summed.

        The table of the text may stay on the host and in the type it was stored in: only rows of it are needed.
        """
        config, table, like = self.config, self.embeddings.weight, self.stack.norm.weight
        tokens, codes = columns[:, 0], columns[:, 1:]
        x = F.embedding(tokens.to(table.device), table).to(like)
        spoken = (tokens >= config.semantic_start) & (tokens <= config.semantic_end)
        fused = self.fusion(codes + self._fusion_rows(columns.device)[:, None]).sum(dim=1)
        return torch.where(spoken[..., None], (x + fused) / math.sqrt(config.num_codebooks + 1), x)

    def embed_frames(self, codes: Tensor) -> Tensor:
        """The input [B, C] of spoken frames, codes [B, K]: what `embed` gives, without the table of the text."""
        config = self.config
        fused = self.fusion(codes + self._fusion_rows(codes.device)).sum(dim=1)
        return (self.spoken_rows[1 + codes[:, 0]] + fused) / math.sqrt(config.num_codebooks + 1)

    def forward(self, columns: Tensor, memory: Memory) -> Tensor:
        """Read columns [B, 1 + K, T] after what is in memory; hidden states after the norm, [B, T, C]."""
        return self.stack(self.embed(columns), memory)

    def hear(self, codes: Tensor, memory: Memory) -> Tensor:
        """Read one spoken frame of each row, codes [B, K], after what is in memory; hidden states [B, C]."""
        return self.stack.step(self.embed_frames(codes)[:, None], memory)[:, -1]

    def logits(self, hidden: Tensor) -> Tensor:
        """[..., C] to [..., 1 + S]: column 0 ends the line, column 1 + i is semantic code i. No other may come."""
        return F.linear(hidden, self.spoken_rows)

    @property
    def spoken_rows(self) -> Tensor:
        """The rows of the text table that may be spoken, [1 + S, C]: the end, then the semantic codes. They are the
        head, tied to the table, and copied once to where the layers are."""
        like, config, table = self.stack.norm.weight, self.config, self.embeddings.weight.detach()
        if self._spoken_rows is None or self._spoken_rows.device != like.device:
            semantic = table[config.semantic_start : config.semantic_end + 1]
            self._spoken_rows = torch.cat([table[config.end_id : config.end_id + 1], semantic]).to(like)
        return self._spoken_rows

    def _fusion_rows(self, device: torch.device) -> Tensor:
        """Where each codebook's rows begin in the fusion table, [K]."""
        return torch.arange(self.config.num_codebooks, device=device) * self.config.codebook_size


Frames = Callable[[Tensor, Tensor, Tensor, Memory, Settings], tuple[Tensor, Tensor]]
"""Of hidden [B, C], semantic codes [B], noise [B, K or more, R], the fast AR's memory and settings: frames [B, K] that
are drawn, and the log p, entropy and margin [B, K - 1, 3] of their codes but the first."""


class FastAR(nn.Module):
    """The codebooks of one frame, one after another, from the slow AR's hidden state and the semantic code."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        same = config.slow.dim == config.fast.dim
        self.project_in = nn.Identity() if same else nn.Linear(config.slow.dim, config.fast.dim)
        self.embeddings = _table(config.codebook_size, config.fast.dim)
        self.stack = Stack(config.fast, config.num_codebooks)
        self.output = nn.Linear(config.fast.dim, config.codebook_size, bias=False)
        self.frames: Frames | None = None  # speaks whole frames sooner (small_stack.py)

    def start(self, hidden: Tensor, semantic: Tensor, memory: Memory) -> Tensor:
        """Begin a frame: hidden [B, C] and semantic codes [B] in one pass; logits [B, V] of codebook 1."""
        memory.lengths = [0] * hidden.shape[0]
        x = torch.stack([self.project_in(hidden), self.embeddings(semantic)], dim=1)
        return self.output(self.stack.step(x, memory)[:, -1])

    def next(self, codes: Tensor, memory: Memory) -> Tensor:
        """One codebook further: codes [B] of codebook k; logits [B, V] of codebook k + 1."""
        return self.output(self.stack.step(self.embeddings(codes)[:, None], memory)[:, -1])

    def all(self, hidden: Tensor, codes: Tensor) -> Tensor:
        """Teacher-forced: hidden [N, C] and codes [N, K] of whole frames; logits [N, K - 1, V] from codebook 1."""
        x = torch.cat([self.project_in(hidden)[:, None], self.embeddings(codes[:, :-1])], dim=1)  # [N, K, C]
        memory = self.stack.memory(x.shape[0], x.shape[1])
        return self.output(self.stack(x, memory)[:, 1:])


class DualAR(nn.Module):
    """Both autoregressions of a checkpoint."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.slow = SlowAR(config)
        self.fast = FastAR(config)
