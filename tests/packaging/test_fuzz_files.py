"""A few hundred mutated files: each is opened or refused in plain words."""

from __future__ import annotations

from pathlib import Path

import fuzz_files


def test_mutated_files_are_opened_or_refused(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    figures = fuzz_files.fuzz(400, 1, folder)
    assert figures.total() == 400
    for kind in (".retake", ".take", ".journal"):
        assert figures[f"{kind} refused"]
