"""More voices from those there are: larger and smaller speakers, by moving pitch and formants together.

A varied voice has no number of its own: it is only ever spoken with a reference.

python -m voice.make_varied FOLDER COUNT
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
import soxr

from voice.make_data import SHARD
from voice.recordings import RATE, Recording, Sound, read_all, whole, write_shard
from voice.tags import stretched

SIZES = (0.8, 0.87, 0.93, 1.08, 1.16, 1.25)  # times the pitch and the formants


def vary(recording: Recording, size: float) -> Recording:
    """The recording by a speaker of another size, at the same pace."""
    moved = soxr.resample(recording.wave, RATE * size, RATE, quality="HQ")
    samples = stretched(np.asarray(moved, dtype=np.float32), len(recording.samples) / len(moved))
    share = len(samples) / len(recording.samples)
    sounds = tuple(Sound(s.symbol, round(share * s.start), round(share * s.stop)) for s in recording.sounds)
    letters = tuple(min(len(samples) - 1, round(share * letter)) for letter in recording.letters)
    return Recording(f"{recording.voice}-{size}", recording.text, whole(samples), sounds, letters)


def make(folder: Path, count: int) -> None:
    """So many varied recordings, from plain ones in seeded order, as shards beside theirs."""
    plain = [one for one in read_all(folder) if "-" not in one.voice and "[" not in one.text]
    random.Random(1).shuffle(plain)
    for number in range(-(-count // SHARD)):
        path = folder / f"varied-{number:03d}"
        if not path.with_suffix(".json").exists():
            chosen = plain[number * SHARD : (number + 1) * SHARD]
            write_shard(path, [vary(one, SIZES[place % len(SIZES)]) for place, one in enumerate(chosen)])
            print(f"{path.name}: {len(chosen)} recordings", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("count", type=int)
    options = parser.parse_args()
    make(options.folder / "data", options.count)


if __name__ == "__main__":
    main()
