"""What the mouse and an edge's keys do to spans and to the loop. One gesture at a time, wished for when it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from studio.document.timing import MOST_PAUSE
from studio.panels.timeline_layout import (
    Edge,
    Hit,
    OnClip,
    OnGap,
    OnGround,
    OnHandle,
    OnLoop,
    OnRibbon,
    OnRuler,
    OnTake,
    Shown,
    hit,
)
from studio.panels.timeline_values import ChosenSpan, TakeLane, TimelineClip

_STILL = 3  # pixels that a click may wander
_NEAR = 6  # pixels from which a neighbour draws an edge to itself
_SHORTEST_LOOP = 0.05
_PAUSE_STEP = 10  # milliseconds


class Wishes(Protocol):
    """Where gestures end: the panel, which draws what changed and sends its signals."""

    def wish_seek(self, seconds: float) -> None: ...
    def wish_play_from(self, seconds: float) -> None: ...
    def wish_line(self, line_id: str) -> None: ...
    def wish_take(self, take_id: str) -> None: ...
    def wish_span(self, span: ChosenSpan | None, ended: bool) -> None: ...
    def wish_loop(self, loop: tuple[float, float] | None, ended: bool) -> None: ...
    def wish_swipe(self, swiped: tuple[str, float, float] | None, ended: bool) -> None: ...
    def wish_pause(self, line_id: str, milliseconds: int, ended: bool) -> None: ...
    def wish_no_pause(self) -> None: ...
    def wish_doubt(self, line_id: str, frame: int) -> None: ...
    def wish_nudge(self, edge: Edge, frames: int) -> None: ...


@dataclass(frozen=True)
class _Pressed:
    """The button is down and the pointer has not left its place."""

    hit: Hit
    x: float


@dataclass(frozen=True)
class _Selecting:
    """The edge opposite to `fixed` (a frame border) follows the pointer."""

    clip: TimelineClip
    fixed: int
    before: ChosenSpan | None


@dataclass(frozen=True)
class _Looping:
    """The loop runs from `fixed` seconds to the pointer."""

    fixed: float
    before: tuple[float, float] | None


@dataclass(frozen=True)
class _Pausing:
    """The clip after a pause follows the pointer, from `x` on where the pause was `before` milliseconds."""

    line_id: str
    x: float
    before: int


@dataclass(frozen=True)
class _Swiping:
    """A stretch of a take's lane from `fixed` seconds of the take to the pointer."""

    take: TakeLane
    start: float  # of the clip
    fixed: float


class Gestures:
    """Turns presses, moves and releases on the canvas into wishes. Moves are shown at once through `ended=False`."""

    def __init__(self, shown: Shown, wishes: Wishes) -> None:
        self._shown = shown
        self._wishes = wishes
        self._held: _Held | None = None

    @property
    def running(self) -> bool:
        return self._held is not None

    def press(self, x: float, y: float, extend: bool) -> None:
        under = hit(self._shown, x, y)
        self._shown.edge = under.edge if isinstance(under, OnHandle) else None
        self._held = _Pressed(under, x)
        if extend and isinstance(under, OnClip):
            self._held = _Selecting(under.clip, self._far_border(under), self._shown.span)
            self.move(x, snap=True)

    def move(self, x: float, snap: bool) -> None:
        if isinstance(self._held, _Pressed):
            if abs(x - self._held.x) <= _STILL:
                return
            self._held = self._begin(self._held, snap)
        if isinstance(self._held, _Selecting):
            self._select_to(self._held, x, snap, ended=False)
        elif isinstance(self._held, _Looping):
            self._wishes.wish_loop(self._loop_to(self._held, x), ended=False)
        elif isinstance(self._held, _Swiping):
            self._wishes.wish_swipe(self._swipe_to(self._held, x), ended=False)
        elif isinstance(self._held, _Pausing):
            self._wishes.wish_pause(self._held.line_id, self._pause_to(self._held, x, snap), ended=False)

    def release(self, x: float, snap: bool) -> None:
        held, self._held = self._held, None
        if isinstance(held, _Pressed):
            self._click(held)
        elif isinstance(held, _Selecting):
            self._select_to(held, x, snap, ended=True)
        elif isinstance(held, _Swiping):
            self._wishes.wish_swipe(self._swipe_to(held, x), ended=True)
        elif isinstance(held, _Pausing):
            self._wishes.wish_pause(held.line_id, self._pause_to(held, x, snap), ended=True)
        elif isinstance(held, _Looping):
            loop = self._loop_to(held, x)
            if loop is not None and loop[1] - loop[0] >= _SHORTEST_LOOP:
                self._wishes.wish_loop(loop, ended=True)
            else:
                self._wishes.wish_loop(held.before, ended=False)

    def cancel(self) -> None:
        """Leaves everything as it was before the gesture."""
        held, self._held = self._held, None
        if isinstance(held, _Selecting):
            self._wishes.wish_span(held.before, ended=False)
        elif isinstance(held, _Looping):
            self._wishes.wish_loop(held.before, ended=False)
        elif isinstance(held, _Swiping):
            self._wishes.wish_swipe(None, ended=False)
        elif isinstance(held, _Pausing):
            self._wishes.wish_no_pause()

    def double_click(self, x: float, y: float) -> None:
        """Selects the word under the pointer; where no word is known, the whole clip."""
        under = hit(self._shown, x, y)
        if not isinstance(under, OnClip):
            return
        clip = under.clip
        start, stop = 0, clip.frames
        for _, begin, end in clip.words:
            if begin <= under.seconds - clip.start < end:
                start, stop = clip.frame_at(clip.start + begin), clip.frame_at(clip.start + end)
        self._wishes.wish_span(_span(clip, start, stop), ended=True)

    def nudge(self, frames: int) -> None:
        """Moves the edge that has focus (the stop where none has) by so many frames."""
        if self._shown.span is not None:
            self._wishes.wish_nudge(self._shown.edge or "stop", frames)

    def _begin(self, pressed: _Pressed, snap: bool) -> _Held:
        """The gesture that a press turns into once the pointer moves; a press that has none stays one."""
        shown = self._shown
        match pressed.hit:
            case OnClip(clip, seconds):
                return _Selecting(clip, self._border(clip, seconds, pressed.x, snap), shown.span)
            case OnHandle(edge) if shown.span is not None:
                spanned = shown.clip(shown.span.line_id)
                if spanned is not None:
                    return _Selecting(spanned, shown.span.stop if edge == "start" else shown.span.start, shown.span)
            case OnLoop(edge) if edge is not None and shown.loop is not None:
                return _Looping(shown.loop[1] if edge == "start" else shown.loop[0], shown.loop)
            case OnTake(take) if not take.kept and (owner := shown.clip(shown.takes_of)) is not None:
                return _Swiping(take, owner.start, shown.view.time(pressed.x) - owner.start)
            case OnGap(before, after, _):
                return _Pausing(before.line_id, pressed.x, round((after.start - before.stop) * 1000))
            case OnRuler() | OnLoop():
                return _Looping(max(0.0, shown.view.time(pressed.x)), shown.loop)
        return pressed

    def _click(self, pressed: _Pressed) -> None:
        match pressed.hit:
            case OnRuler(seconds):
                self._wishes.wish_play_from(max(0.0, seconds))
            case OnLoop(edge):
                if edge is None:
                    self._wishes.wish_loop(None, ended=True)
            case OnTake(take):
                self._wishes.wish_take(take.take_id)
            case OnClip(clip, seconds):
                self._drop_span()
                self._wishes.wish_line(clip.line_id)
                self._wishes.wish_seek(seconds)
            case OnRibbon(clip, frame):
                for start, stop, _ in clip.flags:
                    if abs(self._shown.view.x(clip.start + (start + stop) / 2) - pressed.x) <= 6:
                        first, last = clip.frame_at(clip.start + start), clip.frame_at(clip.start + stop)
                        self._wishes.wish_span(_span(clip, first, last), ended=True)
                        return
                self._wishes.wish_doubt(clip.line_id, frame)
            case OnGround(seconds) | OnGap(_, _, seconds):
                self._drop_span()
                self._wishes.wish_seek(max(0.0, seconds))

    def _drop_span(self) -> None:
        if self._shown.span is not None:
            self._wishes.wish_span(None, ended=True)

    def _far_border(self, under: OnClip) -> int:
        """Where a span that is extended to the pointer stays: its far edge, or the playhead where there is no span."""
        clip, span = under.clip, self._shown.span
        if span is not None and span.line_id == clip.line_id:
            return span.start if clip.frame_at(under.seconds) * 2 > span.start + span.stop else span.stop
        if clip.start <= self._shown.playhead <= clip.stop:
            return clip.frame_at(self._shown.playhead)
        return clip.frame_at(under.seconds)

    def _select_to(self, held: _Selecting, x: float, snap: bool, ended: bool) -> None:
        border = self._border(held.clip, self._shown.view.time(x), x, snap)
        start, stop = sorted((held.fixed, border))
        if self._shown.edge is not None:
            self._shown.edge = "start" if border < held.fixed else "stop"
        if ended and held.clip.line_id != self._shown.chosen:
            self._wishes.wish_line(held.clip.line_id)
        self._wishes.wish_span(_span(held.clip, start, stop), ended)

    def _border(self, clip: TimelineClip, seconds: float, x: float, snap: bool) -> int:
        """The frame border for a pointer: the nearest, or that of a neighbour close by."""
        if snap:
            view = self._shown.view
            near = [border for border in self._neighbours(clip) if abs(view.x(clip.moment(border)) - x) <= _NEAR]
            if near:
                return min(near, key=lambda border: abs(view.x(clip.moment(border)) - x))
        return clip.frame_at(seconds)

    def _neighbours(self, clip: TimelineClip) -> Iterator[int]:
        """Borders worth meeting: of words, of joins, of the clip, and the playhead's."""
        yield from (0, clip.frames)
        if clip.start <= self._shown.playhead <= clip.stop:
            yield clip.frame_at(self._shown.playhead)
        for seconds, _ in clip.joins:
            yield clip.frame_at(clip.start + seconds)
        for _, start, stop in clip.words:
            yield clip.frame_at(clip.start + start)
            yield clip.frame_at(clip.start + stop)

    def _swipe_to(self, held: _Swiping, x: float) -> tuple[str, float, float] | None:
        first, last = sorted((held.fixed, self._shown.view.time(x) - held.start))
        first, last = max(0.0, first), min(held.take.seconds, last)
        return (held.take.take_id, first, last) if first < last else None

    def _pause_to(self, held: _Pausing, x: float, snap: bool) -> int:
        """The pause that the pointer asks for, in milliseconds; to the hundredth of a second where it snaps."""
        asked = held.before + (x - held.x) / self._shown.view.pixels_per_second * 1000
        asked = max(-MOST_PAUSE, min(asked, MOST_PAUSE))
        return round(asked / _PAUSE_STEP) * _PAUSE_STEP if snap else round(asked)

    def _loop_to(self, held: _Looping, x: float) -> tuple[float, float] | None:
        moment = max(0.0, self._shown.view.time(x))
        return (min(held.fixed, moment), max(held.fixed, moment)) if moment != held.fixed else None


_Held = _Pressed | _Selecting | _Looping | _Pausing | _Swiping


def _span(clip: TimelineClip, start: int, stop: int) -> ChosenSpan:
    """[start, stop) of a clip, at least one frame."""
    if start == stop:
        start = min(start, clip.frames - 1)
        stop = start + 1
    return ChosenSpan(clip.line_id, start, stop)


def other_edge(edge: Edge | None, forward: bool) -> Edge | None:
    """Where Tab goes among the edges: before them, start, stop, after them."""
    order: tuple[Edge | None, ...] = (None, "start", "stop", None)
    place = {None: 0 if forward else 3, "start": 1, "stop": 2}[edge]
    return order[place + (1 if forward else -1)]
