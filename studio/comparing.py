"""Comparing what tags do to a line: takes from one seed, the same up to the tag, and where each tag acts."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from engine.errors import ScriptError
from engine.request import Failed, Free, Prompt, Regenerate, Settings
from engine.text import proportional_span, spoken
from studio import showing
from studio.document.compare import settings_for
from studio.document.context import prompt_in_context
from studio.document.edits import AddTakes, ReplaceLines
from studio.document.project import Line
from studio.engine_thread import Diverged, EngineThread
from studio.panels.script_lines import edited
from studio.panels.tags_compare import Cell, CompareDialog
from studio.samples import Peaks, Print
from studio.session import Performing, Session
from studio.session.trials import Trial, Trials

LOUDNESS = 0.1  # root mean square that all are played at


@dataclass(frozen=True)
class _Question:
    """A line, where in its text the tags stand, and with which seed it is spoken."""

    line: Line
    place: int
    seed: int

    def tagged(self, tag: str) -> Line:
        text = self.line.text
        if not tag:
            return self.line
        before = " " if self.place and not text[self.place - 1].isspace() else ""
        after = "" if text[self.place : self.place + 1].isspace() else " "
        return edited(self.line, f"{text[: self.place]}{before}[{tag}]{after}{text[self.place :]}")


class Comparing(QObject):
    """Connects the comparison's window with the session and the engine."""

    problem = Signal(object, str)

    def __init__(self, window: QWidget, session: Session, performing: Performing, engine: EngineThread) -> None:
        super().__init__(window)
        self._session, self._performing, self._engine = session, performing, engine
        self._question: _Question | None = None
        self._tags: tuple[str, ...] = ()
        self._trials: Trials | None = None
        self._made: dict[str, Trial] = {}
        self._failed: dict[str, str] = {}
        self._nats: dict[str, np.ndarray] = {}
        self._asked: dict[int, str] = {}
        self.dialog = CompareDialog(window)
        engine.answered.connect(self._hear)
        self.dialog.start_wanted.connect(self.start)
        self.dialog.play_wanted.connect(self.play)
        self.dialog.adopt_wanted.connect(self.adopt)
        self.dialog.closed.connect(self._stop)

    def open(self, place: int, recent: tuple[str, ...]) -> None:
        """For the chosen line, with the tags at a place in its text."""
        line = self._session.line
        if line is None or self._session.engine is None:
            return
        self._stop()
        self._question = _Question(line, place, random.SystemRandom().randrange(2**31))
        self._made, self._failed, self._nats, self._tags = {}, {}, {}, ()
        rest = line.text[place:].strip()
        where = f"The tags stand before “{rest[:40]}”" if place and rest else "The tags stand at the start of the line."
        self.dialog.show_about(line.text.strip(), where)
        if not self.dialog.tags.text():
            self.dialog.tags.setText(", ".join(recent[:3]))
        self.dialog.show_cells(())
        self.dialog.show()

    @Slot(object)
    def start(self, tags: tuple[str, ...]) -> None:
        """The line without a tag first; those with one go on from its frames."""
        question, opened = self._question, self._session.engine
        if question is None or opened is None:
            return
        if self._trials is None:
            self._trials = Trials(self._engine, opened.rate, self)
            self._trials.made.connect(self._hear_made)
            self._trials.failed.connect(self._hear_failed)
        self._trials.cancel()
        self._trials.rate = opened.rate
        self._made, self._failed, self._nats, self._tags = {}, {}, {}, ("", *tags)
        self._show()
        if (prompt := self._prompt("")) is not None:
            self._trials.start("", prompt, question.seed, self._settings())

    def _prompt(self, tag: str) -> Prompt | None:
        """What is read under a tag; None, and told, where that cannot be."""
        assert self._question is not None
        try:
            return prompt_in_context(self._session.project, self._session.store, self._question.tagged(tag))
        except ScriptError as error:
            self.problem.emit(error, "compare tags")
            return None

    def _settings(self) -> Settings:
        assert self._question is not None
        own = settings_for(self._session.project, self._question.line)
        return own or (self._session.engine.settings if self._session.engine else Settings())

    @Slot(object, object)
    def _hear_made(self, tag: str, trial: Trial) -> None:
        self._made[tag] = trial
        if not tag:
            for other in self._tags[1:]:
                self._go_on(other, trial)
        else:
            bare = self._made[""].take.origin.prompt
            self._asked[self._engine.compare(trial.take, bare)] = tag
        self._show()

    def _go_on(self, tag: str, base: Trial) -> None:
        """A take under a tag: from the tag's place on, where something stands before it."""
        question, trials = self._question, self._trials
        prompt = self._prompt(tag)
        if question is None or trials is None or prompt is None:
            return
        take, text = base.take, question.line.text
        said = spoken(text[question.place :])
        spoken_before = spoken(text[: question.place]).strip()
        start = proportional_span(text, 0, question.place, take.frames)[1] if spoken_before else 0
        if 0 < start < take.frames and len(question.line.parts) == 1:
            request = Regenerate(
                prompt, take, (start, take.frames), (question.seed,), self._settings(), Free(len(said) or None)
            )
            trials.start_after(tag, request)
        else:
            trials.start(tag, prompt, question.seed, self._settings())

    @Slot(object, object)
    def _hear_failed(self, tag: str, error: Exception) -> None:
        self._failed[tag] = str(error)
        self._show()

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        tag = self._asked.pop(number, None)
        if tag is not None and isinstance(event, Diverged):
            self._nats[tag] = event.nats
            self._show()
        elif tag is not None and isinstance(event, Failed):
            self.problem.emit(event.error, "measure what the tag does")

    def _show(self) -> None:
        self.dialog.show_cells(tuple(self._cell(tag) for tag in self._tags))

    def _cell(self, tag: str) -> Cell:
        trial = self._made.get(tag)
        if trial is None:
            return Cell(tag, why_not=self._failed.get(tag, ""))
        return Cell(tag, showing.thumbnail(trial.print), trial.take.seconds, self._nats.get(tag))

    @Slot(str)
    def play(self, tag: str) -> None:
        """All are heard equally loud, so that louder is not taken for better."""
        held = self._made[tag].print
        loud = float(np.sqrt(np.mean(np.square(held.samples, dtype=np.float64))))
        if loud > 0:
            peak = float(np.abs(held.samples).max())
            samples = (held.samples * min(LOUDNESS / loud, 0.99 / peak)).astype(np.float32)
            self._performing.auditioned.emit(Print(held.rate, samples, Peaks(samples)))

    @Slot(str)
    def adopt(self, tag: str) -> None:
        """The tag comes into the line, and its take is kept: one step of undo."""
        question, session = self._question, self._session
        line = session.find(question.line.id) if question else None
        if question is None or line is None or line.text != question.line.text:
            self.problem.emit(ScriptError("The line has changed since the takes were made."), "adopt the take")
            return
        gesture = ("adopt", line.id, tag)
        at, place = session.place(line.id)
        parts = question.tagged(tag).parts
        session.end_gesture()
        session.do(ReplaceLines(at, place, place + 1, (replace(line, parts=parts),), "Adopt a tag"), gesture=gesture)
        take_id = session.store.add(self._made[tag].take)
        session.do(AddTakes(line.id, (take_id,), True, "Adopt a tag"), gesture=gesture)
        session.end_gesture()
        self._performing.need_print(take_id)
        self.dialog.close()

    @Slot()
    def _stop(self) -> None:
        if self._trials is not None:
            self._trials.cancel()
