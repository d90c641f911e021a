"""A take put together from spans of several: a stretch of another take comes in where the kept one says the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from engine.errors import RequestError
from engine.request import Alignment, Codes, Failed, FrameData, How, Span, Take, frozen
from engine.splice import FORCED, join
from engine.text import words
from studio.document.edits import AddTakes
from studio.document.store import Store
from studio.engine_thread import Encoded, EngineThread, Judged, Urgency
from studio.session.session import Session

_AROUND = 3  # frames on each side of a join that are spoken anew to heal it


def meeting(kept: Take, other: Take, span: Span, ours: Alignment | None, theirs: Alignment | None) -> tuple[Span, Span]:
    """Which frames of the other take come in for which of the kept one: those of the words that `span` of the other
    touches, where both takes say the same and are aligned; else the same frames of both."""
    if ours is None or theirs is None or kept.origin.prompt.text != other.origin.prompt.text:
        return span, (min(span[0], kept.frames), min(span[1], kept.frames))
    places = words(kept.origin.prompt.text)
    middle = [sum(theirs.span(*place)) / 2 for place in places]
    touched = [place for place, at in zip(places, middle, strict=True) if span[0] <= at < span[1]]
    if not touched:
        nearest = min(range(len(places)), key=lambda place: abs(2 * middle[place] - sum(span)))
        touched = [places[nearest]]
    first, last = touched[0][0], touched[-1][1]
    return theirs.span(first, last), ours.span(first, last)


def comped(kept: Take, other: Take, theirs: Span, ours: Span) -> Take:
    """The kept take with frames [ours) replaced by [theirs) of the other. Its frame data is to be judged yet."""
    codes = np.concatenate(
        [kept.codes[:, : ours[0]], other.codes[:, theirs[0] : theirs[1]], kept.codes[:, ours[1] :]], axis=1
    )
    span = (ours[0], ours[0] + theirs[1] - theirs[0])
    origin = replace(kept.origin, how=How.COMPED, parent=kept.id, span=span)
    nothing = frozen(np.zeros((2, codes.shape[1]), np.float32))
    return Take(frozen(codes.astype(np.int16)), origin, FrameData(nothing, nothing), kept.capped)


def right_join(take: Take, parent: Take) -> float | None:
    """How well the kept frames of a splice or comp follow its span, against how they did in the take it was made from;
    None where nothing is kept after it."""
    if take.origin.span is None or take.origin.parent != parent.id:
        return None
    stop = take.origin.span[1]
    now = take.frame_data.log_p[:, stop : stop + FORCED]
    kept = take.frames - stop
    before = parent.frame_data.log_p[:, parent.frames - kept :][:, : now.shape[1]]
    return join(now.T, before.T) if now.shape[1] and now.shape == before.shape else None


def joins(take: Take, store: Store) -> dict[int, float | None]:
    """All the frames of a take at which new meets old, in order: those of its own span, and those that are left of the
    takes it was made from, as far as they are there; with how well what was kept goes on after each, where known."""
    line = [take]
    while line[-1].origin.span is not None and (parent := line[-1].origin.parent) is not None and parent in store:
        line.append(store.get(parent))
    found: dict[int, float | None] = {}
    for each, parent_take in zip(line[::-1], [None, *line[:0:-1]], strict=True):
        if each.origin.span is None:
            continue
        start, stop = each.origin.span
        own: dict[int, float | None] = {start: None, stop: None}
        if parent_take is not None:
            old_stop = parent_take.frames - (each.frames - stop)
            found = {frame: score for frame, score in found.items() if frame < start} | {
                frame + stop - old_stop: score for frame, score in found.items() if frame > old_stop
            }
            own[stop] = right_join(each, parent_take)
        found |= {frame: score for frame, score in own.items() if 0 < frame < each.frames}
    return dict(sorted(found.items()))


def heal_span(take: Take, store: Store) -> Span | None:
    """The frames around the join of a take after which it goes on least likely; None where it has no join."""
    edges = joins(take, store)
    if not edges:
        return None
    likely = take.frame_data.log_p.sum(0)
    worst = min(edges, key=lambda edge: float(likely[edge : edge + FORCED].mean()))
    return max(0, worst - _AROUND), min(take.frames, worst + _AROUND)


def paused(take: Take, frame: int, silence: Codes) -> Take:
    """The take with silence put in before a frame. Its frame data is to be judged yet."""
    codes = np.concatenate([take.codes[:, :frame], silence, take.codes[:, frame:]], axis=1)
    origin = replace(take.origin, how=How.SPLICED, parent=take.id, span=(frame, frame + silence.shape[1]))
    nothing = frozen(np.zeros((2, codes.shape[1]), np.float32))
    return Take(frozen(codes.astype(np.int16)), origin, FrameData(nothing, nothing), take.capped)


class Comping(QObject):
    """Puts comps together, has them judged, and makes them the line's take."""

    made = Signal(str, str)  # the line, and the comp's id
    problem = Signal(object, str)  # an error, and what failed

    def __init__(self, session: Session, engine: EngineThread, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._engine = session, engine
        self._asked: dict[int, tuple[str, str]] = {}  # to the line's id, and what its step is called
        self._silences: dict[int, tuple[str, Take, int]] = {}  # being encoded, for a line's take, before a frame
        self._pauses: dict[str, list[tuple[int, int]]] = {}  # that wait for what is asked of their line
        engine.answered.connect(self._hear)
        session.begun.connect(self._asked.clear)
        session.begun.connect(self._silences.clear)
        session.begun.connect(self._pauses.clear)

    def swipe(self, line_id: str, take_id: str, span: Span) -> None:
        """A stretch of another take of the line comes into the kept one."""
        session = self._session
        line = session.find(line_id)
        kept = session.kept(line) if line else None
        if line is None or line.locked or kept is None or take_id == kept.id or take_id not in session.store:
            return
        other, made = session.store.get(take_id), kept.origin
        if other.origin.meant_for(made.codec, made.checkpoint, made.rate, made.hop) is False:
            error = RequestError("That take was made with another voice model: its codes mean other sounds.")
            self.problem.emit(error, "put a comp together")
            return
        theirs, ours = meeting(kept, other, span, session.alignment_of(kept.id), session.alignment_of(take_id))
        self._asked[self._engine.judge(comped(kept, other, theirs, ours))] = line_id, "Comp"

    def pause(self, line_id: str, frame: int, frames: int) -> None:
        """So many frames of silence come into the kept take before a frame."""
        line = self._session.find(line_id)
        kept = self._session.kept(line) if line else None
        if line_id in {waiting for waiting, *_ in (*self._silences.values(), *self._asked.values())}:
            self._pauses.setdefault(line_id, []).append((frame, frames))  # into what is being made
        elif line is not None and kept is not None and not line.locked and frames > 0:
            silence = np.zeros(frames * kept.origin.hop, np.float32)
            number = self._engine.encode(silence, kept.origin.rate, Urgency.AWAITED)
            self._silences[number] = line_id, kept, frame

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        if number in self._silences:
            line_id, take, frame = self._silences.pop(number)
            if isinstance(event, Encoded):
                self._asked[self._engine.judge(paused(take, frame, event.codes))] = line_id, "Insert a pause"
            elif isinstance(event, Failed):
                self._pauses.pop(line_id, None)
                self.problem.emit(event.error, "put a pause in")
            return
        if number not in self._asked:
            return
        line_id, label = self._asked.pop(number)
        if isinstance(event, Judged):
            self._put(line_id, event.take, label)
        elif isinstance(event, Failed):
            self._pauses.pop(line_id, None)
            self.problem.emit(event.error, "put a comp together")

    def _put(self, line_id: str, take: Take, label: str) -> None:
        """The line's take from now on; one more of its takes where the line was locked, or has another, meanwhile."""
        session, line, waiting = self._session, self._session.find(line_id), self._pauses.pop(line_id, ())
        if line is None:
            return
        if line.locked or line.kept != take.origin.parent:
            session.do(AddTakes(line_id, (session.store.add(take),), False, label))
            session.stored.emit()
            return
        session.add_takes(line_id, (take,), label)
        if session.chosen == line_id:
            session.choose_span(line_id, take.origin.span)
            self.made.emit(line_id, take.id)
        for frame, frames in waiting:
            self.pause(line_id, frame, frames)
