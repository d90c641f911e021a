"""What an hour of audio costs on the timeline: opening it, scrolling, zooming, and the memory it takes.

    python packaging/bench_timeline.py [--minutes N] [--spectrogram]

Makes a project of lines of four seconds with words and doubt for every frame; their prints lie in the cache (635 MB for
an hour). It is opened in the real window without a voice model (offscreen), in a process of its own, and each notch of
the wheel is timed from the event to the painted window. Goals: opened within a second, 50 frames a second, 300 MB.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("RETAKE_SILENT", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from engine.request import Alignment, FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.document.edits import AddTakes
from studio.document.file import save
from studio.document.history import History
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.document.thumbnails import Thumbnail
from studio.samples import PrintCache

TEXT = "Then we have until half past four before the whole coast knows, and then it does not matter."
RATE, HOP, FRAMES, CODEBOOKS = 44_100, 2_048, 86, 10
CAST = ("Ada", "Mira", "Tom", "Otto")
NOTCHES = 200
GOAL = 20.0  # ms


def make(path: Path, prints: Path, minutes: float) -> None:
    """The project, and how its lines sound."""
    cache = PrintCache(prints)
    count = round(minutes * 60 / (FRAMES * HOP / RATE))
    names = [CAST[number // 3 % len(CAST)] for number in range(count)]
    lines = tuple(Line(f"{n:012x}", (LinePart(names[n], TEXT),)) for n in range(count))
    scenes = tuple(Scene(f"Scene {at // 100 + 1}", lines[at : at + 100]) for at in range(0, count, 100))
    history = History.start(Project("An hour", scenes, tuple(Character(name, at) for at, name in enumerate(CAST))))
    takes, thumbnails = [], {}
    for number, line in enumerate(lines):
        takes.append(take(number))
        history = history.do(AddTakes(line.id, (takes[-1].id,)), gesture="all")
        thumbnails[takes[-1].id] = Thumbnail.of(cache.put(takes[-1].id, RATE, samples(number)))
    save(path, history, takes, thumbnails=thumbnails)


def take(number: int) -> Take:
    random = np.random.default_rng(number)
    origin = Origin(Prompt((Part(0, TEXT),)), "0123456789abcdef", number, Settings(), How.GENERATED, RATE, HOP)
    data = FrameData(*(4 * random.random((2, 2, FRAMES), np.float32)))
    return Take(random.integers(0, 1024, (CODEBOOKS, FRAMES)).astype(np.int16), origin, data)


def samples(number: int) -> np.ndarray:
    """Noise with the loudness of words."""
    random = np.random.default_rng(number)
    loudness = np.repeat(random.random(FRAMES, np.float32) ** 2, HOP)
    return loudness * random.uniform(-0.9, 0.9, FRAMES * HOP).astype(np.float32)


def measure(path: Path, spectrogram: bool) -> None:
    """Open the project and go over all of it."""
    from PySide6.QtCore import QPoint, QPointF, Qt
    from PySide6.QtGui import QWheelEvent
    from PySide6.QtWidgets import QApplication

    from studio import theme
    from studio.app import App
    from studio.settings import Preferences

    qt = QApplication([])
    theme.apply(qt, theme.DARK)
    app = App(Preferences())
    app.window.show()
    settle(qt, lambda: app.files.busy)
    window, session, timeline = memory(), app.session, app.window.display.timeline

    def known() -> bool:
        clips = app.window.display.clips
        return bool(clips) and all(clip.wave is not None for clip in clips) and len(clips) > 1

    began = time.perf_counter()
    session.open(path)
    first = longest = 0.0
    while not known():
        turn = time.perf_counter()
        qt.processEvents()
        longest = max(longest, time.perf_counter() - turn)
        if not first and session.path == path:
            first = time.perf_counter() - began
    opened = time.perf_counter() - began
    for line in session.project.lines():
        session.put_alignment(line.kept or "", alignment())
    settle(qt, lambda: app.files.busy)
    length = timeline.view.seconds / 60
    print(f"{len(session.project.lines())} lines, {length:.0f} minutes seen at once", flush=True)
    print(f"script seen after {first:.2f} s, all waves after {opened:.2f} s, the window stood at most {longest:.2f} s")

    def turn_wheel(notches: float, modifier: Qt.KeyboardModifier) -> None:
        at = QPointF(timeline.width() / 2, timeline.height() / 2)
        event = QWheelEvent(
            at, QPointF(timeline.mapToGlobal(at.toPoint())), QPoint(), QPoint(0, round(120 * notches)),
            Qt.MouseButton.NoButton, modifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        qt.sendEvent(timeline, event)
        qt.processEvents()

    if spectrogram:
        app.window.do("spectrogram")
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    for name, wanted in (("the whole hour", None), ("a minute", 60.0), ("ten seconds", 10.0), ("a second", 1.0)):
        if wanted is not None:
            timeline.zoom(timeline.view.seconds / wanted)
        settle(qt, lambda: app.files.busy)
        times = [costs(lambda: turn_wheel(-1, shift)) for _ in range(NOTCHES)]
        times += [costs(lambda: turn_wheel(3, shift)) for _ in range(NOTCHES)]
        print(f"scrolling at {name} ({timeline.view.seconds:.1f} s seen): {said(times)}")
    timeline.fit()
    qt.processEvents()
    times = [costs(lambda: turn_wheel(1, control)) for _ in range(60)]
    times += [costs(lambda: turn_wheel(-1, control)) for _ in range(60)]
    print(f"zooming in and out: {said(times)}")
    timeline.fit()
    timeline.zoom(timeline.view.seconds / 10.0)

    def play(at: float) -> None:
        timeline.show_playhead(at)
        qt.processEvents()

    playing = [costs(partial(play, at / 30)) for at in range(600)]
    print(f"following the playhead for 20 s: {said(playing)}")
    print(f"memory: {memory():.0f} MB at most, {window:.0f} MB of it the window alone (without a voice model)")
    app.close()


def alignment() -> Alignment:
    begins = np.linspace(0, FRAMES, len(TEXT) + 1).astype(np.int64)
    return Alignment(begins, np.ones(len(TEXT.split()), np.float32))


def settle(qt: object, busy: Callable[[], bool]) -> None:
    """Until nothing waits any more."""
    quiet = time.monotonic() + 0.5
    while busy() or time.monotonic() < quiet:
        qt.processEvents()  # type: ignore[attr-defined]


def costs(act: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds by the clock, and of this thread alone."""
    began, own = time.perf_counter(), time.thread_time()
    act()
    return 1e3 * (time.perf_counter() - began), 1e3 * (time.thread_time() - own)


def said(times: list[tuple[float, float]]) -> str:
    clock, own = (np.array(each) for each in zip(*times, strict=True))
    slow = float((clock > GOAL).mean())
    return (
        f"median {np.median(clock):.1f} ms, 99th percentile {np.percentile(clock, 99):.1f} ms "
        f"(own {np.median(own):.1f}, {np.percentile(own, 99):.1f}), {slow:.1%} slower than 50 a second"
    )


def memory() -> float:
    """The most memory this process has had, in MB, with what it mapped and read (Linux)."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1000 if found else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--spectrogram", action="store_true", help="with spectrograms in the place of waves")
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.open is not None:
        measure(told.open, told.spectrogram)
        return
    with tempfile.TemporaryDirectory() as folder:
        home = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"), folder)
        path = Path(folder) / "hour.retake"
        make(path, Path(folder) / "retake" / "prints", told.minutes)
        again = [sys.executable, __file__, "--open", str(path)] + ["--spectrogram"] * told.spectrogram
        subprocess.run(again, check=True, env=os.environ | home)


if __name__ == "__main__":
    main()
