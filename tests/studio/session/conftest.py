"""A session on a tiny checkpoint, without a window."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.engine_thread import EngineThread
from studio.file_thread import FileThread
from studio.samples import PrintCache
from studio.session import Performing, Session
from tests.studio.session.stage import PATIENCE, Problems, Studio
from tests.tiny import write_tiny


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("tiny") / "tiny")


@pytest.fixture
def silent_studio(qtbot: QtBot, tmp_path: Path) -> Iterator[Studio]:
    """Without a checkpoint."""
    files, engine, seeds = FileThread(), EngineThread(), itertools.count(1)
    session = Session(files, PrintCache(tmp_path / "prints"))
    performing = Performing(session, engine, lambda: next(seeds))
    problems = Problems(performing)
    yield Studio(files, engine, session, performing, problems.told, qtbot)
    engine.close()
    files.close()


@pytest.fixture
def studio(silent_studio: Studio, tiny: Path, qtbot: QtBot) -> Studio:
    """With the tiny checkpoint."""
    with qtbot.waitSignal(silent_studio.engine.opened, timeout=PATIENCE) as signal:
        silent_studio.engine.open(tiny)
    silent_studio.session.engine = signal.args[0]
    return silent_studio
