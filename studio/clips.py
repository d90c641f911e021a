"""The clips of the timeline: those of a short script follow every key, those of a long one once nobody types."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from studio import showing
from studio.document.timing import placing
from studio.panels.timeline_values import TimelineClip
from studio.session import Performing, Session

SHORT = 1_000  # lines whose clips are made at once
LATER = 1_200  # ms after the last key, for those of longer scripts
_SLICE = 0.006  # seconds
_AT_A_TIME = 32  # lines between two looks at the clock


class Clips(QObject):
    """`clips` in the order of the script and the `seconds` that it takes, as they were made last."""

    made = Signal()

    def __init__(self, session: Session, performing: Performing, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._performing = session, performing
        self._making: Iterator[None] | None = None
        self._later = QTimer(self, interval=LATER, singleShot=True)
        self._later.timeout.connect(self._begin)
        self._idle = QTimer(self, interval=0, singleShot=True)
        self._idle.timeout.connect(self._go_on)
        self.clips: tuple[TimelineClip, ...] = ()
        self.seconds = 0.0

    def follow(self) -> None:
        """Something has changed that may be seen on the timeline."""
        if sum(len(scene.lines) for scene in self._session.project.scenes) <= SHORT:
            self.make()
        elif not self._later.isActive():
            self._later.start()

    def wait(self) -> None:
        """Somebody types: what is being made of a long script is out of date already."""
        if self._later.isActive() or self._making is not None:
            self._making = None
            self._later.start()

    def make(self) -> None:
        """All of them, now."""
        self._later.stop()
        self._making = None
        for _ in self._made():
            pass

    @Slot()
    def _begin(self) -> None:
        self._making = self._made()
        self._go_on()

    @Slot()
    def _go_on(self) -> None:
        until = time.perf_counter() + _SLICE
        while self._making is not None:
            if next(self._making, self) is self:
                self._making = None
            if time.perf_counter() >= until:
                break
        if self._making is not None:
            self._idle.start()

    def _made(self) -> Iterator[None]:
        """Goes through the script, with a stop now and then. A clip that looks as before is the one before."""
        before = {clip.line_id: clip for clip in self.clips}
        clips: list[TimelineClip] = []
        seconds = 0.0
        for number, placed in enumerate(placing(self._session.project, self._session.seconds_of)):
            clip = showing.clip(self._session, self._performing, placed)
            seconds = max(seconds, placed.stop_seconds)
            if clip is not None:
                old = before.get(clip.line_id)
                clips.append(old if old is not None and old == clip else clip)
            if number % _AT_A_TIME == 0:
                yield
        self.clips, self.seconds = tuple(clips), seconds
        self.made.emit()
