"""How well a checkpoint knows which frames speak which words, against pocketsphinx's forced alignment.

    .venv/bin/python packaging/measure_align.py --forced forced/bin/python [--takes 40] [--recordings DIR] [--heads]

`--forced` names a Python that has the tool (packaging/forced_alignment.py says how to make one). Word edges of takes in
the embedded voices are compared, and of the recordings in a folder (NAME.flac beside NAME.txt, in the voice that
`--voice` names): there the frames are read, not drawn. Errors are in frames. `--heads` scores every head of the slow AR
by how well it follows the text, without any other tool: the best are those to name in `alignment_heads`.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soundfile

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from forced_alignment import aligned
from measure_splice import generated, recorded

from engine import assets
from engine.align import judge
from engine.following import every_head, hear
from engine.request import Take
from engine.speech import Engine
from engine.text import proportional_span, words


def edges(engine: Engine, takes: Sequence[Take], forced: Path) -> dict[str, np.ndarray]:
    """The errors of all word edges in frames: by the attention, and by the time that text should take."""
    said = [take.origin.prompt.text for take in takes]
    plain = [" ".join(text[slice(*place)].lower() for place in words(text)) for text in said]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.wav" for number in range(len(takes))]
        prints = [engine.decode(take.codes) for take in takes]
        for file, samples in zip(files, prints, strict=True):
            soundfile.write(file, samples, engine.sample_rate)
        found = aligned(forced, list(zip(files, plain, strict=True)))
    attention, pace = [], []
    for take, samples, text, known in zip(takes, prints, said, found, strict=True):
        if known is None:
            continue
        alignment = engine.align(take, samples)
        for place, (_, start, stop) in zip(words(text), known, strict=True):
            true = np.array([start, stop]) * engine.frames_per_second
            attention.append(np.array(alignment.span(*place)) - true)
            pace.append(np.array(proportional_span(text, *place, take.frames)) - true)
    return {"attention": np.array(attention).ravel(), "pace of the text": np.array(pace).ravel()}


def told(name: str, errors: dict[str, np.ndarray]) -> None:
    for how, each in errors.items():
        if len(each):
            near = np.abs(each)
            print(
                f"{name}, by the {how}: median {np.median(near):.2f}, 90th percentile {np.percentile(near, 90):.2f} "
                f"frames ({len(near)} edges)"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takes", type=int, default=40)
    parser.add_argument("--forced", type=Path, default=Path(sys.executable), help="a Python that has pocketsphinx")
    parser.add_argument("--checkpoint", type=Path, default=assets.folder() / "voice")
    parser.add_argument("--recordings", type=Path, help="a folder of NAME.flac and NAME.txt")
    parser.add_argument("--voice", default="heart", help="whose recordings they are")
    parser.add_argument("--heads", action="store_true", help="score every head")
    options = parser.parse_args()
    engine = Engine.open(options.checkpoint)
    takes = [take for take in itertools.islice(generated(engine, random.Random(1)), options.takes) if not take.capped]
    told("Takes", edges(engine, takes, options.forced))
    read = takes
    if options.recordings is not None:
        read = list(recorded(engine, options.recordings, engine.voices()[options.voice]))
        told("Recordings", edges(engine, read, options.forced))
    if options.heads:
        loaded = engine._loaded
        heads = every_head(loaded)
        scores = judge([hear(loaded, take.origin.prompt, take.codes) for take in read])
        for place in np.argsort(-scores)[:8]:
            print(f"layer {heads[place][0]}, head {heads[place][1]}: {scores[place]:.3f}")


if __name__ == "__main__":
    main()
