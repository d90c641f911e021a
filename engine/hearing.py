"""What a recogniser hears in a recording: words, when they are said, and how sure it is of each.

The recogniser is a Whisper model in the layout of CTranslate2, a folder that the user chooses. It is optional: the
package `ctranslate2` (the extra `transcribe`) is imported when the first model is opened, and no sooner. torch is not
needed for it.
"""

from __future__ import annotations

import importlib.util
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from engine.audio import resample
from engine.errors import HearingError
from engine.request import Samples

INSTALL = 'run .venv/bin/pip install ".[transcribe]" in the folder of Retake'
MODEL = "a Whisper model in CTranslate2's layout"
RATE = 16_000  # of the samples that the model hears
WINDOW = 30 * RATE  # samples that it hears at once
_HOP, _FFT = 160, 400
_LEAST_WINDOW = 20 * RATE  # a recording that goes on is parted in its quietest place after these
_PARTING = 1_600  # samples whose level tells how quiet a place is
_FRAME_SECONDS = 0.02  # of what the alignment counts in
_BEAMS = 5
_MOST_TOKENS = 224
_SILENT = 0.6  # probability that nobody speaks, from which words that are unlikely are none
_UNLIKELY = -1.0  # mean log p of tokens
_REPEATING = 2.4  # text that packs so many times smaller goes round in circles
_WITHOUT_SPACES = frozenset({"zh", "ja", "th", "lo", "my", "yue"})
_FILES = ("model.bin", "config.json", "tokenizer.json")


@dataclass(frozen=True)
class HeardWord:
    """A word with what is set beside it, its seconds in the recording, and how likely it is, 0 to 1."""

    text: str
    begins: float
    ends: float
    probability: float


@dataclass(frozen=True)
class HeardPart:
    """The words of a part of a recording; `heard` of its `seconds` have been listened to by now."""

    words: tuple[HeardWord, ...]
    heard: float
    seconds: float


def can_hear() -> bool:
    """Whether the extra is installed; it is not imported for that."""
    return importlib.util.find_spec("ctranslate2") is not None


class Recogniser:
    """A model that hears. One thread at a time may use it."""

    def __init__(self, model: Any, tokenizer: Tokenizer) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._mels = mel_filters(model.n_mels)

    @classmethod
    def open(cls, folder: Path | None, threads: int = 1) -> Recogniser:
        """Load the model in a folder; HearingError where the extra or the model is missing, or it is none."""
        if not can_hear():
            raise HearingError(f"What recognises words is not installed: {INSTALL}.")
        if folder is None:
            raise HearingError(f"No recogniser is chosen: name the folder of {MODEL} in the settings.")
        for name in _FILES:
            if not (folder / name).is_file():
                raise HearingError(f"{folder} holds no recogniser: {name} is missing.", folder)
        import ctranslate2

        try:
            json.loads((folder / "config.json").read_bytes())  # what is no JSON would end the process
            model = ctranslate2.models.Whisper(str(folder), "cpu", compute_type="int8", intra_threads=threads)
            return cls(model, Tokenizer.from_file(str(folder / "tokenizer.json")))
        except Exception as error:  # neither library has errors of its own
            raise HearingError(f"{folder} holds no recogniser that can be read: {error}", folder) from error

    @property
    def many_languages(self) -> bool:
        """Whether it hears other languages than English."""
        return bool(self._model.is_multilingual)

    def hear(self, samples: Samples, rate: int, language: str = "") -> Iterator[HeardPart]:
        """Listen to a recording, at most 30 s at a time; not asking for more is stopping.

        `language` is a code as ISO 639 has it ("de"); "" finds out. Raises HearingError where it is not known.
        """
        heard = resample(samples, rate, RATE)
        seconds = len(heard) / RATE
        for start, stop in pairwise(partings(heard)):
            words = self._words(heard[start:stop], start / RATE, language)
            yield HeardPart(words, stop / RATE, seconds)

    def _words(self, samples: Samples, starts: float, language: str) -> tuple[HeardWord, ...]:
        features = self._features(samples)
        prompt, spoken = self._prompt(features, language)
        result = self._model.generate(features, [prompt], **_HOW)[0]
        if result.no_speech_prob > _SILENT and result.scores[0] < _UNLIKELY:
            return ()
        tokens = result.sequences_ids[0]
        if _goes_round(self._tokenizer.decode(tokens)):
            tokens = self._model.generate(features, [prompt], **_HOW, no_repeat_ngram_size=3)[0].sequences_ids[0]
        special = self._token("<|endoftext|>")
        tokens = [token for token in tokens if token < special]
        if not tokens:
            return ()
        frames = -(-len(samples) // _HOP)
        aligned = self._model.align(features, prompt, [tokens], [frames])[0]
        times = _begins(aligned.alignments, len(tokens))
        words, last = [], len(samples) / RATE
        for first, stop, text in self._parted(tokens, spoken in _WITHOUT_SPACES):
            begins, ends = min(times[first], last), min(times[stop], last)
            likely = float(np.mean(aligned.text_token_probs[first:stop]))
            words.append(HeardWord(text.strip(), starts + begins, starts + ends, likely))
        return tuple(word for word in words if word.text)

    def _features(self, samples: Samples) -> Any:
        """What the encoder makes of samples at RATE, no more than WINDOW of them."""
        import ctranslate2

        made = log_mel(samples, self._mels)[None]
        return self._model.encode(ctranslate2.StorageView.from_array(made))

    def _prompt(self, features: Any, language: str) -> tuple[list[int], str]:
        """What the decoder begins with, and the language that is heard."""
        if not self.many_languages:
            if language not in ("", "en"):
                raise HearingError("This recogniser hears English alone: choose another one in the settings.")
            return [self._token(name) for name in ("<|startoftranscript|>", "<|notimestamps|>")], "en"
        spoken = f"<|{language}|>" if language else self._model.detect_language(features)[0][0][0]
        names = ("<|startoftranscript|>", spoken, "<|transcribe|>", "<|notimestamps|>")
        return [self._token(name) for name in names], spoken.strip("<|>")

    def _token(self, name: str) -> int:
        found = self._tokenizer.token_to_id(name)
        if found is None:
            raise HearingError(f"The recogniser does not know {name}: choose another one, or another language.")
        return int(found)

    def _parted(self, tokens: Sequence[int], each_letter: bool) -> Iterator[tuple[int, int, str]]:
        """The words that tokens write: half-open ranges of tokens, and text. A letter may take several tokens."""
        begins, text = 0, ""
        at = 0
        for stop in range(1, len(tokens) + 1):
            piece = self._tokenizer.decode(tokens[at:stop])
            if "\ufffd" in piece and stop < len(tokens):
                continue
            if text and (each_letter or piece[:1].isspace()):
                yield begins, at, text
                begins, text = at, ""
            text += piece
            at = stop
        if text:
            yield begins, len(tokens), text


_HOW = {
    "beam_size": _BEAMS, "max_length": 2 * _MOST_TOKENS, "return_scores": True, "return_no_speech_prob": True,
}  # fmt: skip


def partings(samples: Samples) -> list[int]:
    """Where a recording at RATE is parted so that no part is longer than WINDOW: at quiet places, ends included."""
    places = [0]
    while len(samples) - places[-1] > WINDOW:
        first = places[-1] + _LEAST_WINDOW
        count = (WINDOW - _LEAST_WINDOW) // _PARTING
        levels = np.square(samples[first : first + count * _PARTING]).reshape(count, _PARTING).mean(1)
        places.append(first + int(levels.argmin()) * _PARTING + _PARTING // 2)
    return [*places, len(samples)] if len(samples) else [0]


def mel_filters(count: int) -> np.ndarray:
    """Triangles over the spectrum, evenly spaced by ear (Slaney's scale) and of equal area, float32 [count, 201]."""
    edges = _hertz(np.linspace(_mel(0.0), _mel(RATE / 2), count + 2))
    bins = np.fft.rfftfreq(_FFT, 1 / RATE)
    rising = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return (triangles * (2 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32)


def log_mel(samples: Samples, filters: np.ndarray) -> np.ndarray:
    """Levels by ear of 30 s, silence where there are fewer: float32 [mel, 3000]."""
    padded = np.zeros(WINDOW, np.float32)
    padded[: len(samples)] = samples[:WINDOW]
    padded = np.pad(padded, _FFT // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT)[::_HOP][: WINDOW // _HOP]
    window = np.hanning(_FFT + 1)[:-1].astype(np.float32)
    power = np.square(np.abs(np.fft.rfft(frames * window)))
    levels = np.log10(np.maximum(filters @ power.T, 1e-10))
    levels = np.maximum(levels, levels.max() - 8)
    return np.ascontiguousarray((levels + 4) / 4, dtype=np.float32)


def _mel(hertz: float) -> float:
    """Slaney's scale: linear up to 1 kHz, logarithmic above."""
    return hertz * 3 / 200 if hertz < 1000 else 15 + 27 * float(np.log(hertz / 1000) / np.log(6.4))


def _hertz(mel: np.ndarray) -> np.ndarray:
    return np.where(mel < 15, mel * 200 / 3, 1000 * 6.4 ** ((mel - 15) / 27))


def _begins(path: Sequence[tuple[int, int]], tokens: int) -> np.ndarray:
    """The seconds at which each token begins, and, last, at which all end; `path` are pairs of token and frame."""
    begins = np.zeros(tokens + 1)
    for token, frame in reversed(path):
        if token <= tokens:
            begins[token] = frame * _FRAME_SECONDS
    return np.maximum.accumulate(begins)


def _goes_round(text: str) -> bool:
    data = text.encode()
    return len(data) > _REPEATING * len(zlib.compress(data))
