"""The shape of a checkpoint's language model, read from its `config.json`. Frozen; nothing else reads that file.

Fields that only training needs are ignored by name. A value that the model code cannot honour is refused, because a
checkpoint that loads and then garbles costs its user more than one that is turned away.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.errors import CheckpointError
from engine.request import Settings

MODEL_TYPE = "fish_qwen3_omni"
MOST_CHARACTERS = 500  # some 35 seconds of English; beyond that a voice drifts
EVERY_RANK = 4096  # as many codes as the largest codebook has
REFERENCE_SECONDS = (5.0, 30.0)  # of a voice, all clips together, for s2-pro

_TRAINING_ONLY = frozenset(
    {
        "model_type",
        "dropout",
        "initializer_range",
        "use_gradient_checkpointing",
        "dtype",
        "torch_dtype",
        "use_cache",
        "architectures",
        "transformers_version",
        "_name_or_path",
    }
)
_FIXED: Mapping[str, Mapping[str, Any]] = {
    "text_config": {"tie_word_embeddings": True, "attention_qkv_bias": False, "attention_o_bias": False},
    "audio_decoder_config": {"tie_word_embeddings": False, "attention_qkv_bias": False, "attention_o_bias": False},
}


@dataclass(frozen=True)
class StackConfig:
    """One transformer: `n_head` query heads share `n_local_heads` key/value heads of `head_dim`."""

    n_layer: int
    n_head: int
    n_local_heads: int
    head_dim: int
    dim: int
    intermediate_size: int
    attention_qk_norm: bool
    rope_base: float
    norm_eps: float


@dataclass(frozen=True)
class ModelConfig:
    """The Dual-AR: slow stack over time, fast stack over the codebooks of a frame.

    Semantic ids run from `semantic_start` to `semantic_end`, both included. `codebook_size` is the height of each
    codebook's table in the fast AR and in the fusion table. `alignment_heads` are (layer, head) pairs of the slow AR
    whose attention follows the text, where the checkpoint names them.
    """

    slow: StackConfig
    fast: StackConfig
    vocab_size: int
    max_seq_len: int
    semantic_start: int
    semantic_end: int
    end_id: int
    num_codebooks: int
    codebook_size: int
    alignment_heads: tuple[tuple[int, int], ...] = ()

    @property
    def semantic_size(self) -> int:
        return self.semantic_end - self.semantic_start + 1


def read_config(folder: Path) -> ModelConfig:
    """The model's shape as the folder's `config.json` states it; CheckpointError where it cannot be honoured."""
    path = folder / "config.json"
    data = read_json(path)
    if data.get("model_type") != MODEL_TYPE:
        raise CheckpointError(
            f"{path} describes a model of type {data.get('model_type')!r}, not Fish Audio S2 ({MODEL_TYPE!r}): "
            "choose the folder of an S2 checkpoint.",
            path,
        )
    try:
        text, audio = dict(data["text_config"]), dict(data["audio_decoder_config"])
        heads = text.pop("alignment_heads", [])
        rope_base, norm_eps = float(text.pop("rope_base")), float(text.pop("norm_eps"))
        for ignored in ("rope_base", "norm_eps", "max_seq_len"):  # the slow AR's hold for both
            audio.pop(ignored, None)
        text_dim = int(audio.pop("text_dim", text["dim"]))
        config = ModelConfig(
            slow=_stack(text, True, rope_base, norm_eps),
            fast=_stack(audio, False, rope_base, norm_eps),
            vocab_size=int(text.pop("vocab_size")),
            max_seq_len=int(text.pop("max_seq_len")),
            semantic_start=int(data["semantic_start_token_id"]),
            semantic_end=int(data["semantic_end_token_id"]),
            end_id=int(data["eos_token_id"]),
            num_codebooks=int(audio.pop("num_codebooks")),
            codebook_size=int(audio.pop("vocab_size")),
            alignment_heads=tuple((int(layer), int(head)) for layer, head in heads),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{path} does not state a usable {error}: download the checkpoint again.", path
        ) from error
    for section, rest in (("text_config", text), ("audio_decoder_config", audio)):
        _refuse_rest(path, section, rest)
    _check(path, config, text_dim)
    return config


def read_settings(folder: Path) -> Settings:
    """How to draw by default: the checkpoint's `generation_config.json` where it has one, else Retake's own."""
    path = folder / "generation_config.json"
    if not path.exists():
        return Settings()
    data = read_json(path)
    known = Settings()
    try:
        stated = Settings(
            temperature=float(data.get("temperature", known.temperature)),
            top_p=float(data.get("top_p", known.top_p)),
            top_k=int(data.get("top_k", known.top_k)) or EVERY_RANK,  # 0 means no limit there
            repetition_window=int(data.get("repetition_window", known.repetition_window)),
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise CheckpointError(f"{path} holds a sampling value that is not a number: {error}.", path) from error
    possible = 0 <= stated.temperature < math.inf and 0 < stated.top_p <= 1
    if not possible or stated.top_k < 0 or stated.repetition_window < 0:
        raise CheckpointError(f"{path} holds a sampling value that cannot be: {stated}.", path)
    return replace(stated, top_k=min(stated.top_k, EVERY_RANK))


def read_most_characters(folder: Path) -> int:
    """How long a text the checkpoint speaks well in one go; its `generation_config.json` may state less."""
    path = folder / "generation_config.json"
    stated = read_json(path).get("most_characters") if path.exists() else None
    return stated if isinstance(stated, int) and stated > 0 else MOST_CHARACTERS


def read_reference_seconds(folder: Path) -> tuple[float, float]:
    """How short and how long a voice's clips may be to be cloned well; `generation_config.json` may state others."""
    path = folder / "generation_config.json"
    stated = read_json(path).get("reference_seconds") if path.exists() else None
    if isinstance(stated, list) and len(stated) == 2 and all(isinstance(each, int | float) for each in stated):
        least, most = float(stated[0]), float(stated[1])
        if 0 < least < most:
            return least, most
    return REFERENCE_SECONDS


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a checkpoint's file; CheckpointError where it is missing or broken."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CheckpointError(f"{path} is missing: choose a folder that holds a whole checkpoint.", path) from error
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read ({error.strerror}).", path) from error
    except ValueError as error:
        raise CheckpointError(f"{path} is not valid JSON ({error}): download it again.", path) from error
    if not isinstance(data, dict):
        raise CheckpointError(f"{path} holds no JSON object: download it again.", path)
    return data


def _stack(section: dict[str, Any], qk_norm: bool, rope_base: float, norm_eps: float) -> StackConfig:
    """Take a stack's fields out of its section. `attention_qk_norm` falls back to what this model type means."""
    size = {
        name: int(section.pop(name))
        for name in ("n_layer", "n_head", "n_local_heads", "head_dim", "dim", "intermediate_size")
    }
    return StackConfig(
        **size,
        attention_qk_norm=bool(section.pop("attention_qk_norm", qk_norm)),
        rope_base=rope_base,
        norm_eps=norm_eps,
    )


def _refuse_rest(path: Path, section: str, rest: Mapping[str, Any]) -> None:
    fixed = _FIXED[section]
    for name, value in rest.items():
        if name in _TRAINING_ONLY:
            continue
        if value != fixed.get(name, False) and value:
            raise CheckpointError(
                f"{path} asks for {section}.{name} = {value!r}, which this engine does not know.", path
            )
        if fixed.get(name) and not value:
            raise CheckpointError(
                f"{path} asks for {section}.{name} = {value!r}; this engine needs {fixed[name]!r}.", path
            )


def _check(path: Path, config: ModelConfig, text_dim: int) -> None:
    """Refuse numbers that contradict each other before any tensor is made from them."""
    for name, stack in (("text_config", config.slow), ("audio_decoder_config", config.fast)):
        sizes = (stack.n_layer, stack.n_head, stack.n_local_heads, stack.head_dim, stack.dim, stack.intermediate_size)
        if min(sizes) < 1 or stack.n_head % stack.n_local_heads or stack.head_dim % 2:
            raise CheckpointError(f"{path}: the sizes in {name} do not fit together.", path)
    if text_dim != config.slow.dim:
        raise CheckpointError(
            f"{path}: audio_decoder_config.text_dim is {text_dim}, but the slow AR is {config.slow.dim} wide.", path
        )
    ids = (config.semantic_start, config.semantic_end, config.end_id)
    if not (
        0 <= config.semantic_start <= config.semantic_end < config.vocab_size and 0 <= config.end_id < config.vocab_size
    ):
        raise CheckpointError(f"{path}: the token ids {ids} do not fit a vocabulary of {config.vocab_size}.", path)
    if config.num_codebooks < 2 or config.codebook_size < 1 or config.max_seq_len < 16:
        raise CheckpointError(f"{path}: the sizes of the codebooks or of the context make no sense.", path)
    for layer, head in config.alignment_heads:
        if not (0 <= layer < config.slow.n_layer and 0 <= head < config.slow.n_head):
            raise CheckpointError(f"{path}: alignment head [{layer}, {head}] does not exist.", path)
