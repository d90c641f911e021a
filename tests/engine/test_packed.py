from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from engine.checkpoint import load
from engine.packed import PackedLinear
from tests.tiny import write_tiny


@pytest.mark.parametrize("rows", [1, 2, 4, 5, 17])
@pytest.mark.parametrize("biased", [False, True])
def test_rows_are_multiplied_as_ever(rows: int, biased: bool) -> None:
    chance = torch.Generator().manual_seed(rows)
    weight, x = torch.randn(31, 12, generator=chance), torch.randn(rows, 1, 12, generator=chance)
    bias = torch.randn(31, generator=chance) if biased else None
    given = PackedLinear(weight, bias)(x)
    torch.testing.assert_close(given, F.linear(x, weight, bias), atol=1e-5, rtol=1e-5)


def test_a_model_of_packed_weights_computes_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_tiny(tmp_path)
    plain = load(folder, "cpu", "fp32").model
    monkeypatch.setattr("engine.checkpoint.LARGE_WEIGHT", 1)
    packed = load(folder, "cpu", "fp32").model
    assert any(isinstance(module, PackedLinear) for module in packed.modules())
    sizes = [sum(parameter.numel() for parameter in model.parameters()) for model in (plain, packed)]
    assert sizes[0] == sizes[1]
    columns = torch.randint(0, 8, (2, 1 + plain.config.num_codebooks, 5), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        told = [model.slow(columns, model.slow.stack.memory(2, 5)) for model in (plain, packed)]
        rows = [
            model.fast.all(hidden[:, -1], columns[:, 1:, 0])
            for model, hidden in zip((plain, packed), told, strict=True)
        ]
    torch.testing.assert_close(told[0], told[1], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(rows[0], rows[1], atol=1e-5, rtol=1e-4)


def test_where_torch_cannot_pack_weights_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.checkpoint.LARGE_WEIGHT", 1)
    monkeypatch.setattr("engine.checkpoint.can_pack", lambda: False)
    model = load(write_tiny(tmp_path), "cpu", "fp32").model
    assert not any(isinstance(module, PackedLinear) for module in model.modules())
