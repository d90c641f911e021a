"""Has the teachers speak the corpus: one shard after another, those already there are kept.

python -m voice.make_data FOLDER VOICE COUNT [--part K --parts N]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from voice.corpus import to_learn
from voice.recordings import RATE, write_shard
from voice.teachers import Studio, teacher

SHARD = 500
SEEDS = {"heart": 11, "joe": 12, "slt": 13, "rms": 14}  # what a voice says; each says other sentences


def make(folder: Path, voice: str, count: int, part: int, parts: int) -> None:
    """Record `count` sentences of a voice, of which this process makes every shard that falls to its part."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = to_learn(SEEDS[voice], count)
    studio = Studio(teacher(voice))
    for number in range(-(-count // SHARD)):
        path = folder / f"{voice}-{number:03d}"
        if number % parts != part or path.with_suffix(".json").exists():
            continue
        spoken = [
            studio.record(text, number * SHARD + place)
            for place, text in enumerate(texts[number * SHARD : (number + 1) * SHARD])
        ]
        write_shard(path, spoken)
        minutes = sum(len(recording.samples) for recording in spoken) / RATE / 60
        print(f"{path.name}: {len(spoken)} sentences, {minutes:.1f} minutes", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("voice", choices=SEEDS)
    parser.add_argument("count", type=int)
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    options = parser.parse_args()
    make(options.folder / "data", options.voice, options.count, options.part, options.parts)


if __name__ == "__main__":
    main()
