"""A transformer stack's reading of single positions, and the fast AR's speaking of frames, each as one compiled loop,
for models whose layers are small.

To start an operation of torch costs ten microseconds or more, and a layer is some sixty of them. A small layer's
arithmetic is over in less, so the embedded voice spent nine tenths of its time on starting; and where the window's
thread is at work as well, every start may have to wait for it. numba compiles the loops below once for a machine, in
some seconds, and keeps what it made beside this file. dual_ar.py and sampling.py say what is computed.

Each number of a row is summed in one order, whatever rows are beside it. All arrays are contiguous, and float32 but for
codes and indices. Shapes: B rows, T positions, L layers, C model width, H query heads, G key/value heads, D head width,
I inner width, K codebooks, V codebook size, R ranks that have noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit

_Function = TypeVar("_Function", bound=Callable[..., object])


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
def sound_frames(
    hidden: np.ndarray,
    codes: np.ndarray,
    judged: np.ndarray,
    noise: np.ndarray,
    weights: Weights,
    embeddings: np.ndarray,
    output: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    heads: int,
    eps: float,
    temperature: float,
    top_p: float,
    top_k: int,
) -> None:
    """Fill codes [B, K], of which the first are given, after hidden [B, C], by the chance in noise [B, K or more, R];
    and `judged` [B, K - 1, 3], the log p, entropy and margin of each other code. `embeddings` and `output` are [V, C].
    """
    rows, width = hidden.shape
    first = np.zeros(rows, np.int64)
    two = np.empty((rows, 2, width), np.float32)
    one = np.empty((rows, 1, width), np.float32)
    last = np.empty((rows, width), np.float32)
    logits = np.empty((rows, output.shape[0]), np.float32)
    for row in range(rows):
        for i in range(width):
            two[row, 0, i] = hidden[row, i]
            two[row, 1, i] = embeddings[codes[row, 0], i]
    read_positions(two, weights, keys, values, first, heads, eps)
    for row in range(rows):
        for i in range(width):
            last[row, i] = two[row, 1, i]
    for book in range(1, codes.shape[1]):
        _product(output, last, logits)
        for row in range(rows):
            drawn = _drawn(logits[row], noise[row, book], temperature, top_p, top_k, judged[row, book - 1])
            codes[row, book] = drawn
        if book + 1 == codes.shape[1]:
            return
        for row in range(rows):
            first[row] = book + 1
            for i in range(width):
                one[row, 0, i] = embeddings[codes[row, book], i]
        read_positions(one, weights, keys, values, first, heads, eps)
        for row in range(rows):
            for i in range(width):
                last[row, i] = one[row, 0, i]


@_fast
def _drawn(
    logits: np.ndarray, noise: np.ndarray, temperature: float, top_p: float, top_k: int, judged: np.ndarray
) -> int:
    """An index of logits [V] by exponential noise [R], one number per rank, as sampling.draw has it; its log p, the
    entropy and the margin of the best go into `judged` [3]."""
    kept = min(top_k, len(logits), len(noise))
    ranks = max(2, kept)
    best = np.empty(ranks, np.float32)
    indices = np.empty(ranks, np.int64)
    count = 0
    for index in range(len(logits)):
        value = logits[index]
        if count == ranks and value <= best[count - 1]:
            continue
        place = min(count, ranks - 1)
        while place > 0 and best[place - 1] < value:
            best[place], indices[place] = best[place - 1], indices[place - 1]
            place -= 1
        best[place], indices[place] = value, index
        count = min(count + 1, ranks)
    whole, mean = np.float32(0), np.float32(0)
    for index in range(len(logits)):
        below = logits[index] - best[0]
        share = math.exp(below)
        whole += share
        mean += share * below
    sharp = np.float32(1 / max(temperature, 1e-5))
    drawn, greatest, above = 0, np.float32(-1), np.float32(0)
    for rank in range(kept):
        above += math.exp(best[rank] - best[0]) / whole
        if rank > 0 and above > np.float32(top_p):
            break
        chance = math.exp((best[rank] - best[0]) * sharp) / noise[rank]
        if chance > greatest:
            drawn, greatest = rank, chance
    judged[0] = best[drawn] - best[0] - math.log(whole)
    judged[1] = math.log(whole) - mean / whole
    judged[2] = (np.float32(1) - math.exp(best[1] - best[0])) / whole
    return indices[drawn]


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
    codes, noise, judged = np.zeros((1, 2), np.int64), np.ones((1, 2, 1), np.float32), np.ones((1, 1, 3), np.float32)
    sound_frames(flat[:1], codes, judged, noise, weights, flat, flat, room, room.copy(), 1, 1e-6, 1.0, 1.0, 1)


def forget() -> None:
    """Delete what was made of the loops before, for it cannot be read."""
    for loop in (read_positions, sound_frames):
        for path in Path(cast(Any, loop).stats.cache_path).glob(f"{Path(__file__).stem}.*.nb[ci]"):
            path.unlink(missing_ok=True)
