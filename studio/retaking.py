"""What the user does with takes: spans made anew, joins moved, marks, the bin."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QInputDialog, QWidget

from engine.errors import ScriptError
from engine.request import Take
from engine.text import has_words
from studio.confirming import may_delete
from studio.display import Display
from studio.document.edits import EmptyBin, KeepTake, MarkTake, ReplaceLines, Together, apply
from studio.document.project import Line, Mark
from studio.engine_thread import EngineThread
from studio.session import Comping, Joins, Performing, Playback, Session
from studio.session.comping import heal_span
from studio.session.doubt import hot_spot, quiet_frame, wider, worst_span

PAUSE_SECONDS = 0.25
MOST_PAUSE_FRAMES = 200
QUIET_REACH = 12  # frames
_SPACE_BEFORE = re.compile(r"\s+([,.;:!?…])")


class Retaking(QObject):
    """Connects the takes, the candidates and the wave with the session. `verbs` are what the window's table calls."""

    problem = Signal(object, str)

    def __init__(
        self,
        window: QWidget,
        session: Session,
        performing: Performing,
        playback: Playback,
        engine: EngineThread,
        shown: Display,
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._performing, self._playback = window, session, performing, playback
        self._shown = shown
        self.joins = Joins(session, performing, engine)
        self.joins.problem.connect(self.problem)
        self.comping = Comping(session, engine)
        self.comping.problem.connect(self.problem)
        self.comping.made.connect(self._hear_comp)
        self._others: dict[str, str] = {}  # the take that each line kept before, to compare with
        self._comp: str | None = None  # is heard as soon as it is printed
        session.printed.connect(self._play_comp)
        shown.timeline.comp_wanted.connect(self.swipe)
        shown.timeline.nudge_wanted.connect(self.nudge)
        shown.timeline.doubt_clicked.connect(self.choose_doubt)
        shown.takes.take_chosen.connect(self.keep)
        shown.timeline.take_chosen.connect(self.keep)
        shown.takes.star_wanted.connect(self._star)
        shown.takes.bin_wanted.connect(self._bin)
        shown.takes.audition_wanted.connect(playback.audition)
        shown.takes.name_wanted.connect(self._name)
        shown.takes.note_wanted.connect(self._note)
        shown.takes.colour_wanted.connect(self._colour)
        shown.takes.again_wanted.connect(self._again)
        shown.takes.bin_others_wanted.connect(self.bin_others)
        shown.takes.empty_wanted.connect(self.empty_bin)

    @property
    def verbs(self) -> Mapping[str, Callable[[], object]]:
        return {
            "nudge_earlier": lambda: self.nudge(self._shown.timeline.edge, -1),
            "nudge_later": lambda: self.nudge(self._shown.timeline.edge, 1),
            "quiet_frame": self.snap_to_quiet,
            "start_here": lambda: self.put_edge("start"),
            "stop_here": lambda: self.put_edge("stop"),
            "around": self.hear_around,
            "worst_span": self.regenerate_worst,
            "branch": self.branch,
            "timbre": self.retimbre,
            "cut_words": self.cut_words,
            "insert_pause": self.insert_pause,
            "insert_pause_of": self.ask_pause,
            "compare": self.compare,
            "heal": self.heal,
            "widen": self.widen,
            "again": self.again,
            "bin_others": self.bin_others,
            "empty_bin": self.empty_bin,
        }

    # Spans

    @Slot(str, int)
    def nudge(self, edge: str, frames: int) -> None:
        """Move the edge of what is chosen: the join of a candidate, or else the selection's."""
        selection, line = self._session.selection, self._session.line
        take = self._session.kept(line) if line else None
        if selection is None or selection.span is None or take is None or self.joins.move(edge, frames):
            return
        start, stop = selection.span
        if edge == "start":
            start = min(max(0, start + frames), stop - 1)
        else:
            stop = max(min(take.frames, stop + frames), start + 1)
        self._session.choose_span(selection.line_id, (start, stop))

    def put_edge(self, edge: str) -> None:
        """An edge of the selection comes to the playhead, also while it moves; the other one stays where it can."""
        session, now = self._session, self._playback.seconds
        here = [each.line_id for each in session.placed() if each.start_seconds <= now < each.stop_seconds]
        line_id = session.chosen if session.chosen in here else here[-1] if here else None
        line = session.find(line_id) if line_id is not None else None
        take = session.kept(line) if line is not None else None
        frame = self._playback.frame_of(line_id) if line_id is not None else None
        if line_id is None or take is None or frame is None:
            return
        held = session.selection
        start, stop = held.span if held is not None and held.span and held.line_id == line_id else (0, take.frames)
        if edge == "start":
            session.choose_span(line_id, (frame, stop if stop > frame else take.frames))
        else:
            session.choose_span(line_id, (start if start <= frame else 0, frame + 1))

    def hear_around(self) -> None:
        """What stands around the pointer on the timeline."""
        under = self._shown.timeline.under_pointer()
        if under is not None:
            line_id, frame = under
            self._playback.play_around(line_id, (frame, frame))

    def snap_to_quiet(self) -> None:
        """Move the edge that has focus to the nearest frame at which it is quiet."""
        selection, edge = self._session.selection, self._shown.timeline.edge
        take = self._kept()[1]
        held = self._session.print_of(take.id) if take is not None else None
        if take is None or held is None or selection is None or selection.span is None:
            return
        frame = selection.span[0] if edge == "start" else selection.span[1]
        self.nudge(edge, quiet_frame(held.samples, take.origin.hop, frame, QUIET_REACH) - frame)

    def regenerate_worst(self) -> None:
        """Speak anew what the model was least sure of in the chosen line's take."""
        line, take = self._kept()
        if line is not None and take is not None:
            self._session.choose_span(line.id, worst_span(take, self._session.alignment_of(take.id)))
            self._performing.regenerate()

    @Slot(str, int)
    def choose_doubt(self, line_id: str, frame: int) -> None:
        """The words around a doubtful frame are chosen."""
        line = self._session.find(line_id)
        take = self._session.kept(line) if line else None
        if take is not None:
            self._session.choose_span(line_id, hot_spot(take, self._session.alignment_of(take.id), frame))

    def branch(self) -> None:
        """Go on anew from the selection's start, or from the playhead: all after it is spoken in other ways."""
        line, take = self._kept()
        if line is None or take is None:
            return
        selection = self._session.selection
        frame = selection.span[0] if selection and selection.span else self._playback.frame_of(line.id)
        if frame is None or not 0 <= frame < take.frames:
            self.problem.emit(ScriptError("Put the playhead on the chosen line's wave, or select where to go on."), "")
            return
        self._session.choose_span(line.id, (frame, take.frames))
        self._performing.regenerate()

    def cut_words(self) -> None:
        """The chosen words go, from the text and from the take: what is around them is joined."""
        line, take = self._kept()
        selection = self._session.selection
        if line is None or take is None or line.locked or selection is None or selection.span is None:
            return
        start, stop = selection.text
        if len(line.parts) > 1 or start == stop:
            self.problem.emit(ScriptError("Choose whole words of a line in which one character speaks."), "")
            return
        text = line.text[:start].rstrip() + " " + line.text[stop:].lstrip() if start else line.text[stop:].lstrip()
        if not has_words(text):
            self.problem.emit(ScriptError("These are all the words of the line: delete the line instead."), "")
            return
        text = _SPACE_BEFORE.sub(r"\1", text)
        shorter = replace(line, parts=(replace(line.parts[0], text=text),))
        scene, place = self._session.place(line.id)
        self._session.do(ReplaceLines(scene, place, place + 1, (shorter,), "Cut words"))
        self._performing.regenerate()

    def ask_pause(self) -> None:
        """How many frames of silence come in before the selection, or at the playhead."""
        if self._kept()[1] is not None:
            frames, told = QInputDialog.getInt(self._window, "Insert a pause", "Frames:", 5, 1, MOST_PAUSE_FRAMES)
            if told:
                self.insert_pause(frames)

    def insert_pause(self, frames: int | None = None) -> None:
        """Silence comes in before the selection, or at the playhead: a quarter of a second, or so many frames."""
        line, take = self._kept()
        selection = self._session.selection
        if line is None or take is None or self._performing.nobody_answers():
            return
        frame = selection.span[0] if selection and selection.span else self._playback.frame_of(line.id)
        if frame is not None:
            usual = max(1, round(PAUSE_SECONDS * take.origin.rate / take.origin.hop))
            self.comping.pause(line.id, frame, frames or usual)

    def retimbre(self) -> None:
        """Keep the acting of the selected span, or of the whole take, and draw its timbre anew."""
        line, take = self._kept()
        if line is not None and take is not None and not line.locked:
            selection = self._session.selection
            span = selection.span if selection is not None and selection.span else (0, take.frames)
            self._performing.retimbre(line, take, span)

    def widen(self) -> None:
        """Take in the words beside the chosen span, and speak all of it anew."""
        line, take = self._kept()
        selection = self._session.selection
        if line is not None and take is not None and selection is not None and selection.span is not None:
            self._session.choose_span(line.id, wider(take, self._session.alignment_of(take.id), selection.span))
            self._performing.regenerate()

    def heal(self) -> None:
        """Speak anew a few frames around the worse join of the chosen line's take."""
        line, take = self._kept()
        span = heal_span(take, self._session.store) if take is not None else None
        if line is None or span is None:
            self.problem.emit(ScriptError("The chosen line's take has no join: it was spoken in one go."), "")
            return
        self._session.choose_span(line.id, span)
        self._performing.regenerate()

    @Slot(str, float, float)
    def swipe(self, take_id: str, start: float, stop: float) -> None:
        """A stretch of another take comes into the kept one; seconds of that take."""
        line, store = self._session.line, self._session.store
        if line is not None and take_id in store and not self._performing.nobody_answers():
            take = store.get(take_id)
            rate = take.origin.rate / take.origin.hop
            span = round(start * rate), min(take.frames, max(round(stop * rate), round(start * rate) + 1))
            self.comping.swipe(line.id, take_id, span)

    @Slot(str, str)
    def _hear_comp(self, line_id: str, take_id: str) -> None:
        self._comp = take_id
        self._performing.need_print(take_id)

    @Slot(str)
    def _play_comp(self, take_id: str) -> None:
        line, take = self._kept()
        if take_id == self._comp and line is not None and take is not None and take.id == take_id:
            self._comp = None
            if take.origin.span is not None:
                self._playback.play_around(line.id, take.origin.span)

    # Takes

    @Slot(str)
    def keep(self, take_id: str) -> None:
        line = self._session.line
        if line is not None and take_id in line.takes and take_id != line.kept:
            self._session.do(KeepTake(line.id, take_id))

    def compare(self) -> None:
        """From the kept take to the one that was kept before it, and back, in place and equally loud."""
        line, take = self._kept()
        if line is None or take is None:
            return
        here = self._others.get(line.id)
        others = [each for each in line.takes if each != take.id and each in self._session.store]
        other = here if here in others else others[-1] if others else None
        if other is None:
            self._shown.jobs.show_message("This line has no other take to compare with")
            return
        self._others[line.id] = take.id
        self._session.do(KeepTake(line.id, other, "Compare takes"), gesture=("compare", line.id))
        self._playback.compare(line.id, take, self._session.store.get(other))

    def again(self) -> None:
        """A new take of the chosen line with the seed of its kept one."""
        line, take = self._kept()
        if line is not None and take is not None:
            self._performing.generate_with_seed(line.id, take.origin.seed)

    @Slot(str)
    def _again(self, take_id: str) -> None:
        line = self._session.line
        if line is not None and take_id in self._session.store:
            self._performing.generate_with_seed(line.id, self._session.store.get(take_id).origin.seed)

    # Marks

    @Slot(str, bool)
    def _star(self, take_id: str, star: bool) -> None:
        self._mark(take_id, "Star" if star else "Take the star away", lambda mark: replace(mark, star=star))

    @Slot(str)
    def _bin(self, take_id: str) -> None:
        self._mark(take_id, "Bin take", lambda mark: replace(mark, binned=not mark.binned))

    @Slot(str)
    def _name(self, take_id: str) -> None:
        name, told = QInputDialog.getText(self._window, "Name the take", "Name:", text=self._mark_of(take_id).name)
        if told:
            self._mark(take_id, "Name take", lambda mark: replace(mark, name=name.strip()))

    @Slot(str)
    def _note(self, take_id: str) -> None:
        held = self._mark_of(take_id).note
        note, told = QInputDialog.getMultiLineText(self._window, "Note on the take", "Note:", held)
        if told:
            self._mark(take_id, "Note on take", lambda mark: replace(mark, note=note.strip()))

    @Slot(str, object)
    def _colour(self, take_id: str, colour: int | None) -> None:
        self._mark(take_id, "Colour of take", lambda mark: replace(mark, colour=colour))

    def bin_others(self) -> None:
        """All takes of the chosen line but the kept one and those that are starred go to the bin: one step of undo."""
        line, marks = self._session.line, self._session.project.marks
        if line is None or not line.kept:
            return
        others = {take_id: marks.get(take_id, Mark()) for take_id in line.takes if take_id != line.kept}
        edits = tuple(
            MarkTake(take_id, replace(mark, binned=True))
            for take_id, mark in others.items()
            if not (mark.star or mark.binned)
        )
        if edits:
            self._session.do(Together(edits, "Bin all other takes"))

    def empty_bin(self) -> None:
        """The binned takes are deleted for good, with those that no line has any more; undo ends here then."""
        session = self._session
        kept = {line.kept for line in session.project.lines()}
        marks = session.project.marks
        binned = tuple(take_id for take_id, mark in marks.items() if mark.binned and take_id not in kept)
        if not binned:
            self._shown.jobs.show_message("The bin is empty")
            return
        count = "1 take is" if len(binned) == 1 else f"{len(binned)} takes are"
        meaning = "Takes that no line has any more go as well, and undo goes no further back than this."
        if may_delete(self._window, f"{count} in the bin. Delete for good?", meaning):
            before = len(session.store)
            session.start_over(apply(session.project, EmptyBin(binned)))
            gone = before - len(session.store)
            self._shown.jobs.show_message("1 take deleted" if gone == 1 else f"{gone} takes deleted")

    def _mark_of(self, take_id: str) -> Mark:
        return self._session.project.marks.get(take_id, Mark())

    def _mark(self, take_id: str, label: str, change: Callable[[Mark], Mark]) -> None:
        self._session.do(MarkTake(take_id, change(self._mark_of(take_id)), label))

    def _kept(self) -> tuple[Line | None, Take | None]:
        line = self._session.line
        return line, self._session.kept(line) if line else None
