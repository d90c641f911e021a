"""`python -m studio import`, without a window."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.__main__ import main
from studio.document.file import load

SCREENPLAY = "INT. PIER - NIGHT\n\nThe lamp turns.\n\nMIRA\n(tired)\nWho is there?\n"


def test_a_script_becomes_a_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, out = tmp_path / "pier.fountain", tmp_path / "pier.retake"
    script.write_text(SCREENPLAY)
    assert main(["import", str(script), "-o", str(out), "--remarks", "directions", "--action"]) == 0
    project = load(out).history.project
    assert [(line.character, line.text, line.direction) for line in project.lines()] == [
        ("Narrator", "The lamp turns.", ""),
        ("MIRA", "Who is there?", "tired"),
    ]
    assert "1 scene, 2 lines, 2 characters" in capsys.readouterr().out


def test_a_failure_says_why_and_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, out = tmp_path / "pier.pdf", tmp_path / "pier.retake"
    script.write_bytes(b"no pdf")
    assert main(["import", str(script), "-o", str(out)]) == 1
    assert "damaged" in capsys.readouterr().err
    assert not out.exists()
