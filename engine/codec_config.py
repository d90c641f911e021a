"""What a codec is made of, as its `codec_config.json` states it. Values only: no torch here.

Three kinds: `DacConfig` (s2-pro and everything without a "kind"), `SpectralConfig`, and `VoicedConfig` (the embedded
checkpoint). Keys that only training needs are ignored by name; any other unknown key, and any value that cannot be
honoured, is refused.
"""

from __future__ import annotations

import json
import math
import typing
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from engine.errors import CheckpointError

CONFIG_FILE = "codec_config.json"

Config = TypeVar("Config")
Known = dict[str, tuple[object, ...]]  # key: the values that mean what the engine does anyway


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


@dataclass(frozen=True)
class TransformerConfig:
    """The transformers before and after the quantizer."""

    training_only: ClassVar[frozenset[str]] = frozenset({"dropout_rate", "attn_dropout_rate", "block_size"})
    known: ClassVar[Known] = {"n_local_heads": (-1,), "channels_first": (True,), "pos_embed_type": ("rope",)}

    n_layer: int
    n_head: int
    dim: int
    intermediate_size: int
    head_dim: int
    rope_base: float
    norm_eps: float

    def __post_init__(self) -> None:
        _require(self.head_dim % 2 == 0, "head_dim must be even")


@dataclass(frozen=True)
class QuantizerConfig:
    """One semantic codebook, `n_codebooks` acoustic ones on what is left, and a transformer on either side."""

    training_only: ClassVar[frozenset[str]] = frozenset({"quantizer_dropout"})
    known: ClassVar[Known] = {}

    input_dim: int
    n_codebooks: int
    codebook_size: int
    codebook_dim: int
    semantic_codebook_size: int
    downsample_factor: tuple[int, ...]
    window_size: int
    transformer: TransformerConfig

    def __post_init__(self) -> None:
        _require(all(factor > 0 for factor in self.downsample_factor), "downsample_factor must be positive")
        _require(self.transformer.dim == self.input_dim, "the transformer's dim must be the quantizer's input_dim")

    @property
    def codebook_sizes(self) -> tuple[int, ...]:
        """The semantic codebook's size, then the acoustic ones'."""
        return (self.semantic_codebook_size, *[self.codebook_size] * self.n_codebooks)


@dataclass(frozen=True)
class EncoderTransformerConfig:
    """The transformers inside the encoder; their width is that of the block they end."""

    training_only: ClassVar[frozenset[str]] = TransformerConfig.training_only
    known: ClassVar[Known] = TransformerConfig.known

    head_dim: int
    rope_base: float
    norm_eps: float
    window_size: int

    def __post_init__(self) -> None:
        _require(self.head_dim % 2 == 0, "head_dim must be even")

    def at_width(self, width: int, layers: int) -> TransformerConfig:
        return TransformerConfig(
            layers, width // self.head_dim, width, 3 * width, self.head_dim, self.rope_base, self.norm_eps
        )


@dataclass(frozen=True)
class DacConfig:
    """A causal DAC: strided convolutions down to the latent, transposed ones back to samples."""

    # The decoder's transformers are configured, but nothing calls them and no file holds them.
    training_only: ClassVar[frozenset[str]] = frozenset({"decoder_transformer_layers"})
    known: ClassVar[Known] = {"kind": ("dac",), "causal": (True,)}

    sample_rate: int
    encoder_dim: int
    encoder_rates: tuple[int, ...]
    encoder_transformer_layers: tuple[int, ...]
    decoder_dim: int
    decoder_rates: tuple[int, ...]
    transformer_general_config: EncoderTransformerConfig
    quantizer: QuantizerConfig

    def __post_init__(self) -> None:
        _require(all(rate > 0 for rate in self.encoder_rates + self.decoder_rates), "rates must be positive")
        _require(
            math.prod(self.encoder_rates) == math.prod(self.decoder_rates),
            "encoder_rates and decoder_rates must have the same product",
        )
        _require(
            len(self.encoder_transformer_layers) == len(self.encoder_rates),
            "encoder_transformer_layers must name one number for each of encoder_rates",
        )
        _require(
            self.decoder_dim % 2 ** len(self.decoder_rates) == 0,
            "decoder_dim must be divisible by two once for each of decoder_rates",
        )
        for width, layers in zip(self.encoder_widths, self.encoder_transformer_layers, strict=True):
            _require(
                layers == 0 or width % self.transformer_general_config.head_dim == 0,
                "an encoder block's width must be a multiple of head_dim",
            )

    @property
    def encoder_widths(self) -> tuple[int, ...]:
        """The width of each encoder block; they double from block to block."""
        return tuple(self.encoder_dim * 2**number for number in range(1, len(self.encoder_rates) + 1))

    @property
    def frame_samples(self) -> int:
        return math.prod(self.encoder_rates) * math.prod(self.quantizer.downsample_factor)


@dataclass(frozen=True)
class SpectralConfig:
    """Mel bands and ConvNeXt blocks in, ConvNeXt blocks and an inverse Fourier transform out."""

    training_only: ClassVar[frozenset[str]] = frozenset()
    known: ClassVar[Known] = {"kind": ("spectral",)}

    sample_rate: int
    n_fft: int
    hop: int
    n_mels: int
    mel_low: float
    mel_high: float
    dim: int
    front_blocks: int
    back_dim: int
    back_blocks: int
    quantizer: QuantizerConfig

    def __post_init__(self) -> None:
        _require(self.quantizer.input_dim == self.dim, "the quantizer's input_dim must be dim")
        _require(
            self.n_fft % 2 == 0 and self.n_fft % self.hop == 0 and self.n_fft // self.hop >= 3,
            "n_fft must be even and a multiple of hop, at least three times as long",
        )
        _require(0 <= self.mel_low < self.mel_high, "mel_low must be below mel_high")

    @property
    def frame_samples(self) -> int:
        return self.hop * math.prod(self.quantizer.downsample_factor)


@dataclass(frozen=True)
class VoicedConfig(SpectralConfig):
    """A spectral codec with a voice. `pitch_memory` is for how many steps of `hop` a voice keeps its phase."""

    known: ClassVar[Known] = {"kind": ("voiced",)}

    pitch_memory: int


CodecConfig = DacConfig | SpectralConfig

SPECTRAL_KINDS: dict[str, type[CodecConfig]] = {"spectral": SpectralConfig, "voiced": VoicedConfig}

# The published s2-pro checkpoint carries no codec_config.json; these are its numbers.
S2_PRO = DacConfig(
    sample_rate=44_100,
    encoder_dim=64,
    encoder_rates=(2, 4, 8, 8),
    encoder_transformer_layers=(0, 0, 0, 4),
    decoder_dim=1536,
    decoder_rates=(8, 8, 4, 2),
    transformer_general_config=EncoderTransformerConfig(
        head_dim=64, rope_base=10_000.0, norm_eps=1e-5, window_size=512
    ),
    quantizer=QuantizerConfig(
        input_dim=1024,
        n_codebooks=9,
        codebook_size=1024,
        codebook_dim=8,
        semantic_codebook_size=4096,
        downsample_factor=(2, 2),
        window_size=128,
        transformer=TransformerConfig(
            n_layer=8, n_head=16, dim=1024, intermediate_size=3072, head_dim=64, rope_base=10_000.0, norm_eps=1e-5
        ),
    ),
)


def read_config(folder: Path) -> CodecConfig:
    """The codec's config in a checkpoint folder, s2-pro's where there is no file. Raises CheckpointError."""
    path = Path(folder) / CONFIG_FILE
    if not path.exists():
        return S2_PRO
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path.name} cannot be read as JSON; fetch the checkpoint again.", path) from error
    try:
        if not isinstance(values, dict):
            raise ValueError("it must be an object")
        return _fill(SPECTRAL_KINDS.get(str(values.get("kind")), DacConfig), values)
    except ValueError as error:
        raise CheckpointError(f"{path.name} describes a codec that Retake cannot run: {error}.", path) from error


def _fill(kind: type[Config], values: dict[str, Any]) -> Config:
    """One config dataclass from its JSON object. Raises ValueError for a key or value it cannot take."""
    types = typing.get_type_hints(kind)
    wanted = [field.name for field in fields(kind) if field.default is MISSING]  # type: ignore[arg-type]
    training_only: frozenset[str] = kind.training_only  # type: ignore[attr-defined]
    known: Known = kind.known  # type: ignore[attr-defined]
    for key, value in values.items():
        _require(key in wanted or key in training_only or key in known, f"the key {key} is unknown")
        _require(key not in known or value in known[key], f"{key} cannot be {value!r}")
    for key in wanted:
        _require(key in values, f"the key {key} is missing")
    return kind(**{key: _value(types[key], key, values[key]) for key in wanted})


def _value(wanted: Any, key: str, value: Any) -> Any:
    if is_dataclass(wanted):
        _require(isinstance(value, dict), f"{key} must be an object")
        return _fill(typing.cast(type, wanted), value)
    if wanted is float:
        _require(isinstance(value, int | float) and not isinstance(value, bool), f"{key} must be a number")
        return float(value)
    if wanted is int:
        _require(_is_count(value) and value > 0, f"{key} must be a whole number above zero")
        return value
    _require(isinstance(value, list) and all(map(_is_count, value)), f"{key} must be a list of whole numbers")
    return tuple(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
