"""Where a take is doubtful: frames the model was unsure of, stretches that come again, silence that is too long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.request import Alignment, Samples, Span, Take
from engine.text import words
from studio.session.pitch import leap, pitches

UNSURE = 9.0  # nats of slow and fast entropy together that count as all there can be
_WARNED, _ALARMED = 0.35, 0.6  # of that, where a ribbon shows it as a warning and as danger
_WARNED_ABOVE, _ALARMED_ABOVE = 0.8, 1.4  # standard deviations over the mean of a take of which little is sure
_WINDOW = 8  # frames
_LOOP = 6  # frames that come again at once
_LOOPS = 3  # times, before it counts
_SILENCE_SECONDS = 1.0
_SILENT = 10 ** (-50 / 20)
_QUIET = 0.1  # of how loud a take is where it is loud
_LEAP_DB = 24.0  # between two neighbouring windows


@dataclass(frozen=True)
class Flag:
    """Something that is probably wrong with frames [start, stop)."""

    span: Span
    words: str


def doubt(take: Take) -> np.ndarray:
    """How unsure the model was of each frame, 0 to 1: by how open its distributions were and, where that is known, by
    how near the second best codes came to the best. Of a model that is seldom sure, only what stands out of the take
    is a warning."""
    data = take.frame_data
    unsure = np.clip(data.entropy.sum(axis=0) / UNSURE, 0.0, 1.0)
    if data.margin is not None:
        unsure = (unsure + 1 - np.clip(data.margin.mean(axis=0), 0.0, 1.0)) / 2
    if not take.frames:
        return unsure
    usual, spread = unsure.mean(), unsure.std()
    warned = max(_WARNED, usual + _WARNED_ABOVE * spread)
    alarmed = max(_ALARMED, usual + _ALARMED_ABOVE * spread)
    return np.interp(unsure, (0.0, warned, alarmed + 1e-6, max(1.0, alarmed + 1e-3)), (0.0, _WARNED, _ALARMED, 1.0))


def worst_span(take: Take, alignment: Alignment | None) -> Span | None:
    """The words around the stretch of which the model was least sure; None where the take is empty."""
    if not take.frames:
        return None
    unsure = doubt(take)
    width = min(_WINDOW, take.frames)
    means = np.convolve(unsure, np.ones(width) / width, "valid")
    start = int(means.argmax())
    return whole_words(take, alignment, (start, start + width))


def hot_spot(take: Take, alignment: Alignment | None, frame: int) -> Span:
    """The words around a frame."""
    return whole_words(take, alignment, (frame, min(take.frames, frame + 1)))


def whole_words(take: Take, alignment: Alignment | None, span: Span) -> Span:
    """The span widened to the words it touches, where they are known."""
    if alignment is None:
        return span
    places = [alignment.span(*place) for place in words(take.origin.prompt.text)]
    touched = [place for place in places if place[0] < span[1] and place[1] > span[0]]
    return (touched[0][0], touched[-1][1]) if touched else span


def wider(take: Take, alignment: Alignment | None, span: Span) -> Span:
    """The span with the word before and the one after it; without an alignment, a few frames more on each side."""
    places = [alignment.span(*place) for place in words(take.origin.prompt.text)] if alignment is not None else []
    before = [start for start, stop in places if stop <= span[0]] or [max(0, span[0] - _WINDOW)]
    after = [stop for start, stop in places if start >= span[1]] or [min(take.frames, span[1] + _WINDOW)]
    return before[-1], after[0]


def flags(take: Take, samples: Samples | None) -> tuple[Flag, ...]:
    """What is probably wrong with a take; `samples` are its print, where it is there."""
    found = list(_loops(take))
    if samples is not None and len(samples) == take.frames * take.origin.hop and take.frames:
        found += _silences(take, samples)
        found += _leaps(take, samples)
        if (place := leap(pitches(samples, take.origin.rate, take.origin.hop))) is not None:
            found.append(Flag(place, "Its pitch leaps"))
    if take.capped:
        found.append(Flag((max(0, take.frames - _WINDOW), take.frames), "Stopped at its longest, perhaps too soon"))
    return tuple(sorted(found, key=lambda flag: flag.span))


def _loops(take: Take) -> list[Flag]:
    """Stretches of row 0 that come several times without a break."""
    row = take.codes[0]
    found: list[Flag] = []
    for period in range(_LOOP, 40):
        same = np.concatenate([[False], row[period:] == row[:-period], [False]]).astype(np.int8)
        edges = np.flatnonzero(np.diff(same))
        for start, stop in zip(edges[::2], edges[1::2], strict=True):
            span = (int(start), int(stop) + period)
            if stop - start >= (_LOOPS - 1) * period and not any(_meets(each.span, span) for each in found):
                found.append(Flag(span, "Says the same again and again"))
    return found


def _silences(take: Take, samples: Samples) -> list[Flag]:
    quiet = _levels(take, samples) < _SILENT
    edges = np.flatnonzero(np.diff(np.concatenate([[0], quiet.astype(np.int8), [0]])))
    least = _SILENCE_SECONDS * take.origin.rate / take.origin.hop
    return [
        Flag((int(start), int(stop)), f"Silent for {(stop - start) * take.origin.hop / take.origin.rate:.1f} s")
        for start, stop in zip(edges[::2], edges[1::2], strict=True)
        if stop - start >= least
    ]


def _leaps(take: Take, samples: Samples) -> list[Flag]:
    """Places where it becomes much louder or quieter from one word's length to the next, both being loud enough."""
    levels = np.convolve(_levels(take, samples) ** 2, np.ones(_WINDOW) / _WINDOW, "valid")
    if len(levels) <= _WINDOW:
        return []
    db = 10 * np.log10(np.maximum(levels, 1e-9))
    steps = np.abs(db[_WINDOW:] - db[:-_WINDOW])
    steps[np.minimum(db[_WINDOW:], db[:-_WINDOW]) < -45] = 0  # a pause is no leap
    at = int(steps.argmax())
    return [Flag((at, at + 2 * _WINDOW), "Its loudness leaps")] if steps[at] > _LEAP_DB else []


def _levels(take: Take, samples: Samples) -> np.ndarray:
    return np.sqrt(np.square(samples.reshape(take.frames, -1), dtype=np.float32).mean(1))


def quiet_frame(samples: Samples, hop: int, frame: int, reach: int) -> int:
    """The border between frames nearest to `frame` at which it is quiet, at most `reach` frames away; where none is,
    the quietest of them."""
    frames = len(samples) // hop
    near = sorted(range(max(0, frame - reach), min(frames, frame + reach) + 1), key=lambda each: abs(each - frame))
    if not near or not frames:
        return frame
    half = hop // 2
    levels = {each: _level(samples[max(0, each * hop - half) : each * hop + half]) for each in near}
    loud = float(np.percentile(np.sqrt(np.square(samples[: frames * hop].reshape(frames, hop)).mean(1)), 90))
    quiet = [each for each in near if levels[each] < _QUIET * loud]
    return quiet[0] if quiet else min(near, key=lambda each: levels[each])


def _level(samples: Samples) -> float:
    return float(np.sqrt(np.square(samples).mean())) if len(samples) else 0.0


def _meets(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
