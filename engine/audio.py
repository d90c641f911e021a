"""Audio files in and out, and other rates: samples are float32, mono, full scale 1."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from types import TracebackType

import numpy as np
import soundfile
import soxr

from engine.errors import AudioError, why
from engine.request import Samples, frozen
from engine.whole_file import WholeFile, reachable

MOST_SECONDS = 3600  # a longer file is no clip and no line, and may not fit into memory
_BLOCK_SECONDS = 1
_FORMATS = {".wav": "WAV", ".flac": "FLAC"}
_NEARLY_ALL = 0.98  # of the frames a compressed file announces: its header may be a guess
_LITTLE_SPACE = 1 << 20  # bytes

# A WAV header that promises more than the file holds; the largest number means "not known yet" and is fair.
_PROMISED = re.compile(r"^data : (\d+) \(should be (\d+)\)", re.MULTILINE)
_NOT_KNOWN = 0x7FFF0000


def read(path: Path) -> tuple[Samples, int]:
    """The samples of an audio file, channels mixed to one, and their rate.

    Raises AudioError: not audio, empty, cut short, too long, with numbers that are none, or not to be read.
    """
    try:
        with reachable(path).open("rb"):
            pass
        with soundfile.SoundFile(_name(reachable(path))) as file:
            return _read(file, path), int(file.samplerate)
    except OSError as error:
        raise AudioError(f"{path} cannot be read: {why(error)}.", path) from error
    except soundfile.LibsndfileError as error:
        if "lost sync" in str(error):
            raise AudioError(_cut_short(path), path) from error
        raise AudioError(
            f"{path} is not an audio file that can be read here: take WAV, FLAC, OGG or MP3.", path
        ) from error


def _read(file: soundfile.SoundFile, path: Path) -> Samples:
    frames, rate = file.frames, file.samplerate
    if frames == 0:
        raise AudioError(f"{path} holds no sound: it has 0 samples.", path)
    if frames > MOST_SECONDS * rate:
        raise AudioError(f"{path} is longer than {MOST_SECONDS // 60} minutes: cut it into shorter files.", path)
    promised = _PROMISED.search(file.extra_info)
    if promised and int(promised[2]) < int(promised[1]) < _NOT_KNOWN:
        raise AudioError(_cut_short(path), path)
    samples = np.empty(frames, np.float32)
    count = 0
    while count < frames:
        block = file.read(min(rate * _BLOCK_SECONDS, frames - count), dtype="float32", always_2d=True)
        if len(block) == 0:
            break
        samples[count : count + len(block)] = block.mean(axis=1)
        count += len(block)
    if count < frames * _NEARLY_ALL:
        raise AudioError(_cut_short(path), path)
    samples = samples[:count]
    if not np.isfinite(samples).all():
        raise AudioError(f"{path} holds values that are no numbers (NaN or infinite): export it again.", path)
    return frozen(samples)


def _cut_short(path: Path) -> str:
    return f"{path} is cut short: it holds less sound than it says. Copy or export it again."


def resample(samples: Samples, rate: int, new_rate: int) -> Samples:
    """The same sound at another rate, ceil(samples * new_rate / rate) of them give or take one."""
    if rate == new_rate or len(samples) == 0:
        return frozen(samples)
    return frozen(soxr.resample(samples, rate, new_rate, quality="VHQ").astype(np.float32, copy=False))


def write(path: Path, samples: Samples, rate: int, exact: bool = False, comment: str = "") -> None:
    """A whole WAV or FLAC file, by suffix, or none; as `Writer` writes it."""
    with Writer(path, rate, exact, comment) as writer:
        writer.write(samples)


def check_suffix(path: Path) -> None:
    """Raise AudioError where the name is of a kind that cannot be written."""
    if path.suffix.lower() not in _FORMATS:
        raise AudioError(f"{path} cannot be written: only .wav and .flac files can.", path)


class Writer:
    """An audio file that comes block by block, 16 bits deep, or 32-bit float where `exact` (WAV only).

    `comment` is written into its metadata, where there is any. It takes its name when the `with` block ends well; where
    that raises, whatever had the name before stays.
    Raises AudioError.
    """

    def __init__(self, path: Path, rate: int, exact: bool = False, comment: str = "") -> None:
        check_suffix(path)
        self.path = path
        self.samples = 0  # written so far
        self._rate, self._comment = rate, comment
        self._format = _FORMATS[path.suffix.lower()]
        self._subtype = "FLOAT" if exact and self._format == "WAV" else "PCM_16"
        self._place = WholeFile(path)

    def __enter__(self) -> Writer:
        try:
            self._place.setup()
        except OSError as error:
            raise self._error(error) from error
        try:
            self._file = soundfile.SoundFile(
                _name(self._place.beside), "w", self._rate, 1, self._subtype, format=self._format
            )
            if self._comment:
                self._file.comment = self._comment
        except BaseException as error:
            self._place.__exit__(type(error), error, None)
            if isinstance(error, soundfile.LibsndfileError):
                raise self._error(error) from error
            raise
        return self

    def write(self, samples: Samples) -> None:
        """Append samples."""
        block = self._rate * _BLOCK_SECONDS
        try:
            for start in range(0, len(samples), block):
                self._file.write(samples[start : start + block])
                self.samples += len(samples[start : start + block])
        except (OSError, soundfile.LibsndfileError, AssertionError) as error:  # soundfile asserts that all was written
            raise self._error(error) from error

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self._file.close()
        except BaseException as failure:
            self._place.__exit__(type(failure), failure, None)
            if isinstance(failure, soundfile.LibsndfileError):
                raise self._error(failure) from failure
            raise
        try:
            self._place.__exit__(kind, error, at)
        except OSError as failure:
            raise self._error(failure) from failure

    def _error(self, error: Exception) -> AudioError:
        if isinstance(error, OSError):
            reason = why(error)
        elif shutil.disk_usage(self._place.beside.parent).free < _LITTLE_SPACE:
            reason = "the disk is full"
        else:
            reason = "the disk takes no more"
        return AudioError(f"{self.path} cannot be written: {reason}.", self.path)


def _name(path: Path) -> str | bytes:
    """The path as soundfile takes it: names that are no Unicode only come through as bytes, and never on Windows."""
    return os.fsencode(path) if os.name == "posix" else str(path)
