"""Frames that nobody hears while they are drawn are told of by the handful."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.request import Chunk, Codes, Event, frozen

GATHERED = 8  # frames of a candidate that are told of at once


def gathered(events: Iterator[Event]) -> Iterator[Event]:
    """The same events, but the frames of a candidate without sound, which come one by one, in chunks of several. Those
    that are left when it is finished are in its takes."""
    held: dict[int, list[Codes]] = {}
    for event in events:
        if not isinstance(event, Chunk) or event.samples is not None:
            yield event
            continue
        frames = held.setdefault(event.candidate, [])
        frames.append(event.codes)
        if len(frames) == GATHERED:
            del held[event.candidate]
            yield Chunk(event.candidate, frozen(np.concatenate(frames, axis=1)), None)
