from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from engine.__main__ import main
from engine.bench_baseline import Baseline
from engine.bench_measure import bytes_a_frame, columns_of
from engine.bench_shapes import SHAPES, random_model, shape
from engine.checkpoint import choose_place, load
from engine.request import Settings
from tests.tiny import write_tiny


@pytest.fixture(autouse=True)
def small_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.bench_measure.BANDWIDTH_SIDE", 64)


def test_the_plain_loop_computes_what_the_product_does(tmp_path: Path) -> None:
    model = load(write_tiny(tmp_path), "cpu", "fp32").model
    columns = torch.from_numpy(columns_of(model.config, 9, 5))[None]
    wanted = model.slow(columns, model.slow.stack.memory(1, 9))
    plain = Baseline(model, Settings())
    x = model.slow.embed(columns)
    hidden = [plain.read(x[:, position : position + 1], position) for position in range(9)]
    assert torch.allclose(torch.cat(hidden, dim=1), wanted, atol=1e-5)
    assert plain.draw(hidden[-1], 9).shape == (1, 1, model.config.slow.dim)


def test_shapes_are_what_is_published() -> None:
    assert set(SHAPES) == {"s2-pro", "mid", "nano"}
    config, _ = shape("s2-pro")
    assert (config.slow.n_layer, config.vocab_size, config.semantic_size) == (36, 155776, 4096)
    model = random_model(shape("nano")[0], choose_place("cpu", "fp32"))
    assert bytes_a_frame(model, 2, 100) - bytes_a_frame(model, 1, 100) == model.slow.stack.memory(1, 100).bytes


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_the_table_of_a_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str], precision: str) -> None:
    folder = write_tiny(tmp_path)
    options = ["bench", "--checkpoint", str(folder), "--device", "cpu", "--precision", precision, "--frames", "4"]
    assert main([*options, "--batch", "1", "2", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["precision"] == precision
    assert min(facts[name] for name in ("peak_memory_gb", "bandwidth_gb_a_second", "baseline_frame_ms")) > 0
    assert [run["batch"] for run in facts["runs"]] == [1, 2]
    for run in facts["runs"]:
        wanted = ("prefill_ms", "first_sound_ms", "frame_ms", "rtf", "times_the_baseline", "share_of_bandwidth")
        assert all(name in run for name in wanted)
        assert min(run[name] for name in wanted[:4]) > 0


def test_the_table_of_a_shape_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--shape", "nano", "--device", "cpu", "--frames", "4", "--no-baseline"]) == 0
    said = capsys.readouterr().out
    assert "first sound ms" in said
    assert "baseline" not in said
