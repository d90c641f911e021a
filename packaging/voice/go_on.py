"""Begins a working folder with a checkpoint that was trained before, in the place of steps 3, 4 and 7: its codec and so
the meaning of all codes stay, and the language model's course begins with its weights.

python -m voice.go_on FOLDER [START]      START is `assets/voice` where it is left out
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch

from engine.checkpoint import load
from engine.codec_config import CONFIG_FILE
from engine.codec_file import PLAIN_FILE

EMBEDDED = Path(__file__).resolve().parents[2] / "assets" / "voice"


def go_on(folder: Path, start: Path, name: str = "model") -> None:
    for part, files in (
        ("codec", (CONFIG_FILE, PLAIN_FILE)),
        ("model", ("config.json", "tokenizer.json", "tokenizer_config.json")),
    ):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy(start / file, folder / part / file)
    weights = {key: value.clone() for key, value in load(start, "cpu", "fp32").model.state_dict().items()}
    torch.save({"model": weights, "average": weights, "step": 0, "optimizers": []}, folder / f"{name}.pt")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("start", type=Path, nargs="?", default=EMBEDDED)
    options = parser.parse_args()
    go_on(options.folder, options.start)


if __name__ == "__main__":
    main()
