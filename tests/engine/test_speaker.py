"""Who speaks: the network by itself with weights of its own making, and what it is fed with."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from engine import speaker
from engine.request import Samples
from engine.speaker import SpeakerEncoder, speech_mels

RATE = 16_000


def buzz(pitch: float, seconds: float) -> Samples:
    time = np.arange(round(seconds * RATE)) / RATE
    waves = [np.sin(2 * np.pi * pitch * number * time) / number for number in range(1, 12)]
    return (0.05 * np.sum(waves, axis=0)).astype(np.float32)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package with weights that mean nothing, as it lies in site-packages."""
    torch.manual_seed(3)
    folder = tmp_path / "resemblyzer"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise AssertionError('nothing of it is run')\n")
    state = SpeakerEncoder().state_dict() | {"similarity_weight": torch.ones(1)}
    torch.save({"model_state": state, "step": 1}, folder / "pretrained.pt")
    monkeypatch.syspath_prepend(tmp_path)
    return folder / "pretrained.pt"


def test_without_the_extra_nobody_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speaker.importlib.util, "find_spec", lambda name: None)
    assert speaker.weights() is None
    assert SpeakerEncoder.find() is None


def test_the_weights_are_found_and_nothing_is_run(installed: Path) -> None:
    assert speaker.weights() == installed
    encoder = SpeakerEncoder.find()
    assert encoder is not None
    assert "resemblyzer" not in sys.modules
    found = encoder.speakers(buzz(120, 5), RATE)
    assert found is not None
    assert found.embeddings.shape == (len(found.begins), 256)
    np.testing.assert_allclose(np.linalg.norm(found.embeddings, axis=1), 1, atol=1e-5)
    assert float(np.linalg.norm(found.mean)) == pytest.approx(1)
    assert (found.ends > found.begins).all()
    assert found.ends[-1] == pytest.approx(5, abs=0.1)


def test_a_package_without_weights_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "resemblyzer").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert speaker.weights() is None


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("it was run",)


@pytest.mark.parametrize("state", [{"model_state": Bomb()}, {"model_state": {}}, {"else": 1}, 7])
def test_weights_that_are_none_are_as_if_not_there(
    installed: Path, state: object, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.save(state, installed)
    assert SpeakerEncoder.find() is None
    installed.write_bytes(b"no weights")
    assert SpeakerEncoder.find() is None
    assert capsys.readouterr().out == ""


def test_the_same_sound_is_alike_at_any_rate_and_level(installed: Path) -> None:
    encoder = SpeakerEncoder.find()
    assert encoder is not None
    one = encoder.speakers(buzz(120, 4), RATE)
    quiet = encoder.speakers((buzz(120, 4) * 0.02).astype(np.float32), RATE)
    assert one is not None
    assert quiet is not None
    assert float(one.mean @ quiet.mean) > 0.999


def test_too_little_speech_tells_nothing(installed: Path) -> None:
    encoder = SpeakerEncoder.find()
    assert encoder is not None
    for samples in (buzz(120, 0.5), np.zeros(5 * RATE, np.float32), np.zeros(0, np.float32), np.zeros(100, np.float32)):
        assert encoder.speakers(samples, RATE) is None


def test_silence_is_left_out_and_the_seconds_are_the_recordings() -> None:
    rest = np.zeros(3 * RATE, np.float32)
    levels, places = speech_mels(np.concatenate([rest, buzz(120, 2), rest, buzz(150, 2)]), RATE)
    assert levels.shape[1] == 40
    assert 390 <= len(levels) <= 450
    assert 285 <= places[0] <= 300
    assert 990 <= places[-1] <= 1_000
