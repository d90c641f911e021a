"""Which voices' prompt memories are on disk: the engine is asked again after each line that it speaks."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

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
        engine.opened.connect(self._opened)
        engine.answered.connect(self._hear)

    def has(self, voice: Voice) -> bool:
        """Whether a voice's memory is on disk, as far as was looked; it is looked for where that is not known."""
        digest = voice_digest(voice)
        known = self._there.get(digest)
        if known is None:
            self._there[digest] = False
            self._asked[self._engine.look_for_memory((voice,))] = (digest,)
        return bool(known)

    @Slot(object)
    def _opened(self, opened: Opened) -> None:
        self._there.clear()
        self._asked.clear()
        self.changed.emit()

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        if isinstance(event, Finished) and not all(self._there.values()):
            self._there = {digest: True for digest, there in self._there.items() if there}
            self.changed.emit()
        digests = self._asked.pop(number, ())
        if isinstance(event, Remembered):
            found = dict(zip(digests, event.there, strict=True))
            new = any(found.values())
            self._there |= found
            if new:
                self.changed.emit()
