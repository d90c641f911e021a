"""How long it takes from Alt+Enter on a changed word until the first candidate sounds, in the real window.

    python packaging/bench_retake.py [--rounds N] [--checkpoint DIR] [--json]

Opens the window on the example (offscreen where there is no screen, and without a sound device), generates its longest
line, and then, again and again, puts another word into it and presses Alt+Enter. Times, in milliseconds, when the
candidates are there to be chosen from, and when the player writes the first samples of the best one, its joins and what
stands before them; median and longest. The goal is at most 1,000.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bench_window import Heartbeat, wait_for

from studio.app import App, open_app
from studio.document.edits import ReplaceLines

GOAL = 1000.0  # ms
WORDS = ("teacher", "driver", "captain", "neighbour", "doctor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20, help="how many words are spoken anew")
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    with open_app(None, told.checkpoint) as app:
        wait_for(lambda: app.session.engine is not None)
        app.window.show()
        app.window.activateWindow()
        wait_for(app.window.isActiveWindow)
        line = max(app.session.project.lines(), key=lambda each: len(each.text))
        app.session.choose_line(line.id)
        _beat = Heartbeat(20)  # so that every wait ends soon; more often it would hold up the engine
        press(app, Qt.KeyboardModifier.ControlModifier)
        wait_for(lambda: settled(app))
        times = np.array([retake(app, WORDS[number % len(WORDS)]) for number in range(told.rounds)]) * 1000
    report = {
        f"{what}_{name}_ms": round(float(function(times[:, column])))
        for column, what in enumerate(("candidates", "sound"))
        for name, function in (("median", np.median), ("longest", np.max))
    }
    if told.json:
        print(json.dumps(report))
        return
    print(
        f"{told.rounds} words: candidates after {report['candidates_median_ms']} ms, at most "
        f"{report['candidates_longest_ms']}; the first sound after {report['sound_median_ms']} ms, at most "
        f"{report['sound_longest_ms']} (goal {GOAL:.0f})"
    )


def press(app: App, modifier: Qt.KeyboardModifier) -> None:
    """Enter, in the script."""
    QTest.keyClick(app.window.display.script, Qt.Key.Key_Return, modifier)


def settled(app: App) -> bool:
    """Nothing is made or heard, and the words of the line's take have been found."""
    line = app.session.line
    known = line is not None and app.session.alignment_of(line.kept) is not None
    return known and not (app.performing.job or app.performing._prints or app.playback.playing)


def retake(app: App, word: str) -> tuple[float, float]:
    """Put a word in the place of "doctor" in the chosen line and have it spoken: seconds until there are candidates,
    and until they sound."""
    line = app.session.line
    assert line is not None
    old = line.text.split()[2]
    parts = (replace(line.parts[0], text=line.text.replace(old, word, 1)),)
    scene, place = app.session.place(line.id)
    app.session.do(ReplaceLines(scene, place, place + 1, (replace(line, parts=parts),)))
    moments: dict[str, float] = {}

    def note(name: str, so: Callable[[], object]) -> None:
        if name not in moments and so():
            moments[name] = time.perf_counter()

    def candidates() -> None:
        note("candidates", lambda: (view := app.performing.candidates.view) and view.takes)

    def sound() -> None:
        note("sound", lambda: "candidates" in moments)

    app.performing.candidates.changed.connect(candidates)
    app.player.started.connect(sound, Qt.ConnectionType.QueuedConnection)
    began = time.perf_counter()
    press(app, Qt.KeyboardModifier.AltModifier)
    wait_for(lambda: "sound" in moments)
    app.performing.candidates.changed.disconnect(candidates)
    app.player.started.disconnect(sound)
    app.playback.stop()
    wait_for(lambda: settled(app))
    return moments["candidates"] - began, moments["sound"] - began


if __name__ == "__main__":
    main()
