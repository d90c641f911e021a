"""Every plain recording as the language model would tell it: its first row as it was, the other nine the model's own.

The decoder learns from these, beside the true codes, what is meant by codes that are nearly right. The model reads its
own rows of the frames before, as it does when it speaks.

python -m voice.resay FOLDER [--shards PATTERN] [--name NAME]      after train_model; then train_decoder once more
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from engine.config import read_config
from engine.dual_ar import DualAR
from engine.prompt import frame_columns, read
from engine.request import Part, Prompt
from engine.tokenizer import Tokenizer
from voice.encode import Spoken, read_shard, write_shard
from voice.geometry import Near, read_codebooks
from voice.lessons import LONGEST, VOICES
from voice.own_history import told_rows
from voice.unremembered import Unremembered

BATCH = 16
ROUNDS = 2  # the second reads what the first has told


class Resaying:
    """A trained model that tells recordings anew."""

    def __init__(self, model: DualAR, tokenizer: Tokenizer, books: list[Near]) -> None:
        self._model, self._tokenizer, self._books = model, tokenizer, books
        self._chance = torch.Generator().manual_seed(0)

    @torch.inference_mode()
    def resaid(self, spoken: Sequence[Spoken]) -> list[Spoken]:
        """The same recordings, with codes of the model's own in all rows but the first."""
        config = self._model.config
        prompts, codes = [], [one.codes for one in spoken]
        for one in spoken:
            prompt = Prompt((Part(VOICES.index(one.voice), one.text),))
            prompts.append(read(prompt, one.codes.shape[1] + 1, self._tokenizer, config).columns)
        for _ in range(ROUNDS):
            whole = [
                np.concatenate([prompt, frame_columns(own, config)], axis=1)
                for prompt, own in zip(prompts, codes, strict=True)
            ]
            columns = np.full((len(whole), len(whole[0]), max(one.shape[1] for one in whole)), 0, dtype=np.int64)
            columns[:, 0] = config.end_id
            for row, sequence in enumerate(whole):
                columns[row, :, : sequence.shape[1]] = sequence
            hidden = self._model.slow(torch.from_numpy(columns), Unremembered(len(whole), torch.device("cpu")))
            asked = [
                hidden[row, p.shape[1] - 1 : one.shape[1] - 1]
                for row, (p, one) in enumerate(zip(prompts, whole, strict=True))
            ]
            semantic = torch.from_numpy(np.concatenate([one[0] for one in codes])).long()
            told = told_rows(self._model.fast, self._books, torch.cat(asked), semantic, self._chance)
            stops = np.cumsum([one.shape[1] for one in codes])[:-1]
            codes = np.split(told.numpy().T.astype(np.int16), stops, axis=1)
        return [replace(one, codes=own) for one, own in zip(spoken, codes, strict=True)]


def resay(folder: Path, pattern: str, name: str) -> None:
    config = read_config(folder / "model")
    model = DualAR(config)
    model.load_state_dict(torch.load(folder / f"{name}.pt", weights_only=True)["average"])
    resaying = Resaying(model.eval(), Tokenizer(folder / "model", config), read_codebooks(folder / "codec"))
    (folder / "resaid").mkdir(exist_ok=True)
    for path in sorted((folder / "codes").glob(f"{pattern}.npz")):
        spoken = [one for one in read_shard(path) if one.voice in VOICES and 6 <= one.codes.shape[1] <= LONGEST]
        spoken.sort(key=lambda one: one.codes.shape[1])
        told = [resaying.resaid(spoken[start : start + BATCH]) for start in range(0, len(spoken), BATCH)]
        write_shard(folder / "resaid" / path.name, [one for batch in told for one in batch])
        print(f"{path.name}: {len(spoken)} told anew", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shards", default="*", help="which, by their names")
    parser.add_argument("--name", default="model", help="of the course's file in the folder")
    options = parser.parse_args()
    resay(options.folder, options.shards, options.name)


if __name__ == "__main__":
    main()
