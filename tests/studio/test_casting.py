"""The user's wishes of the cast."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.request import Reference, Settings, Voice
from studio.casting import Casting
from studio.engine_thread import Opened
from studio.file_thread import FileThread
from studio.samples import PrintCache
from studio.session import Session


@pytest.fixture
def session(qapp: object, tmp_path: Path) -> Iterator[Session]:
    """An empty project, and a checkpoint with two voices."""
    files = FileThread()
    made = Session(files, PrintCache(tmp_path))
    voices = tuple(Voice(name, (Reference("As I said.", np.zeros((4, 3), np.int16)),)) for name in ("Heart", "Joe"))
    made.engine = Opened(tmp_path, "tiny", Settings(), voices, 300, 8000, 256, "CPU", "fp32", 1000, (10.0, 30.0))
    yield made
    files.close()


@pytest.fixture
def casting(session: Session) -> Casting:
    return Casting(session)


def test_everybody_gets_a_voice_of_their_own_as_long_as_there_are_some(session: Session, casting: Casting) -> None:
    for name in ("Mira", "Tom", "Ann", "Mira"):
        casting.add(name)
    cast = session.project.cast
    assert [(each.name, each.voice) for each in cast] == [("Mira", "Heart"), ("Tom", "Joe"), ("Ann", None)]
    assert len({each.colour for each in cast}) == 3
    assert [voice.name for voice in session.project.voices] == ["Heart", "Joe"]


def test_a_character_with_its_voice_is_one_step(session: Session, casting: Casting) -> None:
    casting.add("Mira")
    session.undo()
    assert session.project.cast == session.project.voices == ()
    casting.add("Mira")
    casting.give_voice("Mira", "Joe")
    assert session.project.cast[0].voice == "Joe"
    session.undo()
    assert session.project.cast[0].voice == "Heart"
    casting.give_voice("Mira", "nobody's")
    assert session.project.cast[0].voice == "Heart"


def test_voices_of_the_library_can_be_cast_and_come_along(session: Session, casting: Casting) -> None:
    ada = Voice("Ada", (Reference("As I said.", np.ones((4, 3), np.int16)),))
    session.library = (ada,)
    assert [voice.name for voice in session.voices()] == ["Ada", "Heart", "Joe"]
    casting.add("Mira")
    casting.give_voice("Mira", "Joe")
    casting.give_voice("Mira", "Ada")
    session.library = ()
    assert session.project.voice("Ada") is ada
    assert [voice.name for voice in session.voices()] == ["Ada", "Joe", "Heart"]
    session.library = (Voice("Ada", ()),)  # changed since: the project keeps what it carries
    assert session.voices()[0] is ada
