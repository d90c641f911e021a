"""The joins of the chosen candidate, moved frame by frame: more of what was there, or more of what was drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from engine.request import Codes, Failed, FrameData, Score, Span, Take, frozen
from engine.splice import FORCED, join
from studio.engine_thread import EngineThread, Judged
from studio.session.performing import Performing
from studio.session.session import Session


@dataclass(frozen=True, eq=False)
class Moved:
    """A candidate as it was drawn, the take it was drawn into, what it drew beyond its cut, and how many frames later
    its joins stand now."""

    parent: Take
    drawn: Take
    beyond: Codes
    left: int = 0
    right: int = 0

    @property
    def new(self) -> Span:
        """The frames of the candidate as it was drawn."""
        assert self.drawn.origin.span is not None
        return self.drawn.origin.span

    @property
    def old_stop(self) -> int:
        """The first frame of the parent that was kept after it."""
        return self.parent.frames - (self.drawn.frames - self.new[1])

    @property
    def possible(self) -> bool:
        """Are there frames for it: drawn ones between the joins, old ones outside of them?"""
        start, stop = self.new
        first, last, kept = start + self.left, stop + self.right, self.old_stop + self.right
        return (
            self.left >= 0
            and self.right <= self.beyond.shape[1]
            and first <= min(last, kept)
            and (first <= self.old_stop and kept <= self.parent.frames)
        )

    def take(self) -> Take:
        """The take with its joins moved; it is as long as before."""
        start, stop = self.new
        drawn = np.concatenate([self.drawn.codes[:, start:stop], self.beyond], axis=1)
        codes = np.concatenate(
            [
                self.parent.codes[:, : start + self.left],
                drawn[:, self.left : stop - start + self.right],
                self.parent.codes[:, self.old_stop + self.right :],
            ],
            axis=1,
        )
        nothing = frozen(np.zeros((2, codes.shape[1]), np.float32))
        origin = replace(self.drawn.origin, span=(start + self.left, stop + self.right))
        return Take(frozen(codes.astype(np.int16)), origin, FrameData(nothing, nothing), self.drawn.capped)

    def score(self, judged: Take) -> Score:
        """The worse of both joins, against how likely the same frames were where they come from."""
        start, stop = self.new
        first, last = start + self.left, stop + self.right
        joins = [1.0]
        kept = self.parent.frame_data.log_p[:, self.old_stop + self.right :][:, :FORCED]
        if kept.shape[1]:
            joins.append(join(judged.frame_data.log_p[:, last : last + kept.shape[1]].T, kept.T))
        drawn = self.drawn.frame_data.log_p[:, first : min(stop, last)][:, :FORCED]
        if self.left and drawn.shape[1]:
            joins.append(join(judged.frame_data.log_p[:, first : first + drawn.shape[1]].T, drawn.T))
        return Score(min(joins), float(judged.frame_data.log_p[:, first:last].sum(0).mean()) if first < last else 0.0)


class Joins(QObject):
    """Moves the joins of the candidate that is chosen, and has the result judged, printed and heard."""

    problem = Signal(object, str)  # an error, and what failed

    def __init__(
        self, session: Session, performing: Performing, engine: EngineThread, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._performing, self._engine = session, performing, engine
        self._made: dict[str, Moved] = {}  # what takes with moved joins were made of, by their ids
        self._asked: tuple[int, Moved, str] | None = None  # what is judged, and the id of the candidate that it was
        engine.answered.connect(self._hear)

    def move(self, edge: str, frames: int) -> bool:
        """Move the join at an edge ("start" or "stop") of the chosen candidate by so many frames, as far as there are
        any. False where no candidate is chosen: then the edge is that of a selection."""
        current = self._current()
        if current is None:
            return False
        take_id, moved = current
        before, step = moved, 1 if frames > 0 else -1
        for _ in range(abs(frames)):
            if edge == "start":
                further = replace(moved, left=moved.left + step)
            else:
                further = replace(moved, right=moved.right + step)
            if not further.possible:
                break
            moved = further
        if moved is not before:
            if self._asked is not None:
                self._engine.cancel(self._asked[0])
            self._asked = self._engine.judge(moved.take()), moved, take_id
        return True

    def _current(self) -> tuple[str, Moved] | None:
        """The id of the chosen candidate, and it with its joins as they are; None where there is none."""
        view, selection = self._performing.candidates.view, self._session.selection
        if view is None or not view.takes or selection is None or selection.line_id != view.line_id:
            return None
        take = view.takes[view.chosen]
        if self._asked is not None and self._asked[2] == take.id:
            return take.id, self._asked[1]
        if take.id in self._made:
            return take.id, self._made[take.id]
        parent = take.origin.parent
        if parent is None or parent not in self._session.store or selection.span != take.origin.span:
            return None
        return take.id, Moved(self._session.store.get(parent), take, view.beyond[view.chosen])

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        if self._asked is None or number != self._asked[0]:
            return
        _, moved, was = self._asked
        self._asked = None
        view = self._performing.candidates.view
        if isinstance(event, Judged):
            if view is not None and view.take is not None and view.take.id == was:  # no other one is chosen meanwhile
                self._made[event.take.id] = moved
                self._performing.candidates.put(event.take, moved.score(event.take))
        elif isinstance(event, Failed):
            self.problem.emit(event.error, "move a join")
