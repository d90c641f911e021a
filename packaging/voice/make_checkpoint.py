"""Puts a checkpoint folder together that the engine opens: codec, language model, tokenizer, voices with their codes.

python -m voice.make_checkpoint FOLDER OUT [--name NAME] [--temperature T]
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np
import soundfile
import torch
from torch import Tensor

from engine.codec_config import CONFIG_FILE
from engine.codec_file import PLAIN_FILE, load_codec
from engine.config import ModelConfig, read_config
from engine.dual_ar import DualAR
from engine.speech import ENCODE
from voice.export import save_json, save_model
from voice.geometry import Near, read_codebooks
from voice.lessons import REFERENCE_FRAMES

MOST_CHARACTERS = 100  # of a text: what some five seconds hold, the longest that was learned from


def make(folder: Path, out: Path, name: str, temperature: float) -> None:
    """The course's averaged weights as a checkpoint in `out`."""
    (out / "voices").mkdir(parents=True, exist_ok=True)
    for file in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / "model" / file, out / file)
    for file in (CONFIG_FILE, PLAIN_FILE):
        shutil.copy(folder / "codec" / file, out / file)
    config, codec = read_config(out), load_codec(out, "cpu", ENCODE)
    sampling = {"temperature": temperature, "top_p": 0.8, "top_k": 30, "repetition_window": 0}
    learned = {
        "most_characters": MOST_CHARACTERS,
        "reference_seconds": [round(frames * codec.hop / codec.sample_rate, 1) for frames in REFERENCE_FRAMES],
    }
    save_json(sampling | learned, out / "generation_config.json")

    state = torch.load(folder / f"{name}.pt", weights_only=True)
    save_model(DualAR(config), without_unused(state["average"], config, read_codebooks(out)), out)

    for clip in sorted((folder / "voices").glob("*.flac")):
        samples, _ = soundfile.read(clip, dtype="float32")
        codes = codec.encode(torch.from_numpy(samples)).numpy().astype(np.int16)
        np.save((out / "voices" / clip.name).with_suffix(".codes.npy"), codes)
        for path in (clip, clip.with_suffix(".txt")):
            shutil.copy(path, out / "voices" / path.name)
    print(f"{out}: after {state['step']} steps")


def without_unused(weights: dict[str, Tensor], config: ModelConfig, books: list[Near]) -> dict[str, Tensor]:
    """The weights with rows of codes that no codebook uses at nothing: what is nothing takes no room in an archive."""
    rows = torch.zeros(config.num_codebooks, config.codebook_size, 1)
    for row, book in enumerate(books):
        rows[row, book.start : book.stop] = 1
    return weights | {"slow.fusion.weight": weights["slow.fusion.weight"] * rows.flatten(0, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--name", default="model", help="of the course's file in the folder")
    parser.add_argument("--temperature", type=float, default=0.1)
    options = parser.parse_args()
    make(options.folder, options.out, options.name, options.temperature)


if __name__ == "__main__":
    main()
