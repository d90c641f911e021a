"""The one engine thread: torch is imported, loaded, used and freed on it, and nowhere else.

It advances several jobs, an event each, by urgency: what the user waits to hear first, then the rest in the order in
which it was asked for. Lines of the queue that are drawn alike advance together, in one batch, which others come to
while it is under way. Between two events it listens, so that a cancel takes effect within a frame.
"""

from __future__ import annotations

import enum
import gc
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Qt, QThread, Signal, Slot

from engine.request import (
    Alignment,
    Codes,
    Described,
    Failed,
    Finished,
    Generate,
    Likeness,
    Progress,
    Prompt,
    Request,
    Samples,
    Settings,
    Speakers,
    Stopped,
    Take,
    Voice,
)
from studio.gathering import gathered

if TYPE_CHECKING:
    from engine.generation import Lines
    from engine.speech import Engine

PROGRESS_SECONDS = 1 / 10  # more often than this the window need not hear of it: it holds up the engine meanwhile


class Urgency(enum.IntEnum):
    """The lower goes first."""

    AWAITED = 0  # the user pressed a key and listens
    PRINT = 1  # a take that shall be seen and heard
    QUEUED = 2


@dataclass(frozen=True)
class Opened:
    """What the window needs to know of a loaded checkpoint. `rate` is samples a second, `hop` samples a frame."""

    folder: Path
    checkpoint: str
    settings: Settings
    voices: tuple[Voice, ...]
    most_characters: int
    rate: int
    hop: int
    device: str
    precision: str
    weights_bytes: int
    codec: str = ""
    reference_seconds: tuple[float, float] = (5.0, 30.0)
    compiled: str = ""  # what came of compiling its layers, where that was asked for

    def may_read(self, take: Take) -> bool:
        """Whether, as far as is known, a take's codes are of its codec, for which they are noise otherwise."""
        return take.origin.meant_for(self.codec, self.checkpoint, self.rate, self.hop) is not False


@dataclass(frozen=True, eq=False)
class Printed:
    """How a finished take sounds: samples at `rate`. `guessed`: it is not known that its codes are of this codec."""

    take_id: str
    rate: int
    samples: Samples
    guessed: bool = False


@dataclass(frozen=True)
class Foreign:
    """A take whose codes are of another codec: how it sounds only that one can tell."""

    take_id: str


@dataclass(frozen=True, eq=False)
class Aligned:
    """Which frames of a take speak its words, and how much each frame is of its voice, where that can be told."""

    take_id: str
    alignment: Alignment
    likeness: Likeness | None = None


@dataclass(frozen=True, eq=False)
class WhoSpeaks:
    """What the voice in a recording is like, window by window; None where that cannot be told here."""

    speakers: Speakers | None


@dataclass(frozen=True, eq=False)
class Judged:
    """A take with what the model thinks of its frames."""

    take: Take


@dataclass(frozen=True, eq=False)
class Diverged:
    """How much another prompt would have mattered to each frame of a take, float32 [frame] in nats."""

    take_id: str
    nats: np.ndarray


@dataclass(frozen=True, eq=False)
class Encoded:
    """The codes of a clip, and the digest of the codec that made them."""

    codes: Codes
    codec: str = ""


@dataclass(frozen=True)
class Remembered:
    """Whether the memories of voices are on disk, in the order in which it was asked."""

    there: tuple[bool, ...]


@dataclass(frozen=True)
class _Order:
    folder: Path
    device: str | None
    precision: str | None
    compiled: bool


@dataclass(frozen=True, eq=False)
class _Job:
    number: int
    urgency: Urgency
    events: Callable[[Engine], Iterator[object]] = field(repr=False)
    line: Generate | None = None  # what it asks for, where it may share a batch

    def goes_with(self, other: _Job) -> bool:
        """Whether both may be drawn in one batch."""
        if self.line is None or other.line is None or self.urgency != other.urgency:
            return False
        return replace(self.line.settings, most_frames=None) == replace(other.line.settings, most_frames=None)


@dataclass(eq=False)
class _Running:
    """Jobs that advance together, by their place among them; `events` are what comes of them, each with its place."""

    jobs: dict[int, _Job]
    events: Iterator[tuple[int, object]] | None = None
    lines: Lines | None = None
    progress_at: dict[int, float] = field(default_factory=dict)

    @property
    def turn(self) -> tuple[Urgency, int]:
        """The lower goes first."""
        return min((job.urgency, job.number) for job in self.jobs.values())

    def place(self, number: int) -> int | None:
        return next((place for place, job in self.jobs.items() if job.number == number), None)


class _Worker(QObject):
    """Lives on the engine thread."""

    opened = Signal(object)
    unopened = Signal(object)
    answered = Signal(int, object)
    _again = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._engine: Engine | None = None
        self._running: list[_Running] = []
        self._stepping = False
        self._failed = False  # the last checkpoint could not be opened: nobody would answer
        self._again.connect(self._step, Qt.ConnectionType.QueuedConnection)

    @Slot(object)
    def open(self, order: _Order) -> None:
        if self._engine is not None:
            self._stop_all()
        self._engine = None  # the old weights go before the new ones come
        try:
            engine = _engine_class().open(order.folder, order.device, order.precision, order.compiled)
            info = engine.info()
            opened = Opened(
                order.folder,
                engine.checkpoint,
                engine.settings,
                tuple(engine.voices().values()),
                engine.most_characters,
                engine.sample_rate,
                engine.hop,
                str(info["device"]),
                str(info["precision"]),
                int(info["weights_bytes"]),
                engine.codec,
                engine.reference_seconds,
                engine.compiled or "",
            )
        except Exception as error:  # every error is for the window's thread to explain
            self._failed = True
            self.unopened.emit(error)
            self._stop_all()
            return
        self._engine, self._failed = engine, False
        self.opened.emit(opened)
        self._go_on()

    @Slot(object)
    def add(self, job: _Job) -> None:
        self._running.append(_Running({0: job}))
        if self._failed:
            self._stop_all()
        self._go_on()

    @Slot(int)
    def cancel(self, number: int) -> None:
        for running in self._running:
            place = running.place(number)
            if place is not None:
                if running.lines is not None:
                    running.lines.leave(place)
                self._end(running, place)
                self.answered.emit(number, Stopped())
                return

    @Slot()
    def leave(self) -> None:
        self._stop_all()
        self._engine = None
        self.thread().quit()

    @Slot()
    def _step(self) -> None:
        """One event of the most urgent job, then back to the event loop, where cancels and new jobs wait."""
        self._stepping = False
        if self._engine is None or not self._running:
            return
        running = min(self._running, key=lambda each: each.turn)
        try:
            events = running.events or self._begin(running, self._engine)
            self._let_others_in(running, self._engine)
            answers = [next(events)]
        except StopIteration:
            self._running.remove(running)
            answers = []
        except Exception as error:
            answers = [(place, Failed(error)) for place in running.jobs]
        for place, event in answers:
            job = running.jobs[place]
            if isinstance(event, Finished | Failed):
                self._end(running, place)
            if self._is_news(running, place, event):
                self.answered.emit(job.number, event)
        self._go_on()

    def _begin(self, running: _Running, engine: Engine) -> Iterator[tuple[int, object]]:
        """Let a job begin; where it is a line in the queue, in a batch that others may come to."""
        (job,) = running.jobs.values()
        if job.line is not None:
            running.lines = engine.together([job.line])
            running.events = iter(running.lines)
        else:
            running.events = ((0, event) for event in job.events(engine))
        return running.events

    def _let_others_in(self, running: _Running, engine: Engine) -> None:
        """Lines that wait and may share a batch come to it, in their turn, while it has room."""
        if running.lines is None:
            return
        first = next(iter(running.jobs.values()))
        waiting = [each for each in self._running if each.events is None and first.goes_with(each.jobs[0])]
        for each in sorted(waiting, key=lambda each: each.turn)[: max(0, engine.lines_at_once - len(running.jobs))]:
            job = each.jobs[0]
            assert job.line is not None
            running.jobs[running.lines.add(job.line)] = job
            self._running.remove(each)

    def _end(self, running: _Running, place: int) -> None:
        """A job is over; when it was the last of those that advanced together, so is their generator."""
        del running.jobs[place]
        if not running.jobs:
            self._running.remove(running)
            _close(running)

    def _is_news(self, running: _Running, place: int, event: object) -> bool:
        """Progress only now and then."""
        if isinstance(event, Progress):
            now = time.monotonic()
            if now - running.progress_at.get(place, 0.0) < PROGRESS_SECONDS:
                return False
            running.progress_at[place] = now
        return True

    def _go_on(self) -> None:
        if self._running and self._engine is not None and not self._stepping:
            self._stepping = True
            self._again.emit()

    def _stop_all(self) -> None:
        for running in self._running:
            _close(running)
            for job in running.jobs.values():
                self.answered.emit(job.number, Stopped())
        self._running.clear()


def _engine_class() -> type[Engine]:
    """The engine, with torch behind it. What torch's import makes stays for good, so Python's collector leaves it out
    from then on: a pass over all of it would hold up the window for a tenth of a second every now and then."""
    first = "engine.speech" not in sys.modules
    from engine.speech import Engine

    if first:
        gc.freeze()
    return Engine


def _close(running: _Running) -> None:
    """End a job's generator where it stands; its memory goes with it."""
    close = getattr(running.events, "close", None)
    if close is not None:
        close()


class EngineThread(QObject):
    """Open a checkpoint, submit requests; hear of them in the signals, on the thread this object lives on.

    `answered` carries the number that `submit`, `print_take`, `align`, `describe` or `encode` gave back, and Progress,
    Chunk, Finished, Printed, Foreign, Aligned, Described, Encoded, Stopped or Failed. Jobs may be submitted before a
    checkpoint is open: they wait for it, and are Stopped where it cannot be opened, as are those that come after.
    """

    opened = Signal(object)
    unopened = Signal(object)
    answered = Signal(int, object)
    _opening = Signal(object)
    _adding = Signal(object)
    _cancelling = Signal(int)
    _leaving = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = count(1)
        self._thread = QThread()
        self._thread.setObjectName("engine")
        self._worker = _Worker()
        self._worker.moveToThread(self._thread)
        self._opening.connect(self._worker.open)
        self._adding.connect(self._worker.add)
        self._cancelling.connect(self._worker.cancel)
        self._leaving.connect(self._worker.leave)
        self._worker.opened.connect(self.opened)
        self._worker.unopened.connect(self.unopened)
        self._worker.answered.connect(self.answered)
        self._thread.start()

    def open(
        self, folder: Path, device: str | None = None, precision: str | None = None, compiled: bool = False
    ) -> None:
        """Load another checkpoint in place of the one in use; what runs is stopped."""
        self._opening.emit(_Order(folder, device, precision, compiled))

    def submit(self, request: Request, urgency: Urgency = Urgency.AWAITED) -> int:
        """Have a request answered; the number names it in `answered` and `cancel`."""
        line = request if isinstance(request, Generate) and urgency is Urgency.QUEUED else None
        return self._add(urgency, lambda engine: gathered(engine.generate(request)), line)

    def print_take(self, take: Take, before: Samples | None = None) -> int:
        """Have a take decoded; `before` is a print of the take that it was made from. A Foreign answers where the
        checkpoint that is open by then has another codec."""

        def events(engine: Engine) -> Iterator[Printed | Foreign]:
            reads, span = engine.reads(take), take.origin.span
            if reads is False:
                yield Foreign(take.id)
            elif before is None or span is None:
                yield Printed(take.id, engine.sample_rate, engine.decode(take.codes), reads is None)
            else:
                samples = engine.decode_after(take.codes, before, span[0])
                yield Printed(take.id, engine.sample_rate, samples, reads is None)

        return self._add(Urgency.PRINT, events)

    def print_codes(self, name: str, codes: Codes) -> int:
        """Have the codes of a clip decoded; a Printed of that name answers."""

        def events(engine: Engine) -> Iterator[Printed]:
            yield Printed(name, engine.sample_rate, engine.decode(codes))

        return self._add(Urgency.PRINT, events)

    def align(self, take: Take, samples: Samples, urgency: Urgency = Urgency.PRINT) -> int:
        """Have a take's words found on its frames; `samples` are its print."""

        def events(engine: Engine) -> Iterator[Aligned]:
            yield Aligned(take.id, engine.align(take, samples), engine.likeness(take, samples))

        return self._add(urgency, events)

    def who_speaks(self, samples: Samples, rate: int) -> int:
        """Have it found what the voice in a recording is like."""

        def events(engine: Engine) -> Iterator[WhoSpeaks]:
            yield WhoSpeaks(engine.speakers(samples, rate))

        return self._add(Urgency.PRINT, events)

    def compare(self, take: Take, other: Prompt) -> int:
        """Have it found how much it matters to a take's frames that it was not read after another prompt."""

        def events(engine: Engine) -> Iterator[Diverged]:
            yield Diverged(take.id, engine.divergence(take, other))

        return self._add(Urgency.PRINT, events)

    def describe(self, prompt: Prompt, settings: Settings) -> int:
        """Have a prompt told part by part, as it would be read; a Described answers."""

        def events(engine: Engine) -> Iterator[Described]:
            yield engine.describe(prompt, settings)

        return self._add(Urgency.AWAITED, events)

    def judge(self, take: Take) -> int:
        """Have the frame data of a take made whose codes were put together."""

        def events(engine: Engine) -> Iterator[Judged]:
            yield Judged(engine.judged(take))

        return self._add(Urgency.AWAITED, events)

    def look_for_memory(self, voices: tuple[Voice, ...]) -> int:
        """Have it looked which voices' memories are on disk; a Remembered answers."""

        def events(engine: Engine) -> Iterator[Remembered]:
            yield Remembered(tuple(engine.remembers(voice) for voice in voices))

        return self._add(Urgency.QUEUED, events)

    def encode(self, samples: Samples, rate: int, urgency: Urgency = Urgency.PRINT) -> int:
        """Have a clip made into codes."""

        def events(engine: Engine) -> Iterator[Encoded]:
            yield Encoded(engine.encode(samples, rate), engine.codec)

        return self._add(urgency, events)

    def cancel(self, number: int) -> None:
        self._cancelling.emit(number)

    def close(self) -> None:
        """Stop what runs and end the thread; the engine is freed on it."""
        if not self._thread.isRunning():
            return
        self._leaving.emit()
        self._thread.wait()
        QCoreApplication.sendPostedEvents(self)

    def _add(self, urgency: Urgency, events: Callable[[Engine], Iterator[object]], line: Generate | None = None) -> int:
        job = _Job(next(self._numbers), urgency, events, line)
        self._adding.emit(job)
        return job.number
