"""Which heads of a loaded checkpoint follow the text, and what they tell: where a take's words stand, and where a
candidate has said its own.

The heads are named by the checkpoint's config, or found by a calibration on the first take that is aligned and on the
voices in its prompt; what was found is kept in the user's cache folder.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import platformdirs

from engine.align import Head, Heard, aligned, best_heads, judge, looks, places
from engine.dual_ar import Memory
from engine.performance import Loaded
from engine.prompt import Reading, frame_columns, read
from engine.request import Alignment, Codes, Part, Prompt, Samples, Take
from engine.whole_file import WholeFile

_UNLIKE = 1e-4  # below this two looks have nothing in common


def align(loaded: Loaded, take: Take, samples: Samples | None = None) -> Alignment:
    """Where the take's words stand. Raises RequestError where its codes do not fit the checkpoint."""
    prompt = take.origin.prompt
    where = places(prompt.parts, loaded.checkpoint.tokenizer)
    if not take.frames:
        return aligned(np.zeros((0, len(where.ranges))), where, take)
    return aligned(_performed(loaded, prompt, take.codes, followers(loaded, take)).mean(0), where, take, samples)


def followers(loaded: Loaded, take: Take) -> list[Head]:
    """The heads that follow the text; `take` is listened to where nothing is known of them yet."""
    if not loaded.heads:
        loaded.heads.extend(loaded.checkpoint.config.alignment_heads or _kept(loaded) or _calibrated(loaded, take))
    return loaded.heads


def every_head(loaded: Loaded) -> list[Head]:
    stack = loaded.checkpoint.config.slow
    return [(layer, head) for layer in range(stack.n_layer) for head in range(stack.n_head)]


def hear(loaded: Loaded, prompt: Prompt, codes: Codes) -> Heard:
    """What every head does in a performance of a prompt."""
    where = places(prompt.parts, loaded.checkpoint.tokenizer)
    return Heard(_performed(loaded, prompt, codes, every_head(loaded)), where, prompt.text)


def alike(looks_now: np.ndarray, look_then: np.ndarray, same: int) -> np.ndarray:
    """How alike looks [..., N] are to one of earlier [M] in the last `same` tokens of the text, which both have: the
    logarithm of what their distributions share, 0 where they are the same."""
    if not same:
        return np.zeros(looks_now.shape[:-1])
    now = looks_now / np.maximum(looks_now.sum(-1, keepdims=True), _UNLIKE)
    then = look_then / max(float(look_then.sum()), _UNLIKE)
    return np.log(np.sqrt(now[..., -same:] * then[-same:]).sum(-1) + _UNLIKE)


def look_at(loaded: Loaded, take: Take, frames: Sequence[int]) -> np.ndarray:
    """Where in its text the take was read when these frames were drawn, [frame, N]."""
    prompt = take.origin.prompt
    return _performed(loaded, prompt, take.codes[:, : max(frames) + 1], followers(loaded, take)).mean(0)[list(frames)]


def candidate_looks(
    loaded: Loaded, take: Take, reading: Reading, last: np.ndarray, codes: np.ndarray, memory: Memory
) -> np.ndarray:
    """Where candidates were read before each of their frames and after the last: [B, F + 1, N].

    `codes` int [B, K, F]; `memory` has a row for each candidate and ends before `last` [1 + K], the column after which
    their frames come.
    """
    config = loaded.checkpoint.config
    columns = np.stack([np.concatenate([last[:, None], frame_columns(each, config)], axis=1) for each in codes])
    model = loaded.checkpoint.model
    return looks(model, columns, memory, followers(loaded, take), reading.text).mean(1).cpu().numpy()


def _performed(loaded: Loaded, prompt: Prompt, codes: Codes, heads: list[Head]) -> np.ndarray:
    """The looks of heads, [heads, F, N], at the positions that draw the frames of codes."""
    checkpoint = loaded.checkpoint
    frames = codes.shape[1]
    reading = read(prompt, frames, checkpoint.tokenizer, checkpoint.config)
    before = reading.columns[:, :-1]
    memory = loaded.held.recall(checkpoint.model, before, before.shape[1] + frames, reading.voices_stop).memory
    spoken = frame_columns(codes[:, : frames - 1], checkpoint.config)
    columns = np.concatenate([reading.columns[:, -1:], spoken], axis=1)
    return looks(checkpoint.model, columns[None], memory, heads, reading.text)[0].cpu().numpy()


def _calibrated(loaded: Loaded, take: Take) -> tuple[Head, ...]:
    references = [reference for voice in take.origin.prompt.voices for reference in voice.references]
    heard = [hear(loaded, take.origin.prompt, take.codes)]
    heard += [hear(loaded, Prompt((Part(0, each.transcript),)), each.codes) for each in references]
    found = best_heads(every_head(loaded), judge(heard))
    path = _cache_file(loaded)
    with contextlib.suppress(OSError):  # it is found again next time
        path.parent.mkdir(parents=True, exist_ok=True)
        with WholeFile(path) as file:
            file.write(json.dumps(found).encode())
    return found


def _kept(loaded: Loaded) -> tuple[Head, ...]:
    """What an earlier calibration found, () where there was none."""
    every = set(every_head(loaded))
    try:
        found = tuple((int(layer), int(head)) for layer, head in json.loads(_cache_file(loaded).read_bytes()))
    except (OSError, ValueError, TypeError):
        return ()
    return found if set(found) <= every else ()


def _cache_file(loaded: Loaded) -> Path:
    folder = Path(platformdirs.user_cache_dir("retake", appauthor=False)) / "heads"
    return folder / f"{loaded.checkpoint.digest}.json"
