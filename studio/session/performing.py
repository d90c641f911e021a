"""What is being performed: lines on their way through the engine, spans made anew, their candidates."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from engine.errors import ScriptError
from engine.request import (
    Chunk,
    Failed,
    Finished,
    Generate,
    Progress,
    Prompt,
    Regenerate,
    Request,
    Retimbre,
    Settings,
    Span,
    Stopped,
    Take,
    Voice,
)
from studio.document.compare import seeds_for, settings_for
from studio.document.edits import ReplaceLines
from studio.document.project import Line
from studio.document.script import split_long
from studio.document.sending import sent
from studio.document.state import Kind, LineState
from studio.engine_thread import EngineThread, Foreign, Opened, Printed, Urgency
from studio.samples import LiveWave, Peaks, Print
from studio.session.candidates import Candidates
from studio.session.changes import Place, next_place
from studio.session.jobs import Options, Performed
from studio.session.prompting import prompt_of
from studio.session.queue import Queue
from studio.session.selection import words_of
from studio.session.session import Session

WANTING = (Kind.NO_TAKE, Kind.STALE)
NO_MODEL = "No voice model is loaded. Choose one in the settings."


def any_seed() -> int:
    """A seed nobody chose: 31 bits, so that it can be read aloud and typed."""
    return random.SystemRandom().randrange(2**31)


class Performing(QObject):
    """Sends requests to the engine thread and lets their answers happen to the project."""

    changed = Signal()  # what runs or waits, and what of it sounds already
    progressed = Signal(str)  # the job of a line is further
    grew = Signal(str)  # the live wave of a line is longer
    generating = Signal(int, str, object)  # a job of the engine's, its line and what was asked
    sounding = Signal(object)  # a Performed that the user waits to hear has its first samples
    regenerated = Signal(str)  # the line whose new candidate is printed: it can be heard
    voices_changed = Signal()  # how a voice's first clip sounds is known
    auditioned = Signal(object)  # a Print that the user wants to hear
    problem = Signal(object, str)  # an error, and what failed
    said = Signal(str)

    def __init__(
        self,
        session: Session,
        engine: EngineThread,
        seeds: Callable[[], int] = any_seed,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._engine = engine
        self._seeds = seeds
        self._jobs: dict[int, Performed] = {}
        self._prints: dict[int, str] = {}
        self._again: set[str] = set()  # takes that another voice model may make sound, or sound rightly
        self._voices: dict[int, str] = {}
        self._asked_voices: dict[str, Voice] = {}
        self.voice_prints: dict[str, Print] = {}
        self._failed: dict[str, str] = {}
        self.queue = Queue()
        self._hear_when_printed: str | None = None
        self.options = Options()
        self.candidates = Candidates(session, self)
        self.candidates.chosen.connect(self._hear_candidate)
        engine.answered.connect(self._hear)
        engine.opened.connect(self._print_again)
        engine.unopened.connect(self._give_up)
        session.project_changed.connect(self._follow)
        session.begun.connect(self._begin)

    # Wishes

    def generate(self, line_ids: tuple[str, ...], audible: bool = False, takes: int = 1) -> None:
        """So many new takes of each line, in order; locked lines are left out. Lines too long for one go are cut first.

        What shall be heard at once is begun at once, the others wait in the queue.
        """
        opened = self._session.engine
        if self.nobody_answers():
            return
        for number, line_id in enumerate(line_ids):
            line = self._session.find(line_id)
            if line is None or line.locked:
                continue
            for place, each in enumerate(self._fitting(line, opened)):
                if audible and number == 0 and place == 0:
                    self._generate(each, True, self._seeds_for(each, takes))
                else:
                    self.queue.add(each.id, takes)
        self._go_on()
        self.changed.emit()

    def generate_with_seed(self, line_id: str, seed: int) -> None:
        """A new take of the line by a seed that is known."""
        line = self._session.find(line_id)
        if line is not None and not line.locked and not self.nobody_answers():
            self._generate(line, True, (seed,))
            self.changed.emit()

    def wanting(self) -> tuple[str, ...]:
        """The lines that are stale or have no take, and are not being made."""
        busy = {job.line_id for job in self._jobs.values()}
        return tuple(
            line.id
            for line in self._session.project.lines()
            if self._session.state(line).kind in WANTING
            and not line.locked
            and line.id not in busy
            and line.id not in self.queue
        )

    def regenerate(self) -> None:
        """Make anew what is chosen of the chosen line: the selected span, or else the words that changed."""
        session = self._session
        line = session.line
        take = session.kept(line) if line else None
        if line is None or line.locked or self.nobody_answers():
            return
        if take is None:
            self.generate((line.id,), audible=True)
            return
        place = next_place(take, session.alignment_of(take.id), sent(session.project, line), session.selection)
        if place is None:
            self.said.emit("The take speaks every word of the line: choose words or frames of it to speak them anew")
            return
        self._regenerate(line, take, place)

    def retimbre(self, line: Line, take: Take, span: Span) -> None:
        """Keep the acting of a span, and draw its timbre anew."""
        if self.nobody_answers():
            return
        request = Retimbre(take, span, self._many_seeds(), self._settings(line))
        inside, text = words_of(take, self._session.alignment_of(take.id), span), take.origin.prompt.text
        self._ask(line, Place(span, text[slice(*inside)], text, inside), take.origin.prompt, request)

    def step(self, by: int) -> None:
        """The next candidate where there are some for the chosen line, else its next take."""
        view = self.candidates.view
        if view is not None and view.takes and view.line_id == self._session.chosen:
            self.candidates.choose((view.chosen + by) % len(view.takes))
        else:
            self._session.step_take(by)

    def cancel(self) -> None:
        """Stop the job that the user sees running."""
        if self._jobs:
            self._engine.cancel(self._running())

    def cancel_all(self) -> None:
        """Nothing is made any more."""
        self.queue.clear()
        for number in tuple(self._jobs):
            self._engine.cancel(number)
        self.changed.emit()

    def cancel_line(self, line_id: str) -> None:
        """What is being made of the line is made no further."""
        for number, job in self._jobs.items():
            if job.line_id == line_id:
                self._engine.cancel(number)

    def cancel_waiting(self, number: int) -> None:
        """What waits under that number is not made."""
        self.queue.remove(number)
        self.changed.emit()

    def move_waiting(self, number: int, to: int) -> None:
        """What waits under that number is made as the one at place `to` of those that wait."""
        self.queue.move(number, to)
        self.changed.emit()

    def forget_failure(self, line_id: str) -> None:
        """The user has seen that the line failed."""
        self._failed.pop(line_id, None)
        self.changed.emit()

    def need_print(self, take_id: str) -> None:
        """See to it that a take can be seen and heard."""
        session = self._session
        if session.print_of(take_id) is not None:
            self._printed(take_id)
        elif take_id not in self._prints.values() and take_id not in session.foreign:
            session.look_up_print(take_id, self._print)

    def audition_voice(self, name: str) -> None:
        """Let the first clip of a voice be heard, as its codes sound."""
        if name in self.voice_prints:
            self.auditioned.emit(self.voice_prints[name])

    def need_voice_prints(self) -> None:
        """See to it that every voice can be seen and heard; the library's are by their recordings."""
        if self._session.engine is None:
            return
        kept = {id(voice) for voice in self._session.library}
        for voice in self._session.voices():
            if voice.references and id(voice) not in kept and self._asked_voices.get(voice.name) is not voice:
                self._asked_voices[voice.name] = voice
                self._voices[self._engine.print_codes(voice.name, voice.references[0].codes)] = voice.name

    # What the window shows

    def changed_place(self, line: Line) -> Place | None:
        """What Alt+Enter would speak anew of a line of which nothing is selected."""
        take = self._session.kept(line)
        alignment = self._session.alignment_of(line.kept)
        return next_place(take, alignment, sent(self._session.project, line), None) if take is not None else None

    @property
    def job(self) -> Performed | None:
        """The job that is running, None where the engine rests."""
        return self._jobs[self._running()] if self._jobs else None

    @property
    def waiting(self) -> int:
        return max(0, len(self._jobs) - 1) + len(self.queue)

    @property
    def running(self) -> tuple[Performed, ...]:
        """The jobs that the engine has, the one it is at first."""
        return tuple(sorted(self._jobs.values(), key=lambda job: (job is not self.job, job.urgency)))

    @property
    def concerned(self) -> frozenset[str]:
        """The lines that something is being made of, that wait for it, or that failed."""
        jobs = {job.line_id for job in self._jobs.values()}
        return frozenset(jobs.union(self._failed, (each.line_id for each in self.queue.waiting)))

    @property
    def failures(self) -> Mapping[str, str]:
        """Why the lines failed that did, by id."""
        return self._failed

    def state(self, line: Line) -> LineState:
        """Where a line stands, with what is being made of it."""
        state = self._session.state(line)
        for number, job in self._jobs.items():
            if job.line_id == line.id:
                if number == self._running():
                    return replace(state, kind=Kind.GENERATING, share=job.share)
                return replace(state, kind=Kind.QUEUED)
        if line.id in self.queue:
            return replace(state, kind=Kind.QUEUED)
        if line.id in self._failed:
            return replace(state, kind=Kind.FAILED, problem=self._failed[line.id])
        return state

    def performing(self, line_id: str) -> Performed | None:
        return next((job for job in self._jobs.values() if job.line_id == line_id), None)

    # Requests

    def nobody_answers(self) -> bool:
        """Says so where no voice model is there, nor on its way."""
        if self._session.engineless:
            self.said.emit(NO_MODEL)
        return self._session.engineless

    def _fitting(self, line: Line, opened: Opened | None) -> tuple[Line, ...]:
        """The line, or the lines it had to be cut into."""
        lines = split_long(line, opened.most_characters) if opened else (line,)
        if len(lines) > 1:
            for at, scene in enumerate(self._session.project.scenes):
                place = next((i for i, each in enumerate(scene.lines) if each.id == line.id), None)
                if place is not None:
                    self._session.do(ReplaceLines(at, place, place + 1, lines, "Cut a long line"))
        return lines

    def _settings(self, line: Line) -> Settings:
        chosen = settings_for(self._session.project, line)
        return chosen or (self._session.engine.settings if self._session.engine else Settings())

    def _go_on(self) -> None:
        """The engine has one job of the queue at a time: the others can still be moved, and each hears the turns that
        are there when it begins."""
        while not any(job.urgency is Urgency.QUEUED for job in self._jobs.values()):
            waiting = self.queue.next()
            if waiting is None:
                return
            line = self._session.find(waiting.line_id)
            if line is not None and not line.locked:
                self._generate(line, False, self._seeds_for(line, waiting.takes))

    def _seeds_for(self, line: Line, takes: int) -> tuple[int, ...]:
        return seeds_for(self._session.project, line, takes, self._seeds)

    def _generate(self, line: Line, audible: bool, seeds: tuple[int, ...]) -> None:
        try:
            prompt = prompt_of(self._session, line)
        except ScriptError as error:
            self._fail(line.id, error)
            return
        self._failed.pop(line.id, None)
        urgency = Urgency.AWAITED if audible else Urgency.QUEUED
        request = Generate(prompt, seeds, self._settings(line))
        number = self._engine.submit(request, urgency)
        self._jobs[number] = Performed(line.id, prompt, urgency, audible)
        self.generating.emit(number, line.id, request)

    def _regenerate(self, line: Line, take: Take, place: Place) -> None:
        prompt = place.prompt(self._session.project, line, take)
        seconds = take.origin.hop / take.origin.rate
        missing = 0 if line.target is None else round(line.target / seconds) - take.frames
        length = self.options.length_of(place, missing)
        request = Regenerate(prompt, take, place.span, self._many_seeds(), self._settings(line), length, place.margin)
        self._ask(line, place, prompt, request)

    def _many_seeds(self) -> tuple[int, ...]:
        return tuple(self._seeds() for _ in range(self.options.candidates))

    def _ask(self, line: Line, place: Place, prompt: Prompt, request: Request) -> None:
        self._failed.pop(line.id, None)
        number = self._engine.submit(request)
        self._jobs[number] = Performed(line.id, prompt, place=place)
        self.generating.emit(number, line.id, request)
        self.candidates.begin(line.id, place)
        self.changed.emit()

    def _running(self) -> int:
        """The number of the job the engine is at: awaited ones before queued ones."""
        return min(self._jobs, key=lambda number: (self._jobs[number].urgency, number))

    # Answers

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        if number in self._voices:
            name = self._voices.pop(number)
            if isinstance(event, Printed):
                self.voice_prints[name] = Print(event.rate, event.samples, Peaks(event.samples))
                self.voices_changed.emit()
            return
        if isinstance(event, Printed):
            self._prints.pop(number, None)
            if event.guessed:
                self._again.add(event.take_id)
            self._session.put_print(event.take_id, event.rate, event.samples, event.guessed)
            self._printed(event.take_id)
            return
        if number in self._prints:
            take_id = self._prints.pop(number)
            if isinstance(event, Failed):
                self.problem.emit(event.error, "decode a take")
                return
            self._again.add(take_id)
            if isinstance(event, Foreign):
                self._session.put_foreign(take_id)
            return
        job = self._jobs.get(number)
        if job is None:
            return
        match event:
            case Progress(frames, expected, most):
                job.began = job.began or time.monotonic()
                job.frames, job.expected, job.most = frames, expected, most
                if job.place is not None:
                    self.candidates.go_on(job.place, job.share)
                self.progressed.emit(job.line_id)
                return
            case Chunk():
                self._grow(job, event)
                return
            case Finished():
                del self._jobs[number]
                job.finished = True
                self._finish(job, event)
            case Stopped() | Failed():
                del self._jobs[number]
                job.finished = True
                if job.place is not None:
                    self.candidates.give_up(job.place)
                if isinstance(event, Failed):
                    self._fail(job.line_id, event.error)
        self._go_on()
        self.changed.emit()

    def _grow(self, job: Performed, chunk: Chunk) -> None:
        if chunk.candidate != 0 or chunk.samples is None or self._session.engine is None:
            return
        first = job.wave is None
        job.wave = job.wave or LiveWave(self._session.engine.rate)
        job.wave.append(chunk.samples)
        if first:
            self.changed.emit()
            if job.audible:
                self.sounding.emit(job)
        self.grew.emit(job.line_id)

    def _finish(self, job: Performed, finished: Finished) -> None:
        session = self._session
        line = session.find(job.line_id)
        if line is None:
            if job.place is not None:
                self.candidates.give_up(job.place)
            return
        if job.place is None:
            take = finished.takes[0]
            if job.wave is not None:
                session.put_live_print(take.id, job.wave)
            session.add_takes(job.line_id, finished.takes, "Generate line")
            for each in finished.takes:
                self._print(each.id)
            return
        best = self.candidates.answer(job.line_id, job.place, finished)
        following = None
        if job.place.by_changes:
            alignment = session.likely_alignment(best)
            following = next_place(best, alignment, sent(session.project, line), None)
        if following is not None:
            self._regenerate(line, best, replace(following, goes_on=True))
            return
        self.candidates.show()

    @Slot(str)
    def _hear_candidate(self, take_id: str) -> None:
        self._hear_when_printed = take_id
        if self._session.print_of(take_id) is None:
            self._print(take_id)  # it is new: it lies in no cache
        else:
            self._printed(take_id)

    def _fail(self, line_id: str, error: Exception) -> None:
        self._failed[line_id] = str(error)
        self.problem.emit(
            error, f"generate line {self._session.number(line_id)}" if self._session.find(line_id) else ""
        )

    def _print(self, take_id: str) -> None:
        held = self._session.print_of(take_id)
        if take_id in self._prints.values() or (held is not None and held.exact):
            return  # somebody else has asked for it meanwhile
        take = self._session.store.get(take_id)
        before = self._session.print_of(take.origin.parent)
        number = self._engine.print_take(take, before.samples if before is not None and before.exact else None)
        self._prints[number] = take_id

    @Slot()
    def _print_again(self) -> None:
        """Another voice model is there: it may know takes that the one before did not, or was stopped at."""
        again, self._again = self._again, set()
        self._session.foreign.clear()
        for take_id in again:
            self._session.look_up_print(take_id, self._print)

    def _printed(self, take_id: str) -> None:
        view = self.candidates.view
        if take_id == self._hear_when_printed and view is not None:
            self._hear_when_printed = None
            self.regenerated.emit(view.line_id)

    @Slot()
    def _give_up(self) -> None:
        """No voice model will come: what the engine had of jobs it ends itself."""
        self.queue.clear()
        self.changed.emit()

    @Slot()
    def _begin(self) -> None:
        """Another project: its lines may have the ids of the one before, and what was made for that is not theirs."""
        for number, job in self._jobs.items():
            job.finished = True
            self._engine.cancel(number)
        self._jobs.clear()  # what is answered still is heard by nobody
        self.queue.clear()
        self._failed.clear()
        self._hear_when_printed = None
        self.changed.emit()

    @Slot()
    def _follow(self) -> None:
        """What is made of a line that is gone is made no further."""
        for number, job in self._jobs.items():
            if self._session.find(job.line_id) is None:
                self._engine.cancel(number)
        self.queue.keep(lambda line_id: self._session.find(line_id) is not None)
