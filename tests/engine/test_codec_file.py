from __future__ import annotations

import json
import math
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.codec import read_config
from engine.codec_config import S2_PRO
from engine.codec_file import folded_shapes, load_codec, published_shapes
from engine.errors import CheckpointError

Weights = dict[str, Any]


@pytest.fixture
def folder(tmp_path: Path, golden_folder: Path) -> Path:
    """A copy of the golden codec that a test may spoil."""
    for name in ("codec.pth", "codec_config.json"):
        shutil.copyfile(golden_folder / name, tmp_path / name)
    return tmp_path


@pytest.fixture(scope="session")
def saved(golden_folder: Path) -> Weights:
    weights = torch.load(golden_folder / "codec.pth", weights_only=True)
    return {name.removeprefix("generator."): tensor for name, tensor in weights.get("state_dict", weights).items()}


def refused(folder: Path) -> CheckpointError:
    with pytest.raises(CheckpointError) as raised:
        load_codec(folder, "cpu")
    assert str(raised.value).count(".") >= 1
    return raised.value


def test_published_shapes_are_those_of_s2_pro() -> None:
    published = json.loads((Path(__file__).parent / "codec_full_shapes.json").read_text("utf-8"))
    assert published_shapes(S2_PRO) == {name: tuple(shape) for name, shape in published.items()}


def test_parameter_counts_of_s2_pro() -> None:
    counts = {name: math.prod(shape) for name, shape in published_shapes(S2_PRO).items()}
    parts = {
        part: sum(count for name, count in counts.items() if name.startswith(part))
        for part in ("encoder.", "quantizer.", "decoder.")
    }
    assert parts == {"encoder.": 76_851_328, "quantizer.": 260_475_040, "decoder.": 54_104_162}
    assert sum(counts.values()) == 391_430_530


def test_golden_shapes_are_those_of_the_file(golden_folder: Path, saved: Weights) -> None:
    weights = {name: tuple(tensor.shape) for name, tensor in saved.items() if tensor.dtype == torch.float32}
    assert published_shapes(read_config(golden_folder)) == weights


def same_weights(folder: Path, other: Path) -> bool:
    one, two = (load_codec(each, "cpu").state_dict() for each in (folder, other))
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda weights: {"state_dict": weights, "step": 7},
        lambda weights: {f"generator.{name}": tensor for name, tensor in weights.items()},
        lambda weights: {
            "state_dict": {f"generator.{name}": tensor for name, tensor in weights.items()}
            | {"discriminator.weight": torch.zeros(3)}
        },
        lambda weights: weights | {"encoder.block.4.causal_mask": torch.ones(2, 2, dtype=torch.bool)},
    ],
    ids=["wrapped", "prefixed", "both", "masks"],
)
def test_a_file_may_be_wrapped(
    folder: Path, golden_folder: Path, saved: Weights, wrap: Callable[[Weights], Weights]
) -> None:
    torch.save(wrap(saved), folder / "codec.pth")
    assert same_weights(folder, golden_folder)


def test_weights_are_fp32_and_frozen(embedded: Path) -> None:
    codec = load_codec(embedded, "cpu")
    assert {parameter.dtype for parameter in codec.parameters()} == {torch.float32}
    assert not any(parameter.requires_grad for parameter in codec.parameters())
    assert not any(buffer.is_meta for buffer in codec.buffers())


def test_halves_are_loaded_apart(embedded: Path) -> None:
    whole, decode, encode = (
        sum(parameter.numel() for parameter in load_codec(embedded, "cpu", part).parameters())
        for part in (("encode", "decode"), ("decode",), ("encode",))
    )
    assert max(decode, encode) < 0.75 * whole


def test_the_weights_are_folded_once(folder: Path, golden_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_codec(folder, "cpu", ("decode",))
    assert (folder / "codec.folded.safetensors").exists()
    monkeypatch.setattr("torch.load", lambda *_, **__: pytest.fail("it was folded already"))
    load_codec(folder, "cpu")


def test_another_codec_is_folded_anew(folder: Path, saved: Weights, golden_folder: Path) -> None:
    load_codec(folder, "cpu")
    name = next(name for name in saved if name.endswith("bias"))
    torch.save(dict(saved) | {name: saved[name] + 1}, folder / "codec.pth")
    assert not same_weights(folder, golden_folder)


def test_a_damaged_folded_file_is_made_anew(folder: Path, golden_folder: Path) -> None:
    load_codec(folder, "cpu")
    (folder / "codec.folded.safetensors").write_bytes(b"spoiled")
    assert same_weights(folder, golden_folder)


def test_where_the_folder_cannot_be_written_the_cache_folder_is_used(
    folder: Path, golden_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **told: Any) -> Any:
        if Path(told["dir"]) == folder:
            raise PermissionError(13, "Permission denied")
        return made(*_, **told)

    made = tempfile.TemporaryDirectory
    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    assert same_weights(folder, golden_folder)
    assert not (folder / "codec.folded.safetensors").exists()
    monkeypatch.setattr("torch.load", lambda *_, **__: pytest.fail("it was folded already"))
    load_codec(folder, "cpu")


def test_a_folded_file_is_read_as_it_is(folder: Path, golden_folder: Path) -> None:
    codec = load_codec(golden_folder, "cpu")
    config = read_config(folder)
    renamed = dict(zip(folded_shapes(config), codec.state_dict().values(), strict=True))
    save_file({name: tensor.contiguous() for name, tensor in renamed.items()}, folder / "codec.safetensors")
    (folder / "codec.pth").unlink()
    assert same_weights(folder, golden_folder)


def without_one(weights: dict[str, Tensor]) -> str:
    name = next(name for name in weights if name.endswith("bias"))
    del weights[name]
    return name


def with_another(weights: dict[str, Tensor]) -> str:
    weights["decoder.surprise"] = torch.zeros(1)
    return "decoder.surprise"


def with_a_wrong_shape(weights: dict[str, Tensor]) -> str:
    name = next(name for name in weights if name.endswith("bias"))
    weights[name] = torch.zeros(weights[name].shape[0] + 1)
    return name


def with_integers(weights: dict[str, Tensor]) -> str:
    name = next(name for name in weights if name.endswith("bias"))
    weights[name] = weights[name].int()
    return name


SPOILS = [without_one, with_another, with_a_wrong_shape, with_integers]


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_tensor_that_does_not_fit_is_named(
    folder: Path, saved: Weights, spoil: Callable[[dict[str, Tensor]], str]
) -> None:
    weights = dict(saved)
    name = spoil(weights)
    torch.save(weights, folder / "codec.pth")
    error = refused(folder)
    assert error.tensor == name
    assert error.path == folder / "codec.pth"
    assert name in str(error)


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_tensor_that_does_not_fit_is_named_in_safetensors_too(
    tmp_path: Path, embedded: Path, spoil: Callable[[dict[str, Tensor]], str]
) -> None:
    shutil.copyfile(embedded / "codec_config.json", tmp_path / "codec_config.json")
    weights = load_file(embedded / "codec.safetensors")
    name = spoil(weights)
    save_file(weights, tmp_path / "codec.safetensors")
    error = refused(tmp_path)
    assert error.tensor == name
    assert error.path == tmp_path / "codec.safetensors"


def test_how_many_more_do_not_fit_is_told(folder: Path, saved: Weights) -> None:
    weights = {name: tensor for name, tensor in saved.items() if not name.startswith("decoder.")}
    torch.save(weights, folder / "codec.pth")
    gone = sum(name.startswith("decoder.") for name in saved)
    assert f"{gone - 1} more" in str(refused(folder))


class Dangerous:
    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("this must never run",)


def test_a_file_with_code_is_not_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({"encoder": Dangerous()}, folder / "codec.pth")
    assert "run code" in str(refused(folder))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", b"\x80\x02}q\x00.", b"<html>not found</html>"])
def test_a_file_that_is_no_checkpoint_is_refused(folder: Path, content: bytes) -> None:
    (folder / "codec.pth").write_bytes(content)
    assert refused(folder).path == folder / "codec.pth"


@pytest.mark.parametrize("kept", [0.2, 0.9, 0.999])
def test_a_file_that_was_cut_short_is_refused(folder: Path, tmp_path: Path, embedded: Path, kept: float) -> None:
    whole = (folder / "codec.pth").read_bytes()
    (folder / "codec.pth").write_bytes(whole[: int(kept * len(whole))])
    assert "whole" in str(refused(folder))
    whole = (embedded / "codec.safetensors").read_bytes()
    shutil.copyfile(embedded / "codec_config.json", tmp_path / "codec_config.json")
    (tmp_path / "codec.safetensors").write_bytes(whole[: int(kept * len(whole))])
    assert "whole" in str(refused(tmp_path))


@pytest.mark.parametrize("name", ["codec.pth", "codec.safetensors"])
def test_a_pointer_is_told_from_the_file(folder: Path, name: str) -> None:
    (folder / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "utf-8")
    assert "git lfs pull" in str(refused(folder))


def test_what_is_not_a_table_of_tensors_is_refused(folder: Path) -> None:
    for content in ([torch.zeros(1)], {"state_dict": 3}, {"encoder": "text"}):
        torch.save(content, folder / "codec.pth")
        refused(folder)


def test_a_folder_without_a_codec_is_refused(folder: Path) -> None:
    (folder / "codec.pth").unlink()
    assert "codec.pth" in str(refused(folder))
