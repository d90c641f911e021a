"""Third step: every recording as codes, in shards beside each other that are made once.

python -m voice.encode FOLDER [--shards PATTERN]      several processes may each take other shards
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from engine.codec import Codec
from engine.codec_file import load_codec
from engine.speech import ENCODE
from voice.codec_batches import latents, padded
from voice.recordings import Recording, read_shard

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
        recordings = list(read_shard(shard))
        codes = _encode(codec, recordings)
        told = [
            {"voice": r.voice, "text": r.text, "frames": c.shape[1], "letters": [x / codec.hop for x in r.letters]}
            for r, c in zip(recordings, codes, strict=True)
        ]
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez_compressed(file, codes=np.concatenate(codes, axis=1), told=np.array(json.dumps(told)))
        part.replace(path)
        print(f"{path.name}: {sum(c.shape[1] for c in codes)} frames", flush=True)


def read_codes(folder: Path) -> Iterator[Spoken]:
    """All encoded recordings, in order."""
    for path in sorted((folder / "codes").glob("*.npz")):
        with np.load(path, allow_pickle=False) as stored:
            codes, told = stored["codes"], json.loads(str(stored["told"]))
        stop = 0
        for row in told:
            start, stop = stop, stop + row["frames"]
            yield Spoken(row["voice"], row["text"], codes[:, start:stop], np.array(row["letters"], dtype=np.float32))


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
