"""One process at a time has a project open; locks of processes that are no more are nobody's."""

from __future__ import annotations

import errno
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from studio.document import lock as locks
from studio.document.encoding import plain
from studio.document.lock import Holder, LockedError, place_of, take_lock


def put(path: Path, holder: Holder) -> None:
    place_of(path).write_text(json.dumps(plain(holder)))


def test_a_locked_project_is_told_by_host_and_process(tmp_path: Path) -> None:
    path = tmp_path / "楚心.retake"
    lock = take_lock(path)
    assert place_of(path).exists()
    with pytest.raises(LockedError, match=rf"楚心.retake is open in Retake on .* \(process {os.getpid()}\)") as caught:
        take_lock(path)
    assert caught.value.holder == Holder.me()
    lock.release()
    assert list(tmp_path.iterdir()) == []
    take_lock(path).release()


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "play.retake"
    for dead in (replace(Holder.me(), process=999_999_999), replace(Holder.me(), began=1.0)):
        put(path, dead)
        lock = take_lock(path)
        assert lock.holder == Holder.me()
        assert [each.name for each in tmp_path.iterdir()] == [".play.retake.lock"]
        lock.release()


def test_another_machine_cannot_be_asked_but_overruled(tmp_path: Path) -> None:
    path = tmp_path / "play.retake"
    put(path, Holder("elsewhere", 1, 1.0))
    with pytest.raises(LockedError, match="elsewhere"):
        take_lock(path)
    lock = take_lock(path, by_force=True)
    put(path, Holder("elsewhere", 1, 2.0))
    lock.release()
    assert place_of(path).exists(), "it is theirs now"


def test_an_empty_lock_is_somebodys_for_a_moment(tmp_path: Path) -> None:
    path = tmp_path / "play.retake"
    place_of(path).write_bytes(b"")
    with pytest.raises(LockedError):
        take_lock(path)
    os.utime(place_of(path), (time.time() - 60, time.time() - 60))
    take_lock(path).release()


@pytest.mark.parametrize("content", [b"[" * 5_000, b"\xff\xfe", b"{}", b'{"host": 1}'])
def test_a_lock_that_says_nothing_is_nobodys_after_a_moment(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "play.retake"
    place_of(path).write_bytes(content)
    os.utime(place_of(path), (1, 1))
    take_lock(path).release()


def test_who_finds_it_second_gives_back_what_the_first_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "play.retake"
    put(path, replace(Holder.me(), process=999_999_999))
    real, calls = locks._holder_at, 0

    def slow(place: Path) -> Holder | None:
        nonlocal calls
        calls += 1
        found = real(place)
        if calls == 1:
            put(path, Holder.me())  # the other was quicker
        return found

    monkeypatch.setattr(locks, "_holder_at", slow)
    with pytest.raises(LockedError):
        take_lock(path)
    assert real(place_of(path)) == Holder.me()


def test_where_no_lock_can_be_written_that_is_the_systems_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(locks.os, "open", refuse)
    with pytest.raises(OSError, match="Read-only"):
        take_lock(tmp_path / "play.retake")


def test_a_long_name_has_a_lock_too(tmp_path: Path) -> None:
    take_lock(tmp_path / f"{'楚' * 80}.retake").release()


def test_it_is_the_same_lock_however_the_path_is_spelled(tmp_path: Path) -> None:
    path = tmp_path / "play.retake"
    path.touch()
    (tmp_path / "linked.retake").symlink_to(path)
    (tmp_path / "other.retake").touch()
    lock = take_lock(path)
    assert lock.is_of(tmp_path / "linked.retake")
    assert lock.is_of(tmp_path / "scenes" / ".." / "play.retake")
    assert not lock.is_of(tmp_path / "other.retake")
    place_of(tmp_path / "same.retake").hardlink_to(lock.place)  # as the same name in capitals is the same, where it is
    assert lock.is_of(tmp_path / "same.retake")
