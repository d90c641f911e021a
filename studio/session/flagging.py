"""Looks for what is probably wrong with the takes that can be heard: on the file thread, one after another, so that
neither the window nor a save waits for it.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot

from engine.request import Take
from studio.samples import Print, PrintCache
from studio.session.doubt import Flag, flags
from studio.session.session import Session


class Flagging(QObject):
    """Follows the prints; what it finds the session keeps."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._waiting: dict[str, None] = {}
        self._looking = False
        session.printed.connect(self._add)

    @Slot(str)
    def _add(self, take_id: str) -> None:
        if take_id not in self._session.flags:
            self._waiting[take_id] = None
            self._go_on()

    def _go_on(self) -> None:
        session = self._session
        while self._waiting and not self._looking:
            take_id = next(iter(self._waiting))
            del self._waiting[take_id]
            held = session.print_of(take_id)
            if held is not None and take_id in session.store:
                self._looking = True
                work = partial(_look_at, session.store.get(take_id), held, session.cache)
                session.on_files("look at a take", work, partial(self._found, take_id))

    def _found(self, take_id: str, found: tuple[Flag, ...]) -> None:
        self._looking = False
        if take_id in self._session.store:
            self._session.flags[take_id] = found
            if found:
                self._session.flagged.emit(take_id)
        self._go_on()


def _look_at(take: Take, held: Print, cache: PrintCache) -> tuple[Flag, ...]:
    """What is wrong with a take. Its print is mapped anew where it can be, and let go: what was read of one that stays
    mapped would stay in memory."""
    mapped = cache.get(take.id)
    return flags(take, mapped.samples if mapped is not None else held.samples)
