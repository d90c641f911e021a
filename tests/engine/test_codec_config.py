from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.codec_config import S2_PRO, DacConfig, SpectralConfig, read_config
from engine.errors import CheckpointError


@pytest.fixture
def values(golden_folder: Path) -> dict[str, Any]:
    return json.loads((golden_folder / "codec_config.json").read_text("utf-8"))


def written(folder: Path, values: object) -> Path:
    (folder / "codec_config.json").write_text(json.dumps(values), "utf-8")
    return folder


def test_a_folder_without_the_file_holds_s2_pro(tmp_path: Path) -> None:
    config = read_config(tmp_path)
    assert config == S2_PRO
    assert config.frame_samples == 2048
    assert config.quantizer.codebook_sizes == (4096, *[1024] * 9)


def test_both_kinds_are_read(golden_folder: Path, embedded: Path) -> None:
    assert isinstance(read_config(golden_folder), DacConfig)
    spectral = read_config(embedded)
    assert isinstance(spectral, SpectralConfig)
    assert spectral.frame_samples == 1024


def test_what_training_alone_needs_is_ignored(tmp_path: Path, values: dict[str, Any]) -> None:
    expected = read_config(written(tmp_path, values))
    values["quantizer"]["quantizer_dropout"] = 0.5
    values["quantizer"]["transformer"]["dropout_rate"] = 0.1
    values["causal"] = True
    values["kind"] = "dac"
    assert read_config(written(tmp_path, values)) == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("surprise", 1),
        ("causal", False),
        ("kind", "wavelet"),
        ("sample_rate", 0),
        ("sample_rate", "44100"),
        ("sample_rate", True),
        ("encoder_rates", 8),
        ("encoder_rates", [2, 4, -8, 8]),
        ("encoder_rates", [0, 0]),
        ("encoder_transformer_layers", [0]),
        ("decoder_rates", [8, 8]),
        ("decoder_dim", 3),
        ("quantizer", None),
        ("transformer_general_config", {"head_dim": 7, "rope_base": 1e4, "norm_eps": 1e-5, "window_size": 9}),
    ],
)
def test_what_cannot_be_honoured_is_refused(tmp_path: Path, values: dict[str, Any], key: str, value: object) -> None:
    with pytest.raises(CheckpointError) as raised:
        read_config(written(tmp_path, values | {key: value}))
    assert raised.value.path == tmp_path / "codec_config.json"


def test_a_missing_key_is_named(tmp_path: Path, values: dict[str, Any]) -> None:
    del values["quantizer"]["window_size"]
    with pytest.raises(CheckpointError, match="window_size"):
        read_config(written(tmp_path, values))


@pytest.mark.parametrize("text", ["", "[]", "{", "\ud83d".encode("utf-16-le", "surrogatepass").decode("latin-1")])
def test_a_file_that_is_no_config_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "codec_config.json").write_text(text, "latin-1")
    with pytest.raises(CheckpointError):
        read_config(tmp_path)


def test_a_spectral_codec_needs_slices_that_overlap(tmp_path: Path, embedded: Path) -> None:
    values = json.loads((embedded / "codec_config.json").read_text("utf-8"))
    with pytest.raises(CheckpointError, match="n_fft"):
        read_config(written(tmp_path, values | {"hop": 512}))
