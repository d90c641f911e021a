"""The answers to the last regenerate: which of them is the line's take, and which could be."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from engine.request import Finished, Score, Take
from studio.document.history import Step
from studio.session.changes import Place
from studio.session.jobs import CandidatesView
from studio.session.session import Session


class Candidates(QObject):
    """Lets the user choose among answers; the choice is one step of undo however often it changes.

    They stay until another regenerate, or until the user keeps one: while the line has another take, by undo or to
    compare, they are not seen, and with theirs they come back.
    """

    changed = Signal()
    chosen = Signal(str)  # the id of a candidate that has become the line's take and wants to be heard

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._held: CandidatesView | None = None
        self._before: CandidatesView | None = None  # what there was to choose from when others were asked for
        self._seen: CandidatesView | None = None
        self._answer: Step | None = None  # the step of undo that the last regenerate made
        session.project_changed.connect(self._follow)
        session.begun.connect(self.drop)

    @property
    def view(self) -> CandidatesView | None:
        """What there is to choose from now, None where there is nothing."""
        view = self._held
        if view is None or view.take is None:
            return view
        line = self._session.find(view.line_id)
        return view if line is not None and line.kept == view.take.id else None

    def begin(self, line_id: str, place: Place) -> None:
        """Some are being made."""
        if self._held is not None and self._held.takes:
            self._before = self._held
        self._hold(CandidatesView(line_id, place, share=0.0))

    def go_on(self, place: Place, share: float) -> None:
        """So much of those for a place is made, 0 to 1."""
        if self._held is not None and self._awaits(place):
            self._hold(replace(self._held, share=share))

    def give_up(self, place: Place) -> None:
        """Those for a place are made no further: there is to choose from what there was before, unless others have
        been asked for since, or have come."""
        if self._awaits(place):
            self._hold(self._before)

    def answer(self, line_id: str, place: Place, finished: Finished) -> Take:
        """They are there: the best becomes the line's take, and comes back."""
        best = finished.takes[0]
        before = self._answer if place.goes_on else None
        self._answer = self._session.add_takes(line_id, (best,), "Regenerate", instead_of=before)
        self._held = CandidatesView(line_id, place, finished.takes, finished.scores, beyond=finished.beyond)
        return best

    def show(self) -> None:
        """The best one is what the user waits for: it is selected where its line is chosen, and heard."""
        view = self._held
        if view is not None and view.take is not None:
            if self._session.chosen == view.line_id:
                self._session.choose_splice(view.line_id, view.place.inside)
            self._hold(view)
            self.chosen.emit(view.take.id)

    @Slot(int)
    def choose(self, index: int) -> None:
        """Another candidate becomes the line's take, in place of the one before: the same step of undo."""
        view = self.view
        if view is not None and 0 <= index < len(view.takes) and index != view.chosen:
            self._put(replace(view, chosen=index))

    @Slot(int)
    def hear(self, index: int) -> None:
        """A candidate is heard: it is the line's take from now on, or is so already."""
        view = self.view
        if view is not None and view.take is not None and index == view.chosen:
            self.chosen.emit(view.take.id)
        else:
            self.choose(index)

    def put(self, take: Take, score: Score) -> None:
        """The chosen candidate with its joins moved, in the place of what it was: the same step of undo."""
        view = self.view
        if view is not None and view.take is not None:
            takes, scores = list(view.takes), list(view.scores)
            takes[view.chosen], scores[view.chosen] = take, score
            self._put(replace(view, takes=tuple(takes), scores=tuple(scores)))

    @Slot()
    def drop(self) -> None:
        """The choice is made, or there is none any more."""
        self._before = None
        self._hold(None)

    def _awaits(self, place: Place) -> bool:
        """Whether those for a place are the ones that were asked for last, and are not there yet."""
        return self._held is not None and self._held.place is place and self._held.take is None

    def _put(self, view: CandidatesView) -> None:
        """A candidate becomes the line's take, in place of the one before, and is heard."""
        take = view.take
        assert take is not None
        self._held = view
        self._answer = self._session.add_takes(view.line_id, (take,), "Regenerate", instead_of=self._answer)
        if self._session.chosen == view.line_id:
            self._session.choose_splice(view.line_id, view.place.inside)
        self._hold(view)
        self.chosen.emit(take.id)

    def _hold(self, view: CandidatesView | None) -> None:
        self._held = view
        self._follow(told=True)

    @Slot()
    def _follow(self, told: bool = False) -> None:
        """Undo and other takes hide them, and bring them back."""
        before, self._seen = self._seen, self.view
        if told or before is not self._seen:
            self.changed.emit()
