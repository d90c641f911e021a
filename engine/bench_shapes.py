"""Models of known shapes with random weights, made where they shall be held, one tensor at a time.

`s2-pro` is the published model, `nano` the one that comes with Retake, `mid` one between them for machines on which a
frame of the former takes seconds.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn

from engine import assets, codec_config
from engine.checkpoint import Place, check_memory, put
from engine.codec import Codec, CodecConfig
from engine.config import ModelConfig, StackConfig, read_config
from engine.dual_ar import DualAR
from engine.small_stack import read_by_loops

_S2_PRO = ModelConfig(
    slow=StackConfig(36, 32, 8, 128, 2560, 9728, True, 1e6, 1e-6),
    fast=StackConfig(4, 32, 8, 128, 2560, 9728, False, 1e6, 1e-6),
    vocab_size=155776,
    max_seq_len=32768,
    semantic_start=151678,
    semantic_end=155773,
    end_id=151645,
    num_codebooks=10,
    codebook_size=4096,
)
_MID = replace(
    _S2_PRO,
    slow=StackConfig(12, 16, 4, 64, 1024, 3072, True, 1e6, 1e-6),
    fast=StackConfig(4, 16, 4, 64, 1024, 3072, False, 1e6, 1e-6),
)
SHAPES = ("s2-pro", "mid", "nano")


def shape(name: str) -> tuple[ModelConfig, CodecConfig]:
    """The language model and the codec of one of SHAPES."""
    embedded = assets.folder() / "voice"
    if name == "s2-pro":
        return _S2_PRO, codec_config.S2_PRO
    return (_MID if name == "mid" else read_config(embedded)), codec_config.read_config(embedded)


def random_model(config: ModelConfig, place: Place, seed: int = 0) -> DualAR:
    """A language model of a shape, made as one is loaded. Raises DeviceError where it does not fit."""
    with torch.device("meta"):
        model = DualAR(config)
    check_memory(model, place)
    chance = torch.Generator(place.device).manual_seed(seed)
    for name, parameter in list(model.named_parameters()):
        put(model, name, random_tensor(parameter.shape, chance), place)
    read_by_loops(model)
    return model


def random_codec(config: CodecConfig, device: torch.device, seed: int = 0) -> Codec:
    """Both halves of a codec of a shape."""
    with torch.device("meta"):
        codec = Codec(config)
    chance = torch.Generator().manual_seed(seed)
    state = {name: random_tensor(each.shape, chance).float() for name, each in codec.state_dict().items()}
    codec.load_state_dict(state, assign=True)
    return codec.to(device).requires_grad_(False).eval()


def random_tensor(size: torch.Size, chance: torch.Generator) -> torch.Tensor:
    """As the published files hold it: bf16. Layers keep the size of what goes through them."""
    if len(size) == 1:
        return torch.ones(size, dtype=torch.bfloat16, device=chance.device)
    inputs = max(1, nn.init._calculate_fan_in_and_fan_out(torch.empty(size, device="meta"))[0])
    return torch.empty(size, dtype=torch.bfloat16, device=chance.device).normal_(0.0, inputs**-0.5, generator=chance)
