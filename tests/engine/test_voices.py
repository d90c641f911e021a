"""The voices in a checkpoint folder: read with their codes, encoded without, and never believed blindly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine import audio
from engine.errors import CheckpointError
from engine.request import Codes, Samples
from engine.voices import read_voices

CODES = np.arange(20, dtype=np.int16).reshape(10, 2)


def encode(samples: Samples, rate: int) -> Codes:
    return CODES + 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    voices = tmp_path / "voices"
    voices.mkdir()
    for name in ("ann-1", "ann-2", "bob-1"):
        (voices / f"{name}.txt").write_text(f" I am {name}.\n", encoding="utf-8")
        audio.write(voices / f"{name}.flac", np.full(2000, 0.25, np.float32), 8000)
    np.save(voices / "ann-1.codes.npy", CODES)
    return tmp_path


def test_the_first_clip_of_a_voice_with_its_codes_or_encoded(folder: Path) -> None:
    voices = read_voices(folder, encode)
    assert list(voices) == ["ann", "bob"]
    (ann,), (bob,) = (voice.references for voice in voices.values())
    assert ann.transcript == "I am ann-1."
    assert (ann.codes == CODES).all()
    assert (bob.codes == CODES + 1).all()


@pytest.mark.parametrize(
    "codes",
    [
        b"",
        b"version https://git-lfs.github.com/spec/v1\n",
        b"\x93NUMPY\x01\x00",
        CODES.astype(float),
        CODES[0],
        CODES[:, :0],
        CODES - 5,
        CODES.astype(np.int64) + 40_000,
        np.array([[{}]], dtype=object),
    ],
)
def test_codes_that_are_none(folder: Path, codes: bytes | np.ndarray) -> None:
    path = folder / "voices" / "ann-1.codes.npy"
    if isinstance(codes, bytes):
        path.write_bytes(codes)
    else:
        np.save(path, codes)
    with pytest.raises(CheckpointError, match="no codes") as caught:
        read_voices(folder, encode)
    assert caught.value.path == path


def test_a_transcript_that_is_no_text(folder: Path) -> None:
    path = folder / "voices" / "ann-1.txt"
    path.write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(CheckpointError, match="no text") as caught:
        read_voices(folder, encode)
    assert caught.value.path == path
