"""Which frames of a take speak which characters, from where the slow AR looks in the text while it reads the take.

Some of its heads follow the text: at the position that draws a frame they look at the characters the frame speaks. One
teacher-forced pass shows where; a path over it that never goes back places every character, in any language.

Shapes: B rows, T positions, F frames, N tokens of the line's text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from engine.dual_ar import Attention, Block, DualAR, Memory
from engine.request import Alignment, Part, Samples, Take, frozen
from engine.text import pace, tags, words
from engine.text import written as written_part
from engine.threads import in_one_pass
from engine.tokenizer import Tokenizer
from engine.transformer import rotary_table, rotate

Head = tuple[int, int]  # layer, head
Range = tuple[int, int]

SURE = 0.35  # a word whose frames look elsewhere more than this is placed by its neighbours
_FLOOR = 1e-5
_EVEN = 2.0  # log p that it costs a frame to be the whole take away from where its token is due, by square
_LEAP = 0.3  # log p that it costs to pass over more than two tokens in one frame
_SILENT = 1e-5  # mean square of a frame in which nobody speaks: -50 dB
_PAUSE = 3  # silent frames at a word's edge that are no part of it
_QUIET_REACH = 2  # frames by which an unsure border may move to a quieter place


@in_one_pass
def looks(model: DualAR, columns: np.ndarray, memory: Memory, heads: Sequence[Head], text: Range) -> Tensor:
    """Read columns int64 [B, 1 + K, T] after what `memory` holds, and see how much of its look each of `heads` has for
    each position of `text`: float32 [B, heads, T, N]."""
    device, slow = memory.keys.device, model.slow
    first = torch.tensor(memory.lengths, device=device)
    with _inputs({layer: _attention(model, layer) for layer, _ in heads}) as inputs:
        slow(torch.from_numpy(columns).to(device), memory)
    positions = first[:, None] + torch.arange(columns.shape[2], device=device)  # [B, T]
    stop = int(positions.max()) + 1
    hidden_from = torch.arange(stop, device=device) > positions[..., None]  # [B, T, stop]
    config = slow.stack.config
    table = rotary_table(slow.stack.positions, config.head_dim, config.rope_base, device)
    seen = []
    for layer, head in heads:
        attention = _attention(model, layer)
        query = attention.wqkv(inputs[layer]).unflatten(-1, (-1, config.head_dim))[:, :, head]  # [B, T, D]
        if config.attention_qk_norm:
            query = attention.q_norm(query)
        query = rotate(query[:, None], table[positions][:, None])[:, 0].float()
        keys = memory.keys[layer, :, head * config.n_local_heads // config.n_head, :stop].float()  # [B, stop, D]
        scores = query @ keys.transpose(1, 2) / math.sqrt(config.head_dim)
        seen.append(scores.masked_fill(hidden_from, -torch.inf).softmax(-1)[..., text[0] : text[1]])
    return torch.stack(seen, dim=1)


def _attention(model: DualAR, layer: int) -> Attention:
    block = model.slow.stack.layers[layer]
    assert isinstance(block, Block)
    return block.attention


@contextmanager
def _inputs(attentions: Mapping[int, Attention]) -> Iterator[dict[int, Tensor]]:
    """What goes into the attention of some layers while the model reads, by layer."""
    inputs: dict[int, Tensor] = {}

    def keep(layer: int) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
        return lambda _, arguments: inputs.update({layer: arguments[0]})

    hooks = [attention.register_forward_pre_hook(keep(layer)) for layer, attention in attentions.items()]
    try:
        yield inputs
    finally:
        for hook in hooks:
            hook.remove()


@dataclass(frozen=True)
class Places:
    """Where the tokens of a line stand in its text: `ranges` [N] the characters of each, `spoken` the places among the
    tokens of those that are spoken, in order: no tag, no speaker's number."""

    ranges: tuple[Range, ...]
    spoken: np.ndarray

    def nearest(self, character: int) -> int:
        """The place in `spoken` of the token that speaks a character, or else of the next one."""
        stops = [self.ranges[token][1] for token in self.spoken]
        return min(int(np.searchsorted(stops, character, "right")), len(stops) - 1)


def places(parts: tuple[Part, ...], tokenizer: Tokenizer) -> Places:
    """The tokens of a line's text as `prompt.read` reads it."""
    whole = "\n".join(map(written_part, parts))
    position: list[int] = []  # of each written character in the text
    start = 0
    for part in parts:
        prefix = len(written_part(part)) - len(part.text)
        position += [start] * prefix + list(range(start, start + len(part.text) + 1))
        start += len(part.text) + 1
    ranges = tuple((position[first], position[last]) for first, last in tokenizer.offsets(whole))
    silent = np.zeros(len(position) + 1, bool)
    for tag in tags("\n".join(part.text for part in parts)):
        silent[tag.start : tag.stop] = True
    spoken = [token for token, (first, last) in enumerate(ranges) if first < last and not silent[first]]
    return Places(ranges, np.array(spoken, dtype=np.int64))


def path(weights: np.ndarray, due: np.ndarray | None = None, open_end: bool = False) -> np.ndarray:
    """The token each frame speaks, never going back, from the first to the last (anywhere where `open_end`).

    `weights` [F, N] are non-negative; the sum of their logarithms along the path is the greatest there is. Where they
    tell nothing, `due` decides: the share of the take's time, 0 to 1, at which each token should come.
    """
    frames, tokens = weights.shape
    if not tokens or not frames:
        return np.zeros(frames, np.int64)
    log = np.log(weights / np.maximum(weights.sum(1, keepdims=True), _FLOOR) + _FLOOR)
    if due is not None:
        log -= _EVEN * np.square((np.arange(frames)[:, None] + 0.5) / frames - due)
    reach = max(3, math.ceil(3 * tokens / frames))  # tokens that one frame may go on
    score = np.full(tokens, -np.inf)
    score[:reach] = log[0, :reach] - _LEAP * (np.arange(min(reach, tokens)) > 2)
    came_by = np.zeros((frames, tokens), np.int64)
    for frame in range(1, frames):
        best = score.copy()
        for step in range(1, min(reach + 1, tokens)):
            ahead = score[:-step] - _LEAP * (step > 2)
            better = ahead > best[step:]
            best[step:][better] = ahead[better]
            came_by[frame, step:][better] = step
        score = best + log[frame]
    at = int(score.argmax()) if open_end or not np.isfinite(score[-1]) else tokens - 1
    found = np.zeros(frames, np.int64)
    for frame in range(frames - 1, -1, -1):
        found[frame] = at
        at -= came_by[frame, at]
    return found


def aligned(weights: np.ndarray, where: Places, take: Take, samples: Samples | None = None) -> Alignment:
    """The alignment of a take from the looks [F, N] at its text's tokens. `samples`, the take's print, help to place
    words that the looks do not tell."""
    text = take.origin.prompt.text
    spoken = weights[:, where.spoken]
    due = _due(where, text)
    along = path(spoken, due, open_end=take.capped)
    first = np.searchsorted(along, np.arange(len(where.spoken) + 1), "left")  # frame where each token begins
    begins = np.full(len(text) + 1, -1.0)
    for place, token in enumerate(where.spoken):
        start, stop = where.ranges[token]
        for character in range(start, stop):
            if begins[character] < 0:
                share = (character - start) / (stop - start)
                begins[character] = first[place] + share * (first[place + 1] - first[place])
    begins[-1] = take.frames
    for character in range(len(text) - 1, -1, -1):  # tags begin where the next spoken character does
        if begins[character] < 0:
            begins[character] = begins[character + 1]
    borders = np.round(np.maximum.accumulate(begins)).astype(np.int64)
    share = spoken / np.maximum(spoken.sum(1, keepdims=True), _FLOOR)
    sure = np.array([_sureness(share, where, borders, word) for word in words(text)], np.float32)
    loudness = _loudness(samples, take)
    return Alignment(frozen(_without_pauses(_settled(borders, text, sure, loudness), text, loudness)), frozen(sure))


def _due(where: Places, text: str) -> np.ndarray:
    """The share of the time at which each spoken token should begin, by how long text takes to speak."""
    seconds = pace(text)
    return np.array([seconds[where.ranges[token][0]] for token in where.spoken]) / max(float(seconds[-1]), 1e-6)


def _sureness(share: np.ndarray, where: Places, borders: np.ndarray, word: Range) -> float:
    """How much of the look of a word's frames lies on the word, or on a token beside it: 0 to 1."""
    start, stop = borders[word[0]], borders[word[1]]
    if start >= stop:
        return 0.0
    first, last = where.nearest(word[0]), where.nearest(word[1] - 1)
    return float(share[start:stop, max(0, first - 1) : last + 2].sum(1).mean())


def _settled(borders: np.ndarray, text: str, sure: np.ndarray, loudness: np.ndarray | None) -> np.ndarray:
    """Unsure words share the frames between their sure neighbours by the time they should take; where the loudness is
    known, the borders between them move to quiet frames close by."""
    borders = borders.copy()
    every = words(text)
    seconds = pace(text)
    place = 0
    while place < len(every):
        last = place
        while last < len(every) and sure[last] < SURE:
            last += 1
        if last > place:
            start, stop = every[place][0], every[last][0] if last < len(every) else len(text)
            frames = borders[start], borders[stop]
            spread = seconds[start : stop + 1] - seconds[start]
            shares = spread / spread[-1] if spread[-1] > 0 else np.linspace(0, 1, len(spread))
            borders[start : stop + 1] = np.round(frames[0] + shares * (frames[1] - frames[0]))
            if loudness is not None:
                for word in range(place + 1, last):
                    _move_to_quiet(borders, every[word][0], frames, loudness)
        place = last + 1
    return np.maximum.accumulate(borders)


def _without_pauses(borders: np.ndarray, text: str, loudness: np.ndarray | None) -> np.ndarray:
    """Words begin after the silence before them and end before the one behind them, where that is a pause: the frames
    of it are those of the signs and spaces between."""
    if loudness is None:
        return borders
    borders, every = borders.copy(), words(text)
    begun = {start for start, _ in every}
    for start, stop in every:
        first, last = int(borders[start]), int(borders[stop])
        heard = np.flatnonzero(loudness[first:last] >= _SILENT)
        if not len(heard):
            continue
        if heard[0] >= _PAUSE:
            borders[start:stop] = np.maximum(borders[start:stop], first + heard[0])
        if last - first - 1 - heard[-1] >= _PAUSE and stop < len(text) and stop not in begun:
            borders[start : stop + 1] = np.minimum(borders[start : stop + 1], first + heard[-1] + 1)
    return borders


def _move_to_quiet(borders: np.ndarray, character: int, bounds: Range, loudness: np.ndarray) -> None:
    frame = borders[character]
    first, last = max(bounds[0], frame - _QUIET_REACH), min(bounds[1], frame + _QUIET_REACH, len(loudness) - 1)
    if first < last:
        borders[character] = first + int(loudness[first : last + 1].argmin())


def _loudness(samples: Samples | None, take: Take) -> np.ndarray | None:
    """Mean square of each frame."""
    if samples is None:
        return None
    whole = samples[: take.frames * take.origin.hop].reshape(take.frames, -1)
    return np.square(whole, dtype=np.float32).mean(1)


@dataclass(frozen=True)
class Heard:
    """What heads are judged by: a performance's looks float32 [heads, F, N] and its places and text."""

    weights: np.ndarray
    where: Places
    text: str


def judge(heard: Iterable[Heard]) -> np.ndarray:
    """How well each head follows the text, [heads], 0 to 1: it looks at the text, sharply, going forward, at all of
    it, and neither before nor after the time at which the words should come."""
    scores = []
    for each in heard:
        spoken = each.weights[:, :, each.where.spoken]
        due = _due(each.where, each.text)
        scores.append([_followed(weights, due) for weights in spoken])
    return np.mean(scores, axis=0) if scores else np.zeros(0)


def _followed(weights: np.ndarray, due: np.ndarray) -> float:
    frames, tokens = weights.shape
    if not frames or not tokens:
        return 0.0
    mass = float(weights.sum(1).mean())
    share = weights / np.maximum(weights.sum(1, keepdims=True), _FLOOR)
    along = path(weights)
    centre = share @ np.arange(tokens)
    forward = float((np.diff(centre) > -0.5).mean()) if frames > 1 else 0.0
    sharp = float(share[np.arange(frames), along].mean())
    covering = len(set(share.argmax(1).tolist())) / min(frames, tokens)
    late = float(np.mean(np.searchsorted(along, np.arange(tokens), "left") - due * frames))
    return mass * forward * math.sqrt(sharp) * covering * math.exp(-((late / _LATE) ** 2))


_LATE = 2.0  # frames by which a head may trail the voice, or run ahead of it
_AS_GOOD = 0.8  # heads nearly as good as the best are heard too
_MOST_HEADS = 4


def best_heads(heads: Sequence[Head], scores: np.ndarray) -> tuple[Head, ...]:
    """The few heads that follow the text best, best first."""
    order = np.argsort(-scores, kind="stable")[:_MOST_HEADS]
    return tuple(heads[place] for place in order if scores[place] >= _AS_GOOD * scores[order[0]])
