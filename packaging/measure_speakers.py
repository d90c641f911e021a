"""How well a second speaker is noticed in a clip: recordings of known speakers, put together and listened to.

python packaging/measure_speakers.py DIR [--clips N]

DIR holds NAME-NUMBER.wav, a sentence each, three or more of every speaker. N clips of three sentences are of one
speaker, N of two. The extra `quality` must be installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine.audio import read, resample
from engine.request import Samples, Speakers
from engine.speaker import SpeakerEncoder
from studio.library.speakers import company

RATE = 16_000
LEVEL = 0.05  # root mean square that every sentence has: levels must not tell
PAUSE = 0.25  # seconds between sentences


def sentences(folder: Path) -> dict[str, list[Samples]]:
    """The sentences at RATE, all as loud, by speaker."""
    found: dict[str, list[Samples]] = {}
    for path in sorted(folder.glob("*-*.wav")):
        samples = resample(*read(path), RATE)
        loud = np.float32(LEVEL / np.sqrt(np.square(samples).mean()))
        found.setdefault(path.stem.rsplit("-", 1)[0], []).append(samples * loud)
    return {name: held for name, held in found.items() if len(held) >= 3}


def put_together(parts: Sequence[Samples]) -> Samples:
    rest = np.zeros(round(PAUSE * RATE), np.float32)
    return np.concatenate([each for part in parts for each in (part, rest)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--clips", type=int, default=200)
    options = parser.parse_args()
    encoder = SpeakerEncoder.find()
    if encoder is None:
        raise SystemExit("The extra `quality` is not installed.")
    spoken, chance = sentences(options.folder), np.random.default_rng(0)
    names = sorted(spoken)

    def listen(*speakers: str) -> Speakers:
        held = [spoken[name][chance.integers(len(spoken[name]))] for name in speakers]
        found = encoder.speakers(put_together(held), RATE)
        assert found is not None
        return found

    wrong = missed = strange = known = 0
    for _ in range(options.clips):
        one, two = chance.choice(names, 2, replace=False)
        alone, other = listen(one, one, one), listen(two, two, two)
        order = [one, one, two] if chance.random() < 0.5 else [one, two, one]
        wrong += company(alone).another is not None
        missed += company(listen(*order)).another is None
        strange += company(other, alone).stranger
        known += company(listen(one, one, one), alone).stranger
    print(f"{len(names)} speakers: {', '.join(names)}; {options.clips} clips each")
    print(f"of two: another one is noticed in {options.clips - missed}; of one: in {wrong}")
    print(f"beside a first clip: another speaker is noticed in {strange}, the same one in {known}")


if __name__ == "__main__":
    main()
