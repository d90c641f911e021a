from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F

from engine import causal
from engine.causal import CausalConv, CausalTransposedConv, ConvNeXt, Stream, WindowedTransformer, reach
from engine.codec_config import TransformerConfig
from engine.transformer import rotary_table

WINDOW = 5
SMALL = TransformerConfig(
    n_layer=2, n_head=2, dim=12, intermediate_size=16, head_dim=6, rope_base=10_000.0, norm_eps=1e-5
)


def seeded(piece: nn.Module) -> nn.Module:
    torch.manual_seed(3)
    for parameter in piece.parameters():
        nn.init.normal_(parameter, std=0.4)
    return piece.requires_grad_(False)


PIECES = {
    "conv": lambda: seeded(CausalConv(3, 4, 5, dilation=2)),
    "strided": lambda: seeded(CausalConv(3, 4, 4, stride=2)),
    "transposed": lambda: seeded(CausalTransposedConv(3, 2, 6, 3)),
    "doubling": lambda: seeded(CausalTransposedConv(3, 2, 2, 2)),
    "convnext": lambda: seeded(ConvNeXt(3)),
    "transformer": lambda: seeded(WindowedTransformer(SMALL, WINDOW)),
    "narrow": lambda: seeded(WindowedTransformer(SMALL, 1)),
}


@pytest.mark.parametrize("name", PIECES)
@settings(max_examples=40)
@given(cuts=st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_chunks_give_what_one_pass_gives(name: str, cuts: list[int]) -> None:
    piece = PIECES[name]()
    unit = 2 if name == "strided" else 1
    x = torch.randn(1, 12 if name in ("transformer", "narrow") else 3, unit * sum(cuts))
    stream = Stream()
    chunks = [piece(chunk, stream) for chunk in x.split([unit * cut for cut in cuts], dim=-1)]
    torch.testing.assert_close(torch.cat(chunks, dim=-1), piece(x, Stream()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", PIECES)
def test_a_copied_stream_goes_its_own_way(name: str) -> None:
    piece = PIECES[name]()
    first, one, other = torch.randn(3, 1, 12 if name in ("transformer", "narrow") else 3, 6)
    stream = Stream()
    piece(first, stream)
    branch = stream.copy()
    piece(other, branch)
    expected = piece(torch.cat([first, one], dim=-1), Stream())[..., -piece(one, stream.copy()).shape[-1] :]
    torch.testing.assert_close(piece(one, stream), expected, rtol=1e-4, atol=1e-5)


def test_a_convolution_is_padded_on_the_left_alone() -> None:
    conv = seeded(CausalConv(3, 4, 5, dilation=2))
    x = torch.randn(1, 3, 20)
    torch.testing.assert_close(conv(x, Stream()), conv.conv(F.pad(x, (8, 0))))


def test_a_transposed_convolution_is_cropped_on_the_right() -> None:
    conv = seeded(CausalTransposedConv(3, 2, 6, 3))
    x = torch.randn(1, 3, 7)
    torch.testing.assert_close(conv(x, Stream()), conv.conv(x)[..., :21])


@pytest.mark.parametrize("length", [1, 4, 5, 6, 40])
def test_a_windowed_transformer_masks_all_but_the_last_positions(length: int) -> None:
    transformer = seeded(WindowedTransformer(SMALL, WINDOW))
    x = torch.randn(1, 12, length)
    index = torch.arange(length)
    mask = (index <= index[:, None]) & (index > index[:, None] - WINDOW)
    rotary, y, stream = rotary_table(length, 6, 10_000.0), x.mT, Stream()
    for layer in transformer.layers:
        y = layer(y, rotary, mask, stream)
    torch.testing.assert_close(transformer(x, Stream()), transformer.norm(y).mT, rtol=1e-4, atol=1e-5)


def test_a_long_input_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    transformer = seeded(WindowedTransformer(SMALL, WINDOW))
    x = torch.randn(1, 12, 33)
    whole = transformer(x, Stream())
    monkeypatch.setattr(causal, "TRANSFORMER_PIECE", 4)
    torch.testing.assert_close(transformer(x, Stream()), whole, rtol=1e-4, atol=1e-5)


def test_a_stream_stays_small_and_its_positions_go_on() -> None:
    transformer = seeded(WindowedTransformer(SMALL, WINDOW))
    stream = Stream()
    sizes = []
    for _ in range(30):
        transformer(torch.randn(1, 12, 1), stream)
        sizes.append(sum(tail.untyped_storage().nbytes() for tail in stream.tails.values()))
    assert sizes[-1] == sizes[WINDOW]
    assert stream.positions[transformer] == 30


def test_rotary_rows_do_not_depend_on_where_a_table_starts() -> None:
    assert torch.equal(rotary_table(700, 6, 10_000.0)[641:], rotary_table(59, 6, 10_000.0, start=641))


def farthest(pieces: list[nn.Module], x: Tensor) -> int:
    """How many inputs back the first output of the last input still hears."""

    def run(x: Tensor) -> Tensor:
        stream = Stream()
        for piece in pieces:
            x = piece(x, stream)
        return x

    per_input = run(x).shape[-1] // x.shape[-1]
    first = (x.shape[-1] - 1) * per_input
    for back in range(x.shape[-1] - 1, 0, -1):
        changed = x.clone()
        changed[..., -1 - back] += 1
        if not torch.equal(run(changed)[..., first], run(x)[..., first]):
            return back
    return 0


@pytest.mark.parametrize(
    "pieces",
    [
        [CausalConv(3, 3, 5, dilation=2)],
        [CausalTransposedConv(3, 3, 6, 3)],
        [CausalTransposedConv(3, 3, 2, 2)],
        [ConvNeXt(3), CausalTransposedConv(3, 3, 2, 2), ConvNeXt(3), CausalTransposedConv(3, 3, 8, 4), ConvNeXt(3)],
    ],
)
def test_reach_is_how_far_back_outputs_hear(pieces: list[nn.Module]) -> None:
    pieces = [seeded(piece) for piece in pieces]
    assert reach(pieces) == farthest(pieces, torch.randn(1, 3, 24))
