"""Files are there whole or not at all, whoever else writes them and wherever they lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from engine import whole_file
from engine.whole_file import WholeFile, reachable, try_place, with_windows_prefix


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
    left = mine.with_name(f"{mine.name.removesuffix(f'{os.getpid()}.part')}{dead.pid}.part")
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


@pytest.mark.parametrize(
    ("path", "prefixed"),
    [
        ("C:\\Users\\楚心\\נועה.retake", "\\\\?\\C:\\Users\\楚心\\נועה.retake"),
        ("C:/Users/ada/../楚心/./a.retake", "\\\\?\\C:\\Users\\楚心\\a.retake"),
        ("\\\\server\\share\\a.retake", "\\\\?\\UNC\\server\\share\\a.retake"),
        ("//server/share/x/../a", "\\\\?\\UNC\\server\\share\\a"),
        ("\\\\?\\C:\\a", "\\\\?\\C:\\a"),
        ("C:\\" + "ü" * 300, "\\\\?\\C:\\" + "ü" * 300),
    ],
)
def test_a_path_of_windows_may_be_long_with_a_prefix(path: str, prefixed: str) -> None:
    assert with_windows_prefix(path) == prefixed
    assert with_windows_prefix(prefixed) == prefixed
    assert with_windows_prefix("\\\\.\\COM1") == "\\\\.\\COM1"
    assert str(PureWindowsPath(prefixed).with_name("b")).startswith(prefixed[:7])


def test_only_windows_and_only_long_paths_need_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    far = tmp_path / ("楚" * 200)
    assert reachable(far) == far
    monkeypatch.setattr(whole_file.sys, "platform", "win32")
    assert reachable(Path("/a")) == Path("/a")
    assert str(reachable(far)) == with_windows_prefix(str(far))
    monkeypatch.chdir(tmp_path)
    assert str(reachable(Path("楚" * 200))) == with_windows_prefix(str(far)), "a short one may be part of a long one"


def test_what_is_made_beside_a_path_without_a_prefix_is_short_enough_for_windows() -> None:
    longest = PureWindowsPath("C:\\" + "d" * (whole_file._LONGEST_PLAIN_PATH - 8) + "\\n")
    assert len(str(longest)) < whole_file._LONGEST_PLAIN_PATH
    beside = WholeFile(Path(longest.name)).beside.name
    assert len(str(longest.with_name(beside.replace(str(os.getpid()), str(2**32))))) < 260
    assert len(str(longest / "sound" / f"001 {'n' * 80}.wav")) < 260  # of a collected project
