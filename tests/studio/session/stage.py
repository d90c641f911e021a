"""What the tests of the session work with: a small project, and all that belongs to a session but the window."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Slot
from pytestqt.qtbot import QtBot

from engine.request import Reference, Settings, Voice
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.engine_thread import EngineThread, Urgency
from studio.file_thread import FileThread
from studio.session import Performing, Session
from tests.tiny import CODEBOOKS

PATIENCE = 60_000  # ms: torch is imported meanwhile


@dataclass
class Studio:
    files: FileThread
    engine: EngineThread
    session: Session
    performing: Performing
    told: list[tuple[Exception, str]]
    qtbot: QtBot

    def until(self, so: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(so()), timeout=PATIENCE)

    def until_idle(self) -> None:
        self.until(lambda: not (self.performing.job or self.performing._prints or self.files.busy))

    def hold_engine(self) -> threading.Event:
        """What is asked for from now on waits until this is set, so that no machine is too fast or too busy for what is
        to happen before."""
        gate = threading.Event()

        def events(_: object) -> Iterator[object]:
            gate.wait(PATIENCE / 1000)
            return iter(())

        self.engine._add(Urgency.AWAITED, events)
        return gate

    def line(self, number: int) -> Line:
        """Lines are counted from 1."""
        return self.session.project.lines()[number - 1]

    def ids(self) -> tuple[str, ...]:
        return tuple(line.id for line in self.session.project.lines())


class Problems(QObject):
    def __init__(self, performing: Performing) -> None:
        super().__init__()
        self.told: list[tuple[Exception, str]] = []
        performing.problem.connect(self.hear)

    @Slot(object, str)
    def hear(self, error: Exception, doing: str) -> None:
        self.told.append((error, doing))


def project(*texts: str, frames: int = 24) -> Project:
    """Lines of two characters in turn, each take so many frames long."""
    settings = Settings(most_frames=frames)
    cast = tuple(Character(name, number, name, settings) for number, name in enumerate(("Mira", "Tom")))
    voices = tuple(
        Voice(each.name, (Reference("As I said.", np.full((CODEBOOKS, 6), each.colour, np.int16)),)) for each in cast
    )
    lines = tuple(Line(f"line{number}", (LinePart(cast[number % 2].name, text),)) for number, text in enumerate(texts))
    return Project("Play", (Scene("", lines),), cast, voices)
