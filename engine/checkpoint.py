"""Loading a checkpoint folder: strict, on the meta device first, one tensor at a time.

A missing, extra or misshapen tensor is an error that names it and its file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from engine.config import (
    ModelConfig,
    read_config,
    read_json,
    read_most_characters,
    read_reference_seconds,
    read_settings,
)
from engine.dual_ar import DualAR
from engine.errors import CheckpointError, DeviceError
from engine.int8 import Int8Linear, quantised
from engine.packed import LARGE_WEIGHT, PackedLinear, can_pack
from engine.request import Settings
from engine.small_stack import read_by_loops
from engine.tokenizer import Tokenizer

PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "int8": torch.int8}
"""The type that the weights of the layers are held in. Where it is int8, what they work on has a type of its own."""
PUBLISHED = torch.bfloat16  # the type that checkpoints come in
ROOM = 1.05  # times the weights must be free for them to be the best choice
_PUBLISHED = (
    ("slow.embeddings.", "text_model.model.embeddings."),
    ("slow.fusion.", "audio_decoder.codebook_embeddings."),
    ("slow.stack.", "text_model.model."),
    ("fast.stack.", "audio_decoder."),
    ("fast.", "audio_decoder."),
)


@dataclass(frozen=True)
class Place:
    """Where the model computes: a device and a precision, one of PRECISIONS."""

    device: torch.device
    precision: str

    @property
    def dtype(self) -> torch.dtype:
        """The type of what the layers work on, and of the weights that are not held in int8."""
        return _best_dtype(self.device) if self.precision == "int8" else PRECISIONS[self.precision]


@dataclass(frozen=True)
class Checkpoint:
    """A loaded language model with all that belongs to it but the codec, which loads by halves (codec_file.py)."""

    folder: Path
    config: ModelConfig
    settings: Settings
    tokenizer: Tokenizer
    model: DualAR
    place: Place
    digest: str
    codec_digest: str
    most_characters: int
    reference_seconds: tuple[float, float]


def choose_place(device: str | None, precision: str | None, weights: int = 0) -> Place:
    """The device and precision asked for, or the best there is for a model of so many `weights`.

    CUDA first (bf16, fp16 where the card lacks it), then Apple's MPS (fp16), then the processor (fp32); int8 where
    that does not fit the free memory. Raises DeviceError where the device asked for is not there.
    """
    if precision is not None and precision not in PRECISIONS:
        raise DeviceError(f"There is no precision {precision!r}: choose one of {', '.join(PRECISIONS)}.")
    name = device or ("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
    try:
        chosen = torch.device(name)
        if chosen.type not in ("cpu", "cuda", "mps"):
            raise RuntimeError(f"{name} computes nothing that could be heard")
        torch.empty(1, device=chosen)
    except (RuntimeError, AssertionError) as error:
        raise DeviceError(
            f"There is no device {name!r} on this machine: leave the choice to Retake, or use 'cpu'."
        ) from error
    return Place(chosen, precision or _best_precision(chosen, weights))


def load(folder: Path, device: str | None = None, precision: str | None = None) -> Checkpoint:
    """Load a checkpoint's language model. Raises CheckpointError, or DeviceError where it will not fit."""
    config = read_config(folder)
    with torch.device("meta"):
        model = DualAR(config)
    place = choose_place(device, precision, sum(parameter.numel() for parameter in model.parameters()))
    check_memory(model, place)
    files = _tensor_files(folder)
    _fill(model, files, place)
    read_by_loops(model)
    return Checkpoint(
        folder,
        config,
        read_settings(folder),
        Tokenizer(folder, config),
        model,
        place,
        digest(folder),
        codec_digest(folder),
        read_most_characters(folder),
        read_reference_seconds(folder),
    )


def published_name(name: str) -> str:
    """A parameter's name in the published files."""
    for ours, theirs in _PUBLISHED:
        if name.startswith(ours):
            return theirs + name.removeprefix(ours)
    return name


def digest(folder: Path) -> str:
    """Sixteen hex digits that tell checkpoints apart: configs, sizes, and both ends of every weight file.

    Hashing all of nine gigabytes would cost more than loading them; a changed training run changes its ends.
    """
    weights = sorted([*folder.glob("*.safetensors"), *folder.glob("codec.pth")])
    return _digest_of([folder / "config.json", *weights])


def codec_digest(folder: Path) -> str:
    """Sixteen hex digits that tell codecs apart, in the same way: codes of one mean nothing to another."""
    names = ("codec_config.json", "codec.safetensors", "codec.pth")
    return _digest_of([folder / name for name in names if (folder / name).exists()])


def _digest_of(paths: list[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        if path.name == "codec.folded.safetensors":
            continue
        size = path.stat().st_size
        total.update(f"{path.name} {size} ".encode())
        with path.open("rb") as file:
            total.update(file.read(1 << 16))
            file.seek(max(0, size - (1 << 16)))
            total.update(file.read())
    return total.hexdigest()[:16]


def _best_dtype(device: torch.device) -> torch.dtype:
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
    return torch.float16 if device.type == "mps" else torch.float32


def _best_precision(device: torch.device, weights: int) -> str:
    """The device's own; int8, which is smaller and on the processor faster, where that does not fit."""
    own = next(name for name, dtype in PRECISIONS.items() if dtype == _best_dtype(device))
    return own if weights * PRECISIONS[own].itemsize * ROOM <= free_memory(device) else "int8"


def free_memory(device: torch.device) -> int:
    """How many bytes are free where a device computes, with those that torch keeps there and does not use."""
    if device.type == "cuda":
        unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return torch.cuda.mem_get_info(device)[0] + unused
    return psutil.virtual_memory().available


def needed_bytes(model: DualAR, place: Place) -> int:
    """What the weights take on the device: the text's table stays on the host beside an accelerator."""
    layers = sum(module.weight.numel() for module in model.modules() if isinstance(module, nn.Linear | Int8Linear))
    text = model.slow.embeddings.weight.numel()
    others = sum(parameter.numel() for parameter in model.parameters()) - layers - text
    held = layers * PRECISIONS[place.precision].itemsize + others * place.dtype.itemsize
    if place.device.type != "cpu":
        return held
    return held + text * (PUBLISHED.itemsize if place.precision == "int8" else place.dtype.itemsize)


def check_memory(model: DualAR, place: Place) -> None:
    needed = needed_bytes(model, place)
    free = free_memory(place.device)
    if needed > free:
        raise DeviceError(
            f"The model needs {needed / 1e9:.1f} GB in {place.precision} and {free / 1e9:.1f} GB are free on "
            f"{place.device.type}: close other programs, or choose another precision or device.",
            needed,
            free,
        )


def _tensor_files(folder: Path) -> dict[str, Path]:
    """Which file holds which tensor, from the index or from the single file."""
    index = folder / "model.safetensors.index.json"
    if index.exists():
        try:
            return {str(name): folder / Path(str(file)).name for name, file in read_json(index)["weight_map"].items()}
        except (KeyError, AttributeError) as error:
            raise CheckpointError(f"{index} has no weight map: download it again.", index) from error
    path = folder / "model.safetensors"
    if not path.exists():
        raise CheckpointError(
            f"{folder} holds no model.safetensors: choose a folder that holds a whole checkpoint.", path
        )
    with _opened(path) as file:
        return dict.fromkeys(file.keys(), path)


def _fill(model: DualAR, files: dict[str, Path], place: Place) -> None:
    """Give every parameter on the meta device its tensor, converted and moved one at a time."""
    wanted = {published_name(name): name for name, _ in model.named_parameters()}
    missing, extra = sorted(wanted.keys() - files.keys()), sorted(files.keys() - wanted.keys())
    if missing or extra:
        name = (missing or extra)[0]
        more = len(missing) + len(extra) - 1
        path = next(iter(files.values())).parent if missing else files[name]
        raise CheckpointError(
            f"The tensor {name} is {'missing from' if missing else 'not expected in'} {path}"
            f"{f' ({more} more are amiss)' if more else ''}: the checkpoint does not match its config.json.",
            path,
            name,
        )
    parameters = dict(model.named_parameters())
    for name in sorted(files, key=lambda name: (files[name], name)):
        path, shape = files[name], tuple(parameters[wanted[name]].shape)
        with _opened(path) as file:  # for each tensor anew: what is mapped of a file stays in memory while it is open
            if name not in file.keys():  # noqa: SIM118 (it is no dict)
                raise CheckpointError(
                    f"The tensor {name} is missing from {path}: download that file again.", path, name
                )
            there = tuple(file.get_slice(name).get_shape())
            if there != shape:
                raise CheckpointError(
                    f"The tensor {name} in {path} is of shape {there}, not {shape}: "
                    "the checkpoint does not match its config.json.",
                    path,
                    name,
                )
            put(model, wanted[name], file.get_tensor(name), place)


def put(model: DualAR, name: str, tensor: torch.Tensor, place: Place) -> None:
    """Give a parameter its tensor, in the type and on the device where it shall be held."""
    owner_name, _, leaf = name.rpartition(".")
    owner = model.get_submodule(owner_name)
    if owner is model.slow.embeddings:  # only rows of it are looked up: it stays on the host
        dtype = place.dtype
        if place.precision == "int8":  # and, where memory is dear, no wider than it came
            dtype = min(tensor.dtype, dtype, key=lambda each: each.itemsize)
        owner.weight = nn.Parameter(tensor.to("cpu", dtype, copy=True), requires_grad=False)
    elif place.precision == "int8" and isinstance(owner, nn.Linear) and leaf == "weight":
        layer = Int8Linear(*quantised(tensor.to(place.device), place.dtype), owner.bias)
        model.set_submodule(owner_name, layer)
    elif isinstance(owner, nn.Linear) and leaf == "weight" and _packs(tensor, place):
        model.set_submodule(owner_name, PackedLinear(tensor.to(place.dtype), owner.bias))
    else:
        setattr(owner, leaf, nn.Parameter(tensor.to(place.device, place.dtype, copy=True), requires_grad=False))


def _packs(weight: torch.Tensor, place: Place) -> bool:
    """Whether a layer's weight is read sooner where it lies packed."""
    large = weight.numel() >= LARGE_WEIGHT
    return large and place.device.type == "cpu" and place.dtype == torch.float32 and can_pack()


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A safetensors file, with every way it can be unusable turned into a CheckpointError."""
    try:
        with path.open("rb") as file:
            if file.read(64).startswith(b"version https://git-lfs"):
                raise CheckpointError(
                    f"{path} is only a git-lfs pointer: run `git lfs pull`, or download the file itself.",
                    path,
                )
        with safe_open(path, framework="pt", device="cpu") as tensors:
            yield tensors
    except FileNotFoundError as error:
        raise CheckpointError(f"{path} is missing: download the rest of the checkpoint.", path) from error
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read ({error.strerror}).", path) from error
    except SafetensorError as error:
        raise CheckpointError(f"{path} is damaged or was cut short ({error}): download it again.", path) from error
