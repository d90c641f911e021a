"""The program is killed while it works, and nothing is missing that it had reported done."""

from __future__ import annotations

from pathlib import Path

import crash_test
import pytest


@pytest.mark.parametrize("seed", [4, 8])  # from before the voice model is there: the others take longer
def test_nothing_reported_done_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(crash_test, "LONGEST", 3.0)
    crash_test.kill_once(tmp_path, seed)


def test_what_is_lost_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps were reported, and there is neither a journal nor a file."""
    with pytest.raises(crash_test.LostError, match="the journal"):
        crash_test._compare(
            tmp_path, tmp_path / "x.retake", [{"steps": [1, 2], "takes": [], "candidates": [], "frames": 0}]
        )


def test_what_was_over_before_the_end_is_not_missed() -> None:
    text = '{"candidates": ["a"], "frames": 3}\n{"over": "frames"}\n{"over": "candidates"}\n{"over": "fr'
    assert crash_test.reports_in('{"over": "frames"}\n' + text) == [{"candidates": [], "frames": 0}]
