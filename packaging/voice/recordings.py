"""Recordings in shards: what a teacher said, the sounds it made and when, and the samples. Shards are written whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

RATE = 22_050


@dataclass(frozen=True)
class Sound:
    """One phoneme from sample `start` to `stop`; `symbol` is of `phonemes.SYMBOLS`."""

    symbol: str
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class Recording:
    """A sentence as a teacher spoke it: int16 samples at RATE, mapped from the file where they come from one.

    `letters` holds, for each character of the text, the sample at which it is spoken.
    """

    voice: str
    text: str
    samples: np.ndarray
    sounds: tuple[Sound, ...]
    letters: tuple[int, ...]

    @property
    def wave(self) -> np.ndarray:
        """float32 samples in -1..1."""
        return np.asarray(self.samples, dtype=np.float32) / 32767


def whole(samples: np.ndarray) -> np.ndarray:
    """float32 samples in -1..1 as int16."""
    return np.clip(np.round(samples * 32767), -32768, 32767).astype(np.int16)


def write_shard(path: Path, recordings: Sequence[Recording]) -> None:
    """All recordings of one shard: `path`.npy holds int16 samples, `path`.json the rest and comes last."""
    with path.with_suffix(".npy.part").open("wb") as file:
        np.save(file, np.concatenate([recording.samples for recording in recordings]))
    path.with_suffix(".npy.part").replace(path.with_suffix(".npy"))
    rows = []
    for recording in recordings:
        row = {"voice": recording.voice, "text": recording.text, "length": len(recording.samples)}
        sounds = [astuple(sound) for sound in recording.sounds]
        rows.append(row | {"letters": recording.letters, "sounds": sounds})
    part = path.with_suffix(".json.part")
    part.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    part.replace(path.with_suffix(".json"))


def read_shard(path: Path) -> Iterator[Recording]:
    """The recordings of one shard, by the path of its .json; the samples are read only when they are needed."""
    stored = np.load(path.with_suffix(".npy"), mmap_mode="r")
    start = 0
    for row in json.loads(path.read_text(encoding="utf-8")):
        samples = stored[start : start + row["length"]]
        start += row["length"]
        sounds = tuple(Sound(*sound) for sound in row["sounds"])
        yield Recording(row["voice"], row["text"], samples, sounds, tuple(row["letters"]))


def read_all(folder: Path) -> list[Recording]:
    """The recordings of all finished shards of a folder, in order."""
    return [recording for path in sorted(folder.glob("*.json")) for recording in read_shard(path)]
