"""How far apart drift holds two voices: the likeness of takes to the clip they were read after, and to the other's,
by the codec's latents and, where the extra `quality` is installed, by their sound.

python packaging/measure_drift.py [--checkpoint DIR] [--takes N]

N takes of each of the checkpoint's voices are made of lines of the example script; each is judged against every voice.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine import assets
from engine.request import Finished, Generate, Likeness, Part, Prompt, Take, Voice
from engine.speech import Engine

LINES = (
    "They carried the keys home.", "I remembered an old song.", "The boat is late this evening.",
    "Nobody carried an answer without a word.", "We walked along the harbour in the morning.",
)  # fmt: skip


def judged(engine: Engine, take: Take, voice: Voice) -> Likeness:
    """The likeness of a take to a voice."""
    prompt = replace(take.origin.prompt, voices=(voice,))
    return engine.likeness(replace(take, origin=replace(take.origin, prompt=prompt)), engine.decode(take.codes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=assets.folder() / "voice")
    parser.add_argument("--takes", type=int, default=10)
    options = parser.parse_args()
    engine = Engine.open(options.checkpoint, "cpu", "fp32")
    voices = engine.voices()
    found: dict[str, list[float]] = {}
    for name, voice in voices.items():
        for number in range(options.takes):
            prompt = Prompt((Part(0, LINES[number % len(LINES)]),), (voice,))
            *_, last = engine.generate(Generate(prompt, (number,), engine.settings))
            assert isinstance(last, Finished)
            for each, against in voices.items():
                likeness = judged(engine, last.takes[0], against)
                whose = "own voice" if each == name else "another voice"
                for how, frames in (("codes", likeness.by_codes), ("sound", likeness.by_sound)):
                    if frames is not None:
                        found.setdefault(f"{whose} by {how}", []).append(float(frames.mean()))
    for told, values in sorted(found.items()):
        low, middle, high = np.percentile(values, [5, 50, 95])
        print(f"{told}: {len(values)} takes, likeness {low:.2f}, {middle:.2f}, {high:.2f} (5th, 50th, 95th percentile)")


if __name__ == "__main__":
    main()
