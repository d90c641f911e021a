"""The open project: its history, its takes and prints, its file, and what of it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from engine.request import Alignment, Likeness, Samples, Span, Take, Voice
from studio.document.compare import kept_take, line_state
from studio.document.difference import difference
from studio.document.edits import AddTakes, Edit, KeepTake
from studio.document.history import History, Step
from studio.document.journal import Recovered
from studio.document.listened import Misreading
from studio.document.numbers import Places
from studio.document.project import Line, Project
from studio.document.ripple import staying
from studio.document.script import empty_project
from studio.document.sending import sent
from studio.document.sounds import PrintOf
from studio.document.state import LineState
from studio.document.store import Store
from studio.document.thumbnails import Thumbnail
from studio.document.timing import Placed, layout
from studio.engine_thread import Opened
from studio.file_thread import FileThread
from studio.samples import LiveWave, Peaks, Print, PrintCache
from studio.session.doubt import Flag
from studio.session.filing import Backups, Filed, InFile, Opening, keep_backup, open_collected
from studio.session.filing import Opened as OpenedFile
from studio.session.prints import Seen, keep, look_up, look_up_clips, print_source
from studio.session.selection import Range, Selection, carried, from_span, from_splice, from_text

T = TypeVar("T")
SAVING, OPENING = "save the project", "open the project"


class Session(QObject):
    """One project at a time. It belongs to the window's thread; files are read and written on the file thread."""

    project_changed = Signal()
    chosen_changed = Signal()  # another line, or another selection
    begun = Signal()  # with another project
    printed = Signal(str)  # a take's print is there
    aligned = Signal(str)  # which of its frames speak which words is known
    flagged = Signal(str)  # something is probably wrong with a take
    listened = Signal(str)  # what a recogniser heard of a take is known
    saved = Signal(object)  # the path
    opened = Signal(object)  # the path
    opened_folder = Signal(object)  # the path of the folder
    recovered = Signal(object, object)  # what a journal held, and why some takes could not be read or None
    stored = Signal()  # new takes are in the store

    def __init__(self, files: FileThread, prints: PrintCache, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files = files
        self._cache = prints
        self._states: dict[str, tuple[tuple[object, ...], LineState]] = {}
        self._looked_up: set[str] = set()
        self._prints: dict[str, Print] = {}
        self._guessed: set[str] = set()  # prints of takes whose codes may be of another codec
        self.foreign: set[str] = set()  # the takes that the voice model cannot make sound: another made them
        self._thumbnails: dict[str, Thumbnail] = {}
        self._alignments: dict[str, Alignment] = {}
        self.likeness: dict[str, Likeness] = {}  # how much each take is of its voice
        self.flags: dict[str, tuple[Flag, ...]] = {}  # what is probably wrong with takes, as far as they were looked at
        self._lines: dict[str, Line] = {}
        self._places = Places()
        self.misread: dict[str, tuple[Misreading, ...]] = {}  # of the takes that a recogniser has listened to
        self.engine: Opened | None = None
        self.engineless = False  # the voice model could not be loaded; until then what it is asked for waits for it
        self.library: tuple[Voice, ...] = ()  # those of its voices that are ready
        self.clip_source: Callable[[], PrintOf] = lambda: lambda _: None  # where the sound of voices' clips is from
        self.history = History.start(empty_project())
        self.store = Store()
        self.in_file = InFile()
        self.filed = Filed(self.in_file)
        self._worked = False  # it holds work, although no step of it can be undone
        self.backups: Backups | None = None  # none are kept where nobody said where
        self.may_leave: Callable[[Project], bool] = lambda _: True  # where it is not that project any more
        self.chosen: str | None = None  # a line's id
        self.selection: Selection | None = None
        self.ripple = True  # what follows moves along when a line or a pause becomes longer
        self._index()

    # The project and its history

    @property
    def project(self) -> Project:
        return self.history.project

    @property
    def unsaved(self) -> bool:
        worked = self._worked or self.path is not None or self.history.can_undo or len(self.store) > 0
        return worked and not self.history.clean

    def do(self, edit: Edit, gesture: Hashable = None) -> None:
        """Let an edit happen, as a step of its own or as a part of the gesture that goes on."""
        self._stand(self.history.do(self._rippling(edit, self.project), gesture))

    def undo(self) -> None:
        if self.history.can_undo:
            self._stand(self.history.undo())

    def redo(self) -> None:
        if self.history.can_redo:
            self._stand(self.history.redo())

    def end_gesture(self) -> None:
        self.history = self.history.end_gesture()

    def jump(self, at: int) -> None:
        """To any step of the history."""
        self._stand(self.history.jump(at))

    def start(self, project: Project | None = None) -> None:
        """Begin with a project that is in no file yet, or with an empty one."""
        self._begin(OpenedFile(History.start(project or empty_project()), (), InFile()))

    def start_over(self, project: Project) -> None:
        """Go on with no more takes than the lines of `project` have: all else is freed, and undo ends here."""
        named = {take_id for line in project.lines() for take_id in line.takes}
        self.store = Store(take for take in self.store if take.id in named)
        known: tuple[dict[str, Any], ...] = self._prints, self._thumbnails, self._alignments
        for each in (*known, self.flags, self.misread, self.likeness):
            for take_id in each.keys() - named:
                del each[take_id]
        self._worked = True
        self._stand(History.start(project, "Empty bin"))

    # Files

    @property
    def path(self) -> Path | None:
        return self.in_file.path

    def save(self, path: Path, over_others: bool = False) -> None:
        """Write the project as it is now; `saved` follows, or the file thread's `failed`. What somebody else has saved
        there meanwhile is only written over where that is said."""
        history, takes, filed = self.history, self.store.takes(), self.filed

        def written(now: InFile) -> None:
            if self.filed is filed:  # and no other project has been opened meanwhile
                self.in_file = now
                self.history = self.history.mark_saved(history)
                self.project_changed.emit()
                self.saved.emit(path)

        backups = self.backups
        if backups is not None and not over_others:
            self._files.run(partial(keep_backup, path, backups), doing="back up the project")
        sure = {each: held for each, held in self._prints.items() if each not in self._guessed}
        prints = print_source(sure if self.project.keeps_sound else {}, self._cache)
        thumbnails, clips = dict(self._thumbnails), self.clip_source()

        def work() -> InFile:
            if backups is not None and over_others:
                keep_backup(path, backups, over_others)  # where that fails, what others have saved is not touched
            return filed.save(path, history, takes, over_others, thumbnails, prints, clips)

        self._files.run(work, written, doing=SAVING)

    def open(self, path: Path, opening: Opening = Opening.TO_WORK) -> None:
        """Read a project; `opened` follows, or the file thread's `failed`, and then the one that is open stays."""
        path = path.absolute()
        self._read(OPENING, lambda filed: filed.open(path, opening), lambda _: self.opened.emit(path))

    def recover(self, found: Recovered, stayed: Callable[[], object] | None = None) -> None:
        """Go on where a journal ends; `recovered` follows, or `stayed` is called where the user goes on with what is
        open. Frames that were being spoken become takes, and so do the candidates that there were to choose from."""

        def begun(opened: OpenedFile) -> None:
            for label, takes in (("unfinished takes", found.unfinished), ("candidates", found.candidates)):
                for line_id in dict.fromkeys(line_id for line_id, _ in takes):
                    line = self.find(line_id)
                    ids = tuple(self.store.add(take) for each, take in takes if each == line_id)
                    self.do(AddTakes(line_id, ids, line is not None and line.kept is None, f"Recover {label}"))
            self.recovered.emit(found, opened.missing)

        self._read("recover the project", lambda filed: filed.recover(found), begun, stayed)

    def open_folder(self, folder: Path) -> None:
        """Open what was collected into a folder. The project has no file."""
        self._read(OPENING, lambda _: open_collected(folder), lambda _: self.opened_folder.emit(folder))

    def _read(
        self,
        doing: str,
        work: Callable[[Filed], OpenedFile],
        begun: Callable[[OpenedFile], object],
        stayed: Callable[[], object] | None = None,
    ) -> None:
        """Begin with what `work` reads, if what is open may still be left by then: the user goes on with it meanwhile.
        Where it was saved meanwhile, or left, it is read again: the file, or its lock, may be other ones by now."""
        project, in_file, filed = self.project, self.in_file, self.filed

        def read(opened: OpenedFile) -> None:
            may_leave = self.may_leave(project)
            if may_leave and self.in_file is in_file:
                self._begin(opened)
                begun(opened)
                return
            self._files.run(partial(opened.in_file.leave, self.in_file.lock))
            if may_leave:
                self._read(doing, work, begun, stayed)
            elif stayed is not None:
                stayed()

        self.on_files(doing, lambda: work(filed), read)

    def bring_in(self, edit: Edit, takes: tuple[Take, ...]) -> None:
        """Let an edit happen that needs takes of another project."""
        for take in takes:
            self.store.add(take)
        self.do(edit)
        self.stored.emit()

    def on_files(self, doing: str, work: Callable[[], T], done: Callable[[T], object]) -> None:
        """Work for the file thread; `doing` says what it was for, should it fail."""
        self._files.run(work, done, doing=doing)

    def close(self) -> None:
        """The last thing: somebody else may open the project."""
        self._files.run(self.filed.leave)

    # Voices, lines and takes

    def voices(self) -> tuple[Voice, ...]:
        """All voices that can be cast: the project's own first, then the library's, then those of the checkpoint."""
        embedded = self.engine.voices if self.engine else ()
        found = {voice.name: voice for voice in (*embedded, *self.library, *self.project.voices)}
        order = dict.fromkeys(voice.name for voice in (*self.project.voices, *self.library, *embedded))
        return tuple(found[name] for name in order)

    @property
    def line(self) -> Line | None:
        """The chosen line."""
        return self.find(self.chosen) if self.chosen is not None else None

    def find(self, line_id: str) -> Line | None:
        """The line of that id, None where it was deleted meanwhile."""
        return self._lines.get(line_id)

    def number(self, line_id: str) -> int:
        """The line's number in its scene, from 1."""
        return self.place(line_id)[1] + 1

    def place(self, line_id: str) -> tuple[int, int]:
        """The scene of a line and its place in there, both from 0; KeyError where it is gone."""
        return self._places.find(self.project, line_id)

    def kept(self, line: Line) -> Take | None:
        return kept_take(self.store, line)

    def state(self, line: Line) -> LineState:
        """Where a line stands by itself, computed once for as long as nothing of it changes."""
        checkpoint = self.engine.checkpoint if self.engine else None
        project = self.project
        key = (line, project.cast, project.voices, project.reading, checkpoint)
        held = self._states.get(line.id)
        if held is not None and all(mine is other or mine == other for mine, other in zip(held[0], key, strict=True)):
            state = held[1]
        else:
            state = line_state(project, self.store, line, checkpoint)
            self._states[line.id] = (key, state)
        misread = self.misread.get(line.kept or "", ())
        if misread and self.store.get(line.kept or "").origin.prompt.text == line.text:
            return replace(state, misread=tuple((each.start, each.stop) for each in misread))
        return state

    def placed(self) -> tuple[Placed, ...]:
        """The lines in time."""
        return layout(self.project, self.seconds_of)

    def seconds_of(self, line: Line) -> float | None:
        """How long the line's kept take is; None where there is none."""
        take = self.kept(line)
        return take.seconds if take else None

    def _rippling(self, edit: Edit, project: Project) -> Edit:
        """The edit to a project, with what lets all that follows stay where it is unless it is to move along."""
        return edit if self.ripple else staying(project, edit, self.seconds_of)

    def add_takes(self, line_id: str, takes: tuple[Take, ...], label: str, instead_of: Step | None = None) -> Step:
        """New takes of a line; the first is kept from now on. Another answer to the same question takes the place of
        the step that the one before made, if nothing has happened since. The step comes back."""
        edit = AddTakes(line_id, tuple(self.store.add(take) for take in takes), True, label)
        history = self.history
        if instead_of is not None and history.steps[history.at] is history.steps[-1] is instead_of:
            before = instead_of.before if instead_of.before is not None else history.at
            self._stand(history.do_instead(self._rippling(edit, history.steps[before].project)))
        else:
            self._stand(history.do(self._rippling(edit, self.project)))
        self.stored.emit()
        return self.history.steps[self.history.at]

    def step_take(self, by: int) -> None:
        """Keep the next (or an earlier) take of the chosen line that is not binned; from the last to the first."""
        line = self.line
        if line is None or line.kept is None:
            return
        marks = self.project.marks
        takes = [each for each in line.takes if each == line.kept or not (each in marks and marks[each].binned)]
        if len(takes) > 1:
            at = (takes.index(line.kept) + by) % len(takes)
            self.do(KeepTake(line.id, takes[at]), gesture=("step take", line.id))

    # Prints

    @property
    def cache(self) -> PrintCache:
        """Where prints lie between runs."""
        return self._cache

    def print_of(self, take_id: str | None) -> Print | None:
        """How a take sounds, None where that has to be made first."""
        return self._prints.get(take_id) if take_id is not None else None

    def wave_of(self, take_id: str | None) -> Print | Thumbnail | None:
        """What a take's wave looks like: its print, or the thumbnail in the file where that is not there yet."""
        return self.print_of(take_id) or self._thumbnails.get(take_id or "")

    def put_print(self, take_id: str, rate: int, samples: Samples, guessed: bool = False) -> None:
        """A take was decoded: it can be seen and heard at once, and goes to the cache behind that, unless it is only
        `guessed` that its codes are of the codec in use."""
        self._prints[take_id] = Print(rate, samples, Peaks(samples), exact=not guessed)
        (self._guessed.add if guessed else self._guessed.discard)(take_id)
        self.printed.emit(take_id)
        if guessed:
            return
        work = partial(keep, self._cache, take_id, rate, samples)
        self._files.run(work, partial(self._mapped, take_id), doing="keep the sound of a take in the cache")

    def put_foreign(self, take_id: str) -> None:
        """How a take sounds cannot be told before the voice model that made it is there."""
        self.foreign.add(take_id)
        self.flagged.emit(take_id)

    def put_live_print(self, take_id: str, wave: LiveWave) -> None:
        """What was heard while a take was made stands for its print until that is there; the take comes next."""
        self._prints[take_id] = Print(wave.rate, wave.samples, wave.peaks, exact=False)

    def look_up_print(self, take_id: str, missing: Callable[[str], None]) -> None:
        """Look for a take's print in the cache and the project's file; `missing(take_id)` is called where it is not
        there, or not as exact as the engine can make it."""
        if take_id in self._looked_up or take_id not in self.store:
            return
        self._looked_up.add(take_id)
        take = self.store.get(take_id)

        def found(seen: Seen | None) -> None:
            self._looked_up.discard(take_id)
            if take_id not in self.store:  # another project has been opened meanwhile
                return
            if seen is not None:
                self._prints[take_id], self._thumbnails[take_id] = seen
                self.printed.emit(take_id)
            speaks = self.engine is not None and self.engine.checkpoint == take.origin.checkpoint
            if seen is None or (speaks and not seen[0].exact):
                missing(take_id)

        self._files.run(partial(look_up, self._cache, take, self.in_file.written), found)

    def look_up_clips(self, voice: Voice, done: Callable[[tuple[Print | None, ...]], object]) -> None:
        """Read how the clips of a voice sound, None for each of which the project's file does not know."""
        self.on_files("read the clips of a voice", partial(look_up_clips, voice, self.in_file.written), done)

    def _mapped(self, take_id: str, seen: Seen) -> None:
        if take_id in self._prints:
            self._prints[take_id], self._thumbnails[take_id] = seen

    # Alignments

    def alignment_of(self, take_id: str | None) -> Alignment | None:
        """Which frames of a take speak which words, None where that is not known yet."""
        return self._alignments.get(take_id) if take_id is not None else None

    def likely_alignment(self, take: Take) -> Alignment | None:
        """A take's alignment, or, of one that was just spliced, what that of its parent tells about it."""
        known = self.alignment_of(take.id)
        before = self.alignment_of(take.origin.parent)
        if known is None and before is not None and take.origin.parent is not None:
            return carried(before, self.store.get(take.origin.parent), take)
        return known

    def put_alignment(self, take_id: str, alignment: Alignment, likeness: Likeness | None = None) -> None:
        """A take's words were found on its frames, and how much these are of its voice; what of the selection was a
        guess is told anew."""
        if take_id not in self.store:
            return
        self._alignments[take_id] = alignment
        if likeness is not None:
            self.likeness[take_id] = likeness
        line, selection = self.line, self.selection
        if line is not None and line.kept == take_id and selection is not None and not selection.spoken_so:
            if selection.by_text:
                self.choose_text(line.id, *selection.text)
            else:
                self.choose_span(line.id, selection.span)
        self.aligned.emit(take_id)

    def put_misread(self, take_id: str, found: tuple[Misreading, ...]) -> None:
        """A recogniser has listened to a take."""
        if take_id in self.store:
            self.misread[take_id] = found
            self.listened.emit(take_id)

    # What is chosen

    def choose_line(self, line_id: str | None) -> None:
        if line_id != self.chosen:
            self.chosen = line_id
            self.selection = None
            self.chosen_changed.emit()

    def choose_text(self, line_id: str, start: int, stop: int) -> None:
        """Characters of a line's text were selected in the script; none where start == stop."""
        line = self.find(line_id)
        if line is None:
            return
        selection = None
        if start < stop:
            take = self.kept(line)
            alignment = self.likely_alignment(take) if take is not None else None
            selection = from_text(sent(self.project, line), take, alignment, start, stop)
        self._choose(line_id, selection)

    def choose_span(self, line_id: str, span: Span | None) -> None:
        """Frames of a line's kept take were selected on the wave."""
        line = self.find(line_id)
        take = self.kept(line) if line else None
        selection = None
        if line and take and span:
            selection = from_span(sent(self.project, line), take, self.likely_alignment(take), span)
        self._choose(line_id, selection)

    def choose_splice(self, line_id: str, text: Range) -> None:
        """The newest span of a line's kept take is selected, and the characters of the take's text that were asked for
        there."""
        line = self.find(line_id)
        take = self.kept(line) if line else None
        if line is not None and take is not None and take.origin.span is not None:
            self._choose(line_id, from_splice(sent(self.project, line), take, text))

    def _choose(self, line_id: str, selection: Selection | None) -> None:
        if (line_id, selection) != (self.chosen, self.selection):
            self.chosen, self.selection = line_id, selection
            self.chosen_changed.emit()

    def _begin(self, opened: OpenedFile) -> None:
        self._files.run(partial(self.filed.leave, opened.in_file.lock))
        self.in_file, self.filed, self._worked = opened.in_file, Filed(opened.in_file), opened.worked
        self.history, self.store = opened.history, Store(opened.takes)
        self._prints, self._alignments, self._thumbnails = {}, {}, dict(opened.thumbnails)
        self.flags, self.misread, self.likeness = {}, {}, {}
        self._states.clear()
        self.selection = None
        self._index()
        self.chosen = next(iter(self._lines), None)
        self.project_changed.emit()
        self.chosen = next(iter(self._lines), None)  # whatever the script's cursor did on its way
        self.chosen_changed.emit()
        self.begun.emit()

    def _stand(self, history: History) -> None:
        if history is self.history:
            return
        before, project = self.line, self.project
        self.history = history
        self._index(project)
        if self.chosen not in self._lines:
            self.chosen = next((line.id for scene in self.project.scenes for line in scene.lines), None)
        after = self.line
        moved = before is None or after is None or (before.kept, before.parts) != (after.kept, after.parts)
        if moved:
            self.selection = None
        self.project_changed.emit()
        if moved:
            self.chosen_changed.emit()

    def _index(self, before: Project | None = None) -> None:
        """Where the lines are. What an edit left alone since the project `before` costs next to nothing."""
        if before is None:
            self._lines = {line.id: line for line in self.project.lines()}
            return
        changed = difference(before, self.project)
        for line in changed.gone:
            self._lines.pop(line.id, None)
        self._lines.update((line.id, line) for line in changed.come)
