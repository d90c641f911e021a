"""Whether memory stays what it is: many lines spoken in one process, by the embedded voice.

    python packaging/renders.py [COUNT]

prints the resident memory after the tenth line and after the last, and fails where it has grown by more than 2 %.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent))

from engine import assets
from engine.request import Finished, Generate, Part, Prompt, Regenerate, Take
from engine.speech import Engine

WORDS = (
    "The boat is late this evening.",
    "Nobody saw it leave.",
    "Then who rang the bell, and why?",
    "Listen: it rings again.",
)
EARLY = 10
MOST_GROWTH = 0.02


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    engine = Engine.open(assets.folder() / "voice", "cpu", "fp32")
    voices = tuple(engine.voices().values())
    early = 0
    for number in range(1, count + 1):
        prompt = Prompt((Part(0, f"{number}. {WORDS[number % len(WORDS)]}"),), (voices[number % len(voices)],))
        take = _spoken(engine, Generate(prompt, (number,), engine.settings))
        if take.frames > 12:
            _spoken(engine, Regenerate(prompt, take, (4, 10), (1, 2), engine.settings))
        engine.decode(take.codes)
        if number == EARLY:
            early = _resident()
    late = _resident()
    growth = late / early - 1
    print(f"{early / 2**20:.1f} MB after {EARLY} lines, {late / 2**20:.1f} MB after {count}: {100 * growth:+.2f} %")
    return int(growth > MOST_GROWTH)


def _spoken(engine: Engine, request: Generate | Regenerate) -> Take:
    *_, last = engine.generate(request)
    assert isinstance(last, Finished)
    return last.takes[0]


def _resident() -> int:
    gc.collect()
    return psutil.Process().memory_info().rss


if __name__ == "__main__":
    sys.exit(main())
