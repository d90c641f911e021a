"""A small seeded checkpoint of any shape, in the layout of the real one: for tests that must not depend on weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from engine.checkpoint import published_name
from engine.codec import read_config as read_codec_config
from engine.codec_file import folded_shapes
from engine.config import read_config
from engine.dual_ar import DualAR

CONTROL = ("<|im_start|>", "<|im_end|>", "<|voice|>", "<|pad|>")
SEMANTIC = 32
CODEBOOKS = 4


def write_tiny(folder: Path, seed: int = 0, **changes: Any) -> Path:
    """Write a random checkpoint into `folder`; `changes` replace fields of `text` or `audio` (given as dicts)."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = _write_tokenizer(folder)
    text = {
        "vocab_size": 256 + len(CONTROL) + SEMANTIC, "n_layer": 2, "n_head": 2, "n_local_heads": 1, "head_dim": 8,
        "dim": 16, "intermediate_size": 24, "rope_base": 10000, "norm_eps": 1e-6, "max_seq_len": 640,
        "tie_word_embeddings": True, "attention_qk_norm": True,
    } | changes.get("text", {})  # fmt: skip
    audio = {
        "vocab_size": SEMANTIC, "num_codebooks": CODEBOOKS, "n_layer": 1, "n_head": 2, "n_local_heads": 2,
        "head_dim": 8, "dim": 16, "intermediate_size": 24, "attention_qk_norm": False, "text_dim": text["dim"],
    } | changes.get("audio", {})  # fmt: skip
    config = {
        "model_type": "fish_qwen3_omni", "semantic_start_token_id": ids["<|semantic:0|>"],
        "semantic_end_token_id": ids["<|semantic:0|>"] + SEMANTIC - 1, "eos_token_id": ids["<|im_end|>"],
        "text_config": text, "audio_decoder_config": audio,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    generator = torch.Generator().manual_seed(seed)
    model = DualAR(read_config(folder))
    tensors = {published_name(name): _random(p, generator) for name, p in model.named_parameters()}
    save_file(tensors, folder / "model.safetensors")
    _write_codec(folder, generator)
    return folder


def never_ending(folder: Path) -> Path:
    """Have a tiny checkpoint go on to its cap where it always draws the likeliest: the end is as likely as nothing."""
    end = read_config(folder).end_id
    tensors = load_file(folder / "model.safetensors")
    tensors[published_name("slow.embeddings.weight")][end] = 0.0
    save_file(tensors, folder / "model.safetensors")
    return folder


def _random(parameter: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if parameter.ndim == 1:
        return torch.ones_like(parameter.detach())
    return torch.randn(parameter.shape, generator=generator) * 0.3


def _write_tokenizer(folder: Path) -> dict[str, int]:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([*CONTROL, *(f"<|semantic:{code}|>" for code in range(SEMANTIC))])
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer.get_vocab()


def _write_codec(folder: Path, generator: torch.Generator) -> None:
    config = {
        "kind": "spectral", "sample_rate": 8000, "n_fft": 256, "hop": 64, "n_mels": 20, "mel_low": 20.0,
        "mel_high": 4000.0, "dim": 16, "front_blocks": 1, "back_dim": 16, "back_blocks": 1,
        "quantizer": {
            "input_dim": 16, "n_codebooks": CODEBOOKS - 1, "codebook_size": SEMANTIC, "codebook_dim": 4,
            "semantic_codebook_size": SEMANTIC, "downsample_factor": [2, 2], "window_size": 16,
            "transformer": {"n_layer": 1, "n_head": 2, "dim": 16, "intermediate_size": 32, "head_dim": 8,
                            "rope_base": 10000, "norm_eps": 1e-5},
        },
    }  # fmt: skip
    (folder / "codec_config.json").write_text(json.dumps(config))
    shapes = folded_shapes(read_codec_config(folder))
    tensors = {name: torch.randn(shape, generator=generator) * 0.3 for name, shape in shapes.items()}
    save_file(tensors, folder / "codec.safetensors")
