"""What holds for every codec, tried on small random ones of all kinds; then parity with the reference."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F

from engine import codec as codec_module
from engine.causal import Stream
from engine.codec import (
    PRINT_BLOCK,
    Codec,
    CodecConfig,
    DacConfig,
    QuantizerConfig,
    SpectralConfig,
    TransformerConfig,
    VoicedConfig,
)
from engine.codec_config import EncoderTransformerConfig
from engine.codec_file import load_codec
from engine.codec_voiced import VoicedBack
from engine.errors import RequestError

QUANTIZER = QuantizerConfig(
    input_dim=12,
    n_codebooks=2,
    codebook_size=8,
    codebook_dim=4,
    semantic_codebook_size=16,
    downsample_factor=(2,),
    window_size=6,
    transformer=TransformerConfig(
        n_layer=2, n_head=2, dim=12, intermediate_size=16, head_dim=6, rope_base=10_000.0, norm_eps=1e-5
    ),
)
SPECTRAL: dict[str, Any] = {
    "sample_rate": 8000, "n_fft": 32, "hop": 8, "n_mels": 6, "mel_low": 20.0, "mel_high": 4000.0, "dim": 12,
    "front_blocks": 1, "back_dim": 8, "back_blocks": 1, "quantizer": QUANTIZER,
}  # fmt: skip
CONFIGS = {
    "dac": DacConfig(
        sample_rate=8000,
        encoder_dim=3,
        encoder_rates=(2, 3),
        encoder_transformer_layers=(0, 1),
        decoder_dim=12,
        decoder_rates=(3, 2),
        transformer_general_config=EncoderTransformerConfig(
            head_dim=6, rope_base=10_000.0, norm_eps=1e-5, window_size=9
        ),
        quantizer=QUANTIZER,
    ),
    "spectral": SpectralConfig(**SPECTRAL),
    "voiced": VoicedConfig(**SPECTRAL, pitch_memory=5),
}


def same(codec: Codec, one: Tensor, other: Tensor) -> None:
    """Alike but for rounding, which a voice's pulses raise: samples of these codecs reach from 1 to 10."""
    torch.testing.assert_close(one, other, rtol=0.0, atol=5e-4 if isinstance(codec.config, VoicedConfig) else 1e-5)


def small(config: CodecConfig) -> Codec:
    torch.manual_seed(1)
    codec = Codec(config)
    for name, parameter in codec.named_parameters():
        nn.init.normal_(parameter, mean=float(name.endswith(("alpha", "gamma"))), std=0.2)
    return codec.requires_grad_(False)


@pytest.fixture(scope="module", params=CONFIGS)
def codec(request: pytest.FixtureRequest) -> Codec:
    return small(CONFIGS[request.param])


def random_codes(codec: Codec, frames: int, seed: int = 0) -> Tensor:
    chance = torch.Generator().manual_seed(seed)
    return torch.stack([torch.randint(0, size, (frames,), generator=chance) for size in codec.codebook_sizes])


@settings(max_examples=40)
@given(cuts=st.lists(st.integers(0, 25), min_size=1, max_size=6))
def test_a_stream_gives_what_one_pass_gives(codec: Codec, cuts: list[int]) -> None:
    codes = random_codes(codec, sum(cuts))
    stream = codec.start()
    samples = [codec.step(stream, chunk) for chunk in codes.split(cuts, dim=1)]
    assert [len(chunk) for chunk in samples] == [cut * codec.hop for cut in cuts]
    same(codec, torch.cat(samples), codec.decode(codes))


def test_a_copied_stream_can_be_gone_on_with_twice(codec: Codec) -> None:
    codes, others = random_codes(codec, 20), random_codes(codec, 20, seed=1)
    stream = codec.start()
    codec.step(stream, codes[:, :11])
    codec.step(stream.copy(), others)
    same(codec, codec.step(stream, codes[:, 11:]), codec.decode(codes)[11 * codec.hop :])


def test_a_stream_does_not_grow(codec: Codec) -> None:
    stream = codec.start()
    sizes = []
    for _ in range(12):
        codec.step(stream, random_codes(codec, 4))
        sizes.append(sum(tail.untyped_storage().nbytes() for tail in stream.tails.values()))
    assert sizes[-1] == sizes[3]


@pytest.mark.parametrize("frames", [1, 17, 40])
def test_past_samples_never_change(codec: Codec, frames: int) -> None:
    codes = random_codes(codec, 50)
    same(codec, codec.decode(codes[:, :frames]), codec.decode(codes)[: frames * codec.hop])


@pytest.mark.parametrize("frames", [0, 1, PRINT_BLOCK, 2 * PRINT_BLOCK + 7])
def test_a_print_sounds_like_one_pass(codec: Codec, frames: int) -> None:
    codes = random_codes(codec, frames)
    printed = codec.print(codes)
    assert printed.shape == (frames * codec.hop,)
    same(codec, printed, codec.decode(codes))


@pytest.mark.parametrize("frame", [1, PRINT_BLOCK - 1, PRINT_BLOCK, PRINT_BLOCK + 1, 95])
def test_prints_of_equal_beginnings_are_equal_to_the_bit(codec: Codec, frame: int) -> None:
    codes = random_codes(codec, 100)
    other = torch.cat([codes[:, :frame], random_codes(codec, 64, seed=2)], dim=1)
    beginning = codec.print(codes)[: frame * codec.hop]
    assert torch.equal(codec.print(other)[: frame * codec.hop], beginning)
    assert torch.equal(codec.print(codes[:, :frame]), beginning)


@settings(max_examples=40)
@given(frame=st.integers(0, 90), frames=st.integers(0, 40))
def test_a_print_gone_on_with_is_the_whole_print(codec: Codec, frame: int, frames: int) -> None:
    old = random_codes(codec, 90)
    new = torch.cat([old[:, :frame], random_codes(codec, frames, seed=3)], dim=1)
    assert torch.equal(codec.print_after(new, codec.print(old), frame), codec.print(new))


def test_a_print_gone_on_with_takes_the_earlier_blocks_as_they_are(codec: Codec) -> None:
    codes = random_codes(codec, 70)
    keep = torch.full((64 * codec.hop,), 0.5)
    printed = codec.print_after(codes, keep, 66)
    assert torch.equal(printed[: 64 * codec.hop], keep)
    assert torch.equal(printed[64 * codec.hop :], codec.print(codes)[64 * codec.hop :])


@pytest.mark.parametrize(("kept", "frame"), [(PRINT_BLOCK - 1, PRINT_BLOCK + 2), (64, 71), (64, -1)])
def test_a_print_that_holds_too_little_is_refused(codec: Codec, kept: int, frame: int) -> None:
    with pytest.raises(RequestError):
        codec.print_after(random_codes(codec, 70), torch.zeros(kept * codec.hop), frame)


def test_codes_beyond_their_table_are_clamped_on_a_copy(codec: Codec) -> None:
    codes = random_codes(codec, 9).to(torch.int16)
    codes[:, 4] = 4095
    before, clamped = codes.clone(), codes.clone()
    clamped[:, 4] = torch.tensor(codec.codebook_sizes, dtype=torch.int16) - 1
    for way in (codec.decode, codec.print):
        assert torch.equal(way(codes), way(clamped))
    assert torch.equal(codes, before)


def test_only_the_frames_within_reach_are_heard(codec: Codec) -> None:
    """The convolutions hear exactly `reach` frames back: a print, which gives them no more, relies on it."""
    if isinstance(codec.back, VoicedBack):  # a voice that always sounds counts from as far back as it can
        codec = copy.deepcopy(codec)
        codec.back.pitch.weight[2], codec.back.pitch.bias[2] = 0.0, 1.0

    def convolved(latent: Tensor) -> Tensor:
        stream = Stream()
        return codec.back(codec.quantizer.upsample(latent, stream), stream)[0, 0]

    latent = torch.randn(1, 12, codec.reach + 4, generator=torch.Generator().manual_seed(1))
    changed = latent.clone()
    changed[..., 0] += 1
    differs = (convolved(latent) != convolved(changed)).view(-1, codec.hop).any(dim=1)
    assert differs[codec.reach]
    assert not differs[codec.reach + 1 :].any()


def test_frames_cover_the_samples(codec: Codec) -> None:
    hop = codec.hop
    for length, frames in [(0, 0), (1, 1), (hop - 1, 1), (hop, 1), (hop + 1, 2), (7 * hop, 7)]:
        codes = codec.encode(torch.randn(length))
        assert codes.shape == (codec.codebooks, frames)
        assert codes.dtype == torch.int64


def test_a_long_clip_is_encoded_in_blocks(codec: Codec, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = torch.randn(20 * codec.hop + 3)
    codes = codec.encode(samples)
    monkeypatch.setattr(codec_module, "ENCODE_BLOCK", 6)
    assert torch.equal(codec.encode(samples), codes)


def test_silence_fills_the_last_frame(codec: Codec) -> None:
    samples = torch.randn(2 * codec.hop + 5)
    assert torch.equal(codec.encode(samples), codec.encode(F.pad(samples, (0, codec.hop - 5))))


# Parity with the reference.


@pytest.fixture(scope="module")
def reference(golden_folder: Path) -> dict[str, Tensor]:
    return load_file(golden_folder / "golden_codec.safetensors")


@pytest.fixture(scope="module")
def golden_codec(golden_folder: Path) -> Codec:
    return load_codec(golden_folder, "cpu")


@pytest.fixture(scope="module")
def spoken(golden_nano: Path) -> dict[str, Tensor]:
    return load_file(golden_nano / "golden.safetensors")


@pytest.fixture(scope="module")
def nano_codec(golden_nano: Path) -> Codec:
    return load_codec(golden_nano, "cpu")


CLOSE = {"rtol": 0.0, "atol": 1e-4}


def test_golden_latent(golden_codec: Codec, reference: dict[str, Tensor]) -> None:
    samples = F.pad(reference["wav"], (0, -len(reference["wav"]) % golden_codec.hop))
    latent = golden_codec.front(samples[None, None], Stream())
    torch.testing.assert_close(latent[0], reference["latent"], **CLOSE)


def test_golden_codes(golden_codec: Codec, reference: dict[str, Tensor]) -> None:
    codes = golden_codec.encode(reference["wav"])
    assert torch.equal(codes, reference["indices"].long())
    assert codes.shape[1] == int(reference["n_frames"])


@pytest.mark.parametrize(
    ("codes", "samples"),
    [("indices", "decoded"), ("random_indices", "random_decoded"), ("over_range_indices", "over_range_decoded")],
)
def test_golden_samples(golden_codec: Codec, reference: dict[str, Tensor], codes: str, samples: str) -> None:
    for way in (golden_codec.decode, golden_codec.print):
        torch.testing.assert_close(way(reference[codes]), reference[samples], **CLOSE)


def test_golden_half(golden_folder: Path, reference: dict[str, Tensor]) -> None:
    half = load_codec(golden_folder, "cpu", ("decode",))
    torch.testing.assert_close(half.decode(reference["indices"]), reference["decoded"], **CLOSE)
    assert not [name for name in half.state_dict() if name.startswith(("front", "quantizer.pre_module"))]


def test_golden_nano_codes(nano_codec: Codec, spoken: dict[str, Tensor]) -> None:
    assert torch.equal(nano_codec.encode(spoken["encode.samples"]), spoken["encode.codes"])
    torch.testing.assert_close(nano_codec.decode(spoken["encode.codes"]), spoken["decode.samples"], **CLOSE)


def test_golden_nano_samples(nano_codec: Codec, spoken: dict[str, Tensor], golden_nano: Path) -> None:
    cases = json.loads((golden_nano / "golden.json").read_text("utf-8"))
    assert cases
    for case in cases:
        for way in (nano_codec.decode, nano_codec.print):
            torch.testing.assert_close(way(spoken[f"{case}.codes"]), spoken[f"{case}.samples"], **CLOSE)


def test_golden_nano_prints_agree_to_the_bit(nano_codec: Codec, spoken: dict[str, Tensor]) -> None:
    codes = torch.cat([spoken["plain.codes"], spoken["clone.codes"]], dim=1)
    other = torch.cat([codes[:, :45], spoken["two.codes"]], dim=1)
    old = nano_codec.print(codes)
    new = nano_codec.print_after(other, old, 45)
    assert torch.equal(new[: 45 * nano_codec.hop], old[: 45 * nano_codec.hop])
    assert torch.equal(new, nano_codec.print(other))
