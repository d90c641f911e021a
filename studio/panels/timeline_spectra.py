"""The spectrograms that the timeline has been shown, and those it still wants. Without Qt."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from studio.panels.timeline_values import Wave

_MOST = 1_000  # some 25 kB each
_AT_ONCE = 6


class Spectra:
    """Levels uint8 [row, column] by wave, `columns_a_second`; the least recently seen are forgotten."""

    def __init__(self) -> None:
        self.on = False
        self.columns_a_second = 1
        self._known: OrderedDict[int, tuple[Wave, np.ndarray]] = OrderedDict()
        self._missing: dict[int, Wave] = {}
        self._asked: dict[int, Wave] = {}

    def of(self, wave: Wave) -> np.ndarray | None:
        """The spectrogram of a wave; None where it is not there yet: then it is wanted."""
        known = self._known.get(id(wave))
        if known is None:
            if id(wave) not in self._asked:
                self._missing[id(wave)] = wave
            return None
        self._known.move_to_end(id(wave))
        return known[1]

    def put(self, wave: Wave, levels: np.ndarray, columns_a_second: int) -> None:
        self._asked.pop(id(wave), None)
        self.columns_a_second = columns_a_second
        self._known[id(wave)] = (wave, levels)  # holding the wave keeps its id its own
        if len(self._known) > _MOST:
            self._known.popitem(last=False)

    @property
    def wanting(self) -> bool:
        """Something was looked for that is not there, and may be asked for now."""
        return bool(self._missing) and len(self._asked) < _AT_ONCE

    def ask(self) -> tuple[Wave, ...]:
        """A few of those that are wanted; they are not asked for again. What was wanted besides will be, if it is still
        seen then."""
        chosen = dict(list(self._missing.items())[: _AT_ONCE - len(self._asked)])
        self._asked |= chosen
        self._missing.clear()
        return tuple(chosen.values())
