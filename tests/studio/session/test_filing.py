"""Opened, saved, looked at, copied: whoever has a project open, and whatever became of its file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.document import lock as locks
from studio.document.edits import SetTitle
from studio.document.file import ChangedUnderneathError, ProjectFileError, load, save
from studio.document.history import History
from studio.document.journal import Recovered, Standing
from studio.document.lock import Holder, LockedError, place_of, take_lock
from studio.document.members import step_rows
from studio.document.project import Line, LinePart, Project, Scene
from studio.session.filing import (
    Backups,
    Opening,
    keep_backup,
    open_project,
    recover_project,
    save_project,
)

START = History.start(Project("Play", (Scene("One", (Line("a", (LinePart("Ada", "Hello."),)),)),)))


def take(seed: int) -> Take:
    codes = np.random.default_rng(seed).integers(0, 1024, (10, 6)).astype(np.int16)
    origin = Origin(Prompt((Part(0, "Hello."),)), "digest", seed, Settings(), How.GENERATED, 44_100, 2_048)
    data = np.ones((2, 6), np.float32)
    return Take(codes, origin, FrameData(data, data))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "play.retake"
    save(made, START, (take(1),))
    return made


def journal(history: History, path: Path | None, seal: str, *takes: Take, saved: int | None = 0) -> Recovered:
    standing = Standing(history.at, history.tip, saved, str(path) if path else None, seal)
    return Recovered(Path("x.journal"), history, standing, step_rows(history, (), ()), takes, len(takes), (), 0.0)


def test_who_works_in_a_project_has_its_lock_until_they_leave(path: Path) -> None:
    opened = open_project(path, Opening.TO_WORK)
    assert not opened.in_file.read_only
    with pytest.raises(LockedError):
        open_project(path, Opening.TO_WORK)
    assert open_project(path, Opening.READ_ONLY).in_file.read_only
    copy = open_project(path, Opening.AS_COPY)
    assert (copy.in_file.path, copy.history.saved) == (None, None)
    forced = open_project(path, Opening.BY_FORCE)
    forced.in_file.leave()
    assert not place_of(path).exists()


def test_who_has_a_project_open_can_read_it_again(path: Path, tmp_path: Path) -> None:
    first = open_project(path, Opening.TO_WORK)
    again = open_project(path, Opening.TO_WORK, first.in_file.lock)
    assert again.in_file.lock is first.in_file.lock
    path.write_bytes(b"nothing")
    with pytest.raises(ProjectFileError):
        open_project(path, Opening.TO_WORK, first.in_file.lock)
    assert place_of(path).exists(), "it is still open"
    save(tmp_path / "other.retake", START, ())
    other = open_project(tmp_path / "other.retake", Opening.TO_WORK, first.in_file.lock)
    assert other.in_file.lock is not first.in_file.lock
    first.in_file.leave()
    other.in_file.leave()


def test_a_project_that_cannot_be_read_is_not_locked(path: Path) -> None:
    path.write_bytes(b"nothing")
    with pytest.raises(ProjectFileError):
        open_project(path, Opening.TO_WORK)
    assert not place_of(path).exists()


def test_where_nothing_can_be_written_a_project_can_be_looked_at(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(locks.os, "open", refuse)
    opened = open_project(path, Opening.TO_WORK)
    assert opened.in_file.read_only
    with pytest.raises(OSError, match="Read-only"):
        save_project(path, opened.history, opened.takes, opened.in_file, False)


def test_a_save_elsewhere_takes_the_lock_along(path: Path, tmp_path: Path) -> None:
    opened = open_project(path, Opening.TO_WORK)
    other = tmp_path / "other.retake"
    moved = save_project(other, opened.history, opened.takes, opened.in_file, False)
    assert not place_of(path).exists()
    assert moved.path == other
    take_lock(path).release()
    with pytest.raises(LockedError):
        take_lock(other)
    moved.leave()


def test_a_save_over_what_somebody_has_open_or_changed_is_asked_for_first(path: Path, tmp_path: Path) -> None:
    mine = open_project(path, Opening.TO_WORK)
    place_of(tmp_path / "theirs.retake").write_text('{"host": "elsewhere", "process": 1, "began": 1.0}')
    with pytest.raises(LockedError):
        save_project(tmp_path / "theirs.retake", mine.history, mine.takes, mine.in_file, False)
    assert not (tmp_path / "theirs.retake").exists()
    save(path, START.do(SetTitle("Theirs")), ())
    with pytest.raises(ChangedUnderneathError):
        save_project(path, mine.history, mine.takes, mine.in_file, False)
    assert load(path).history.project.title == "Theirs"
    after = save_project(path, mine.history, mine.takes, mine.in_file, True)
    assert load(path).history.project.title == "Play"
    save_project(path, mine.history, mine.takes, after, False).leave()


def test_a_save_that_fails_leaves_lock_and_file_as_they_were(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_project(path, Opening.TO_WORK)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("engine.whole_file.os.fsync", full)
    for place in (path, tmp_path / "other.retake"):
        with pytest.raises(OSError, match="No space"):
            save_project(place, opened.history, opened.takes, opened.in_file, False)
    assert sorted(each.name for each in tmp_path.iterdir()) == [".play.retake.lock", "play.retake"]
    opened.in_file.leave()


def test_backups_are_made_or_not(path: Path, tmp_path: Path) -> None:
    keep_backup(path, Backups(tmp_path / "none", None))
    keep_backup(path, Backups(tmp_path / "some", 10))
    assert not (tmp_path / "none").exists()
    assert len(list((tmp_path / "some").rglob("*.retake"))) == 1
    keep_backup(path, Backups(tmp_path / "others", None), over_others=True)
    assert len(list((tmp_path / "others").rglob("*.retake"))) == 1


def test_a_recovered_project_has_the_takes_of_file_and_journal(path: Path) -> None:
    seal = load(path).written.seal
    opened = recover_project(journal(START.do(SetTitle("Second")), path, seal, take(1), take(2)))
    assert [each.id for each in opened.takes] == [take(1).id, take(2).id]
    assert opened.in_file.path == path
    save_project(path, opened.history, opened.takes, opened.in_file, False).leave()
    assert load(path).history.project.title == "Second"


def test_a_file_changed_since_the_journal_was_written_is_not_saved_over_unasked(path: Path) -> None:
    opened = recover_project(journal(START, path, "another seal"))
    assert opened.history.saved is None
    with pytest.raises(ChangedUnderneathError):
        save_project(path, opened.history, opened.takes, opened.in_file, False)
    opened.in_file.leave()


def test_a_file_that_is_gone_damaged_or_open_elsewhere_costs_no_work(path: Path) -> None:
    lock = take_lock(path)
    assert lock.holder == Holder.me()
    elsewhere = recover_project(journal(START, path, "", take(2)))
    assert (elsewhere.in_file.path, len(elsewhere.takes), elsewhere.missing) == (None, 2, None)
    lock.release()
    path.write_bytes(b"nothing")
    damaged = recover_project(journal(START, path, "", take(2)))
    assert (damaged.in_file.path, len(damaged.takes), type(damaged.missing)) == (None, 1, ProjectFileError)
    path.unlink()
    gone = recover_project(journal(START, path, "", take(2)))
    assert (gone.in_file.path, len(gone.takes), type(gone.missing)) == (None, 1, FileNotFoundError)
    never_saved = recover_project(journal(START, None, "", take(2)))
    assert (never_saved.in_file.path, never_saved.missing) == (None, None)


def test_who_recovers_a_project_that_is_open_goes_on_in_its_file(path: Path) -> None:
    seal = load(path).written.seal
    mine = open_project(path, Opening.TO_WORK)
    opened = recover_project(journal(START.do(SetTitle("Second")), path, seal), mine.in_file.lock)
    assert (opened.in_file.path, opened.in_file.lock) == (path, mine.in_file.lock)
    mine.in_file.leave(opened.in_file.lock)
    assert place_of(path).exists()
    save_project(path, opened.history, opened.takes, opened.in_file, False).leave()


@pytest.mark.parametrize("over_others", [False, True])
def test_a_path_spelled_another_way_leads_to_the_same_project(
    path: Path, monkeypatch: pytest.MonkeyPatch, over_others: bool
) -> None:
    monkeypatch.chdir(path.parent)
    opened = open_project(Path("play.retake"), Opening.TO_WORK)
    assert open_project(path, Opening.TO_WORK, opened.in_file.lock).in_file.lock is opened.in_file.lock
    now = save_project(path, opened.history, opened.takes, opened.in_file, over_others)
    assert (now.path, now.lock) == (path, opened.in_file.lock)
    assert place_of(path).exists()
    now.leave()
    assert not place_of(path).exists()
    looked_at = open_project(Path("play.retake"), Opening.READ_ONLY)
    assert looked_at.in_file.is_at(path)
    assert not looked_at.in_file.is_at(path.with_name("other.retake"))
