"""Where time stands on the screen: the window of time that the timeline shows. Pure, without Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

MOST_PIXELS_PER_SECOND = 4000.0
LEAST_PIXELS_PER_SECOND = 0.01
_PAGE_MARGIN = 0.08  # of the width, left before the playhead when a page is turned


@dataclass(frozen=True)
class View:
    """`start` is the second at the left edge, `width` the pixels that are seen (device-independent ones)."""

    start: float = 0.0
    pixels_per_second: float = 100.0
    width: int = 1000

    @property
    def seconds(self) -> float:
        """How much time is seen."""
        return self.width / self.pixels_per_second

    @property
    def stop(self) -> float:
        """The second at the right edge."""
        return self.start + self.seconds

    def x(self, seconds: float) -> float:
        return (seconds - self.start) * self.pixels_per_second

    def time(self, x: float) -> float:
        return self.start + x / self.pixels_per_second

    def shows(self, seconds: float) -> bool:
        return self.start <= seconds < self.stop

    def resized(self, width: int) -> View:
        return replace(self, width=max(1, width))

    def scroll(self, pixels: float) -> View:
        """So many pixels later (earlier where negative)."""
        return replace(self, start=self.start + pixels / self.pixels_per_second)

    def zoom_at(self, x: float, factor: float) -> View:
        """`factor` times as close; the moment at `x` stays there."""
        scale = min(MOST_PIXELS_PER_SECOND, max(LEAST_PIXELS_PER_SECOND, self.pixels_per_second * factor))
        return replace(self, start=self.time(x) - x / scale, pixels_per_second=scale)

    def around(self, start: float, stop: float, margin: float = 0.04) -> View:
        """All of [start, stop) at once, with a margin (a share of the width) on both sides."""
        span = max(stop - start, 1e-3)
        scale = min(MOST_PIXELS_PER_SECOND, max(LEAST_PIXELS_PER_SECOND, self.width * (1 - 2 * margin) / span))
        return replace(self, start=(start + stop) / 2 - self.width / scale / 2, pixels_per_second=scale)

    def page_to(self, seconds: float) -> View:
        """The same view where `seconds` is seen, otherwise the page that begins shortly before it."""
        if self.shows(seconds):
            return self
        return replace(self, start=seconds - self.seconds * _PAGE_MARGIN)

    def within(self, length: float) -> View:
        """The nearest view that has something of [0, length) in its left three quarters, on whole pixels: what is
        drawn at one place looks the same at every other."""
        latest = max(0.0, length - 0.75 * self.seconds)
        start = min(max(self.start, 0.0), latest)
        return replace(self, start=math.floor(start * self.pixels_per_second + 0.5) / self.pixels_per_second)


_STEPS = (
    *((0.01, 5), (0.02, 4), (0.05, 5), (0.1, 5), (0.2, 4), (0.5, 5), (1, 4), (2, 4), (5, 5), (10, 5), (15, 3), (30, 3)),
    *((60, 4), (120, 4), (300, 5), (600, 5), (900, 3), (1800, 3), (3600, 4), (7200, 4), (14400, 4)),
)


def ruler_step(pixels_per_second: float, apart: float = 76.0) -> tuple[float, int]:
    """Seconds between the ruler's numbers, at least `apart` pixels apart, and the parts between two of them."""
    return next((step for step in _STEPS if step[0] * pixels_per_second >= apart), _STEPS[-1])


def clock(seconds: float, decimals: int = 0) -> str:
    """"0:08", "1:02:03", "0:08.25"."""
    units = round(max(0.0, seconds) * 10**decimals)
    whole, rest = divmod(units, 10**decimals)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    text = f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"
    return f"{text}.{rest:0{decimals}d}" if decimals else text
