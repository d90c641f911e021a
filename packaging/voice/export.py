"""Writing a checkpoint folder in s2-pro's layout, so that the engine opens what was trained here like any other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from engine.checkpoint import published_name
from engine.codec import Codec
from engine.codec_file import PLAIN_FILE, SPECTRAL_NAMES
from engine.dual_ar import DualAR


def save_codec(codec: Codec, folder: Path) -> None:
    """A spectral codec's weights under the file's own names, in fp16."""
    tensors = {_codec_name(name): value.half() for name, value in codec.state_dict().items()}
    _save(tensors, folder / PLAIN_FILE)


def save_model(model: DualAR, weights: Mapping[str, Tensor], folder: Path) -> None:
    """The language model's weights (those of `weights`, by the model's names) under the published names, in bf16."""
    tensors = {published_name(name): weights[name].bfloat16() for name, _ in model.named_parameters()}
    _save(tensors, folder / "model.safetensors")


def save_json(values: dict[str, Any], path: Path) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)


def _codec_name(name: str) -> str:
    for ours, theirs in SPECTRAL_NAMES.items():
        if name.startswith(ours):
            return theirs + name.removeprefix(ours)
    return name


def _save(tensors: dict[str, Tensor], path: Path) -> None:
    part = path.with_suffix(".part")
    save_file({name: tensor.detach().to(torch.device("cpu")).contiguous() for name, tensor in tensors.items()}, part)
    part.replace(path)
