"""A project follows what is changed of its voices in the library, and only that project, and only those voices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.request import Reference, Voice
from studio.document.edits import SetVoices
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.file_thread import FileThread
from studio.library.voices import Clip, LibraryVoice, as_cast, codes_key
from studio.samples import PrintCache
from studio.session import Session
from studio.voice_following import VoiceFollowing

CODEC = "codec"
CLIP = Clip("aa", "a.wav", 44_100, 1, 44_100, "WAV", (0, 44_100), "As I said.")
BEFORE = LibraryVoice("v1", "Ada", (CLIP,))
AFTER = replace(BEFORE, clips=(replace(CLIP, trim=(0, 30_000)),))
QUITE_ANOTHER = Voice("Ada", (Reference("Quite another Ada.", np.full((10, 7), 3, np.int16)),), CODEC)


@pytest.fixture
def session(qapp: object, tmp_path: Path) -> Iterator[Session]:
    files = FileThread()
    yield Session(files, PrintCache(tmp_path / "prints"))
    files.close()


def begin_another(session: Session) -> None:
    session.start(replace(session.project, title="Another", voices=(QUITE_ANOTHER,)))


def cast_another(session: Session) -> None:
    session.do(SetVoices((QUITE_ANOTHER,)))


@pytest.mark.parametrize("meanwhile", [begin_another, cast_another])
def test_another_voice_of_that_name_is_not_changed(session: Session, meanwhile: Callable[[Session], None]) -> None:
    codes = {codes_key(CLIP, CODEC): np.ones((10, 5), np.int16)}
    following = VoiceFollowing(session, lambda voice: as_cast(voice, codes, CODEC))
    ada = as_cast(BEFORE, codes, CODEC)
    assert ada is not None
    scene = Scene("", (Line("line", (LinePart("Ada", "Hello."),)),))
    session.start(Project("One", (scene,), (Character("Ada", 0, "Ada"),), (ada,)))
    following.note(BEFORE)
    following.follow((AFTER,))  # its codes are still being made
    meanwhile(session)
    steps = len(session.history.steps)
    codes[codes_key(AFTER.clips[0], CODEC)] = np.full((10, 4), 2, np.int16)
    following.follow((AFTER,))
    assert session.project.voice("Ada") == QUITE_ANOTHER
    assert len(session.history.steps) == steps
