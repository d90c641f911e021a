"""Every error becomes three plain sentences; what is unknown is called a bug and brings its traceback."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from engine.errors import (
    AudioError,
    CheckpointError,
    DeviceError,
    EngineError,
    RequestError,
    ScriptError,
    TakeFileError,
    TooLongError,
)
from studio.document.edits import CharacterNameError
from studio.document.file import ChangedUnderneathError, NewerProjectError, ProjectFileError
from studio.document.journal import JournalError, UnreadableJournalError
from studio.document.lock import Holder, LockedError
from studio.library.share import VoiceFileError
from studio.library.store import LibraryError
from studio.problems import SoundDeviceError, explain

HERE = Path("play.retake")


class OutOfMemoryError(RuntimeError):
    """Named like torch's."""


def system_error(number: int) -> OSError:
    return OSError(number, os.strerror(number), str(HERE))


KNOWN = [
    CheckpointError("model.safetensors is cut short.", Path("model.safetensors")),
    AudioError("This is no audio file.", HERE),
    TakeFileError("This is no take.", HERE),
    ScriptError("There is nothing to speak in this line.", 3),
    RequestError("The span is empty."),
    TooLongError("The prompt is too long.", 40_000, 32_768),
    DeviceError("There is no such device.", 10, 5),
    EngineError("Something plain."),
    ProjectFileError("play.retake is damaged.", HERE),
    NewerProjectError("play.retake was written by a newer Retake.", HERE),
    ChangedUnderneathError("play.retake was changed by another program.", HERE),
    LockedError(HERE, Holder("elsewhere", 7, 1.0)),
    LockedError(HERE, None),
    JournalError("The journal cannot be written: database or disk is full.", HERE),
    UnreadableJournalError("The journal x is damaged.", HERE),
    CharacterNameError("There is already a character named Ada."),
    VoiceFileError("Ada.voice is not a voice file, or it is damaged.", HERE),
    LibraryError("The voice library can only be read now: another copy of Retake has it open."),
    SoundDeviceError("Headset is not connected. Choose another output."),
    MemoryError(),
    RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes."),
    OutOfMemoryError("CUDA out of memory"),
    *(system_error(each) for each in (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO, errno.ENOENT, errno.ELOOP)),
]


@pytest.mark.parametrize("error", KNOWN, ids=repr)
def test_what_is_known_is_told_in_plain_sentences(error: Exception) -> None:
    problem = explain(error, "save the project")
    for sentence in (problem.title, problem.meaning, problem.action):
        assert sentence.endswith(".")
        assert "Errno" not in sentence
        assert "mistake in Retake" not in sentence
    assert type(error).__name__ in problem.details


def test_a_voice_that_cannot_be_shared_says_what_to_do() -> None:
    problem = explain(VoiceFileError("The recordings of this voice are too long.", HERE), "share the voice Ada")
    assert (problem.meaning, problem.action) == ("No file was written.", "Trim its recordings, or take some out of it.")


def test_an_engine_error_says_its_own_sentence() -> None:
    assert explain(KNOWN[0]).title == "model.safetensors is cut short."
    assert "40,000" in explain(KNOWN[5]).meaning


def test_a_system_error_says_what_failed_why_and_where() -> None:
    problem = explain(system_error(errno.ENOSPC), "save the project")
    assert problem.title == "Retake could not save the project: the disk is full (play.retake)."
    assert problem.button == "Save a copy"
    assert explain(system_error(errno.EACCES)).title.startswith("Retake could not use a file: it is not allowed to")


def test_what_is_unknown_is_a_bug_with_a_report() -> None:
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError as error:
        problem = explain(error, "draw the wave")
    assert problem.title == "Retake met an error while trying to draw the wave."
    assert problem.button == "Copy report"
    assert "test_problems.py" in problem.details
    assert "ZeroDivisionError: by zero" in problem.details
