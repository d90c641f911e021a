"""A sentence spoken on trial with a voice: heard from its first frames on, kept for as long as it is compared."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from engine.request import Part, Prompt, Samples, Voice
from studio.engine_thread import EngineThread, Opened
from studio.samples import LiveWave, Print
from studio.session import Playback, Session
from studio.session.playback import AsideLive
from studio.session.trials import Trial, Trials

SEED = 7  # the same for every voice, so that only the voice differs

SENTENCES = {
    "Chinese": "船来晚了。",
    "French": "Le bateau est en retard.",
    "German": "Das Boot hat Verspätung.",
    "Italian": "La barca è in ritardo.",
    "Japanese": "船が遅れています。",
    "Korean": "배가 늦었어요.",
    "Portuguese": "O barco está atrasado.",
    "Russian": "Лодка опаздывает.",
    "Spanish": "El barco llega tarde.",
}


def sentence_in(language: str) -> str:
    """The sentence that voices of a language are tried with."""
    return SENTENCES.get(language, "The boat is late.")


class Trying(QObject):
    """Speaks sentences with voices, each under a key by which it is asked for again."""

    changed = Signal(str)  # the key of a sentence that is being spoken, or is there now, or failed
    problem = Signal(object, str)

    def __init__(self, session: Session, playback: Playback, engine: EngineThread) -> None:
        super().__init__()
        self._session, self._playback, self._engine = session, playback, engine
        self._trials: Trials | None = None
        self._speaking: dict[str, bool] = {}  # the keys that are under way, and whether they are to be heard
        self.prints: dict[str, Print] = {}
        self._sounding: dict[str, AsideLive] = {}  # what is heard while it is being made
        engine.opened.connect(self._opened)

    def speak(self, key: str, voice: Voice, sentence: str, aloud: bool = True) -> None:
        """Speak a sentence; `aloud`, it is heard from its first frames on."""
        opened = self._session.engine
        if self._trials is None or opened is None:
            return
        self.prints.pop(key, None)
        self._speaking[key] = aloud
        self._trials.start(key, Prompt((Part(0, sentence),), (voice,)), SEED, opened.settings)
        self.changed.emit(key)

    def speaking(self, key: str) -> bool:
        return key in self._speaking

    def stop(self) -> None:
        """What is being spoken is spoken no further."""
        stopped, self._speaking = self._speaking, {}
        for sounding in self._sounding.values():
            sounding.finished = True
        self._sounding.clear()
        if self._trials is not None:
            self._trials.cancel()
        for key in stopped:
            self.changed.emit(key)

    @Slot(object)
    def _opened(self, opened: Opened) -> None:
        """Another checkpoint: what it was asked before is void."""
        self.stop()
        if self._trials is not None:
            self._trials.deleteLater()
        self._trials = Trials(self._engine, opened.rate, self)
        self._trials.made.connect(self._made)
        self._trials.failed.connect(self._failed)
        self._trials.grew.connect(self._grew)

    @Slot(object, object)
    def _grew(self, key: str, samples: Samples) -> None:
        if not self._speaking.get(key) or self._trials is None:
            return
        sounding = self._sounding.get(key)
        if sounding is None:
            sounding = self._sounding[key] = AsideLive(LiveWave(self._trials.rate))
            sounding.wave.append(samples)
            self._playback.play_aside_live(sounding)
        else:
            sounding.wave.append(samples)

    @Slot(object, object)
    def _made(self, key: str, trial: Trial) -> None:
        if (aloud := self._speaking.pop(key, None)) is None:
            return
        self.prints[key] = trial.print
        sounding = self._sounding.pop(key, None)
        if sounding is not None:
            sounding.finished = True
        elif aloud:
            self._playback.play_aside(trial.print)
        self.changed.emit(key)

    @Slot(object, object)
    def _failed(self, key: str, error: Exception) -> None:
        self._speaking.pop(key, None)
        if (sounding := self._sounding.pop(key, None)) is not None:
            sounding.finished = True
        self.changed.emit(key)
        self.problem.emit(error, "speak a sentence")
