"""What errors say."""

from __future__ import annotations

import pytest
import torch

from engine.errors import lacking


def test_of_what_there_is_too_little() -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.empty(1 << 50, dtype=torch.uint8, device="cpu")
    assert lacking(caught.value) == lacking(MemoryError()) == "memory"
    assert lacking(torch.OutOfMemoryError()) == "graphics memory"
    assert lacking(RuntimeError("no such operator")) is None
