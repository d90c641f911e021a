"""Reading a codec's weights: strictly, one tensor at a time, with the weight norms folded.

`codec.safetensors` holds folded weights and is read as it is. `codec.pth`, as s2-pro is published, holds each normed
weight as a direction and a length; these are multiplied once, and the result is kept as `codec.folded.safetensors`:
beside it, or in the user's cache folder where that cannot be written.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import platformdirs
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from engine.codec import Codec, CodecConfig, Part, SpectralConfig, read_config
from engine.errors import CheckpointError

PUBLISHED_FILE = "codec.pth"
PLAIN_FILE = "codec.safetensors"
FOLDED_FILE = "codec.folded.safetensors"
FLOATS = frozenset({"F64", "F32", "F16", "BF16"})

Shapes = dict[str, tuple[int, ...]]

# Saved beside the weights, but made anew where they are needed.
BUFFERS = frozenset({"causal_mask", "freqs_cis"})

# How the names of modules begin in `Codec`, and in the files.
DAC_NAMES = {"front.": "encoder.", "back.": "decoder."}
SPECTRAL_NAMES = {
    "front.blocks.": "front.", "back.blocks.": "back.", "back.norm.": "norm.", "back.head.": "head.",
    "back.pitch.": "pitch.", "back.filter.": "filter.",
}  # fmt: skip

# Weights that codec.pth holds as a length and a direction, and the names of these two.
NORMED = re.compile(r"(?:encoder|decoder)\..*\.conv\.weight|quantizer\..*\.(?:in_proj|out_proj)\.weight")


def load_codec(folder: Path, device: torch.device | str, part: Collection[Part] = ("encode", "decode")) -> Codec:
    """The codec of a checkpoint folder, with fp32 weights on `device`; only the halves in `part` are read.

    Raises CheckpointError where the files are not there, not whole, or do not fit the config.
    """
    folder = Path(folder)
    config = read_config(folder)
    with torch.device("meta"):
        codec = Codec(config, part)
    files_name = {name: _name_in_file(name, config) for name in codec.state_dict()}
    tensors = _read_weights(folder, config, set(files_name.values()), torch.device(device))
    codec.load_state_dict({name: tensors[file_name] for name, file_name in files_name.items()}, assign=True)
    return codec.to(device).requires_grad_(False).eval()


def folded_shapes(config: CodecConfig) -> Shapes:
    """Every tensor of a codec file without weight norms, by its name in the file."""
    with torch.device("meta"):
        codec = Codec(config)
    return {_name_in_file(name, config): tuple(tensor.shape) for name, tensor in codec.state_dict().items()}


def published_shapes(config: CodecConfig) -> Shapes:
    """Every tensor of a `codec.pth`, by its name in the file; buffers are left out."""
    shapes: Shapes = {}
    for name, shape in folded_shapes(config).items():
        if _is_normed(name, config):
            length, direction = _normed_names(name)
            shapes[length] = (shape[0], *[1] * (len(shape) - 1))
            shapes[direction] = shape
        else:
            shapes[name] = shape
    return shapes


def _name_in_file(name: str, config: CodecConfig) -> str:
    beginnings = SPECTRAL_NAMES if isinstance(config, SpectralConfig) else DAC_NAMES
    for here, there in beginnings.items():
        if name.startswith(here):
            return there + name.removeprefix(here)
    return name


def _is_normed(name: str, config: CodecConfig) -> bool:
    return not isinstance(config, SpectralConfig) and NORMED.fullmatch(name) is not None


def _normed_names(name: str) -> tuple[str, str]:
    """The names of the length and the direction of a normed weight."""
    if name.startswith("quantizer."):
        return f"{name}_g", f"{name}_v"
    beginning = name.removesuffix("weight") + "parametrizations.weight.original"
    return f"{beginning}0", f"{beginning}1"


def _read_weights(
    folder: Path, config: CodecConfig, wanted: Collection[str], device: torch.device
) -> dict[str, Tensor]:
    plain, published = folder / PLAIN_FILE, folder / PUBLISHED_FILE
    if plain.exists():
        _refuse_pointer(plain)
        return _read_safetensors(plain, folded_shapes(config), wanted, device)
    if not published.exists():
        raise CheckpointError(
            f"{folder} holds neither {PUBLISHED_FILE} nor {PLAIN_FILE}; choose a folder that holds a whole checkpoint.",
            published,
        )
    _refuse_pointer(published)
    stamp = _stamp(published)
    for path in _folded_paths(published):
        try:
            return _read_safetensors(path, folded_shapes(config), wanted, device, stamp)
        except (CheckpointError, FileNotFoundError):
            continue  # not there, of another codec.pth, or damaged: folded anew below
    tensors = _fold(published, config)
    _keep_folded(published, tensors, stamp)
    return {name: tensors[name].to(device, torch.float32, copy=True) for name in wanted}


def _refuse_pointer(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(8) == b"version ":
            raise CheckpointError(
                f"{path.name} is only a pointer to the real file; fetch that with `git lfs pull`, or download it.", path
            )


def _read_safetensors(
    path: Path, shapes: Shapes, wanted: Collection[str], device: torch.device, stamp: dict[str, str] | None = None
) -> dict[str, Tensor]:
    """Copies in fp32 of the `wanted` tensors, once the file has been seen to hold `shapes` and to bear the `stamp`."""
    try:
        with safe_open(path, framework="pt") as file:
            if stamp is not None and file.metadata() != stamp:
                raise CheckpointError(f"{path.name} was made from another {PUBLISHED_FILE}.", path)
            found = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
            _check_shapes(path, shapes, found)
            for name in found:
                if file.get_slice(name).get_dtype() not in FLOATS:
                    raise CheckpointError(f"The tensor {name} in {path.name} holds no weights.", path, name)
            return {name: file.get_tensor(name).to(device, torch.float32, copy=True) for name in wanted}
    except SafetensorError as error:
        raise CheckpointError(f"{path.name} is damaged or was not downloaded whole; fetch it again.", path) from error


def _check_shapes(path: Path, wanted: Shapes, found: Mapping[str, tuple[int, ...]]) -> None:
    faults = list(_faults(wanted, found))
    if faults:
        tensor, fault = faults[0]
        more = f", and {len(faults) - 1} more do not fit" if len(faults) > 1 else ""
        raise CheckpointError(
            f"{path.name} does not fit its config: the tensor {tensor} {fault}{more}; fetch the checkpoint again.",
            path,
            tensor,
        )


def _faults(wanted: Shapes, found: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, str]]:
    for name, shape in wanted.items():
        if name not in found:
            yield name, "is missing"
        elif found[name] != shape:
            yield name, f"has the shape {list(found[name])} instead of {list(shape)}"
    for name in found:
        if name not in wanted:
            yield name, "is not part of this codec"


def _fold(path: Path, config: CodecConfig) -> dict[str, Tensor]:
    """All weights of a codec.pth in fp32, folded; those that were not normed are still mapped from the file."""
    tensors = _read_published(path)
    _check_shapes(path, published_shapes(config), {name: tuple(tensor.shape) for name, tensor in tensors.items()})
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise CheckpointError(f"The tensor {name} in {path.name} holds no weights ({tensor.dtype}).", path, name)
    folded: dict[str, Tensor] = {}
    for name in folded_shapes(config):
        if _is_normed(name, config):
            length, direction = (tensors[part].float() for part in _normed_names(name))
            axes = tuple(range(1, direction.ndim))
            folded[name] = direction * (length / torch.linalg.vector_norm(direction, dim=axes, keepdim=True))
        else:
            folded[name] = tensors[name].float()
    return folded


def _read_published(path: Path) -> dict[str, Tensor]:
    """What a codec.pth holds, mapped into memory, without buffers and under plain names. Runs no code of the file."""
    with path.open("rb") as file:
        if file.read(4) != b"PK\x03\x04":
            raise CheckpointError(f"{path.name} is not a PyTorch checkpoint in the zip format; fetch it again.", path)
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except pickle.UnpicklingError as error:
        raise CheckpointError(
            f"{path.name} would run code when opened, so it was not; fetch it from a source that you trust.", path
        ) from error
    except (RuntimeError, OSError, EOFError, ValueError, KeyError) as error:
        raise CheckpointError(f"{path.name} is damaged or was not downloaded whole; fetch it again.", path) from error
    tensors = saved.get("state_dict", saved) if isinstance(saved, dict) else {}
    named = isinstance(tensors, dict) and all(isinstance(name, str) for name in tensors)
    if not named or not all(isinstance(value, Tensor) for value in tensors.values()):
        raise CheckpointError(f"{path.name} holds more than named tensors; fetch the checkpoint again.", path)
    if any(name.startswith("generator.") for name in tensors):  # what stands beside the generator served training
        tensors = {
            name.removeprefix("generator."): tensor for name, tensor in tensors.items() if name.startswith("generator.")
        }
    return {name: tensor for name, tensor in tensors.items() if name.rpartition(".")[2] not in BUFFERS}


def _stamp(published: Path) -> dict[str, str]:
    about = published.stat()
    return {"size": str(about.st_size), "changed": str(about.st_mtime_ns)}


def _folded_paths(published: Path) -> tuple[Path, Path]:
    """Where the folded weights may lie: beside the file, and in the user's cache folder."""
    name = hashlib.sha256(str(published.resolve()).encode()).hexdigest()[:16]
    return published.with_name(FOLDED_FILE), Path(
        platformdirs.user_cache_dir("retake", appauthor=False)
    ) / f"{name}.{FOLDED_FILE}"


def _keep_folded(published: Path, tensors: dict[str, Tensor], stamp: dict[str, str]) -> None:
    """Write the folded weights where they can be written; loading does without where they cannot."""
    for path in _folded_paths(published):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".folding-", dir=path.parent) as beside:
                whole = Path(beside) / path.name
                save_file(tensors, whole, stamp)
                with whole.open("rb+") as file:
                    os.fsync(file.fileno())
                whole.replace(path)
            return
        except (OSError, SafetensorError):
            continue
