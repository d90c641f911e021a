"""The arithmetic of a splice: how long a span should be, where to cut a candidate, how well it joins, and the new take.

Frames and spans as in engine.request; a span [a, b) of a take with F frames is replaced, C[b:] is kept.
"""

from __future__ import annotations

import math

import numpy as np

from engine.errors import RequestError
from engine.request import AtMost, Exactly, FrameData, Length, Span, Take, frozen

LEAST_EXPECTED = 6  # frames; a shorter word still needs room to be said
LENGTH_SIGMA = 0.3  # of the log-normal prior on the length
SHORTLIST = 4  # cuts of each candidate that are scored
LOOK_WEIGHT = 0.5  # of where the model looks in the text, beside how likely it is to go on with the kept frames
FORCED = 8  # kept frames after a cut that are teacher-forced to score the join
EMPTY_MOST = 6  # frames tried where words were taken out and nothing is spoken


def check_span(span: Span, frames: int) -> None:
    """Raises RequestError unless the span lies in a take of so many frames. It may be empty: a place to insert."""
    start, stop = span
    if not 0 <= start <= stop <= frames:
        raise RequestError(f"Frames {start} to {stop} do not lie in a take of {frames} frames.")


def expected_frames(take: Take, characters_of_take: int, span: Span, length: Length) -> float:
    """How many frames the span's new words want, from how fast this take speaks; 0 where nothing is spoken."""
    if isinstance(length, Exactly):
        return float(length.frames)
    if length.characters == 0:
        return 0.0
    if length.characters is None:
        wanted = float(span[1] - span[0])
    else:
        wanted = take.frames / max(1, characters_of_take) * length.characters
    return max(float(LEAST_EXPECTED), wanted)


def most_frames(expected: float, length: Length) -> int:
    """How many frames a candidate is drawn at most."""
    if isinstance(length, Exactly):
        return length.frames
    free = EMPTY_MOST if expected == 0 else int(2 * expected) + 12
    return min(free, length.frames) if isinstance(length, AtMost) else free


def shortlist(hints: np.ndarray, expected: float, length: Length) -> list[int]:
    """The best few places to cut a candidate, best first. `hints` [n + 1] tells for 0..n of its frames how well what is
    kept would follow: the log p of the first kept semantic code, and whether the words of the span are said."""
    if isinstance(length, Exactly):
        return [length.frames]
    if expected == 0:
        return [int(cut) for cut in np.argsort(-hints, kind="stable")[: EMPTY_MOST + 1]]
    counts = np.arange(len(hints))
    prior = -np.square(np.log(np.maximum(counts, 1) / expected)) / (2 * LENGTH_SIGMA**2)
    order = np.argsort(-(hints + prior), kind="stable")
    cuts = [int(cut) for cut in order if cut >= 1][:SHORTLIST]
    return cuts or [len(hints) - 1]


def join(now: np.ndarray, before: np.ndarray) -> float:
    """How well kept frames follow a cut: mean log p [frame, 2] now against in the old take; 1 is as well as it did."""
    return math.exp(min(0.0, float(now.sum(-1).mean() - before.sum(-1).mean())))


def spliced_codes(take: Take, span: Span, new: np.ndarray) -> np.ndarray:
    """C[:a] + new + C[b:], int16 [codebook, frame], read-only; the old take stays as it is."""
    start, stop = span
    return frozen(np.concatenate([take.codes[:, :start], new.astype(np.int16), take.codes[:, stop:]], axis=1))


def spliced_data(take: Take, span: Span, new: FrameData, forced: np.ndarray) -> FrameData:
    """The frame data of the spliced take; `forced` [n, 2] are the new log p of the first n kept frames."""
    start, stop = span
    after = take.frame_data.log_p[:, stop:].copy()
    after[:, : len(forced)] = forced.T
    return FrameData(
        frozen(np.concatenate([take.frame_data.log_p[:, :start], new.log_p, after], axis=1)),
        frozen(
            np.concatenate([take.frame_data.entropy[:, :start], new.entropy, take.frame_data.entropy[:, stop:]], axis=1)
        ),
    )
