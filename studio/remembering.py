"""Which voices' prompt memories are on disk: the engine is asked anew about those that a line was just spoken with."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.request import Finished, Voice
from studio.document.compare import voice_digest
from studio.engine_thread import EngineThread, Opened, Remembered


class Remembering(QObject):
    """What was found is kept by the digests of voices, for the checkpoint in use."""

    changed = Signal()

    def __init__(self, engine: EngineThread) -> None:
        super().__init__()
        self._engine = engine
        self._there: dict[str, bool] = {}
        self._asked: dict[int, tuple[str, ...]] = {}
        self._wanted: dict[str, Voice] = {}
        self._soon = QTimer(self, singleShot=True, interval=0)  # a whole list of voices is one question
        self._soon.timeout.connect(self._ask)
        engine.opened.connect(self._opened)
        engine.answered.connect(self._hear)

    def has(self, voice: Voice) -> bool:
        """Whether a voice's memory is on disk, as far as was looked; it is looked for where that is not known."""
        digest = voice_digest(voice)
        known = self._there.get(digest)
        if known is None:
            self._there[digest] = False
            self._wanted[digest] = voice
            self._soon.start()
        return bool(known)

    @Slot()
    def _ask(self) -> None:
        wanted, self._wanted = self._wanted, {}
        if wanted:
            self._asked[self._engine.look_for_memory(tuple(wanted.values()))] = tuple(wanted)

    @Slot(object)
    def _opened(self, opened: Opened) -> None:
        self._there.clear()
        self._asked.clear()
        self._wanted.clear()
        self.changed.emit()

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        if isinstance(event, Finished):
            spoken = {voice_digest(voice) for take in event.takes for voice in take.origin.prompt.voices}
            doubtful = [digest for digest in spoken if self._there.get(digest) is False]
            for digest in doubtful:
                del self._there[digest]
            if doubtful:
                self.changed.emit()
        digests = self._asked.pop(number, ())
        if isinstance(event, Remembered):
            found = dict(zip(digests, event.there, strict=True))
            new = any(found.values())
            self._there |= found
            if new:
                self.changed.emit()
