"""Takes made to be compared, beside the script: a word in two spellings, a line under several tags."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from engine.request import Chunk, Failed, Finished, Generate, Prompt, Samples, Settings, Stopped, Take
from studio.engine_thread import EngineThread, Urgency
from studio.samples import Peaks, Print


@dataclass(frozen=True, eq=False)
class Trial:
    """A take and how it sounds; it belongs to no line until somebody adopts it."""

    take: Take
    print: Print


@dataclass(eq=False)
class _Running:
    key: Hashable
    pieces: list[Samples] = field(default_factory=list)


class Trials(QObject):
    """One take for each key, made one after another."""

    made = Signal(object, object)  # a key and its Trial
    failed = Signal(object, object)  # a key and the error

    def __init__(self, engine: EngineThread, rate: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine, self._rate = engine, rate
        self._running: dict[int, _Running] = {}
        engine.answered.connect(self._hear)

    @property
    def busy(self) -> bool:
        return bool(self._running)

    def start(self, key: Hashable, prompt: Prompt, seed: int, settings: Settings) -> None:
        """Have a take made for a key."""
        self._running[self._engine.submit(Generate(prompt, (seed,), settings), Urgency.AWAITED)] = _Running(key)

    def cancel(self) -> None:
        """What is still being made is made no further."""
        for number in tuple(self._running):
            self._engine.cancel(number)

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        running = self._running.get(number)
        if running is None:
            return
        match event:
            case Chunk(samples=samples) if samples is not None:
                running.pieces.append(samples)
            case Finished():
                del self._running[number]
                samples = np.concatenate(running.pieces) if running.pieces else np.zeros(1, np.float32)
                held = Print(self._rate, samples, Peaks(samples))
                self.made.emit(running.key, Trial(event.takes[0], held))
            case Stopped():
                del self._running[number]
            case Failed(error):
                del self._running[number]
                self.failed.emit(running.key, error)
