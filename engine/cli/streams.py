"""The streams and signals that the command line stands on: closed, full, or gone, they cost no work."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TextIO


def silence(stream: TextIO) -> None:
    """What is written to a stream from now on is lost, also what Python still writes at exit."""
    with contextlib.suppress(OSError, ValueError):  # a stream without a descriptor of its own
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextlib.contextmanager
def standing_streams() -> Iterator[None]:
    """Streams that were closed from outside take what is written and lose it."""
    with contextlib.ExitStack() as stack:
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:
                setattr(sys, name, stack.enter_context(Path(os.devnull).open("w", encoding="utf-8")))
                stack.callback(setattr, sys, name, None)
        yield


@contextlib.contextmanager
def stopped_politely() -> Iterator[None]:
    """`kill` and a closed terminal stop as Ctrl+C does: what is finished is kept."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
    with _handled([number for number in numbers if signal.getsignal(number) is signal.SIG_DFL], _STOP):
        yield


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """What would stop the work is heard at the end, for what is within must be done whole: KeyboardInterrupt then."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stopped = threading.Event()
    stopping = [number for number in signal.valid_signals() if signal.getsignal(number) is _STOP]
    with _handled(stopping, lambda *_: stopped.set()):
        yield
    if stopped.is_set():
        raise KeyboardInterrupt


_STOP = signal.default_int_handler


@contextlib.contextmanager
def _handled(numbers: Sequence[int], handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, each in before.items():
            signal.signal(number, each)
