"""The streams and signals that the command line stands on: closed, full, or gone, they cost no work."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


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
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])
