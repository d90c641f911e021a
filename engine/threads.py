"""How many of the processor's threads torch uses, and for what.

The layers of a small model are over before a second thread has woken, and a thread that another program holds up holds
up all of them; frame by frame, the embedded voice speaks several times faster with one on a busy machine. What is read
in one large pass is worth waking them. A large model leaves a core to the window and the sound, but where there are
only two: one reads three fifths of what both do. OMP_NUM_THREADS says how many where it is set.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import psutil
import torch
from torch import nn

LARGE_MODEL = 50_000_000  # parameters; a layer of such a model takes longer than waking a thread

P = ParamSpec("P")
R = TypeVar("R")


def use_threads(model: nn.Module) -> None:
    """Have torch use as many threads as the model can feed when it reads a position at a time."""
    if "OMP_NUM_THREADS" not in os.environ:
        large = sum(parameter.numel() for parameter in model.parameters()) >= LARGE_MODEL
        torch.set_num_threads(_to_spare() if large else 1)


def in_one_pass(function: Callable[P, R]) -> Callable[P, R]:
    """A function that reads many positions at once: it uses all threads that there are to spare."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        usual = torch.get_num_threads()
        if "OMP_NUM_THREADS" in os.environ or usual >= _to_spare():
            return function(*args, **kwargs)
        torch.set_num_threads(_to_spare())
        try:
            return function(*args, **kwargs)
        finally:
            torch.set_num_threads(usual)

    return run


@functools.cache
def _cores() -> int:
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1 << 10
    return min(psutil.cpu_count(logical=False) or 1, allowed)


def _to_spare() -> int:
    return min(_cores(), max(2, _cores() - 1))
