"""The arithmetic of a splice: how long a span should be, where to cut a candidate, how well it joins, and the new take.

Frames and spans as in engine.request; a span [a, b) of a take with F frames is replaced, C[b:] is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.errors import RequestError
from engine.request import AtMost, Exactly, FrameData, Length, Span, Take, frozen

LEAST_EXPECTED = 6  # frames; a shorter word still needs room to be said
LENGTH_SIGMA = 0.3  # of the log-normal prior on the length
SHORTLIST = 4  # cuts of each candidate that are scored
LOOK_WEIGHT = 0.5  # of where the model looks in the text, beside how likely it is to go on with the kept frames
BREATH = 2  # frames by which what is kept after words may begin earlier or later
MARGIN_COST = 0.15  # log p that each of them costs
MARGIN_BELOW = 0.3  # a join that is worse than this is given a margin
ELSEWHERE = 3  # cuts of each candidate that are scored with what is kept beginning elsewhere
FORCED = 8  # kept frames after a cut that are teacher-forced to score the join
EMPTY_MOST = 6  # frames tried where words were taken out and nothing is spoken


def check_span(span: Span, frames: int) -> None:
    """Raises RequestError unless the span lies in a take of so many frames. It may be empty: a place to insert."""
    start, stop = span
    if not 0 <= start <= stop <= frames:
        raise RequestError(f"Frames {start} to {stop} do not lie in a take of {frames} frames.")


def check_made(take: Take, checkpoint: str) -> None:
    """Raises RequestError where another checkpoint than that with this digest made the take: what its frames mean is
    known to that one alone."""
    if take.origin.checkpoint != checkpoint:
        raise RequestError(
            f"This take was made by another checkpoint ({take.origin.checkpoint[:12]}, not {checkpoint[:12]}): "
            "load that one, or generate the line anew."
        )


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


def kept_starts(span: Span, frames: int, length: Length, margin: int) -> list[int]:
    """The frames at which what is kept after a span may begin, its own end first: those near it within the margin that
    leave a frame of the span, and as many frames to score the join by."""
    start, stop = span
    if isinstance(length, Exactly) or stop == frames:
        return [stop]
    latest = frames - min(FORCED, frames - stop)
    near = [stop + by for distance in range(1, margin + 1) for by in (-distance, distance)]
    return [stop, *(each for each in near if start < each <= latest)]


def shortlist(hints: np.ndarray, expected: float, length: Length, later: Sequence[int] = (0,)) -> list[tuple[int, int]]:
    """The best few ways to cut a candidate: after how many frames, and with which of the kept starts. Those of the
    first come before those of the others, each best first.

    `hints` [n + 1, R] tells for 0..n of its frames and each kept start how well what is kept would follow: the log p of
    the first kept semantic code, and whether the words of the span are said. `later` [R] are how many frames each kept
    start is later than the span's end: so many more have to be spoken.
    """
    if isinstance(length, Exactly):
        return [(length.frames, 0)]
    counts = np.arange(len(hints))[:, None]
    price = MARGIN_COST * np.abs(np.asarray(later))
    if expected == 0:
        return _best(hints - price, EMPTY_MOST + 1, ELSEWHERE, least=0)
    wanted = np.maximum(1.0, expected + np.asarray(later))
    prior = -np.square(np.log(np.maximum(counts, 1) / wanted)) / (2 * LENGTH_SIGMA**2)
    return _best(hints + prior - price, SHORTLIST, ELSEWHERE, least=1) or [(len(hints) - 1, 0)]


def _best(values: np.ndarray, count: int, elsewhere: int, least: int) -> list[tuple[int, int]]:
    """Row and column of the greatest values: `count` of the first column and `elsewhere` of the others, in rows from
    `least` on."""
    chosen = [(int(row) + least, 0) for row in np.argsort(-values[least:, 0], kind="stable")[:count]]
    others = values[least:, 1:]
    order = np.argsort(-others, axis=None, kind="stable")[:elsewhere]
    rows, columns = np.unravel_index(order, others.shape)
    return chosen + [(int(row) + least, int(column) + 1) for row, column in zip(rows, columns, strict=True)]


def length_score(frames: int, expected: float) -> float:
    """How near a length is to the one that the words should take, 0 to 1; short words may be as short as they like."""
    if expected <= 0:
        return math.exp(-frames / EMPTY_MOST)
    if expected <= LEAST_EXPECTED:
        frames = max(frames, LEAST_EXPECTED)
    return math.exp(-((math.log(max(frames, 1) / expected) / (2 * LENGTH_SIGMA)) ** 2) / 2)


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
    old = take.frame_data
    after = old.log_p[:, stop:].copy()
    after[:, : len(forced)] = forced.T
    margin = None
    if old.margin is not None and new.margin is not None:
        margin = frozen(np.concatenate([old.margin[:, :start], new.margin, old.margin[:, stop:]], axis=1))
    return FrameData(
        frozen(np.concatenate([old.log_p[:, :start], new.log_p, after], axis=1)),
        frozen(np.concatenate([old.entropy[:, :start], new.entropy, old.entropy[:, stop:]], axis=1)),
        margin,
    )
