"""What a project's file was before it was saved over is kept, ten times over."""

from __future__ import annotations

import errno
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from studio.document import backups
from studio.document.backups import GENERATIONS, back_up, backups_of

NOON = datetime(2026, 11, 30, 12)


def test_ten_generations_are_kept_the_newest_first(tmp_path: Path) -> None:
    path, folder = tmp_path / "楚心.retake", tmp_path / "backups"
    assert back_up(path, folder, 0, NOON) is None
    for number in range(GENERATIONS + 3):
        path.write_text(str(number))
        assert back_up(path, folder, 0, NOON + timedelta(minutes=number)) is not None
    assert [each.read_text() for each in backups_of(path, folder)] == [str(number) for number in range(12, 2, -1)]


def test_one_in_an_interval_is_enough(tmp_path: Path) -> None:
    path, folder = tmp_path / "play.retake", tmp_path / "backups"
    path.write_text("1")
    for minutes in (0, 3, 9, 10, 12, 21):
        back_up(path, folder, 10, NOON + timedelta(minutes=minutes))
    names = [each.name for each in backups_of(path, folder)]
    assert names == ["2026-11-30 12-21-00.retake", "2026-11-30 12-10-00.retake", "2026-11-30 12-00-00.retake"]
    assert back_up(path, folder, 0, NOON) is None, "a second has one"


def test_projects_of_one_name_have_backups_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "play.retake").write_text(name)
        back_up(tmp_path / name / "play.retake", folder, 0, NOON)
    assert [each.read_text() for each in backups_of(tmp_path / "b" / "play.retake", folder)] == ["b"]


def test_what_is_no_backup_is_left_alone(tmp_path: Path) -> None:
    path, folder = tmp_path / "play.retake", tmp_path / "backups"
    path.write_text("1")
    place = back_up(path, folder, 0, NOON)
    assert place is not None
    (place.parent / "mine.retake").write_text("keep")
    for number in range(1, 20):
        back_up(path, folder, 0, NOON + timedelta(hours=number))
    assert (place.parent / "mine.retake").exists()
    assert len(list(place.parent.iterdir())) == GENERATIONS + 1


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = tmp_path / "play.retake", tmp_path / "backups"
    path.write_text("1")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(backups.shutil, "copyfileobj", full)
    with pytest.raises(OSError, match="No space"):
        back_up(path, folder, 0, NOON)
    assert backups_of(path, folder) == ()


def test_a_clock_that_was_ahead_once_stops_no_backup(tmp_path: Path) -> None:
    path, folder = tmp_path / "play.retake", tmp_path / "backups"
    path.write_text("1")
    back_up(path, folder, 10, NOON + timedelta(days=365))
    for number in range(GENERATIONS + 2):
        assert back_up(path, folder, 10, NOON + timedelta(minutes=10 * number)) is not None
    assert all(each.name < "2027" for each in backups_of(path, folder))
