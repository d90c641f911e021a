from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from engine.checkpoint import load
from engine.int8 import CUDA_ROWS, LEVELS, Int8Linear, multiplies_int8, product_of_int8, quantised
from tests.tiny import write_tiny

STATED = 0.02  # how far a product may be off, as a share of its size; rounding weights and inputs costs some 0.012


@pytest.fixture(params=[True, False], ids=["vnni", "without"])
def processor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Processors of both kinds, whichever this one is."""
    monkeypatch.setattr("engine.int8.VNNI", request.param)
    return bool(request.param)


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_a_weight_is_off_by_half_a_level_at_most(seed: int) -> None:
    weight = torch.randn(24, 40, generator=torch.Generator().manual_seed(seed))
    held, scale = quantised(weight, torch.float32)
    assert held.dtype == torch.int8
    assert ((held * scale[:, None] - weight).abs() <= scale[:, None] * 0.5001).all()
    assert (held.abs().amax(1) == LEVELS).all()


@pytest.mark.parametrize("rows", [1, 2, 5, 40])
@pytest.mark.parametrize("shape", [(96, 256), (23, 37)])
def test_a_product_is_within_the_stated_error(rows: int, shape: tuple[int, int], processor: bool) -> None:
    generator = torch.Generator().manual_seed(rows)
    weight, bias = torch.randn(shape, generator=generator), torch.randn(shape[0], generator=generator)
    x = torch.randn(rows, 3, shape[1], generator=generator)
    wanted = F.linear(x, weight, bias)
    given_ = Int8Linear(*quantised(weight, torch.float32), bias)(x)
    assert given_.shape == wanted.shape
    assert (given_ - wanted).norm() < STATED * wanted.norm()


def test_a_loud_position_does_not_drown_a_quiet_one(processor: bool) -> None:
    weight = torch.randn(32, 64, generator=torch.Generator().manual_seed(1))
    layer = Int8Linear(*quantised(weight, torch.float32))
    quiet = torch.randn(1, 64, generator=torch.Generator().manual_seed(2))
    assert torch.equal(layer(torch.cat([1e6 * quiet, quiet]))[1], layer(quiet)[0])
    assert not layer(torch.zeros(1, 64)).any()


def test_a_model_in_int8_holds_a_quarter_and_answers_alike(tmp_path: Path, processor: bool) -> None:
    folder = write_tiny(tmp_path, text={"dim": 64, "intermediate_size": 96}, audio={"dim": 64})
    whole, small = load(folder, "cpu", "fp32").model, load(folder, "cpu", "int8").model
    layer = small.slow.stack.layers[0].feed_forward.w1
    assert isinstance(layer, Int8Linear)
    assert layer.weight.nbytes * 4 == whole.slow.stack.layers[0].feed_forward.w1.weight.nbytes
    assert sum(each.numel() for each in small.parameters()) == sum(each.numel() for each in whole.parameters())
    columns = torch.randint(0, 200, (1, 1 + whole.config.num_codebooks, 12), generator=torch.Generator().manual_seed(3))
    columns[:, 1:] = 0
    hidden, close = (model.slow(columns, model.slow.stack.memory(1, 12)) for model in (whole, small))
    assert (hidden - close).norm() < 0.06 * hidden.norm()  # each layer adds its own


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_rows_of_zeros_change_nothing(dtype: torch.dtype) -> None:
    """What CUDA is given: its integer product wants more rows than a frame has."""
    generator = torch.Generator().manual_seed(4)
    weight, scale = quantised(torch.randn(48, 64, generator=generator), dtype)
    x = torch.randn(3, 64, generator=generator).to(dtype)
    padded = product_of_int8(x, weight, scale, CUDA_ROWS)
    assert padded.dtype == dtype
    assert torch.equal(padded, product_of_int8(x, weight, scale))
    wanted = x.float() @ (weight.float() * scale.float()[:, None]).T
    assert (padded.float() - wanted).norm() < STATED * wanted.norm()


def test_which_cards_multiply_int8() -> None:
    assert multiplies_int8((9, 0), torch.Size((6144, 2560)))
    assert multiplies_int8((7, 5), torch.Size((24, 16)))
    assert not multiplies_int8((7, 0), torch.Size((24, 16)))
    assert not multiplies_int8((8, 9), torch.Size((20, 16)))
