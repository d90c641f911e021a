"""Finished takes are listened to by a recogniser, where the user wants it: what it hears is set beside what they should
say. That is done on the recogniser's thread, so that neither the voice model nor a save waits for it.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from engine.hearing import Recogniser
from engine.request import Samples
from studio.document.listened import Misreading, misreadings, share_heard
from studio.document.project import Line, Mark
from studio.recogniser_thread import RecogniserThread
from studio.session.session import Session


def _words(samples: Samples, rate: int, language: str, recogniser: Recogniser) -> tuple[str, ...]:
    return tuple(word.text for part in recogniser.hear(samples, rate, language) for word in part.words)


class Listening(QObject):
    """`listen_to` a take, or let it be `on`: then those that are made from now on are listened to as they are printed.

    What is found the session keeps in `misread`.
    """

    problem = Signal(object, str)  # an error, and what failed
    done = Signal()  # nothing waits any more

    def __init__(
        self,
        session: Session,
        thread: RecogniserThread,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._thread = session, thread
        thread.failed.connect(self._fail)
        self.on = False  # whether it listens by itself
        self._known: frozenset[str] = frozenset()  # the takes that were there when the project was opened
        self._waiting: dict[str, None] = {}
        self._hearing: tuple[int, str] | None = None
        session.printed.connect(self._add)
        session.begun.connect(self._begin)

    def listen_to(self, take_ids: tuple[str, ...]) -> int:
        """Listen to takes that nobody has listened to; how many those are comes back."""
        session = self._session
        new = [each for each in take_ids if each in session.store and each not in session.misread]
        self._waiting |= dict.fromkeys(new)
        self._go_on()
        return len(new)

    def best_heard(self, line: Line) -> str | None:
        """The take of a line of which most is heard as it should be, of those in which anything was listened to; the
        kept one where it is as good as any."""
        session = self._session
        shares = {
            take_id: share_heard(session.store.get(take_id).origin.prompt.text, session.misread[take_id])
            for take_id in line.takes
            if take_id in session.misread and not session.project.marks.get(take_id, Mark()).binned
        }
        return max(shares, key=lambda each: (shares[each], each == line.kept)) if shares else None

    @Slot()
    def _begin(self) -> None:
        self._known = frozenset(take.id for take in self._session.store)
        self._waiting.clear()

    @Slot(str)
    def _add(self, take_id: str) -> None:
        if self.on and take_id not in self._known:
            self.listen_to((take_id,))
        else:
            self._go_on()

    def _go_on(self) -> None:
        """The next take that can be heard."""
        session = self._session
        if self._hearing is not None:
            return
        for take_id in tuple(self._waiting):
            held = session.print_of(take_id)
            whole = take_id in session.store and held is not None
            if whole and held is not None and len(held.samples) == _samples_of(session, take_id):
                del self._waiting[take_id]
                language = session.project.language.partition("_")[0]
                work = partial(_words, held.samples, held.rate, language)
                self._hearing = self._thread.run(work, partial(self._found, take_id)), take_id
                return
        if not self._waiting:
            self.done.emit()

    def _found(self, take_id: str, heard: tuple[str, ...]) -> None:
        self._hearing = None
        session = self._session
        if take_id in session.store:
            found: tuple[Misreading, ...] = misreadings(session.store.get(take_id).origin.prompt.text, heard)
            session.put_misread(take_id, found)
        self._go_on()

    @Slot(int, object)
    def _fail(self, number: int, error: Exception) -> None:
        """One error is enough: nothing more is listened to until the user wants it again."""
        if self._hearing is None or self._hearing[0] != number:
            return
        self._hearing, self.on = None, False
        self._waiting.clear()
        self.problem.emit(error, "listen to a take")


def _samples_of(session: Session, take_id: str) -> int:
    take = session.store.get(take_id)
    return take.frames * take.origin.hop
