"""Keeps the journal of the open project: what happens on the window's thread is written down on a thread of its own,
so that neither the window nor a long save, import or export ever holds it up.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.request import Chunk, Codes, Failed, Finished, Generate, Regenerate, Stopped, Take
from studio.document.file import Written
from studio.document.history import History
from studio.document.journal import (
    Entry,
    Journal,
    JournalInUseError,
    Recovered,
    Standing,
    UnreadableJournalError,
    delete,
    journals_in,
    new_path,
    recover,
    set_aside,
)
from studio.document.members import all_codes, step_row, step_rows
from studio.document.record import voice_codes
from studio.document.store import Store
from studio.document.unfinished import begun_take, with_frames
from studio.engine_thread import EngineThread
from studio.file_thread import FileThread
from studio.session import Performing, Playback, Session

PLAYHEAD_MS = 2_000  # between two looks at the playhead
_NUMBERS = count(1)


class Journaling(QObject):
    """Follows the session; `found` tells what earlier runs left behind."""

    found = Signal(object)  # Recovered, which the user may want back
    problem = Signal(object, str)  # an error, and what failed
    written = Signal()  # all that happened up to now is on the disk

    def __init__(
        self, session: Session, performing: Performing, playback: Playback, engine: EngineThread, folder: Path
    ) -> None:
        super().__init__()
        self._session, self._performing, self._playback, self._folder = session, performing, playback, folder
        self._files = FileThread(name="files journal")
        self._pen = _Pen(folder)
        self._history = session.history  # as it was written last
        self._store, self._stored = session.store, 0
        self._filed = session.filed
        self._counted: tuple[Store, Written, int] | None = None
        self._begun = False  # the journal holds the project that is open
        self._failing = self._left = False
        self._seconds = 0.0
        self._asked: dict[int, tuple[str, Generate | Regenerate]] = {}  # line and request by job
        self._sounding: set[int] = set()
        self._candidates: tuple[Take, ...] = ()  # that the user chooses from
        self._looking: dict[int, Path] = {}
        self._files.failed.connect(self._fail)
        self._files.finished.connect(self._finish)
        session.project_changed.connect(self._follow)
        session.stored.connect(self._follow)
        session.recovered.connect(self._go_on)
        performing.generating.connect(self._ask)
        performing.candidates.changed.connect(self._follow_candidates)
        engine.answered.connect(self._hear)
        self._timer = QTimer(self, interval=PLAYHEAD_MS)
        self._timer.timeout.connect(self._look_at_playhead)
        self._timer.start()

    @property
    def busy(self) -> bool:
        """Something that happened is not on the disk yet."""
        return self._files.busy

    # What earlier runs left behind

    def look(self) -> None:
        """See what is there of runs that did not end well; `found` follows for each."""
        for path in journals_in(self._folder):
            self._looking[self._files.run(partial(_unsaved, path), self._tell_found)] = path

    def discard(self, recovered: Recovered) -> None:
        """The user does not want it back."""
        self._files.run(lambda: delete(recovered.journal))

    # The end

    def leave(self) -> None:
        """The user closes the program, and what is not saved may go: nothing is written any more."""
        self._left = True
        self.forget()

    def forget(self) -> None:
        """The user has left the project, saved or not: nothing of it is to be recovered."""
        self._begun = False
        self._files.run(self._pen.tear_up)

    def close(self) -> None:
        self._timer.stop()
        self._files.run(self._pen.lay_down)
        self._files.close()

    # What happens

    @Slot()
    def _follow(self) -> None:
        session = self._session
        if self._left:
            return
        if session.filed is not self._filed:
            self._turn_over()
        elif not self._begun:
            if session.history is not self._history:
                self._write_all()
        elif session.store is not self._store:  # of some takes nothing is left
            self._write_all(goes_on=True)
        elif session.history is not self._history or len(session.store) > self._stored:
            self._write_new()

    def _turn_over(self) -> None:
        """Another project is open. Nothing is written of it before something happens in it."""
        session = self._session
        self._history, self._store, self._filed = session.history, session.store, session.filed
        self._asked.clear()
        self._sounding.clear()
        self._candidates = ()
        self.forget()

    def _write_all(self, goes_on: bool = False) -> None:
        """The whole project; where it `goes_on`, in the place of what was written of it before."""
        session = self._session
        history, written, standing = session.history, session.in_file.written, self._standing()
        takes = dict(enumerate(session.store.since(standing.stored), standing.stored))

        def entry() -> Entry:
            rows = dict(enumerate(step_rows(history, written.steps, written.rows)))
            return Entry(standing, rows, all_codes(history.steps), takes, afresh=True, goes_on=goes_on)

        self._write(entry)
        self._begun = True
        if not goes_on:
            self._candidates = ()
            self._follow_candidates()

    def _write_new(self) -> None:
        session = self._session
        before, history = self._history, session.history
        takes, standing = dict(enumerate(session.store.since(self._stored), self._stored)), self._standing()

        def entry() -> Entry:
            places = _changed_steps(before, history)
            codes: dict[str, Codes] = {}
            for place in places:
                codes |= voice_codes(history.steps[place].project)
            return Entry(standing, {place: step_row(history, place) for place in places}, codes, takes)

        self._write(entry)

    def _write(self, entry: Callable[[], Entry]) -> None:
        session = self._session
        self._history, self._store, self._stored = session.history, session.store, len(session.store)
        self._files.run(lambda: self._pen.write(entry))

    def _standing(self) -> Standing:
        session = self._session
        history, path = session.history, session.path
        self._seconds = self._playback.seconds
        written = session.in_file.written
        return Standing(
            history.at,
            history.tip,
            history.saved,
            str(path.absolute()) if path is not None else None,
            written.seal,
            self._in_file() if path is not None else 0,
            self._seconds,
        )

    def _in_file(self) -> int:
        """How many of the first takes in the store are in the file. Counted once: a store grows at its end."""
        store, written = self._session.store, self._session.in_file.written
        if self._counted is None or self._counted[:2] != (store, written):
            there = {take.id for pack in written.packs for take in pack.takes}
            count = sum(1 for _ in takewhile(lambda take: take.id in there, store))
            self._counted = store, written, count
        return self._counted[2]

    @Slot()
    def _look_at_playhead(self) -> None:
        seconds = self._playback.seconds
        if self._begun and seconds != self._seconds:
            self._seconds = seconds
            self._files.run(lambda: self._pen.also(lambda journal: journal.put_playhead(seconds)))

    # Frames that are being drawn

    @Slot(int, str, object)
    def _ask(self, number: int, line_id: str, request: object) -> None:
        if isinstance(request, Generate | Regenerate):
            self._asked[number] = (line_id, request)

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        if number not in self._asked or self._left:
            return
        if isinstance(event, Chunk):
            self._hear_frames(number, event)
        elif isinstance(event, Finished | Stopped | Failed):
            _, request = self._asked.pop(number)
            for candidate in range(len(request.seeds)):
                self._end_frames(_job(number, candidate))

    def _end_frames(self, job: int) -> None:
        if job in self._sounding:
            self._sounding.discard(job)
            self._files.run(lambda: self._pen.also(lambda journal: journal.end_frames(job)))

    def _hear_frames(self, number: int, chunk: Chunk) -> None:
        opened = self._session.engine
        if opened is None:
            return
        if not self._begun:
            self._write_all()
        line_id, request = self._asked[number]
        job, codes = _job(number, chunk.candidate), chunk.codes
        if job in self._sounding:
            self._files.run(lambda: self._pen.also(lambda journal: journal.add_frames(job, codes)))
            return
        self._sounding.add(job)
        seed = request.seeds[chunk.candidate]
        made = opened.checkpoint, opened.rate, opened.hop
        begun = begun_take(request, seed, *made, len(codes), opened.codec)
        first = with_frames(begun, codes)
        self._files.run(lambda: self._pen.also(lambda journal: journal.begin_frames(job, line_id, first)))

    @Slot()
    def _follow_candidates(self) -> None:
        """What the user has to choose from is kept until the choice is made."""
        view = self._performing.candidates.view
        line_id, takes = (view.line_id, view.takes) if view is not None else ("", ())
        if self._left or takes == self._candidates:
            return
        if not self._begun:
            self._write_all()
            return  # it comes here again
        self._candidates = takes
        self._files.run(lambda: self._pen.also(lambda journal: journal.put_candidates(line_id, takes)))

    # What comes back from the thread

    @Slot(object, object)
    def _go_on(self, recovered: Recovered, _: object) -> None:
        """What was recovered is written in the journal of this run before that of the other one goes."""
        if not self._begun:
            self._write_all()
        self._files.run(lambda: self._pen.take_over(recovered.journal))

    def _tell_found(self, recovered: Recovered | None) -> None:
        if recovered is not None:
            self.found.emit(recovered)

    @Slot(int, object)
    def _finish(self, number: int, _: object) -> None:
        self._looking.pop(number, None)
        self._failing = False
        if not self._files.busy:
            self.written.emit()

    @Slot(int, object)
    def _fail(self, number: int, error: Exception) -> None:
        """A journal that cannot be read is told; one that cannot be written once, and then written afresh if it can."""
        looked_at = self._looking.pop(number, None)
        if looked_at is not None:
            if not isinstance(error, JournalInUseError):
                self.problem.emit(error, "read a journal")
            return
        self._begun = False
        self._sounding.clear()
        self._asked.clear()  # frames that lack some before them are of no use
        if not self._failing:
            self._failing = True
            self.problem.emit(error, "write the journal")


class _Pen:
    """Writes the journal; lives on the journal's thread. The file is made when there is something to write."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._journal: Journal | None = None
        self._lacking = False
        self._taken_over: list[Path] = []  # journals whose content this one holds as soon as all of it is written

    def write(self, make: Callable[[], Entry]) -> None:
        entry = make()
        if entry.afresh:
            if self._journal is None:
                self._journal = Journal(new_path(self._folder, os.getpid(), next(_NUMBERS)))
            entry = replace(entry, goes_on=entry.goes_on and not self._lacking)  # frames that lack some are of no use
            self._lacking = False
        self.also(lambda journal: journal.write(entry))
        self._let_go()

    def take_over(self, path: Path) -> None:
        """Delete another journal once all that was in it is written here: until then it is the only one."""
        self._taken_over.append(path)
        self._let_go()

    def _let_go(self) -> None:
        while self._taken_over and self._journal is not None and not self._lacking:
            delete(self._taken_over.pop())

    def also(self, write: Callable[[Journal], None]) -> None:
        """Write something more, unless something before it could not be written: then all of it comes again."""
        if self._journal is None or self._lacking:
            return
        self._lacking = True
        write(self._journal)
        self._lacking = False

    def tear_up(self) -> None:
        journal, self._journal = self._journal, None
        while self._taken_over:
            delete(self._taken_over.pop())
        if journal is not None:
            journal.delete()

    def lay_down(self) -> None:
        journal, self._journal = self._journal, None
        if journal is not None:
            journal.close()


def _unsaved(path: Path) -> Recovered | None:
    """What a journal holds that is nowhere else. One that holds nothing goes; one that cannot be read is set aside."""
    try:
        recovered = recover(path)
    except UnreadableJournalError:
        if path.exists():
            set_aside(path)
        raise
    if recovered is None or not recovered.unsaved:
        delete(path)
        return None
    return recovered


def _changed_steps(before: History, now: History) -> list[int]:
    """The places of the steps that are new, or were enlarged: only the newest ever is."""
    known = len(before.steps)
    return [
        place
        for place in range(max(0, known - 1), len(now.steps))
        if place >= known or before.steps[place] is not now.steps[place]
    ]


def _job(number: int, candidate: int) -> int:
    return number << 8 | candidate
