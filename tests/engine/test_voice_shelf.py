from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import platformdirs
import pytest

from engine.request import Finished, Generate, Part, Prompt, Reference, Report, Settings, Voice
from engine.speech import Engine
from tests.tiny import CODEBOOKS, SEMANTIC, write_tiny

CODES = np.arange(CODEBOOKS * 30).reshape(CODEBOOKS, 30).astype(np.int16) % SEMANTIC
TRANSCRIPT = "what is said in this clip"
QUICK = Settings(most_frames=3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tiny(tmp_path / "tiny")


@pytest.fixture
def shelf() -> Path:
    return Path(platformdirs.user_cache_dir("retake", appauthor=False)) / "voices"


def report(folder: Path, text: str = "A line.", transcript: str = TRANSCRIPT, precision: str = "fp32") -> Report:
    """Of a line in a fresh engine."""
    prompt = Prompt((Part(0, text),), (Voice("a", (Reference(transcript, CODES),)),))
    *_, last = Engine.open(folder, "cpu", precision).generate(Generate(prompt, (1,), QUICK))
    assert isinstance(last, Finished)
    return last.report


def test_no_run_reads_a_voice_twice(folder: Path) -> None:
    first = report(folder)
    assert first.positions_reused == 0
    second = report(folder, "Another line, and a longer one.")
    assert second.positions_reused > 30
    assert second.positions_read < first.positions_read


def test_what_is_found_is_what_would_be_read(folder: Path) -> None:
    prompt = Prompt((Part(0, "A line."),), (Voice("a", (Reference(TRANSCRIPT, CODES),)),))
    takes = []
    for _ in range(2):
        *_, last = Engine.open(folder, "cpu", "fp32").generate(Generate(prompt, (1,), Settings(temperature=1.0)))
        takes.append(last.takes[0].id)
    assert takes[0] == takes[1]


def test_a_corrected_transcript_or_another_precision_is_read_anew(folder: Path) -> None:
    report(folder)
    assert report(folder, transcript="What is said in this clip").positions_reused == 0
    assert report(folder, precision="bf16").positions_reused == 0


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_file_is_as_good_as_none(folder: Path, shelf: Path, damage: bytes | None) -> None:
    report(folder)
    (file,) = shelf.glob("*.safetensors")
    file.write_bytes(file.read_bytes()[:-40] if damage is None else damage)
    assert report(folder).positions_reused == 0
    assert report(folder).positions_reused > 30  # and it is written anew


@pytest.mark.parametrize("share", [0.3, 0.6, 0.99])
def test_a_bit_that_fell_over_is_seen(folder: Path, shelf: Path, share: float) -> None:
    report(folder)
    (file,) = shelf.glob("*.safetensors")
    data = bytearray(file.read_bytes())
    header = 8 + int.from_bytes(data[:8], "little")
    data[header + int(share * (len(data) - header))] ^= 0x40
    file.write_bytes(data)
    assert report(folder).positions_reused == 0
    assert report(folder).positions_reused > 30


def test_the_shelf_is_bounded(folder: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report(folder)
    (oldest,) = shelf.glob("*.safetensors")
    os.utime(oldest, (1, 1))
    monkeypatch.setattr("engine.voice_shelf.VoiceShelf.__init__.__defaults__", (oldest.stat().st_size + 2000,))
    report(folder, transcript="another one, about as long")
    (left,) = shelf.glob("*.safetensors")
    assert left != oldest


def test_where_nothing_can_be_kept_it_is_done_without(folder: Path, shelf: Path) -> None:
    shelf.parent.mkdir(parents=True)
    shelf.write_text("a file where the folder should be")
    assert report(folder).positions_reused == report(folder).positions_reused == 0
