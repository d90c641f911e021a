"""Third step: every recording as codes, in shards beside each other that are made once.

python -m voice.encode FOLDER [--shards PATTERN]      several processes may each take other shards
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from engine.codec import Codec
from engine.codec_file import load_codec
from engine.speech import ENCODE
from voice.codec_batches import latents, padded
from voice.recordings import Recording
from voice.recordings import read_shard as read_recordings

BATCH = 16


@dataclass(frozen=True, eq=False)
class Spoken:
    """A recording as the language model meets it: codes int16 [codebook, frame], and the frame (with its fraction) at
    which each character of the text is spoken."""

    voice: str
    text: str
    codes: np.ndarray
    letters: np.ndarray


def encode_all(folder: Path, pattern: str) -> None:
    codec = load_codec(folder / "codec", "cpu", ENCODE)
    (folder / "codes").mkdir(exist_ok=True)
    for shard in sorted((folder / "data").glob(f"{pattern}.json")):
        path = folder / "codes" / shard.with_suffix(".npz").name
        if path.exists():
            continue
        recordings = list(read_recordings(shard))
        spoken = [
            Spoken(r.voice, r.text, c, np.array(r.letters, dtype=np.float32) / codec.hop)
            for r, c in zip(recordings, _encode(codec, recordings), strict=True)
        ]
        write_shard(path, spoken)
        print(f"{path.name}: {sum(one.codes.shape[1] for one in spoken)} frames", flush=True)


def write_shard(path: Path, spoken: Sequence[Spoken]) -> None:
    """All recordings of one shard, whole or not at all."""
    told = [
        {"voice": one.voice, "text": one.text, "frames": one.codes.shape[1], "letters": one.letters.tolist()}
        for one in spoken
    ]
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez_compressed(
            file, codes=np.concatenate([one.codes for one in spoken], axis=1), told=np.array(json.dumps(told))
        )
    part.replace(path)


def read_shard(path: Path) -> Iterator[Spoken]:
    """The recordings of one shard, in order."""
    with np.load(path, allow_pickle=False) as stored:
        codes, told = stored["codes"], json.loads(str(stored["told"]))
    stop = 0
    for row in told:
        start, stop = stop, stop + row["frames"]
        yield Spoken(row["voice"], row["text"], codes[:, start:stop], np.array(row["letters"], dtype=np.float32))


def read_codes(folder: Path) -> Iterator[Spoken]:
    """All encoded recordings of a folder of shards, in order."""
    for path in sorted(folder.glob("*.npz")):
        yield from read_shard(path)


def _encode(codec: Codec, recordings: list[Recording]) -> list[np.ndarray]:
    """Codes of each recording; those of about the same length are encoded together."""
    order = sorted(range(len(recordings)), key=lambda place: len(recordings[place].samples))
    found: dict[int, np.ndarray] = {}
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        with torch.inference_mode():
            latent = latents(codec, padded([recordings[place].wave for place in places], codec))
            middle = codec.quantizer
            for place, one in zip(places, latent, strict=True):
                own = one[None, :, : -(-len(recordings[place].samples) // codec.hop)]
                semantic, left = middle.semantic_quantizer.encode(own)
                codes = torch.cat([semantic, middle.quantizer.encode(left)[0]])
                found[place] = codes.numpy().astype(np.int16)
    return [found[place] for place in range(len(recordings))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shards", default="*", help="which, by their names")
    options = parser.parse_args()
    encode_all(options.folder, options.shards)


if __name__ == "__main__":
    main()
