"""Sees to it that every take that can be heard has its words on its frames, as far as the engine can tell."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from engine.request import Failed
from studio.engine_thread import Aligned, EngineThread
from studio.session.session import Session


class Alignments(QObject):
    """Asks the engine for a take's alignment as soon as its print is there; the session keeps what comes."""

    problem = Signal(object, str)  # an error, and what failed

    def __init__(self, session: Session, engine: EngineThread, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._engine = engine
        self._asked: dict[int, str] = {}
        session.printed.connect(self._ask)
        engine.answered.connect(self._hear)

    @Slot()
    def ask_for_all(self) -> None:
        """Another checkpoint is there: it may know the takes that the one before did not."""
        for take in self._session.store:
            self._ask(take.id)

    @Slot(str)
    def _ask(self, take_id: str) -> None:
        session = self._session
        held, opened = session.print_of(take_id), session.engine
        if held is None or opened is None or take_id not in session.store or take_id in self._asked.values():
            return
        take = session.store.get(take_id)
        known = session.alignment_of(take_id) is not None
        whole = len(held.samples) == take.frames * take.origin.hop
        if whole and not known and take.origin.checkpoint == opened.checkpoint:
            self._asked[self._engine.align(take, held.samples)] = take_id

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        if self._asked.pop(number, None) is None:
            return
        if isinstance(event, Aligned):
            self._session.put_alignment(event.take_id, event.alignment, event.likeness)
        elif isinstance(event, Failed):
            self.problem.emit(event.error, "find the words of a take")
