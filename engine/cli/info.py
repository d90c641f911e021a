"""`info`: what a checkpoint is and what it takes on this machine."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from engine.cli.output import print_json, print_text


def run(options: Namespace) -> int:
    """Print what the engine says of the checkpoint."""
    from engine.speech import Engine  # torch takes seconds to import: only now

    facts = Engine.open(options.checkpoint, options.device, options.precision, options.compile).info()
    if options.json:
        print_json(facts)
    else:
        for line in _lines(facts):
            print_text(line)
    return 0


def _lines(facts: dict[str, Any], indent: str = "") -> list[str]:
    lines = []
    for name, value in facts.items():
        label = indent + name.removesuffix("_bytes").replace("_", " ")
        if isinstance(value, dict):
            lines += [label, *_lines(value, indent + "  ")]
        else:
            lines.append(f"{label:<24}{_shown(name, value)}")
    return lines


def _shown(name: str, value: Any) -> str:
    if name.endswith("_share"):
        return f"{value:.0%}"
    if name.endswith("_bytes") and value is not None:
        return f"{value / 2**30:.2f} GB" if value >= 2**30 else f"{value / 2**20:.1f} MB"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
