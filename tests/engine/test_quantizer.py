from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from engine.causal import Stream
from engine.codec_config import QuantizerConfig, TransformerConfig
from engine.quantizer import Codebook, Part, Quantizer

CONFIG = QuantizerConfig(
    input_dim=12,
    n_codebooks=3,
    codebook_size=7,
    codebook_dim=4,
    semantic_codebook_size=11,
    downsample_factor=(2, 3),
    window_size=4,
    transformer=TransformerConfig(
        n_layer=1, n_head=2, dim=12, intermediate_size=16, head_dim=6, rope_base=10_000.0, norm_eps=1e-5
    ),
)


def seeded(module: nn.Module) -> nn.Module:
    torch.manual_seed(5)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module.requires_grad_(False)


@pytest.fixture(scope="module")
def quantizer() -> Quantizer:
    return seeded(Quantizer(CONFIG, ("encode", "decode")))


def test_the_nearest_code_is_the_one_in_the_same_direction() -> None:
    codebook = seeded(Codebook(12, 9, 4, encode=True))
    latent = torch.randn(1, 12, 20)
    projected = codebook.in_proj(latent)[0].T  # [F, dim]
    cosines = F.cosine_similarity(projected[:, None], codebook.codebook.weight[None], dim=-1)
    assert torch.equal(codebook.nearest(latent), cosines.argmax(dim=1))


def test_a_code_means_its_row_and_not_its_direction() -> None:
    codebook = seeded(Codebook(12, 9, 4, encode=True))
    row = codebook.codebook.weight[6]
    torch.testing.assert_close(
        codebook.meaning(torch.tensor([6]))[0, :, 0],
        codebook.out_proj.weight[..., 0] @ row + codebook.out_proj.bias,
    )


def test_each_codebook_tells_what_the_ones_before_left(quantizer: Quantizer) -> None:
    latent = torch.randn(1, 12, 5)
    codes, left = quantizer.quantizer.encode(latent)
    torch.testing.assert_close(latent - quantizer.quantizer.decode(codes), left, rtol=1e-4, atol=1e-4)


def test_latents_become_codes_and_codes_latents(quantizer: Quantizer) -> None:
    codes = quantizer.encode(torch.randn(1, 12, 30), Stream())
    assert codes.shape == (4, 5)
    assert codes.dtype == torch.int64
    assert (codes < torch.tensor(CONFIG.codebook_sizes)[:, None]).all()
    assert quantizer.decode(codes, Stream()).shape == (1, 12, 5)
    assert quantizer.upsample(quantizer.decode(codes, Stream()), Stream()).shape == (1, 12, 30)


def test_codes_beyond_their_table_are_clamped_on_a_copy(quantizer: Quantizer) -> None:
    codes = torch.tensor([[10, 11, 4000], [6, 7, 900], [0, -1, 3], [2, 2, 2]], dtype=torch.int16)
    before = codes.clone()
    clamped = torch.tensor([[10, 10, 10], [6, 6, 6], [0, 0, 3], [2, 2, 2]])
    assert torch.equal(quantizer.decode(codes, Stream()), quantizer.decode(clamped, Stream()))
    assert torch.equal(codes, before)


@pytest.mark.parametrize(("part", "absent"), [("encode", "post_module"), ("decode", "pre_module")])
def test_a_half_leaves_the_other_half_out(part: Part, absent: str) -> None:
    names = set(Quantizer(CONFIG, (part,)).state_dict())
    assert names < set(Quantizer(CONFIG, ("encode", "decode")).state_dict())
    assert not [name for name in names if name.startswith(absent)]
