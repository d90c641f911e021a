"""Measures the voice library: `.venv/bin/python packaging/bench_voices.py`.

How long until a 30 s clip that is dropped on the window can be cast, by the clock and by the processor's time (with
what other programs take left out), and how long the window stands still meanwhile; how long 500 voices take to be read
and searched. It works in a folder of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import soundfile

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ |= {"RETAKE_SILENT": "1"}
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from engine import assets  # noqa: E402
from engine.audio import read  # noqa: E402
from studio.app import App, open_app  # noqa: E402
from studio.library.store import Library, record_voice  # noqa: E402
from studio.library.voices import Clip, LibraryVoice, new_voice_id  # noqa: E402

CLIPS, VOICES, SECONDS = 4, 500, 30
WORDS = "They carried the keys home. "


class Gaps:
    """The longest time between two turns of the event loop."""

    def __init__(self) -> None:
        self.longest, self._last = 0.0, time.perf_counter()
        self._timer = QTimer(interval=0)
        self._timer.timeout.connect(self._turn)
        self._timer.start()

    def _turn(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now
        time.sleep(0.001)

    def stop(self) -> float:
        self._timer.stop()
        return self.longest


def wait(so: Callable[[], object]) -> float:
    began = time.perf_counter()
    while not so():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        time.sleep(0.001)
    return time.perf_counter() - began


def write_clip(folder: Path, number: int) -> Path:
    """Thirty seconds of speech with its words beside it, no two alike."""
    sentence, rate = read(assets.folder() / "voice" / "voices" / "heart-1.flac")
    samples = np.resize(sentence, SECONDS * rate).copy()
    samples[0] = number / 1000
    path = folder / f"clip{number}.wav"
    soundfile.write(path, samples, rate)
    path.with_suffix(".txt").write_text(WORDS * (len(samples) // len(sentence)), encoding="utf-8")
    return path


def bring_in(app: App, folder: Path) -> None:
    for number in range(CLIPS):
        path = write_clip(folder, number)
        gaps, worked = Gaps(), time.process_time()
        app.window.voices.add_files([str(path)])
        seconds = wait(partial(can_be_cast, app, path.stem))
        first = " (loads the encoder)" if number == 0 else ""
        stood = gaps.stop() * 1e3
        took = f"{seconds:.2f} s ({time.process_time() - worked:.2f} s of the processor's)"
        print(f"a {SECONDS} s clip can be cast after {took}, the window stood {stood:.0f} ms{first}")


def can_be_cast(app: App, name: str) -> bool:
    return any(voice.name == name for voice in app.session.library)


def is_open(app: App) -> bool:
    return app.session.engine is not None and not app.files.busy


def fill(folder: Path) -> None:
    library = Library(folder)
    thumbnail = tuple(range(60))
    for number in range(VOICES):
        clip = Clip(f"{number:032x}", "a.wav", 48_000, 1, 480_000, "WAV", (0, 480_000), WORDS, thumbnail=thumbnail)
        voice = LibraryVoice(new_voice_id(), f"Voice {number}", (clip,), "English")
        (folder / voice.id).mkdir()
        record_voice(folder / voice.id, voice)
    began = time.process_time()
    library.voices()
    print(f"{VOICES} voices are read in {(time.process_time() - began) * 1e3:.0f} ms of the processor's")
    library.close()


def search(app: App) -> None:
    panel = app.window.voices.panel
    wait(lambda: len(panel._voices) >= VOICES)
    began = time.process_time()
    panel.search.setText("voice 49")
    QApplication.processEvents()
    print(f"and searched in {(time.process_time() - began) * 1e3:.0f} ms")


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        os.environ["XDG_DATA_HOME"] = str(folder)
        with open_app() as app:
            wait(partial(is_open, app))
            bring_in(app, folder)
        fill(folder / "retake" / "voices")
        with open_app() as app:
            search(app)


if __name__ == "__main__":
    main()
