"""The bar at the bottom: the running job with its rate, time left and cancel, and what the engine runs on."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout

from studio import theme
from studio.controls import ElidedLabel, IconButton, ProgressLine, label


@dataclass(frozen=True)
class JobView:
    """The running job: its words ("Generating line 4"), the share done, frames a second, seconds left (None: not
    known), and how many jobs wait behind it."""

    words: str
    share: float | None = None
    rate: float | None = None
    seconds_left: float | None = None
    waiting: int = 0


class JobsBar(QFrame):
    """26 px."""

    cancel_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "bar")
        self.setFixedHeight(26)
        self.setAccessibleName("Jobs")
        self.words = ElidedLabel(12, 400, "muted")
        self.progress = ProgressLine(120)
        self.pace = label("", 12, 400, "muted")
        self.cancel = IconButton("close", "Cancel", "Esc", size=22)
        self.engine = ElidedLabel(12, 400, "muted")
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(12, 1, 12, 0)
        row.setSpacing(10)
        for widget in (self.words, self.progress, self.pace, self.cancel):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.engine)
        self.cancel.clicked.connect(self.cancel_wanted)
        self._message = ""
        self.show_job(None)

    def show_job(self, job: JobView | None) -> None:
        """The job that runs; None when nothing does, and then the last message stands there."""
        for widget in (self.progress, self.pace, self.cancel):
            widget.setVisible(job is not None)
        if job is None:
            self.words.show_text(self._message)
            return
        self.words.show_text(job.words)
        self.progress.show_share(job.share)
        self.pace.setText(pace(job))
        self._row.activate()  # at once: words that have no room yet would be seen cut off

    def show_message(self, text: str) -> None:
        """A passing word ("Saved", "Exported 3 files"), seen while no job runs."""
        self._message = text
        if self.cancel.isHidden():
            self.words.show_text(text)
            self._row.activate()

    def show_engine(self, text: str) -> None:
        """What the engine runs on."""
        self.engine.show_text(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(0, 0, self.width(), 1, QColor(theme.current().line))


def pace(job: JobView) -> str:
    """`98 frames/s · 2 s left · 3 waiting`, as much of it as is known."""
    said = []
    if job.rate is not None:
        said.append(f"{job.rate:.0f} frames/s" if job.rate >= 10 else f"{job.rate:.1f} frames/s")
    if job.seconds_left is not None:
        minutes, seconds = divmod(round(job.seconds_left), 60)
        said.append(f"{minutes} min {seconds} s left" if minutes else f"{seconds} s left")
    if job.waiting:
        said.append(f"{job.waiting} waiting")
    return " · ".join(said)
