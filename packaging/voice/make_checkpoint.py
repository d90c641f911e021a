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

from engine.codec_config import CONFIG_FILE
from engine.codec_file import PLAIN_FILE, load_codec
from engine.config import read_config
from engine.dual_ar import DualAR
from engine.speech import ENCODE
from voice.export import save_json, save_model


def make(folder: Path, out: Path, name: str, temperature: float) -> None:
    """The course's averaged weights as a checkpoint in `out`."""
    (out / "voices").mkdir(parents=True, exist_ok=True)
    for file in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / "model" / file, out / file)
    for file in (CONFIG_FILE, PLAIN_FILE):
        shutil.copy(folder / "codec" / file, out / file)
    sampling = {"temperature": temperature, "top_p": 0.8, "top_k": 30, "repetition_window": 0}
    save_json(sampling, out / "generation_config.json")

    state = torch.load(folder / f"{name}.pt", weights_only=True)
    save_model(DualAR(read_config(out)), state["average"], out)

    codec = load_codec(out, "cpu", ENCODE)
    for clip in sorted((folder / "voices").glob("*.flac")):
        samples, _ = soundfile.read(clip, dtype="float32")
        codes = codec.encode(torch.from_numpy(samples)).numpy().astype(np.int16)
        np.save((out / "voices" / clip.name).with_suffix(".codes.npy"), codes)
        for path in (clip, clip.with_suffix(".txt")):
            shutil.copy(path, out / "voices" / path.name)
    print(f"{out}: after {state['step']} steps")


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
