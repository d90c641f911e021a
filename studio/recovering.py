"""What earlier runs of the program left behind is offered, and taken up or given up as the user says."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from studio.document.journal import Recovered
from studio.document.unfinished import new_span
from studio.journaling import Journaling
from studio.panels.recovery_bar import Offer, RecoveryBar
from studio.paperwork import Paperwork
from studio.session import Playback, Session


class Recovering(QObject):
    """Connects the bar that offers with the journal."""

    problem = Signal(object, str)  # an error, and what failed
    said = Signal(str)

    def __init__(
        self, window: QWidget, session: Session, playback: Playback, paperwork: Paperwork, journaling: Journaling
    ) -> None:
        super().__init__(window)
        self._session, self._playback, self._paperwork = session, playback, paperwork
        self._journaling = journaling
        self.bar = RecoveryBar(window)
        journaling.found.connect(self._offer)
        self.bar.recover_wanted.connect(self._recover)
        self.bar.discard_wanted.connect(self._discard)
        session.recovered.connect(self._recovered)

    @Slot(object)
    def _offer(self, found: Recovered) -> None:
        title = f"Retake ended without closing “{found.history.project.title}”."
        self.bar.show_offer(Offer(title, words(found), found))

    @Slot(object)
    def _recover(self, found: Recovered) -> None:
        if self._paperwork.may_leave():
            self._session.recover(found, partial(self._offer, found))
        else:
            self._offer(found)

    @Slot(object)
    def _discard(self, found: Recovered) -> None:
        self._journaling.discard(found)
        self.said.emit(f"Discarded what was left of “{found.history.project.title}”")

    @Slot(object, object)
    def _recovered(self, found: Recovered, missing: Exception | None) -> None:
        self._playback.seek(found.standing.playhead)
        self.said.emit(f"Recovered “{found.history.project.title}” with all that happened in it")
        if missing is not None:
            self.problem.emit(missing, "read the takes that were saved in the project's file")


def words(found: Recovered) -> str:
    """How much there is that is nowhere else, and how old it is."""
    history, saved = found.history, found.history.saved
    steps = len(history.steps) - 1 - (saved or 0)
    parts = []
    if steps or not (found.unsaved_takes or found.unfinished or found.candidates):
        parts.append(_counted(steps, "step") + (" since it was saved" if saved is not None else ""))
    if found.unsaved_takes:
        parts.append(_counted(found.unsaved_takes, "take"))
    if found.unfinished:
        frames = sum(stop - start for start, stop in (new_span(take) for _, take in found.unfinished))
        parts.append(f"{_counted(frames, 'frame')} of a line that was being spoken")
    if found.candidates:
        parts.append(_counted(len(found.candidates), "candidate"))
    return f"It kept {_listed(parts)}. The last of it happened {_ago(time.time() - found.changed_at)}."


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _ago(seconds: float) -> str:
    for unit, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= unit:
            return f"{_counted(int(seconds // unit), name)} ago"
    return "a moment ago"
