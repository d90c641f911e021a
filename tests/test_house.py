"""The house rules that a machine can check: types, style, sizes, names, and what no text of the project may hold."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = ("engine", "studio", "packaging", "tests")
LONGEST = 500
VAGUE = re.compile(r"(utils?|helpers?|common|misc|base|core|manager)")
LEFT_OPEN = re.compile(
    r"\b(TO[D]O|FIX[M]E|XX[X]|raise NotImplemented[E]rror)\b|pytest[.]mark[.](skip|xfail)|pytest[.]skip\("
)


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", *CODE), ("mypy", *CODE[:3])],
    ids=["ruff", "mypy"],
)
def test_clean(command: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_is_long() -> None:
    lengths = {
        path.relative_to(ROOT): len(path.read_text("utf-8").splitlines()) for path in sources("engine", "studio")
    }
    assert not {str(path): lines for path, lines in lengths.items() if lines > LONGEST}


def test_names_say_something() -> None:
    names = {part for path in sources(*CODE) for part in path.relative_to(ROOT).with_suffix("").parts}
    assert not {name for name in names if VAGUE.fullmatch(name)}


def test_nothing_is_left_open() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources(*CODE)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if LEFT_OPEN.search(line)
    ]
    assert not found
