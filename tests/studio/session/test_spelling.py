"""The spelling of a project: what may have been meant comes once nobody types any more, for the lines it stands in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.document.lint import Learn, Rewrite
from studio.document.project import Line, LinePart
from studio.file_thread import FileThread
from studio.session.spelling import Spelling

LINE = Line("a", (LinePart("Mira", "I recieve it, Zed said, and zed knows."),))
NAMES = frozenset({"Zed Green"})


@pytest.fixture
def spelling(qapp: QApplication, qtbot: QtBot) -> Iterator[Spelling]:
    files, owner = FileThread(), QObject()
    made = Spelling(files, owner)
    made.speak("en_US")
    assert made.findings(LINE, NAMES) == ()
    with qtbot.waitSignal(made.learned) as told:
        pass
    assert told.args == [None]
    yield made
    files.close()


def test_what_was_meant_comes_later(spelling: Spelling, qtbot: QtBot) -> None:
    (found,) = spelling.findings(LINE, NAMES)
    assert LINE.text[found.start : found.stop] == "recieve"
    assert found.fixes == (Learn("recieve"),)
    with qtbot.waitSignal(spelling.learned) as told:
        pass
    assert told.args == [frozenset({"a"})]
    (found,) = spelling.findings(LINE, NAMES)
    assert Rewrite("Make it “receive”", found.start, found.stop, "receive") in found.fixes


def test_own_words_are_right(spelling: Spelling) -> None:
    assert spelling.know(frozenset({"recieve"}))
    assert not spelling.know(frozenset({"recieve"}))
    assert spelling.findings(LINE, NAMES) == ()


def test_without_a_dictionary_nothing_is_unknown(spelling: Spelling, qtbot: QtBot) -> None:
    with qtbot.waitSignal(spelling.learned) as told:
        spelling.speak("tlh_QO")
    assert told.args == [None]
    assert spelling.findings(LINE, NAMES) == ()
    with qtbot.waitSignal(spelling.learned):
        spelling.speak("en_US")
    assert len(spelling.findings(LINE, NAMES)) == 1
