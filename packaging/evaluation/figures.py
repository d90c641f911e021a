"""From measurements to figures: one table, the same for every checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Known = dict[str, Any]

# For each tag, whether what was measured after it moved the right way: (with the tag, without it).
MOVED: dict[str, Callable[[Known, Known], bool]] = {
    "[pause]": lambda tagged, plain: tagged["whole"]["silence"] > plain["whole"]["silence"] + 0.15,
    "[long pause]": lambda tagged, plain: tagged["whole"]["silence"] > plain["whole"]["silence"] + 0.4,
    "[slow]": lambda tagged, plain: tagged["after"]["seconds"] > 1.1 * plain["after"]["seconds"],
    "[fast]": lambda tagged, plain: tagged["after"]["seconds"] < 0.9 * plain["after"]["seconds"],
    "[pitch up]": lambda tagged, plain: tagged["after"]["f0"] > 1.06 * plain["after"]["f0"],
    "[pitch down]": lambda tagged, plain: tagged["after"]["f0"] < 0.94 * plain["after"]["f0"],
    "[whispers]": lambda tagged, plain: tagged["after"]["voiced"] < 0.5 * plain["after"]["voiced"],
    "[shouting]": lambda tagged, plain: tagged["after"]["level"] > plain["after"]["level"] + 2,
    "[emphasis]": lambda tagged, plain: tagged["after"]["level"] > plain["after"]["level"] + 1,
    "[laughing]": lambda tagged, plain: tagged["whole"]["seconds"] > plain["whole"]["seconds"] + 0.4,
    "[sighs]": lambda tagged, plain: tagged["whole"]["seconds"] > plain["whole"]["seconds"] + 0.4,
}


def speech_figures(takes: Sequence[Known]) -> dict[str, float]:
    """What all takes of plain sentences together say; a figure that nothing measured is left out."""
    figures = {
        "takes": float(len(takes)),
        "WER": _share(takes, "word_errors", "words"),
        "CER": _share(takes, "character_errors", "characters"),
        "runaway or empty": float(np.mean([take["runaway"] or take["empty"] for take in takes])),
        "RTF": _share(takes, "spent", "seconds"),
    }
    for key, name in (("likeness", "likeness"), ("quality", "quality")):
        values = [take[key] for take in takes if take[key] is not None]
        if values:
            figures |= {name: float(np.mean(values)), f"{name}, spread": float(np.std(values))}
    named = [take["nearest"] == take["voice"] for take in takes if take["nearest"] is not None]
    if named:
        figures["right voice nearest"] = float(np.mean(named))
    return figures


def long_figures(takes: Sequence[Known]) -> dict[str, float]:
    """How like its voice a longer text stays: all of it, and its last third against its first."""
    likeness = [take["likeness"] for take in takes if take["likeness"] is not None]
    figures = {"WER": _share(takes, "word_errors", "words")}
    if likeness:
        third = max(1, len(likeness) // 3)
        figures |= {"likeness": float(np.mean(likeness)), "likeness, spread": float(np.std(likeness))}
        figures["drift"] = float(np.mean(likeness[-third:]) - np.mean(likeness[:third]))
    return figures


def tag_figures(pairs: Sequence[Sequence[Known]]) -> dict[str, float]:
    """From takes with a tag and without: how often it did what it says, and how often its own words were heard."""
    tag = pairs[0][0]["kind"]
    own = set(tag.strip("[]").split())
    moved = [MOVED[tag](tagged, plain) for tagged, plain in pairs]
    read = [bool(own & (set(tagged["heard"].split()) - set(plain["heard"].split()))) for tagged, plain in pairs]
    return {"performed": float(np.mean(moved)), "read aloud": float(np.mean(read))}


def table(figures: dict[str, dict[str, float]]) -> str:
    """Figures by group as lines of text."""
    lines = []
    for group, values in figures.items():
        told = ", ".join(f"{name} {_written(name, value)}" for name, value in values.items())
        lines.append(f"{group:<16} {told}")
    return "\n".join(lines)


def _written(name: str, value: float) -> str:
    shares = ("WER", "CER", "runaway or empty", "right voice nearest", "performed", "read aloud")
    if name in shares:
        return f"{100 * value:.1f} %"
    return f"{value:.0f}" if name == "takes" else f"{value:.2f}"


def _share(takes: Sequence[Known], part: str, whole: str) -> float:
    return sum(take[part] for take in takes) / max(1e-9, sum(take[whole] for take in takes))
