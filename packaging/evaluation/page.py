"""The page beside the samples: the table, plots as drawings in the page, every take to listen to; and blind pairs."""

from __future__ import annotations

import html
import json
import random
from collections.abc import Sequence
from pathlib import Path

from evaluation.figures import Known, table

_STYLE = """body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse}td{padding:.2em .6em;border-top:1px solid #ccc}audio{height:2em}"""
BINS, WIDTH, HEIGHT = 20, 420, 90


def write_page(folder: Path, figures: dict[str, dict[str, float]], takes: Sequence[Known]) -> None:
    """FOLDER/index.html."""
    plots = [
        _histogram("Word errors per word", [take["word_errors"] / max(1, take["words"]) for take in takes], 1.0),
        _histogram("Seconds", [take["seconds"] for take in takes], 10.0),
        _histogram("Likeness", [take["likeness"] for take in takes if take["likeness"] is not None], 1.0),
        _histogram("Quality", [take["quality"] for take in takes if take["quality"] is not None], 5.0),
    ]
    rows = [
        f"<tr><td>{html.escape(take['voice'])}<td>{html.escape(take['text'])}<td>{html.escape(take['heard'])}"
        f'<td><audio controls preload="none" src="{take["name"]}.wav"></audio>'
        for take in takes
    ]
    body = f"<pre>{html.escape(table(figures))}</pre>{''.join(plots)}<table>{''.join(rows)}</table>"
    _write(folder / "index.html", "How it speaks", body)


def write_pairs(folder: Path, other: Path, seed: int = 0) -> None:
    """FOLDER/pairs.html: takes of two checkpoints side by side without their names; pairs.json tells which is which."""
    chance = random.Random(seed)
    names = sorted(path.stem for path in folder.glob("*.wav") if (other / path.name).exists())
    chance.shuffle(names)
    rows, key = [], {}
    for number, name in enumerate(names):
        sides = [folder, other]
        chance.shuffle(sides)
        key[number] = [str(side) for side in sides]
        players = "".join(f'<td><audio controls preload="none" src="{side / name}.wav"></audio>' for side in sides)
        rows.append(f"<tr><td>{number}{players}")
    (folder / "pairs.json").write_text(json.dumps(key, indent=1), encoding="utf-8")
    _write(folder / "pairs.html", "Which sounds better?", f"<table>{''.join(rows)}</table>")


def _histogram(title: str, values: Sequence[float], most: float) -> str:
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int(value / most * BINS)))] += 1
    highest, step = max(1, *counts), WIDTH / BINS
    bars = "".join(
        f'<rect x="{place * step:.1f}" y="{HEIGHT - count / highest * HEIGHT:.1f}" width="{step - 1:.1f}" '
        f'height="{count / highest * HEIGHT:.1f}" fill="#47a"/>'
        for place, count in enumerate(counts)
    )
    return f'<h2>{title}, 0 to {most:g}</h2><svg width="{WIDTH}" height="{HEIGHT}">{bars}</svg>'


def _write(path: Path, title: str, body: str) -> None:
    text = f'<!doctype html><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style><h1>{title}</h1>{body}'
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
