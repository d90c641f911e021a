"""Files are there whole or not at all, whoever else writes them and wherever they lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.whole_file import WholeFile, try_place


def test_two_that_write_one_file_both_write_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    other = f"""
from pathlib import Path
from engine.whole_file import WholeFile
with WholeFile(Path({str(path)!r})) as file:
    file.write(b"other" * 1000)
"""
    with WholeFile(path) as file:
        file.write(b"one" * 1000)
        subprocess.run([sys.executable, "-c", other], check=True, cwd=Path(__file__).parents[2])
        assert path.read_bytes() == b"other" * 1000
        file.write(b"one" * 1000)
    assert path.read_bytes() == b"one" * 2000
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_process_left_goes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    mine = WholeFile(path).beside
    left = mine.with_name(mine.name.replace(str(os.getpid()), str(dead.pid)))
    left.write_bytes(b"half")
    with WholeFile(path) as file:
        file.write(b"whole")
    assert list(tmp_path.iterdir()) == [path]


def test_links_long_names_and_protected_places(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    link = tmp_path / "link"
    link.symlink_to(path)
    with WholeFile(link) as file:
        file.write(b"through the link")
    assert link.is_symlink()
    assert path.read_bytes() == b"through the link"
    with pytest.raises(OSError, match=r"device|folder"):
        try_place(Path(os.devnull))
    with pytest.raises(IsADirectoryError):
        try_place(tmp_path)
    assert not Path(os.devnull).is_file()


def test_a_place_is_tried_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    try_place(tmp_path / "a")
    try_place(tmp_path / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"
    with pytest.raises(FileNotFoundError):
        try_place(tmp_path / "no" / "a")
