"""The prompt on screen: what is read for the chosen line, kept up to date while it is looked at."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from engine.errors import ScriptError
from engine.request import Described, Failed, Prompt, Settings
from studio.document.compare import settings_for
from studio.document.edits import SetReading
from studio.document.project import Line, LinePart, Pronunciation, Reading
from studio.engine_thread import EngineThread
from studio.panels.prompt_view import PromptDialog, PromptPage
from studio.samples import Peaks, Print
from studio.session import Performing, Session
from studio.session.prompting import prompt_of
from studio.session.trials import Trial, Trials

BETWEEN = 0.4  # seconds between the two spellings of a word
SOON = 150  # ms after the last key


class ReadingPages(QObject):
    """Connects the prompt's window with the session and the engine."""

    problem = Signal(object, str)

    def __init__(self, window: QWidget, session: Session, performing: Performing, engine: EngineThread) -> None:
        super().__init__(window)
        self._session, self._performing, self._engine = session, performing, engine
        self._asked: dict[int, PromptPage] = {}
        self._trials: Trials | None = None
        self._heard: dict[str, Trial] = {}
        self.dialog = PromptDialog(window)
        self._soon = QTimer(self, interval=SOON, singleShot=True)
        self._soon.timeout.connect(self._ask)
        session.project_changed.connect(self._follow)
        session.chosen_changed.connect(self._follow)
        engine.answered.connect(self._answer)
        self.dialog.reading_wanted.connect(self._want)
        self.dialog.hear_wanted.connect(self.hear)

    def open(self) -> None:
        self.dialog.show_reading(self._session.project.reading)
        self.dialog.show()
        self.dialog.raise_()
        self._ask()

    @Slot()
    def _follow(self) -> None:
        if self.dialog.isVisible():
            self.dialog.show_reading(self._session.project.reading)
            self._soon.start()

    @Slot()
    def _ask(self) -> None:
        session, line = self._session, self._session.line
        if line is None:
            self.dialog.show_page(PromptPage("No line is chosen"))
            return
        title = f"What is read for line {session.number(line.id)}"
        try:
            prompt = prompt_of(session, line)
        except ScriptError as error:
            self.dialog.show_page(PromptPage(title, why_not=str(error)))
            return
        if session.engine is None:
            self.dialog.show_page(PromptPage(title, why_not="The voice model is not loaded yet."))
            return
        number = self._engine.describe(prompt, self._settings(line))
        self._asked = {number: PromptPage(title, self._voices(line, prompt))}

    def _settings(self, line: Line) -> Settings:
        own = settings_for(self._session.project, line)
        return own or (self._session.engine.settings if self._session.engine else Settings())

    def _voices(self, line: Line, prompt: Prompt) -> tuple[str, ...]:
        """Who speaks with which voice, in the order of their numbers."""
        cast = self._session.project.cast
        told = []
        for voice in prompt.voices:
            names = [each.name for each in cast if each.voice == voice.name]
            frames = sum(reference.codes.shape[1] for reference in voice.references)
            told.append(f"{' or '.join(names)}, voice {voice.name}, {frames} frames")
        return tuple(told)

    @Slot(int, object)
    def _answer(self, number: int, event: object) -> None:
        page = self._asked.pop(number, None)
        if page is None:
            return
        if isinstance(event, Described):
            self.dialog.show_page(PromptPage(page.title, page.voices, event))
        elif isinstance(event, Failed):
            self.dialog.show_page(PromptPage(page.title, why_not=str(event.error)))

    @Slot(object)
    def _want(self, reading: Reading) -> None:
        self._session.do(SetReading(reading), gesture=("reading",))

    # A word in two spellings

    @Slot(object)
    def hear(self, word: Pronunciation) -> None:
        """The word as it is written, then as it is spoken, in the voice of the chosen line."""
        session, line = self._session, self._session.line
        if session.engine is None or line is None:
            return
        if self._trials is None:
            self._trials = Trials(self._engine, session.engine.rate, self)
            self._trials.made.connect(self._made)
            self._trials.failed.connect(self._failed)
        self._trials.cancel()
        self._trials.rate = session.engine.rate
        self._heard.clear()
        seed = int(np.random.default_rng().integers(2**31))
        for key, text in (("written", word.written), ("spoken", word.spoken)):
            said = Line(line.id, (LinePart(line.character, f"{text}."),), as_written=True)
            try:
                prompt = prompt_of(session, said)
            except ScriptError as error:
                self.problem.emit(error, "speak the word")
                return
            self._trials.start(key, prompt, seed, self._settings(line))

    @Slot(object, object)
    def _made(self, key: str, trial: Trial) -> None:
        self._heard[key] = trial
        if len(self._heard) == 2:
            first, second = self._heard["written"].print, self._heard["spoken"].print
            quiet = np.zeros(round(BETWEEN * first.rate), np.float32)
            samples = np.concatenate([first.samples, quiet, second.samples])
            self._performing.auditioned.emit(Print(first.rate, samples, Peaks(samples)))

    @Slot(object, object)
    def _failed(self, key: str, error: Exception) -> None:
        self.problem.emit(error, "speak the word")


