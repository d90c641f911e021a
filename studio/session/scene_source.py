"""The script as the player reads it, also while lines of it are still being made: it waits for them, skips nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from studio.document.timing import Mix, Placed
from studio.samples import LiveWave, Print


@dataclass(frozen=True, eq=False)
class Known:
    """What can be heard so far: all of `mix` before sample `ready`; that is all of it where it is `whole`."""

    mix: Mix
    ready: int
    whole: bool


def known(
    placed: tuple[Placed, ...], prints: Mapping[str, Print], making: Mapping[str, LiveWave | None], rate: int
) -> Known:
    """The lines up to the first one that is being made, and of that what there is of it; its wave is None where it
    has not begun. What comes after stands elsewhere as soon as its length is known, so it cannot be heard yet."""
    there: list[Placed] = []
    for each in placed:
        if each.line_id not in making:
            there.append(each)
            continue
        wave = making[each.line_id]
        ready = each.start_seconds
        if wave is not None:
            ready += wave.seconds
            there.append(replace(each, seconds=wave.seconds, estimated=False))
            prints = {**prints, each.line_id: Print(wave.rate, wave.samples, wave.peaks)}
        return Known(Mix(there, prints, rate), round(ready * rate), False)
    mix = Mix(there, prints, rate)
    return Known(mix, mix.length, True)


class SceneSource:
    """What the player reads. `show` is called on the window's thread, all else on the player's."""

    def __init__(self, first: Known) -> None:
        self._known = first
        self.rate = first.mix.rate

    @property
    def finished(self) -> bool:
        return self._known.whole

    def show(self, now: Known) -> None:
        """More of it is known; what was ready before is the same."""
        self._known = now

    def read(self, start_sample: int, count: int) -> np.ndarray:
        at = self._known
        return at.mix.read(start_sample, max(0, min(count, at.ready - start_sample)))
