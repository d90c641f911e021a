"""Takes that are still being made: what there is of them, as takes that can be kept and heard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.request import Codes, FrameData, Generate, How, Origin, Regenerate, Span, Take, frozen


def begun_take(
    request: Generate | Regenerate, seed: int, checkpoint: str, rate: int, hop: int, codebooks: int, codec: str = ""
) -> Take:
    """The answer to a request before its first frame: an empty take, or the old one without the span."""
    if isinstance(request, Generate):
        origin = Origin(request.prompt, checkpoint, seed, request.settings, How.GENERATED, rate, hop, codec=codec)
        nothing = frozen(np.zeros((2, 0), np.float32))
        return Take(frozen(np.zeros((codebooks, 0), np.int16)), origin, FrameData(nothing, nothing), capped=True)
    take, (start, stop) = request.take, request.span
    made = (request.prompt, checkpoint, seed, request.settings, How.SPLICED, rate, hop)
    data = take.frame_data
    return Take(
        _without(take.codes, start, stop),
        Origin(*made, parent=take.id, span=(start, start), codec=codec),
        FrameData(_without(data.log_p, start, stop), _without(data.entropy, start, stop)),
        capped=True,
    )


def with_frames(take: Take, codes: Codes) -> Take:
    """The take with more frames at the end of what is new in it. What the model thinks of them is known only at the
    end."""
    start, stop = new_span(take)
    unknown = np.zeros((2, codes.shape[1]), np.float32)
    origin = take.origin
    if origin.span is not None:
        origin = replace(origin, span=(start, stop + codes.shape[1]))
    data = take.frame_data
    return Take(
        _put(take.codes, stop, codes),
        origin,
        FrameData(_put(data.log_p, stop, unknown), _put(data.entropy, stop, unknown)),
        capped=True,
    )


def is_beginning(unfinished: Take, take: Take) -> bool:
    """Whether the take is what the unfinished one became. Of a span it may have kept fewer frames than were drawn."""
    one, other = unfinished.origin, take.origin
    if (one.seed, one.parent, one.how) != (other.seed, other.parent, other.how):
        return False
    begun, made = _new(unfinished), _new(take)
    number = begun.shape[1] if one.span is None else min(begun.shape[1], made.shape[1])
    return np.array_equal(begun[:, :number], made[:, :number])


def new_span(take: Take) -> Span:
    """The frames that are new in a take: all of them where it is no splice."""
    return take.origin.span if take.origin.span is not None else (0, take.frames)


def _new(take: Take) -> Codes:
    start, stop = new_span(take)
    return take.codes[:, start:stop]


def _without(array: np.ndarray, start: int, stop: int) -> np.ndarray:
    return frozen(np.concatenate([array[:, :start], array[:, stop:]], axis=1))


def _put(array: np.ndarray, at: int, more: np.ndarray) -> np.ndarray:
    return frozen(np.concatenate([array[:, :at], more, array[:, at:]], axis=1).astype(array.dtype, copy=False))
