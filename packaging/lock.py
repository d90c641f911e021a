"""Makes the lock files anew from pyproject.toml: `.venv/bin/pip install uv`, then `.venv/bin/python packaging/lock.py`.

lock.txt is what runs, lock-test.txt is that and what tests need. Both hold for Linux, macOS and Windows and for every
Python that Retake runs on. torch stands in them without its GPU libraries: the bootstrap chooses its build.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TORCH = "2.13.0"
LEFT_OUT = re.compile(r"(nvidia-|cuda-|triton)|.* ; .*sys_platform == 'emscripten'")


def lock(name: str, *options: str) -> None:
    """Writes packaging/NAME; newer versions than those locked are taken only when the file was deleted before."""
    path = ROOT / "packaging" / name
    command = ["-m", "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--no-header",
               "--no-annotate", "--no-emit-index-url", "--constraint", "-", *options, "pyproject.toml"]  # fmt: skip
    held = path.read_text("utf-8") if path.exists() else ""
    made = subprocess.run([sys.executable, *command], cwd=ROOT, input=f"torch=={TORCH}\n{held}", text=True,
                          stdout=subprocess.PIPE, check=True)  # fmt: skip
    lines = [line for line in made.stdout.splitlines() if not LEFT_OUT.match(line)]
    path.write_text("# Made by packaging/lock.py\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    lock("lock.txt")
    lock("lock-test.txt", "--extra", "test", "--constraint", "packaging/lock.txt")
