"""Audio files: what is written comes back, and every bad file gets a sentence."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from engine import audio
from engine.errors import AudioError
from engine.whole_file import WholeFile

RATE = 22_050


def tone(seconds: float = 0.5, rate: int = RATE) -> np.ndarray:
    return (0.5 * np.sin(np.arange(round(seconds * rate)) * 0.1)).astype(np.float32)


@pytest.mark.parametrize(
    ("suffix", "exact", "step"), [(".wav", False, 2**-15), (".flac", False, 2**-15), (".wav", True, 0)]
)
def test_what_is_written_comes_back(tmp_path: Path, suffix: str, exact: bool, step: float) -> None:
    path = tmp_path / f"größe 音{suffix}"
    audio.write(path, tone(), RATE, exact)
    samples, rate = audio.read(path)
    assert rate == RATE
    assert samples.dtype == np.float32
    assert not samples.flags.writeable
    assert np.abs(samples - tone()).max() <= step
    assert list(tmp_path.iterdir()) == [path]


def test_loud_samples_are_clipped_not_wrapped(tmp_path: Path) -> None:
    audio.write(tmp_path / "a.wav", 3 * tone(), RATE)
    samples, _ = audio.read(tmp_path / "a.wav")
    assert np.abs(samples - np.clip(3 * tone(), -1, 1)).max() <= 2**-14


def test_blocks_make_one_file(tmp_path: Path) -> None:
    with audio.Writer(tmp_path / "a.wav", RATE) as writer:
        writer.write(tone(1.5))
        writer.write(tone(0.1))
        assert writer.samples == round(1.6 * RATE)
        assert not (tmp_path / "a.wav").exists()
    assert len(audio.read(tmp_path / "a.wav")[0]) == round(1.6 * RATE)


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    audio.write(tmp_path / "a.wav", tone(), RATE)
    before = (tmp_path / "a.wav").read_bytes()
    with pytest.raises(KeyError), audio.Writer(tmp_path / "a.wav", RATE) as writer:  # noqa: PT012
        writer.write(tone(0.1))
        raise KeyError
    assert (tmp_path / "a.wav").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_24", "FLOAT", "DOUBLE", "ULAW"])
def test_other_depths(tmp_path: Path, subtype: str) -> None:
    soundfile.write(tmp_path / "a.wav", tone(), RATE, subtype)
    samples, _ = audio.read(tmp_path / "a.wav")
    assert np.abs(samples - tone()).max() < 0.02


def test_stereo_is_mixed_and_high_rates_are_read(tmp_path: Path) -> None:
    left, right = tone(0.2, 192_000), -0.5 * tone(0.2, 192_000)
    soundfile.write(tmp_path / "a.wav", np.stack([left, right], 1), 192_000, "FLOAT")
    samples, rate = audio.read(tmp_path / "a.wav")
    assert rate == 192_000
    np.testing.assert_allclose(samples, 0.5 * (left + right), atol=1e-6)
    assert len(audio.resample(samples, rate, RATE)) == round(0.2 * RATE)


@given(st.integers(1, 4000), st.sampled_from([8000, 22_050, 44_100, 192_000]), st.sampled_from([22_050, 44_100]))
def test_resampling_keeps_the_length_in_time(count: int, rate: int, new_rate: int) -> None:
    samples = audio.resample(np.zeros(count, np.float32), rate, new_rate)
    assert abs(len(samples) - count * new_rate / rate) <= 1
    assert samples.dtype == np.float32


def test_resampling_keeps_a_tone() -> None:
    time = np.arange(44_100) / 44_100
    low = audio.resample(np.sin(2 * np.pi * 440 * time).astype(np.float32), 44_100, RATE)
    wanted = np.sin(2 * np.pi * 440 * np.arange(RATE) / RATE)
    assert np.abs(low - wanted)[500:-500].max() < 1e-3


def bad_files(folder: Path) -> dict[str, Path]:
    files = {name: folder / f"{name}.wav" for name in ("text", "empty", "samples", "nan", "short", "gone", "long")}
    files["text"].write_bytes(b"this is not audio" * 50)
    files["empty"].write_bytes(b"")
    soundfile.write(files["samples"], tone()[:0], RATE)
    soundfile.write(files["nan"], np.array([0, np.nan, 1], np.float32), RATE, "FLOAT")
    soundfile.write(files["short"], tone(), RATE)
    files["short"].write_bytes(files["short"].read_bytes()[:9000])
    soundfile.write(files["long"], np.zeros(3601, np.int16), 1)
    files["flac"] = folder / "short.flac"
    soundfile.write(files["flac"], tone(5), RATE)
    files["flac"].write_bytes(files["flac"].read_bytes()[:9000])
    files["folder"] = folder
    return files


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("text", "not an audio file"),
        ("empty", "not an audio file"),
        ("samples", "0 samples"),
        ("nan", "NaN"),
        ("short", "cut short"),
        ("flac", "cut short"),
        ("gone", "no such file"),
        ("folder", "folder|denied"),
        ("long", "60 minutes"),
    ],
)
def test_bad_files_get_a_sentence(tmp_path: Path, name: str, words: str) -> None:
    path = bad_files(tmp_path)[name]
    with pytest.raises(AudioError, match=words) as caught:
        audio.read(path)
    assert caught.value.path == path
    assert str(caught.value).endswith(".")


def test_a_header_that_does_not_know_the_length_yet_is_fair(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, tone(), RATE)
    content = bytearray(path.read_bytes())
    content[4:8] = content[40:44] = b"\xff" * 4
    path.write_bytes(content)
    assert len(audio.read(path)[0]) == len(tone())


@given(st.data())
def test_damaged_files_never_raise_anything_else(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.wav"
    soundfile.write(path, tone(0.02), RATE)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, 60))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        samples, rate = audio.read(path)
    except AudioError:
        return
    assert len(samples) > 0
    assert rate > 0


def test_only_formats_that_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"\.wav and \.flac"):
        audio.write(tmp_path / "a.mp3", tone(), RATE)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="no such file or folder"):
        audio.write(tmp_path / "no" / "a.wav", tone(), RATE)


def test_a_folder_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "a.wav").mkdir()
    with pytest.raises(AudioError, match="it is a folder"):
        audio.write(tmp_path / "a.wav", tone(), RATE)


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audio.write(tmp_path / "a.wav", tone(), RATE)

    def full(place: WholeFile) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(WholeFile, "setup", full)
    with pytest.raises(AudioError, match="the disk is full"):
        audio.write(tmp_path / "a.wav", tone(0.1), RATE)
    assert len(audio.read(tmp_path / "a.wav")[0]) == len(tone())


def test_a_disk_that_fills_while_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: soundfile.SoundFile, samples: np.ndarray) -> None:
        raise soundfile.LibsndfileError(2)

    monkeypatch.setattr(soundfile.SoundFile, "write", full)
    with pytest.raises(AudioError, match="cannot be written"):
        audio.write(tmp_path / "a.wav", tone(), RATE)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_no_unicode(tmp_path: Path) -> None:
    path = tmp_path / (os.fsdecode(b"\xff.wav") if os.name == "posix" else "ÿ.wav")
    audio.write(path, tone(), RATE)
    assert len(audio.read(path)[0]) == len(tone())
    assert list(tmp_path.iterdir()) == [path]


def test_a_second_ctrl_c_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def impatient(file: soundfile.SoundFile) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(soundfile.SoundFile, "close", impatient)
        patch.setattr(soundfile.SoundFile, "__del__", lambda file: None)
        with pytest.raises(KeyboardInterrupt):
            audio.write(tmp_path / "a.wav", tone(), RATE)
    assert list(tmp_path.iterdir()) == []
