"""How long the window keeps one waiting while the engine speaks: the gaps between two turns of its event loop.

    python packaging/bench_window.py [--rounds N] [--checkpoint DIR] [--json]

Opens the real window on the example (offscreen where there is no screen), generates all of it several times, and times
a heartbeat that should come every millisecond. Prints the 50th, 95th and 99th percentile and the longest gap in
milliseconds; the goal is at most 50. Loading the voice and the first second of generating are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("RETAKE_SILENT", "1")

import numpy as np
from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Slot

from studio.app import App, open_app

GOAL = 50.0  # ms
WARM_UP = 1.0  # seconds


class Heartbeat(QObject):
    """A timer that wants to come every so many milliseconds, and when it came."""

    def __init__(self, interval: int = 1) -> None:
        super().__init__()
        self.moments: list[float] = []
        self._timer = QTimer(self, interval=interval)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    @Slot()
    def _beat(self) -> None:
        self.moments.append(time.perf_counter())

    def gaps(self, since: float) -> np.ndarray:
        """Milliseconds between beats, of those that began after a moment."""
        moments = np.array(self.moments)
        return np.diff(moments[moments >= since]) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often the example is generated")
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    with open_app(None, told.checkpoint) as app:
        wait_for(lambda: app.session.engine is not None)
        began = time.perf_counter()
        beat = Heartbeat()
        for _ in range(told.rounds):
            generate_all(app)
        seconds = time.perf_counter() - began
        gaps = beat.gaps(began + WARM_UP)
    report = {
        "p50_ms": round(float(np.percentile(gaps, 50)), 2),
        "p95_ms": round(float(np.percentile(gaps, 95)), 2),
        "p99_ms": round(float(np.percentile(gaps, 99)), 2),
        "max_ms": round(float(gaps.max()), 2),
        "over_goal": int((gaps > GOAL).sum()),
        "beats": len(gaps),
        "seconds": round(seconds, 2),
    }
    if told.json:
        print(json.dumps(report))
        return
    print(f"{len(gaps)} turns of the event loop in {seconds:.1f} s; the example was generated {told.rounds} times")
    print(
        f"gap p50 {report['p50_ms']} ms, p95 {report['p95_ms']} ms, p99 {report['p99_ms']} ms, "
        f"longest {report['max_ms']} ms (goal {GOAL:.0f} ms, {report['over_goal']} above it)"
    )


def generate_all(app: App) -> None:
    """The first line is heard while it is made; the rest are made behind it."""
    lines = [line.id for line in app.session.project.lines() if line.text.strip()]
    app.performing.generate((lines[0],), audible=True)
    app.performing.generate(tuple(lines[1:]))
    wait_for(lambda: app.performing.job is None)


def wait_for(done: Callable[[], bool]) -> None:
    """Run the event loop until something is so."""
    loop = QEventLoop()
    while not done():
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


if __name__ == "__main__":
    main()
