"""Who speaks: what a voice is like, told from its sound by a small network that was trained to tell speakers apart.

The network is optional: its weights (GE2E, three LSTM layers) come with the package `resemblyzer`, of which nothing
else is used and nothing is run. They are looked for when the first voice is compared, and no sooner.
"""

from __future__ import annotations

import importlib.util
import math
import pickle
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import normalize

from engine.audio import resample
from engine.hearing import RATE, mel_filters
from engine.request import Samples, Speakers, frozen

_MELS, _HIDDEN, _LAYERS = 40, 256, 3
_FFT, _HOP = 400, 160  # samples
WINDOW = 160  # mel frames that are judged together, 1.6 s of speech
_STEP = 40  # mel frames between two of them
_LEVEL = -30.0  # dB that quieter sound is raised to
_BELOW = 35.0  # dB under the loudest tenth: nobody speaks there
_AROUND = 6  # mel frames around speech that are kept: words fade in and out
_LEAST = 100  # mel frames of speech that tell who speaks


class SpeakerEncoder(nn.Module):
    """Mel levels of speech in, what its speaker is like out."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(_MELS, _HIDDEN, _LAYERS, batch_first=True)
        self.linear = nn.Linear(_HIDDEN, _HIDDEN)

    @classmethod
    def find(cls) -> SpeakerEncoder | None:
        """The network with its weights; None where the extra `quality` is not installed, or is damaged."""
        path = weights()
        if path is None:
            return None
        made = cls()
        try:
            held = torch.load(path, map_location="cpu", weights_only=True)["model_state"]
            made.load_state_dict({name: held[name] for name in made.state_dict()})
        except (pickle.UnpicklingError, RuntimeError, OSError, EOFError, KeyError, TypeError):
            return None  # a hint less, and all the rest goes on
        return made.eval()

    def forward(self, mels: torch.Tensor) -> torch.Tensor:
        """Mel levels [batch, frame, 40] to embeddings [batch, 256] of length one."""
        _, (hidden, _) = self.lstm(mels)  # hidden [layer, batch, 256]
        return normalize(self.linear(hidden[-1]).relu(), dim=1)

    @torch.inference_mode()
    def speakers(self, samples: Samples, rate: int) -> Speakers | None:
        """What the voice is like along a recording; None where there is too little speech to tell."""
        levels, places = speech_mels(samples, rate)
        if len(levels) < _LEAST:
            return None
        width = min(WINDOW, len(levels))
        starts = sorted({*range(0, len(levels) - width, _STEP), len(levels) - width})
        windows = torch.from_numpy(np.stack([levels[start : start + width] for start in starts]))
        begins = [places[start] * _HOP / RATE for start in starts]
        ends = [(places[start + width - 1] + 1) * _HOP / RATE for start in starts]
        return Speakers(frozen(self(windows).numpy()), frozen(np.array(begins)), frozen(np.array(ends)))


def weights() -> Path | None:
    """Where the weights lie, None where the extra is not installed."""
    found = importlib.util.find_spec("resemblyzer")
    for folder in found.submodule_search_locations or () if found is not None else ():
        if (path := Path(folder) / "pretrained.pt").is_file():
            return path
    return None


def speech_mels(samples: Samples, rate: int) -> tuple[np.ndarray, np.ndarray]:
    """The mel levels of speech alone, float32 [frame, 40], and which frame of the recording each of them is, int."""
    heard = resample(samples, rate, RATE)
    power = math.sqrt(float(np.square(heard, dtype=np.float64).mean())) if len(heard) else 0.0
    if power == 0:
        return np.zeros((0, _MELS), np.float32), np.zeros(0, np.int64)
    heard = heard * np.float32(max(1.0, 10 ** (_LEVEL / 20) / power))
    padded = np.pad(heard, _FFT // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT)[::_HOP]
    window = np.hanning(_FFT + 1)[:-1].astype(np.float32)
    levels = np.square(np.abs(np.fft.rfft(frames * window))) @ mel_filters(_MELS).T
    db = 10 * np.log10(np.maximum(levels.sum(1), 1e-12))
    speaking = db > np.percentile(db, 90) - _BELOW
    around = np.convolve(speaking, np.ones(2 * _AROUND + 1))[_AROUND : _AROUND + len(speaking)]
    places = np.flatnonzero(around > 0.5)
    return np.ascontiguousarray(levels[places], np.float32), places
