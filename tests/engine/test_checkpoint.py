from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.checkpoint import choose_place, codec_digest, digest, load
from engine.config import EVERY_RANK, read_reference_seconds, read_settings
from engine.errors import CheckpointError, DeviceError
from engine.speech import Engine
from tests.tiny import write_tiny


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tiny(tmp_path / "checkpoint")


def refused(folder: Path) -> CheckpointError:
    with pytest.raises(CheckpointError) as raised:
        load(folder, "cpu", "fp32")
    assert "\n" not in str(raised.value)
    return raised.value


def rewrite(folder: Path, change) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path)


NAME = "text_model.model.layers.1.attention.wo.weight"


def test_a_missing_tensor_is_named(folder: Path) -> None:
    rewrite(folder, lambda tensors: tensors.pop(NAME))
    error = refused(folder)
    assert error.tensor == NAME
    assert NAME in str(error)


def test_an_extra_tensor_is_named_with_its_file(folder: Path) -> None:
    rewrite(folder, lambda tensors: tensors.update({"text_model.model.extra": torch.zeros(1)}))
    error = refused(folder)
    assert error.tensor == "text_model.model.extra"
    assert "model.safetensors" in str(error)


def test_a_misshapen_tensor_is_named_with_both_shapes(folder: Path) -> None:
    rewrite(folder, lambda tensors: tensors.update({NAME: torch.zeros(3, 5)}))
    error = refused(folder)
    assert error.tensor == NAME
    assert "(3, 5)" in str(error)
    assert error.path == folder / "model.safetensors"


def test_a_truncated_file(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    assert "cut short" in str(refused(folder))


@pytest.mark.parametrize("name", ["model.safetensors", "codec.safetensors"])
def test_a_git_lfs_pointer(folder: Path, name: str) -> None:
    (folder / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n")
    with pytest.raises(CheckpointError, match="pointer"):
        Engine.open(folder, "cpu", "fp32")


def test_a_shard_that_is_not_there(golden_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    shutil.copytree(golden_folder, folder)
    shard = sorted(folder.glob("model-*.safetensors"))[-1]
    shard.unlink()
    assert shard.name in str(refused(folder))


def test_a_shard_index_cannot_lead_outside(golden_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    shutil.copytree(golden_folder, folder)
    index = folder / "model.safetensors.index.json"
    data = json.loads(index.read_text())
    data["weight_map"] = {name: f"../../{file}" for name, file in data["weight_map"].items()}
    index.write_text(json.dumps(data))
    load(folder, "cpu", "fp32")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"model_type": "qwen3"}, "not Fish Audio S2"),
        ({"eos_token_id": 10**6}, "vocabulary"),
        ({"text_config": 3}, "usable"),
        ({"semantic_end_token_id": None}, "usable"),
    ],
)
def test_a_config_of_another_model(folder: Path, change: dict, word: str) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert word in str(refused(folder))


@pytest.mark.parametrize(
    ("section", "field", "value"),
    [
        ("text_config", "attention_qkv_bias", True),
        ("text_config", "tie_word_embeddings", False),
        ("text_config", "sliding_window", 128),
        ("audio_decoder_config", "tie_word_embeddings", True),
        ("audio_decoder_config", "text_dim", 99),
        ("text_config", "n_local_heads", 3),
    ],
)
def test_a_value_that_cannot_be_honoured_is_refused(folder: Path, section: str, field: str, value: object) -> None:
    path = folder / "config.json"
    data = json.loads(path.read_text())
    data[section][field] = value
    path.write_text(json.dumps(data))
    refused(folder)


def test_what_only_training_needs_is_ignored(folder: Path) -> None:
    path = folder / "config.json"
    data = json.loads(path.read_text())
    data["text_config"] |= {"dropout": 0.1, "initializer_range": 0.02, "use_gradient_checkpointing": True}
    path.write_text(json.dumps(data))
    load(folder, "cpu", "fp32")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
@pytest.mark.parametrize("content", [None, "", "[]", "{", '{"added_tokens": 3}'])
def test_a_broken_or_missing_json(folder: Path, name: str, content: str | None) -> None:
    path = folder / name
    path.unlink() if content is None else path.write_text(content)
    assert name in str(refused(folder))


def test_a_folder_that_holds_nothing(tmp_path: Path) -> None:
    assert "config.json" in str(refused(tmp_path))


def test_the_digest_tells_checkpoints_apart(folder: Path, tmp_path: Path) -> None:
    assert digest(folder) == digest(write_tiny(tmp_path / "same"))
    assert digest(folder) != digest(write_tiny(tmp_path / "other", seed=1))


def test_the_digest_of_the_codec_is_its_own(folder: Path, tmp_path: Path) -> None:
    other = write_tiny(tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(config | {"note": "another model, the same codec"}))
    assert codec_digest(folder) == codec_digest(other)
    assert digest(folder) != digest(other)
    shape = json.loads((other / "codec_config.json").read_text())
    (other / "codec_config.json").write_text(json.dumps(shape | {"note": "another codec"}))
    assert codec_digest(folder) != codec_digest(other)


@pytest.mark.parametrize(
    ("stated", "meant"),
    [([0.7, 6], (0.7, 6.0)), (None, (5.0, 30.0)), ([6, 0.7], (5.0, 30.0)), ("long", (5.0, 30.0)), ([1], (5.0, 30.0))],
)
def test_how_long_reference_clips_may_be(folder: Path, stated: object, meant: tuple[float, float]) -> None:
    (folder / "generation_config.json").write_text(json.dumps({"reference_seconds": stated}))
    assert read_reference_seconds(folder) == meant


def test_no_limit_of_ranks_is_as_many_as_there_can_be(folder: Path) -> None:
    (folder / "generation_config.json").write_text(json.dumps({"top_k": 0}))
    assert read_settings(folder).top_k == EVERY_RANK


@pytest.mark.parametrize("stated", [{"top_k": -1}, {"top_p": 0}, {"top_p": 2}, {"repetition_window": -3},
                                    {"temperature": -1}, {"top_k": 1e400}, {"temperature": "hot"}])  # fmt: skip
def test_sampling_that_cannot_be_is_refused(folder: Path, stated: dict[str, object]) -> None:
    (folder / "generation_config.json").write_text(json.dumps(stated))
    with pytest.raises(CheckpointError, match="sampling value"):
        read_settings(folder)


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(DeviceError, match="nonsense"):
        choose_place("nonsense", None)
    with pytest.raises(DeviceError, match="no device"):
        choose_place("meta", None)
    with pytest.raises(DeviceError, match="precision"):
        choose_place("cpu", "int3")


def test_precisions_are_honoured(folder: Path) -> None:
    assert load(folder, "cpu", "bf16").model.slow.embeddings.weight.dtype == torch.bfloat16
    assert load(folder, "cpu").place.precision == "fp32"


def test_where_memory_is_dear_the_texts_table_is_no_wider_than_it_came(folder: Path) -> None:
    rewrite(folder, lambda tensors: tensors.update({name: each.bfloat16() for name, each in tensors.items()}))
    model = load(folder, "cpu", "int8").model
    assert model.slow.embeddings.weight.dtype == torch.bfloat16
    assert model.slow.spoken_rows.dtype == model.fast.embeddings.weight.dtype == torch.float32


def test_what_does_not_fit_is_refused_with_the_numbers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.checkpoint.free_memory", lambda _: 1000)
    assert choose_place("cpu", None, 500).precision == "int8"
    with pytest.raises(DeviceError) as raised:
        load(folder, "cpu", "fp32")
    assert raised.value.free == 1000
    assert raised.value.needed is not None
    assert raised.value.needed > 1000
