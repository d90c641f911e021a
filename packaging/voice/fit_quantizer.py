"""Second step of the codec: fit its codebooks on the encoder's latents, without any training.

Codebook 0 looks along the phonetic projection and is filled by k-means under the cosine lookup; what it means is the
straight line from its rows to the latents that fits best. Each further codebook looks along the principal directions of
what is left.

The fast AR has one table for all codebooks. So that no entry of it has to mean ten things, each codebook uses numbers
that no other does: its other rows are nothing, point nowhere, and are never nearest.

python -m voice.fit_quantizer FOLDER START      writes FOLDER/codec/{codec.safetensors, codec_config.json}
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.codec import Codec
from engine.codec import read_config as codec_config
from engine.codec_config import CONFIG_FILE
from engine.codec_file import load_codec
from engine.quantizer import Codebook
from engine.speech import ENCODE
from voice.codec_batches import latents, padded
from voice.export import save_codec
from voice.recordings import Recording, read_all
from voice.train_phonetic import Phonetic

FRAMES = 120_000
ROUNDS = 15  # of k-means
ACOUSTIC = (256, 192, 160, 128, 128, 112, 112, 96, 96)  # rows that codebooks 1 to 9 use: the first tell most
STRIDE = 16  # recordings encoded at a time


def collect(codec: Codec, recordings: list[Recording], frames: int) -> Tensor:
    """Latents [N, C] of about so many frames, from recordings of all voices in a seeded order."""
    chance = np.random.default_rng(0)
    found: list[Tensor] = []
    chosen = [recordings[place] for place in chance.permutation(len(recordings))]
    for start in range(0, len(chosen), STRIDE):
        batch = chosen[start : start + STRIDE]
        with torch.inference_mode():
            latent = latents(codec, padded([recording.wave for recording in batch], codec))
        found += [one[:, : -(-len(r.samples) // codec.hop)].T for one, r in zip(latent, batch, strict=True)]
        if sum(map(len, found)) >= frames:
            break
    return torch.cat(found).clone()


def used(semantic: int) -> list[slice]:
    """Which rows each codebook uses, codebook 0 having so many: one after another."""
    stops = [semantic]
    for count in ACOUSTIC:
        stops.append(stops[-1] + count)
    return [slice(start, stop) for start, stop in pairwise([0, *stops])]


def fill(codebook: Codebook, points: Tensor, own: slice) -> None:
    """k-means of points [N, dim] under the codebook's own lookup in the rows that it uses; those that nothing chose
    begin anew."""
    chance = torch.Generator().manual_seed(0)
    codebook.codebook.weight.data.zero_()
    rows = codebook.codebook.weight.data[own]
    rows.copy_(points[torch.randperm(len(points), generator=chance)[: len(rows)]])
    for _ in range(ROUNDS):
        nearest = (F.normalize(points) @ F.normalize(rows).T).argmax(-1)
        counts = torch.bincount(nearest, minlength=len(rows))[:, None]
        sums = torch.zeros_like(rows).index_add_(0, nearest, points)
        fresh = points[torch.randint(len(points), (len(rows),), generator=chance)]
        rows.copy_(torch.where(counts > 0, sums / counts.clamp(min=1), fresh))


def fit_semantic(codebook: Codebook, phonetic: Phonetic, latent: Tensor, own: slice) -> Tensor:
    """Fit codebook 0 on latents [N, C]; what is left of them comes back."""
    codebook.in_proj.load_state_dict(phonetic.projection.state_dict())
    points = codebook.in_proj(latent.T[None])[0].T
    fill(codebook, points, own)
    rows = codebook.codebook(codebook.nearest(latent.T[None]))
    with_one = torch.cat([rows, torch.ones(len(rows), 1)], dim=1)
    line = torch.linalg.lstsq(with_one, latent).solution  # [dim + 1, C]
    codebook.out_proj.weight.data.copy_(line[:-1].T[..., None])
    cast(Tensor, codebook.out_proj.bias).data.copy_(line[-1])
    return latent - with_one @ line


def fit_acoustic(codebook: Codebook, left: Tensor, own: slice) -> Tensor:
    """Fit one further codebook on what is left [N, C]; what is left then comes back."""
    dim = codebook.codebook.embedding_dim
    _, directions = torch.linalg.eigh(left.T @ left / len(left))
    basis = directions[:, -dim:]  # [C, dim]
    codebook.in_proj.weight.data.copy_(basis.T[..., None])
    cast(Tensor, codebook.in_proj.bias).data.zero_()
    codebook.out_proj.weight.data.copy_(basis[..., None])
    cast(Tensor, codebook.out_proj.bias).data.zero_()
    fill(codebook, left @ basis, own)
    return left - codebook.meaning(codebook.nearest(left.T[None]))[0].T


def fit(folder: Path, start: Path, semantic: int) -> None:
    config = json.loads((start / CONFIG_FILE).read_text(encoding="utf-8"))
    own = used(semantic)
    config["quantizer"]["semantic_codebook_size"] = semantic
    config["quantizer"]["codebook_size"] = own[config["quantizer"]["n_codebooks"]].stop
    (folder / "codec").mkdir(exist_ok=True)
    (folder / "codec" / CONFIG_FILE).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")

    old = load_codec(start, "cpu")
    phonetic = Phonetic(load_codec(start, "cpu", ENCODE), config["quantizer"]["codebook_dim"])
    phonetic.load_state_dict(torch.load(folder / "phonetic.pt", weights_only=True)["average"])
    codec = Codec(codec_config(folder / "codec"))
    theirs = {name: value for name, value in old.state_dict().items() if "quantizers" not in name}
    ours = {name: value for name, value in phonetic.codec.state_dict().items() if "quantizers" not in name}
    codec.load_state_dict(theirs | ours, strict=False)

    latent = collect(codec, read_all(folder / "data"), FRAMES)
    with torch.inference_mode():
        variance = latent.var(0).sum()
        codebooks = [*codec.quantizer.semantic_quantizer.quantizers, *codec.quantizer.quantizer.quantizers]
        left = fit_semantic(cast(Codebook, codebooks[0]), phonetic, latent, own[0])
        for number, codebook in enumerate(codebooks[1:], 1):
            print(f"left after {number} codebooks: {left.square().sum(1).mean() / variance:.3f}", flush=True)
            left = fit_acoustic(cast(Codebook, codebook), left, own[number])
        print(f"left after all: {left.square().sum(1).mean() / variance:.3f}")
    save_codec(codec, folder / "codec")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("--semantic", type=int, default=256, help="rows of codebook 0")
    options = parser.parse_args()
    fit(options.folder, options.start, options.semantic)


if __name__ == "__main__":
    main()
