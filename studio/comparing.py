"""Comparing what tags and directions do to a line: takes from one seed, the same up to the tag, and where each acts."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from engine.errors import ScriptError
from engine.request import Failed, Free, Prompt, Regenerate, Settings
from engine.text import proportional_span, spoken, words
from studio import showing
from studio.document.compare import settings_for
from studio.document.edits import AddTakes, ReplaceLines, SetDirection
from studio.document.project import Line
from studio.engine_thread import Diverged, EngineThread
from studio.panels.script_lines import edited
from studio.panels.tags_compare import AS_IT_IS, Cell, CompareDialog, Manner
from studio.samples import Peaks, Print
from studio.session import Performing, Session
from studio.session.prompting import prompt_of
from studio.session.trials import Trial, Trials

LOUDNESS = 0.1  # root mean square that all are played at
_STOPS = " .,;:!?…"
EMPTY = ("word", "line", "text")  # tags that ask for nothing: what they do is what any tag does


@dataclass(frozen=True)
class _Question:
    """A line, where in its text the tags stand, and with which seed it is spoken."""

    line: Line
    place: int
    seed: int

    def spoken(self, manner: Manner) -> Line:
        """The line as it would be under a tag or by a direction."""
        text, tag = self.line.text, manner.words
        if manner.directed:
            return replace(self.line, direction=manner.words)
        if not tag:
            return self.line
        before = " " if self.place and not text[self.place - 1].isspace() else ""
        after = "" if text[self.place : self.place + 1].isspace() else " "
        return edited(self.line, f"{text[: self.place]}{before}[{tag}]{after}{text[self.place :]}")


def stands(text: str, place: int) -> str:
    """Where in a line's text a place is, in words."""
    rest = text[place:].strip(_STOPS)
    if not place:
        return "at the start of the line"
    return f"before “{rest[:40].rstrip(_STOPS)}”" if rest else "at the end of the line"


class Comparing(QObject):
    """Connects the comparison's window with the session and the engine."""

    problem = Signal(object, str)

    def __init__(self, window: QWidget, session: Session, performing: Performing, engine: EngineThread) -> None:
        super().__init__(window)
        self._session, self._performing, self._engine = session, performing, engine
        self._question: _Question | None = None
        self._manners: tuple[Manner, ...] = ()
        self._trials: Trials | None = None
        self._made: dict[Manner, Trial] = {}
        self._failed: dict[Manner, str] = {}
        self._nats: dict[Manner, np.ndarray] = {}
        self._empty: dict[Manner, np.ndarray] = {}
        self._asked: dict[int, tuple[Manner, dict[Manner, np.ndarray]]] = {}  # and where the answer goes
        self.dialog = CompareDialog(window)
        engine.answered.connect(self._hear)
        self.dialog.start_wanted.connect(self.start)
        self.dialog.play_wanted.connect(self.play)
        self.dialog.adopt_wanted.connect(self.adopt)
        self.dialog.closed.connect(self._stop)

    def open(self, place: int, recent: tuple[str, ...]) -> None:
        """For the chosen line, with the tags at a place in its text; within a word that is its beginning."""
        line = self._session.line
        if line is None or self._performing.nobody_answers() or self._session.engine is None:
            return
        self._stop()
        place = next((start for start, stop in words(line.text) if start < place < stop), place)
        self._question = _Question(line, place, random.SystemRandom().randrange(2**31))
        self._made, self._failed, self._nats, self._empty, self._manners = {}, {}, {}, {}, ()
        where = f"The tags stand {stands(line.text, place)}."
        self.dialog.show_about(line.text.strip(), where, self._session.project.reading.template)
        if not self.dialog.tags.text():
            self.dialog.tags.setText(", ".join(recent[:3]))
        self.dialog.show_cells(())
        self.dialog.show()

    @Slot(object)
    def start(self, manners: tuple[Manner, ...]) -> None:
        """The line as it is first; under a tag it goes on from its frames."""
        question, opened = self._question, self._session.engine
        if question is None or opened is None:
            return
        if self._trials is None:
            self._trials = Trials(self._engine, opened.rate, self)
            self._trials.made.connect(self._hear_made)
            self._trials.failed.connect(self._hear_failed)
        self._trials.cancel()
        self._trials.rate = opened.rate
        self._made, self._failed, self._nats, self._empty = {}, {}, {}, {}
        self._manners = (AS_IT_IS, *manners)
        self._show()
        if (prompt := self._prompt(AS_IT_IS)) is not None:
            self._trials.start(AS_IT_IS, prompt, question.seed, self._settings())

    def _prompt(self, manner: Manner) -> Prompt | None:
        """What is read in a manner; None, and told, where that cannot be."""
        assert self._question is not None
        try:
            return prompt_of(self._session, self._question.spoken(manner))
        except ScriptError as error:
            self.problem.emit(error, "compare tags")
            return None

    def _settings(self) -> Settings:
        assert self._question is not None
        own = settings_for(self._session.project, self._question.line)
        return own or (self._session.engine.settings if self._session.engine else Settings())

    @Slot(object, object)
    def _hear_made(self, manner: Manner, trial: Trial) -> None:
        self._made[manner] = trial
        if manner == AS_IT_IS:
            for other in self._manners[1:]:
                self._go_on(other, trial)
            for directed in {other.directed for other in self._manners[1:]}:
                self._measure_empty(directed, trial)
        else:
            self._measure(manner, trial, self._made[AS_IT_IS].take.origin.prompt, self._nats)
        self._show()

    def _measure_empty(self, directed: bool, base: Trial) -> None:
        """What tags, or directions, do to this line that ask for nothing."""
        for empty in EMPTY:
            manner = Manner(empty, directed)
            prompt = self._prompt(manner)
            if prompt is not None:
                self._measure(manner, base, prompt, self._empty)

    def _measure(self, manner: Manner, trial: Trial, other: Prompt, into: dict[Manner, np.ndarray]) -> None:
        self._asked[self._engine.compare(trial.take, other)] = manner, into

    def _go_on(self, manner: Manner, base: Trial) -> None:
        """A take in a manner: from the tag's place on, where something stands before it."""
        question, trials = self._question, self._trials
        prompt = self._prompt(manner)
        if question is None or trials is None or prompt is None:
            return
        take, text = base.take, question.line.text
        said = spoken(text[question.place :])
        spoken_before = spoken(text[: question.place]).strip() and not manner.directed
        start = proportional_span(text, 0, question.place, take.frames)[1] if spoken_before else 0
        if 0 < start < take.frames and len(question.line.parts) == 1:
            request = Regenerate(
                prompt, take, (start, take.frames), (question.seed,), self._settings(), Free(len(said) or None)
            )
            trials.start_after(manner, request)
        else:
            trials.start(manner, prompt, question.seed, self._settings())

    @Slot(object, object)
    def _hear_failed(self, manner: Manner, error: Exception) -> None:
        self._failed[manner] = str(error)
        self._show()

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        asked = self._asked.pop(number, None)
        if asked is not None and isinstance(event, Diverged):
            manner, into = asked
            into[manner] = event.nats
            self._show()
        elif asked is not None and isinstance(event, Failed):
            self.problem.emit(event.error, "measure what the tag does")

    def _show(self) -> None:
        self.dialog.show_cells(tuple(self._cell(manner) for manner in self._manners))

    def _cell(self, manner: Manner) -> Cell:
        trial = self._made.get(manner)
        if trial is None:
            return Cell(manner, why_not=self._failed.get(manner, ""))
        held = showing.thumbnail(trial.print)
        return Cell(manner, held, trial.take.seconds, self._nats.get(manner), self._least(manner.directed))

    def _least(self, directed: bool) -> float | None:
        """The most that an empty tag does to a frame of this line, on average; None until all of them are measured."""
        known = [float(nats.mean()) for manner, nats in self._empty.items() if manner.directed == directed]
        return max(known) if len(known) == len(EMPTY) else None

    @Slot(object)
    def play(self, manner: Manner) -> None:
        """All are heard equally loud, so that louder is not taken for better."""
        held = self._made[manner].print
        loud = float(np.sqrt(np.mean(np.square(held.samples, dtype=np.float64))))
        if loud > 0:
            peak = float(np.abs(held.samples).max())
            samples = (held.samples * min(LOUDNESS / loud, 0.99 / peak)).astype(np.float32)
            self._performing.auditioned.emit(Print(held.rate, samples, Peaks(samples)))

    @Slot(object)
    def adopt(self, manner: Manner) -> None:
        """The tag or direction comes into the line, and its take is kept: one step of undo."""
        question, session = self._question, self._session
        line = session.find(question.line.id) if question else None
        if question is None or line is None or line.text != question.line.text:
            self.problem.emit(ScriptError("The line has changed since the takes were made."), "adopt the take")
            return
        gesture = ("adopt", line.id, manner)
        label = "Adopt a direction" if manner.directed else "Adopt a tag"
        at, place = session.place(line.id)
        parts = question.spoken(manner).parts
        session.end_gesture()
        if manner.directed:
            session.do(SetDirection(line.id, manner.words, label), gesture=gesture)
        else:
            session.do(ReplaceLines(at, place, place + 1, (replace(line, parts=parts),), label), gesture=gesture)
        take_id = session.store.add(self._made[manner].take)
        session.do(AddTakes(line.id, (take_id,), True, label), gesture=gesture)
        session.end_gesture()
        self._performing.need_print(take_id)
        self.dialog.close()

    @Slot()
    def _stop(self) -> None:
        if self._trials is not None:
            self._trials.cancel()
