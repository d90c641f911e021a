"""Work is done in order on a thread of its own; answers come here; closing loses nothing."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from studio.file_thread import FileThread


@pytest.fixture
def files(qapp: object) -> Iterator[FileThread]:
    thread = FileThread()
    yield thread
    thread.close()


def fail(error: Exception) -> None:
    raise error


def test_the_result_comes_back_on_this_thread(files: FileThread, qtbot: QtBot) -> None:
    where: list[QThread] = []
    results: list[QThread] = []

    def done(result: QThread) -> None:
        results.append(result)
        where.append(QThread.currentThread())

    with qtbot.waitSignal(files.finished) as signal:
        job = files.run(QThread.currentThread, done)
        assert files.busy
    assert signal.args == [job, results[0]]
    assert results[0].objectName() == "files"
    assert where == [QThread.currentThread()]
    assert not files.busy


def test_an_error_comes_back_with_its_job_and_the_thread_goes_on(files: FileThread, qtbot: QtBot) -> None:
    error = OSError("full")
    with qtbot.waitSignal(files.failed) as signal:
        job = files.run(partial(fail, error))
    assert signal.args == [job, error]
    with qtbot.waitSignal(files.finished):
        files.run(int)
    assert not files.busy


@pytest.mark.parametrize("work", [int, partial(fail, OSError("full"))], ids=["well", "badly"])
def test_what_a_job_is_for_is_known_until_it_is_answered(
    files: FileThread, qtbot: QtBot, work: Callable[[], object]
) -> None:
    known: list[str] = []
    for answer in (files.finished, files.failed):
        answer.connect(lambda number, _: known.append(files.doing(number)))
    job = files.run(work, doing="save")
    assert files.is_doing("save")
    assert not files.is_doing("open")
    qtbot.waitUntil(lambda: not files.busy)
    assert (known, files.doing(job), files.is_doing("save")) == (["save"], "", False)


def test_who_hears_of_an_error_is_the_only_one(files: FileThread, qtbot: QtBot) -> None:
    error, heard = OSError("full"), []
    with qtbot.assertNotEmitted(files.failed):
        files.run(partial(fail, error), heard.append, heard.append)
        qtbot.waitUntil(lambda: not files.busy)
    assert heard == [error]


def test_work_is_done_in_order(files: FileThread, qtbot: QtBot) -> None:
    begun: list[int] = []
    ended: list[int] = []
    gate = threading.Event()

    def begin(number: int) -> int:
        begun.append(number)
        return number

    files.run(partial(gate.wait, 10))
    for number in range(20):
        files.run(partial(begin, number), ended.append)
    assert begun == []
    gate.set()
    qtbot.waitUntil(lambda: not files.busy)
    assert begun == ended == list(range(20))


def test_closing_does_what_waits_and_hears_the_answers(qapp: object) -> None:
    files = FileThread()
    saved: list[str] = []
    errors: list[object] = []
    files.failed.connect(lambda _, error: errors.append(error))
    gate = threading.Event()
    files.run(partial(gate.wait, 10))
    files.run(partial(str, "last save"), saved.append)
    files.run(partial(fail, OSError("full")))
    gate.set()
    files.close()
    assert saved == ["last save"]
    assert len(errors) == 1
    assert not files.busy
    files.close()
    with pytest.raises(RuntimeError):
        files.run(int)


def test_nothing_is_held_once_it_is_done(files: FileThread, qtbot: QtBot) -> None:
    class Work:
        def __call__(self) -> int:
            return 1

    work: Callable[[], int] | None = Work()
    assert work is not None
    held = weakref.ref(work)
    with qtbot.waitSignal(files.finished):
        files.run(work)
    work = None
    with qtbot.waitSignal(files.finished):
        files.run(int)
    assert held() is None
