"""What the user does with what was heard of takes: listen, speak what was misread anew, keep the best heard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from engine.errors import ScriptError
from engine.text import words
from studio.display import Display
from studio.document.edits import KeepTake
from studio.recogniser_thread import RecogniserThread
from studio.session import Performing, Session
from studio.session.listening import Listening
from studio.session.selection import span_of
from studio.settings import Preferences


class Hearing(QObject):
    """Connects the recogniser with the session. `verbs` are what the window's table calls."""

    def __init__(
        self,
        session: Session,
        performing: Performing,
        shown: Display,
        recogniser: RecogniserThread,
    ) -> None:
        super().__init__()
        self._session, self._performing, self._shown = session, performing, shown
        self._recogniser = recogniser
        self.listening = Listening(session, recogniser, self)
        self.listening.done.connect(self._finish)
        self.listening.problem.connect(self._forget)
        self._choosing: str | None = None  # the line whose best heard take shall be kept
        self._asked: tuple[str, ...] = ()  # the takes that the user wants to be listened to

    @property
    def verbs(self) -> Mapping[str, Callable[[], object]]:
        return {
            "listen": self.listen,
            "regenerate_misread": self.regenerate_misread,
            "keep_best_heard": self.keep_best_heard,
        }

    def show_preferences(self, preferences: Preferences) -> None:
        self._recogniser.choose(Path(preferences.recogniser) if preferences.recogniser else None)
        self.listening.on = preferences.listens

    def listen(self) -> None:
        """To all kept takes that nobody has listened to, of the lines that are selected or else the chosen one."""
        session = self._session
        ids = self._shown.script.lines_selected() or ((session.chosen,) if session.chosen else ())
        lines = [line for each in ids if (line := session.find(each)) is not None]
        self._listen_to(tuple(line.kept for line in lines if line.kept is not None))

    def regenerate_misread(self) -> None:
        """Speak anew the first words of the chosen line that were not heard as they should be; the others follow when
        it is asked for again."""
        session, line = self._session, self._session.line
        take = session.kept(line) if line is not None else None
        if line is None or take is None:
            return
        found = session.misread.get(take.id)
        if not found:
            told = "Nobody has listened to this take yet." if found is None else "Every word of this take was heard."
            self._performing.problem.emit(ScriptError(told), "")
            return
        first = found[0]
        after = [place for place in words(take.origin.prompt.text) if place[1] > first.start]
        start, stop = first.start, max(first.stop, after[0][1]) if after else first.stop  # a tag with the word after it
        session.choose_span(line.id, span_of(take, session.alignment_of(take.id), start, stop))
        self._performing.regenerate()

    def keep_best_heard(self) -> None:
        """The take of the chosen line of which most is heard as it should be is kept, once all were listened to."""
        line, marks = self._session.line, self._session.project.marks
        if line is None or line.locked:
            return
        takes = tuple(each for each in line.takes if not (each in marks and marks[each].binned))
        for take_id in takes:
            self._performing.need_print(take_id)
        self._choosing = line.id
        self._listen_to(takes)

    def _listen_to(self, takes: tuple[str, ...]) -> None:
        self._asked = takes
        count = sum(each not in self._session.misread for each in takes)
        if count:
            self._shown.jobs.show_message("Listening to 1 take…" if count == 1 else f"Listening to {count} takes…")
        self.listening.listen_to(takes)

    @Slot()
    def _forget(self) -> None:
        self._asked, self._choosing = (), None
        self._shown.jobs.show_message("")

    @Slot()
    def _finish(self) -> None:
        """All that was asked for is heard: what came of it is told, and the best is kept where that was wanted."""
        heard = [self._session.misread[each] for each in self._asked if each in self._session.misread]
        if heard:
            takes = "1 take" if len(heard) == 1 else f"{len(heard)} takes"
            wrong = sum(map(len, heard))
            found = "1 place is misread" if wrong == 1 else f"{wrong} places are misread"
            self._shown.jobs.show_message(f"Listened to {takes}: {found if wrong else 'every word was heard'}")
        self._asked = ()
        line_id, self._choosing = self._choosing, None
        line = self._session.find(line_id) if line_id is not None else None
        best = self.listening.best_heard(line) if line is not None else None
        if line is not None and best is not None and best != line.kept and not line.locked:
            self._session.do(KeepTake(line.id, best, "Keep the take that is heard best"))
