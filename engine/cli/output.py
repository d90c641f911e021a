"""What the command line says: progress and notes on stderr, one JSON document on stdout."""

from __future__ import annotations

import json
import shutil
import sys
import time
from typing import Any, TextIO

from engine.cli.streams import silence

_SPARSE_SECONDS = 10.0  # between progress lines where nobody watches a screen
_SCREEN_SECONDS = 0.1


class Meter:
    """One line of progress, rewritten in place on a terminal, printed now and then elsewhere."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._screen = self._stream.isatty()
        self._last = time.monotonic() - (_SCREEN_SECONDS if self._screen else 0.0)
        self._shown = False

    def show(self, text: str) -> None:
        """Where things stand; replaced by the next."""
        now = time.monotonic()
        if now - self._last < (_SCREEN_SECONDS if self._screen else _SPARSE_SECONDS):
            return
        self._last = now
        if not self._screen:
            self._say(text + "\n")
            return
        width = shutil.get_terminal_size().columns - 1
        self._say("\r" + text[:width].ljust(width))
        self._shown = True

    def note(self, text: str) -> None:
        """A line that stays."""
        if self._shown:
            self._say("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            self._shown = False
        self._say(text + "\n")

    def _say(self, text: str) -> None:
        """The work goes on where nobody can hear of it any more."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            silence(self._stream)


class Clock:
    """How fast frames come and how long the rest takes, from what was expected of all lines. Several are under way at
    once, each known by its number."""

    def __init__(self, expected_frames: float) -> None:
        self._began = time.monotonic()
        self._expected = max(expected_frames, 1.0)
        self._frames = 0
        self._finished_expected = 0.0
        self._under_way: dict[int, tuple[int, float]] = {}

    def reached(self, line: int, frames: int, expected: float) -> None:
        """A line is under way: so many frames of so many expected."""
        self._under_way[line] = frames, expected

    def finished(self, line: int, frames: int, expected: float) -> None:
        """A line is over."""
        self._under_way.pop(line, None)
        self._frames += frames
        self._finished_expected += expected

    def words(self) -> str:
        """The rate and the time left."""
        frames = self._frames + sum(frames for frames, _ in self._under_way.values())
        rate = frames / max(time.monotonic() - self._began, 1e-6)
        done = self._finished_expected + sum(min(each) for each in self._under_way.values())
        return f"{rate:.1f} frames/s, about {duration(max(self._expected - done, 0.0) / max(rate, 1e-6))} left"


def duration(seconds: float) -> str:
    """Seconds as people say them: 8 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def counted(number: int, noun: str) -> str:
    """1 line, 2 lines."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def print_json(document: dict[str, Any]) -> None:
    """The document on stdout."""
    print_text(json.dumps(document, ensure_ascii=False, indent=2))


def print_text(text: str) -> None:
    """A text and a line's end on stdout, in UTF-8 whatever the terminal speaks."""
    text += "\n"
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(text)
    else:
        sys.stdout.flush()
        binary.write(text.encode(errors="backslashreplace"))  # file names may be no Unicode
    sys.stdout.flush()


def complain(text: str) -> None:
    """The one line that says why it failed."""
    Meter().note(f"retake-engine: {text}")
