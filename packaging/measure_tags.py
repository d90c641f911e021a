"""How much tags do to a checkpoint's frames, in times of what tags do that mean nothing: what the meter's words go by.

    python packaging/measure_tags.py [--checkpoint DIR] [--lines N]

Each line is spoken as it is and under tags, in front and in the middle. Three empty tags, the ones that the studio
takes, are the measure; others that are as empty show what may come of chance. Prints in what share of lines a tag does
more than so many times as much as the greatest of the three, and how much the empty ones do in nats a frame.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from engine import assets
from engine.request import Finished, Generate, Part, Prompt, Take, Voice
from engine.speech import Engine
from studio.comparing import EMPTY
from studio.panels.tags_compare import ACTS, STRONGLY

TEXTS = (Path(__file__).parent / "evaluation" / "free.txt").read_text(encoding="utf-8").splitlines()
CHANCE = ("item", "page", "sentence", "phrase")
ASKING = ("whispers", "shouting", "laughs", "very slow", "angry", "tired, to herself")
SEED = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkpoint", type=Path, default=assets.folder() / "voice")
    parser.add_argument("--lines", type=int, default=20)
    told = parser.parse_args()
    engine = Engine.open(told.checkpoint, "cpu", "fp32")
    voices = list(engine.voices().values())
    found: dict[str, list[float]] = {"empty": [], "asking": []}
    nats: list[float] = []
    for number, text in enumerate(TEXTS[: told.lines]):
        voice = voices[number % len(voices)]
        for place in (0, text.index(" ", len(text) // 2) + 1):
            measure = max(effects(engine, voice, text, place, EMPTY, spoken=False))
            nats.append(measure)
            found["empty"] += [each / measure for each in effects(engine, voice, text, place, CHANCE)]
            found["asking"] += [each / measure for each in effects(engine, voice, text, place, ASKING)]
    print(f"empty tags do {np.median(nats):.4f} nats a frame, at most {max(nats):.4f}")
    for name, times in found.items():
        half, most = np.percentile(times, (50, 95))
        acting, strongly = (np.mean(np.array(times) > limit) for limit in (ACTS, STRONGLY))
        print(f"{name}: {half:.2f} times at the median, {most:.2f} at the 95th percentile; ", end="")
        print(f"above {ACTS:g}: {acting:.0%}, above {STRONGLY:g}: {strongly:.0%} of {len(times)}")


def effects(
    engine: Engine, voice: Voice, text: str, place: int, tags: tuple[str, ...], spoken: bool = True
) -> list[float]:
    """Nats a frame of each tag: over the take that is made under it or, where not `spoken`, over that without a tag."""
    bare = prompt(voice, text)
    tagged = [prompt(voice, f"{text[:place]}[{tag}] {text[place:]}") for tag in tags]
    if spoken:
        return [float(engine.divergence(take_of(engine, each), bare).mean()) for each in tagged]
    take = take_of(engine, bare)
    return [float(engine.divergence(take, each).mean()) for each in tagged]


def prompt(voice: Voice, text: str) -> Prompt:
    return Prompt((Part(0, text),), (voice,))


def take_of(engine: Engine, read: Prompt) -> Take:
    *_, last = engine.generate(Generate(read, (SEED,), engine.settings))
    assert isinstance(last, Finished)
    return last.takes[0]


if __name__ == "__main__":
    main()
