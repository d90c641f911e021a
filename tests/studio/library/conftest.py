from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.audio import read
from studio.library.levels import measure_levels
from studio.library.quality import Report, report
from studio.library.recordings import Recording
from studio.library.voices import Clip

WORDS = "They carried the keys home."
Speech = Callable[[int], np.ndarray]


@pytest.fixture(scope="session")
def sentence(golden_nano: Path) -> tuple[np.ndarray, int]:
    """One sentence, 1.4 s long with a little silence at both ends, and its rate."""
    return read(golden_nano / "voices" / "heart-1.flac")


@pytest.fixture(scope="session")
def speech(sentence: tuple[np.ndarray, int]) -> Speech:
    """The sentence so many times, at 22,050 Hz."""

    def make(times: int) -> np.ndarray:
        rest = np.zeros(2_205, np.float32)
        return np.concatenate([rest, *[np.concatenate([sentence[0], rest]) for _ in range(times)]])

    return make


def clip_of(recording: Recording, transcript: str = "", trim: tuple[int, int] | None = None) -> Clip:
    """A clip of a whole recording."""
    count = len(recording.samples)
    return Clip("0" * 32, "ada.wav", recording.rate, recording.channels, count, recording.kind, trim or (0, count),
                transcript)  # fmt: skip


def advice_on(recording: Recording, transcript: str, trim: tuple[int, int] | None = None, script: str = "") -> Report:
    """The report on a clip for a checkpoint that wants 5 to 30 seconds."""
    levels = measure_levels(recording.samples, recording.rate)
    return report(clip_of(recording, transcript, trim), recording, levels, (5.0, 30.0), script)
