"""A transformer stack's reading of single positions as one compiled loop, for models whose layers are small.

To start an operation of torch costs ten microseconds or more, and a layer is some sixty of them. A small layer's
arithmetic is over in less, so the embedded voice spent nine tenths of its time on starting. numba compiles the loops
below once for a machine, in some seconds, and keeps what it made beside this file. dual_ar.py says what is computed.

Each number of a row is summed in one order, whatever rows are beside it. All arrays are float32 and contiguous. Shapes:
B rows, T positions, L layers, C model width, H query heads, G key/value heads, D head width, I inner width.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numba import njit

_Function = TypeVar("_Function", bound=Callable[..., None])


def _fast(function: _Function) -> _Function:
    """Compiled when it is first called. Sums may be taken in another order than written, several numbers at a time."""
    return cast(_Function, njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})(function))


class Weights(NamedTuple):
    """What layers compute with, theirs behind one another: `qkv` [L, (H + 2 G) D, C], `out` [L, C, H D], `gate` and
    `up` [L, I, C], `down` [L, C, I]; norms before attention and before the feed-forward [L, C], of each head of q and k
    [L, D] (or [L, 0] where there is none), and the last [C]; `rotary` [position, D / 2, 2]."""

    qkv: np.ndarray
    out: np.ndarray
    gate: np.ndarray
    up: np.ndarray
    down: np.ndarray
    attention_norm: np.ndarray
    ffn_norm: np.ndarray
    q_norm: np.ndarray
    k_norm: np.ndarray
    norm: np.ndarray
    rotary: np.ndarray


@_fast
def read_positions(
    x: np.ndarray, weights: Weights, keys: np.ndarray, values: np.ndarray, first: np.ndarray, heads: int, eps: float
) -> None:
    """Read x [B, T, C] in place, to what the last norm makes of it. The positions of row b go from first[b] on into
    `keys` and `values` [L, B, G, capacity, D], and each looks at all up to itself."""
    rows, count, width = x.shape
    layers, inner = weights.gate.shape[:2]
    groups, head_dim = keys.shape[2], keys.shape[4]
    here = np.empty((rows, width), np.float32)
    normal = np.empty((rows, width), np.float32)
    qkv = np.empty((rows, heads + 2 * groups, head_dim), np.float32)
    mixed = np.empty((rows, heads, head_dim), np.float32)
    gate = np.empty((rows, inner), np.float32)
    up = np.empty((rows, inner), np.float32)
    added = np.empty((rows, width), np.float32)
    scores = np.empty(keys.shape[3], np.float32)
    small = np.float32(eps)
    for place in range(count):
        for row in range(rows):
            for i in range(width):
                here[row, i] = x[row, place, i]
        for layer in range(layers):
            for row in range(rows):
                _norm(here[row], weights.attention_norm[layer], small, normal[row])
            _product(weights.qkv[layer], normal, qkv.reshape(rows, -1))
            for row in range(rows):
                position = first[row] + place
                for head in range(heads + groups):
                    if weights.q_norm.shape[1]:
                        own = weights.q_norm if head < heads else weights.k_norm
                        _norm(qkv[row, head], own[layer], small, qkv[row, head])
                    _turn(qkv[row, head], weights.rotary[position])
                for group in range(groups):
                    for i in range(head_dim):
                        keys[layer, row, group, position, i] = qkv[row, heads + group, i]
                        values[layer, row, group, position, i] = qkv[row, heads + groups + group, i]
                for head in range(heads):
                    group = head // (heads // groups)
                    known, said = keys[layer, row, group], values[layer, row, group]
                    _attend(qkv[row, head], known, said, scores[: position + 1], mixed[row, head])
            _product(weights.out[layer], mixed.reshape(rows, -1), added)
            _add(added, here)
            for row in range(rows):
                _norm(here[row], weights.ffn_norm[layer], small, normal[row])
            _product(weights.gate[layer], normal, gate)
            _product(weights.up[layer], normal, up)
            for row in range(rows):
                for i in range(inner):
                    gate[row, i] = gate[row, i] / (np.float32(1) + math.exp(-gate[row, i])) * up[row, i]
            _product(weights.down[layer], gate, added)
            _add(added, here)
        for row in range(rows):
            _norm(here[row], weights.norm, small, x[row, place])


@_fast
def _product(weight: np.ndarray, x: np.ndarray, made: np.ndarray) -> None:
    """A linear layer: weight [N, K] times each row of x [B, K], into made [B, N]. A line of the weight serves all rows
    while it is at hand."""
    for n in range(weight.shape[0]):
        for row in range(x.shape[0]):
            total = np.float32(0)
            for k in range(weight.shape[1]):
                total += weight[n, k] * x[row, k]
            made[row, n] = total


@_fast
def _add(x: np.ndarray, made: np.ndarray) -> None:
    """Add x [B, N] to what is there."""
    for row in range(x.shape[0]):
        for i in range(x.shape[1]):
            made[row, i] += x[row, i]


@_fast
def _norm(x: np.ndarray, weight: np.ndarray, eps: np.float32, made: np.ndarray) -> None:
    """The root mean square norm of x [N] times the weight, into `made`, which may be x."""
    total = np.float32(0)
    for i in range(len(x)):
        total += x[i] * x[i]
    scale = np.float32(1) / np.sqrt(total / np.float32(len(x)) + eps)
    for i in range(len(x)):
        made[i] = x[i] * scale * weight[i]


@_fast
def _turn(head: np.ndarray, table: np.ndarray) -> None:
    """Turn the pairs of a head [D] by cos and sin [D / 2, 2]."""
    for pair in range(table.shape[0]):
        one, other = head[2 * pair], head[2 * pair + 1]
        cos, sin = table[pair, 0], table[pair, 1]
        head[2 * pair] = one * cos - other * sin
        head[2 * pair + 1] = one * sin + other * cos


@_fast
def _attend(query: np.ndarray, keys: np.ndarray, values: np.ndarray, scores: np.ndarray, made: np.ndarray) -> None:
    """What a query [D] makes of the first keys and values [N, D], as many as there is room for `scores`, into
    `made` [D]."""
    scale = np.float32(1 / math.sqrt(len(query)))
    best = np.float32(-np.inf)
    for position in range(len(scores)):
        total = np.float32(0)
        for i in range(len(query)):
            total += query[i] * keys[position, i]
        scores[position] = total * scale
        best = max(best, scores[position])
    whole = np.float32(0)
    for position in range(len(scores)):
        scores[position] = math.exp(scores[position] - best)
        whole += scores[position]
    for i in range(len(made)):
        made[i] = np.float32(0)
    for position in range(len(scores)):
        share = scores[position] / whole
        for i in range(len(made)):
            made[i] += share * values[position, i]


def compile_ahead() -> None:
    """Have the loops made for this machine before they are waited for."""
    one = np.ones((1, 2, 2), np.float32)
    flat = one[0]
    weights = Weights(np.ones((1, 6, 2), np.float32), one, one, one, one, flat, flat, flat, flat, flat[0], one[:, :1])
    room = np.zeros((1, 1, 1, 1, 2), np.float32)
    read_positions(np.ones((1, 1, 2), np.float32), weights, room, room.copy(), np.zeros(1, np.int64), 1, 1e-6)
