"""What is exported is what is heard, one file or one for each line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from studio.document.timing import Placed
from studio.exporting import Material, export_lines, export_scene, file_name
from studio.library.voices import Consent, LibraryVoice, Permission, credits_of
from studio.samples import Peaks, Print

RATE = 8000


def sound(level: float, seconds: float) -> Print:
    samples = np.full(round(RATE * seconds), level, np.float32)
    return Print(RATE, samples, Peaks(samples))


def scene() -> Material:
    placed = (
        Placed("a", "Mira", 0, 0.0, 1.0, False),
        Placed("b", "Tom / Ann", 0, 1.5, 1.0, True),
        Placed("c", "ミラ", 0, 3.0, 0.5, False),
    )
    return Material("Play", placed, ("Mira", "Tom / Ann", "ミラ"), {"a": sound(0.5, 1.0), "c": sound(-0.25, 0.5)}, (2,))


def test_a_scene_is_one_file_as_long_as_it_is_heard(tmp_path: Path) -> None:
    path = tmp_path / "play.wav"
    assert export_scene(scene(), path).files == 1
    samples, rate = soundfile.read(path)
    assert (rate, len(samples)) == (RATE, 3.5 * RATE)
    assert samples[100] == 0.5
    assert not samples[RATE : 3 * RATE].any()
    assert samples[-100] == -0.25


def test_what_is_too_loud_is_told(tmp_path: Path) -> None:
    quiet = export_scene(scene(), tmp_path / "play.wav")
    assert (quiet.peak, quiet.beyond_db) == (0.5, 0.0)
    loud = replace(scene(), placed=(replace(scene().placed[0], gain=12.0),), names=("Mira",))
    for written in (export_scene(loud, tmp_path / "play.wav"), export_lines(loud, tmp_path / "lines")):
        assert written.beyond_db == pytest.approx(12 - 6.02, abs=0.01)


def test_lines_are_files_with_number_and_name(tmp_path: Path) -> None:
    folder = tmp_path / "play" / "lines"
    assert export_lines(scene(), folder).files == 2
    assert sorted(path.name for path in folder.iterdir()) == ["001 Mira.wav", "003 ミラ.wav"]
    assert len(soundfile.read(folder / "003 ミラ.wav")[0]) == RATE // 2


def test_who_allowed_the_voices_stands_in_every_file(tmp_path: Path) -> None:
    ada = LibraryVoice("1", "Ada", permission=Permission(Consent.WRITTEN, "Ada L.", "2026-01-02", "2027-06-30", "CC0"))
    told = credits_of((ada, LibraryVoice("2", "ミラ")))
    assert told == "Ada: Written, until 2027-06-30; Ada L., 2026-01-02; CC0. ミラ: Not stated."
    made = replace(scene(), credits=told)
    export_scene(made, tmp_path / "play.wav")
    export_scene(made, tmp_path / "play.flac")
    export_lines(made, tmp_path / "lines")
    for path in (tmp_path / "play.wav", tmp_path / "play.flac", *(tmp_path / "lines").iterdir()):
        with soundfile.SoundFile(path) as file:
            assert file.comment == told
            assert file.frames > 0


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("楚心", "楚心"),
        ("Act 1/2: who?", "Act 1_2_ who_"),
        ("..", "_"),
        ("", "_"),
        ("nul", "_nul"),
        ("COM1.txt", "_COM1.txt"),
        ("Console", "Console"),
        ("a" * 300, "a" * 80),
        ("楚" * 300, "楚" * 53),
        ("two\nrows", "two_rows"),
        ("\ud800", "_"),
        ("שלום עולם", "שלום עולם"),
    ],
)
def test_any_name_can_be_that_of_a_file(name: str, file: str, tmp_path: Path) -> None:
    assert file_name(name) == file
    (tmp_path / f"001 {file_name(name)}.wav").write_bytes(b"")
