"""Takes made to be compared, beside the script: a word in two spellings, a line under several tags."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from engine.request import Chunk, Failed, Finished, Generate, Prompt, Regenerate, Samples, Settings, Stopped, Take
from studio.engine_thread import EngineThread, Foreign, Printed, Urgency
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
    take: Take | None = None


class Trials(QObject):
    """One take for each key, made one after another."""

    made = Signal(object, object)  # a key and its Trial
    failed = Signal(object, object)  # a key and the error
    grew = Signal(object, object)  # a key, and samples that came after those before

    def __init__(self, engine: EngineThread, rate: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine, self.rate = engine, rate
        self._running: dict[int, _Running] = {}
        engine.answered.connect(self._hear)

    @property
    def busy(self) -> bool:
        return bool(self._running)

    def start(self, key: Hashable, prompt: Prompt, seed: int, settings: Settings) -> None:
        """Have a take made for a key."""
        self._running[self._engine.submit(Generate(prompt, (seed,), settings), Urgency.AWAITED)] = _Running(key)

    def start_after(self, key: Hashable, request: Regenerate) -> None:
        """Have a take made for a key that begins as another take does; the best answer counts."""
        self._running[self._engine.submit(request, Urgency.AWAITED)] = _Running(key)

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
                self.grew.emit(running.key, samples)
            case Finished():
                del self._running[number]
                take = event.takes[0]
                if running.pieces:
                    self._tell(running.key, take, np.concatenate(running.pieces))
                else:  # what begins as another take is heard only as a whole
                    running.take = take
                    self._running[self._engine.print_take(take)] = running
            case Printed(samples=samples) if running.take is not None:
                del self._running[number]
                self._tell(running.key, running.take, samples)
            case Stopped() | Foreign():
                del self._running[number]
            case Failed(error):
                del self._running[number]
                self.failed.emit(running.key, error)

    def _tell(self, key: Hashable, take: Take, samples: Samples) -> None:
        self.made.emit(key, Trial(take, Print(self.rate, samples, Peaks(samples))))
