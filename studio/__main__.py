"""`python -m studio [FILE]`: open the window, on a project, a script, or the example."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """The studio's entry point; the exit code is the event loop's."""
    parser = argparse.ArgumentParser(prog="retake", description="A studio for drafting spoken dialogue.")
    parser.add_argument("file", nargs="?", type=Path, help="a .retake project, or a script as plain text")
    parser.add_argument("--checkpoint", type=Path, help="the folder of the checkpoint that speaks")
    parser.add_argument("--device", help="cuda, mps or cpu; chosen by itself otherwise")
    parser.add_argument("--precision", choices=("fp32", "bf16", "fp16", "int8"), help="chosen by itself otherwise")
    told = parser.parse_args(arguments)

    from studio.app import run

    return run(told.file, told.checkpoint, told.device, told.precision)


if __name__ == "__main__":
    sys.exit(main())
