from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.errors import AudioError
from studio.library import recordings
from studio.library.recordings import digest_file, read_recording, readable

RATE = 48_000
TONE = (0.3 * np.sin(np.arange(RATE) / 20)).astype(np.float32)


@pytest.mark.parametrize(
    ("suffix", "format_", "subtype", "kind"),
    [
        (".wav", "WAV", "PCM_24", "WAV"),
        (".wav", "WAV", "FLOAT", "WAV"),
        (".flac", "FLAC", "PCM_16", "FLAC"),
        (".aiff", "AIFF", "PCM_16", "AIFF"),
        (".ogg", "OGG", "VORBIS", "OGG"),
        (".opus", "OGG", "OPUS", "Opus"),
        (".mp3", "MP3", "MPEG_LAYER_III", "MP3"),
    ],
)
def test_what_recordings_come_as(tmp_path: Path, suffix: str, format_: str, subtype: str, kind: str) -> None:
    path = tmp_path / f"Ada Größe 声{suffix}"
    with soundfile.SoundFile(path, "w", RATE, 2, subtype, format=format_) as file:
        file.write(np.stack([TONE, TONE], axis=1))
    found = read_recording(path)
    assert (found.rate, found.channels, found.kind) == (RATE, 2, kind)
    assert found.seconds == pytest.approx(1.0, abs=0.06)
    assert found.lost == pytest.approx(0.0, abs=0.1)


def test_how_much_the_mix_loses(tmp_path: Path) -> None:
    for name, right, lost in (("a", TONE, 0.0), ("b", 0 * TONE, 3.0), ("c", -TONE, 60.0)):
        soundfile.write(tmp_path / f"{name}.wav", np.stack([TONE, right], axis=1), RATE)
        assert read_recording(tmp_path / f"{name}.wav").lost == pytest.approx(lost, abs=0.1)
    soundfile.write(tmp_path / "d.wav", np.zeros((100, 2)), RATE)
    assert read_recording(tmp_path / "d.wav").lost == 0


def test_a_digest_is_of_the_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "b").write_bytes(b"one")
    (tmp_path / "c").write_bytes(b"two")
    one, again, two = (digest_file(tmp_path / name) for name in "abc")
    assert one == again != two
    with pytest.raises(AudioError, match="no such file"):
        digest_file(tmp_path / "gone")
    monkeypatch.setattr(recordings, "MOST_BYTES", 2)
    with pytest.raises(AudioError, match="larger than"):
        digest_file(tmp_path / "a")


def test_m4a_needs_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings.shutil, "which", lambda _: None)
    assert ".m4a" not in readable()
    with pytest.raises(AudioError, match="ffmpeg program"):
        read_recording(tmp_path / "a.m4a")


def test_m4a_by_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script stands for ffmpeg: it copies what it is given to where it is told, or fails."""
    program = tmp_path / "ffmpeg"
    program.write_text('#!/bin/sh\nfor last; do :; done\ncp "${5#file:}" "${last#file:}"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(recordings.shutil, "which", lambda _: str(program))
    assert ".m4a" in readable()
    soundfile.write(tmp_path / "tone.wav", TONE, RATE)
    (tmp_path / "-tone.m4a").write_bytes((tmp_path / "tone.wav").read_bytes())
    found = read_recording(tmp_path / "-tone.m4a")
    assert (found.kind, found.rate, len(found.samples)) == ("M4A", RATE, RATE)
    program.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(AudioError, match="not audio that ffmpeg can read"):
        read_recording(tmp_path / "-tone.m4a")
