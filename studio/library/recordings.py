"""Recordings in: any audio file becomes mono samples at its own rate, with what is worth knowing of how it came."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile

from engine.audio import read
from engine.errors import AudioError, why
from engine.request import Samples
from engine.whole_file import reachable

SUFFIXES = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".aiff", ".aif")
BY_FFMPEG = (".m4a", ".mp4", ".aac")
MOST_BYTES = 400_000_000
_KINDS = {"MPEG_LAYER_III": "MP3", "VORBIS": "OGG", "OPUS": "Opus"}
_CONVERT_SECONDS = 120


@dataclass(frozen=True, eq=False)
class Recording:
    """`kind` is how it was stored ("MP3", "WAV"); `lost` how many dB quieter the mix to mono is than its channels:
    0 for one channel, 3 for channels that have nothing in common, much where they cancel each other."""

    samples: Samples
    rate: int
    channels: int
    kind: str
    lost: float = 0.0

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate


def readable() -> tuple[str, ...]:
    """The suffixes that can be read here; some need the ffmpeg program."""
    return SUFFIXES + BY_FFMPEG if shutil.which("ffmpeg") else SUFFIXES


def read_recording(path: Path) -> Recording:
    """The recording in a file; AudioError where it is none, or none that can be read here."""
    if path.suffix.lower() in BY_FFMPEG:
        with tempfile.TemporaryDirectory() as folder:
            converted = Path(folder) / "converted.wav"
            _convert(path, converted)
            return replace(_read(converted), kind="M4A")
    return _read(path)


def digest_file(path: Path) -> str:
    """Names the bytes of a file; AudioError where they cannot be read or are too many."""
    try:
        size = reachable(path).stat().st_size
        if size > MOST_BYTES:
            raise AudioError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB: cut it into shorter files.", path)
        with reachable(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]
    except OSError as error:
        raise AudioError(f"{path} cannot be read: {why(error)}.", path) from error


def _read(path: Path) -> Recording:
    samples, rate = read(path)
    try:
        with soundfile.SoundFile(reachable(path)) as file:
            kind = _KINDS.get(file.subtype, file.format)
            return Recording(samples, rate, file.channels, kind, _lost(file) if file.channels > 1 else 0.0)
    except soundfile.LibsndfileError as error:
        raise AudioError(f"{path} changed while it was read: try again.", path) from error


def _lost(file: soundfile.SoundFile) -> float:
    """How much quieter the mean of the channels is than they are, in dB."""
    mixed = apart = 0.0
    for block in file.blocks(file.samplerate, dtype="float32", always_2d=True):
        mixed += float(np.square(block.mean(axis=1), dtype=np.float64).sum())
        apart += float(np.square(block, dtype=np.float64).mean(axis=1).sum())
    return 10 * float(np.log10(apart / max(mixed, apart * 1e-6))) if apart > 0 else 0.0


def _convert(path: Path, converted: Path) -> None:
    program = shutil.which("ffmpeg")
    if program is None:
        raise AudioError(f"{path} can only be read with the ffmpeg program: install it, or save it as WAV.", path)
    command = [program, "-nostdin", "-loglevel", "error", "-i", f"file:{path}", "-vn", "-f", "wav", "-c:a",
               "pcm_s16le", f"file:{converted}"]  # fmt: skip
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_CONVERT_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise AudioError(f"{path} is not audio that ffmpeg can read: save it as WAV.", path) from error
