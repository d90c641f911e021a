from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from engine.transformer import Linear


@pytest.mark.parametrize("rows", [1, 2, 4, 5, 8, 16, 17])
def test_rows_of_a_batch_are_multiplied_as_ever(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Linear, "LARGE", 1)
    monkeypatch.setattr(Linear, "BLOCK", 64)
    layer = Linear(12, 31)
    x = torch.randn(rows, 1, 12, generator=torch.Generator().manual_seed(rows))
    with torch.no_grad():
        given = layer(x)
        assert given.shape == (rows, 1, 31)
        assert torch.allclose(given, F.linear(x, layer.weight), atol=1e-6)
