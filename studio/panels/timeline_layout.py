"""Where things stand from top to bottom, and what lies under the pointer. Without Qt; device-independent pixels."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from studio.panels.timeline_spectra import Spectra
from studio.panels.timeline_values import ChosenSpan, Lane, TakeLane, TimelineClip, Wave
from studio.panels.timeline_view import View

RULER = 26
HEADS = 112
TAKE_ROW = 22
TAKES_CLOSED = 26
_TAKES_EDGE = 7
_TAKES_SEEN = 3
_LANE_LEAST, _LANE_MOST = 52, 172
_ABOVE_WAVE, _BELOW_WAVE = 10, 11
_DEEPER = 27  # what words and ribbon need
LEAST_HEIGHT = RULER + _LANE_LEAST + _DEEPER

Edge = Literal["start", "stop"]
EDGES: tuple[Edge, ...] = ("start", "stop")


@dataclass(frozen=True)
class LaneBox:
    """A lane's place: wave, then words and ribbon where it is `deep`."""

    top: int
    height: int
    deep: bool

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def wave_top(self) -> int:
        return self.top + _ABOVE_WAVE

    @property
    def wave_height(self) -> int:
        return self.height - _ABOVE_WAVE - _BELOW_WAVE - self.deep * _DEEPER

    @property
    def words_base(self) -> int:
        """The base line of the words."""
        return self.wave_top + self.wave_height + 15

    @property
    def ribbon_top(self) -> int:
        return self.wave_top + self.wave_height + 21

    @property
    def drift_top(self) -> int:
        """The ribbon of drift is a thin one under that of doubt."""
        return self.ribbon_top + 7


@dataclass(frozen=True)
class Layout:
    """`lanes_bottom` is where the lanes are cut off; below it stand the takes, `take_rows` their tops (none if closed).
    `most_scroll` is how far the lanes can be scrolled, `most_takes_scroll` the same for the takes."""

    height: int
    lanes: tuple[LaneBox, ...] = ()
    lanes_bottom: int = 0
    take_rows: tuple[int, ...] = ()
    most_scroll: int = 0
    most_takes_scroll: int = 0

    @property
    def has_takes(self) -> bool:
        return self.lanes_bottom < self.height


def arrange(
    height: int, deep: tuple[bool, ...], takes: int, takes_open: bool, scroll: int = 0, takes_scroll: int = 0
) -> Layout:
    """The lanes (`deep` where they have words or ribbons) get what there is, within reason, and all waves one height;
    what does not fit is scrolled. The takes leave the lanes room where some of them are still seen."""
    room = height - RULER
    takes_height = 0
    if takes:
        wanted = takes * TAKE_ROW + 2 * _TAKES_EDGE if takes_open else TAKES_CLOSED
        left = room - sum(_LANE_LEAST + _DEEPER * has_words for has_words in deep)
        most = int(room * 0.45)
        takes_height = min(wanted, max(TAKES_CLOSED, min(most, left) if left >= _TAKES_SEEN * TAKE_ROW else most))
    lanes_bottom = height - takes_height
    lanes_room = lanes_bottom - RULER
    shallow = (lanes_room - _DEEPER * sum(deep)) // max(1, len(deep))
    shallow = min(_LANE_MOST, max(_LANE_LEAST, shallow))
    heights = [shallow + _DEEPER * has_words for has_words in deep]
    most_scroll = max(0, sum(heights) - lanes_room)
    top = RULER - min(max(scroll, 0), most_scroll)
    tops = accumulate(heights, initial=top)
    boxes = tuple(LaneBox(*box) for box in zip(tops, heights, deep, strict=False))
    if not takes or not takes_open:
        return Layout(height, boxes, lanes_bottom, (), most_scroll)
    most_takes_scroll = max(0, takes * TAKE_ROW + 2 * _TAKES_EDGE - takes_height)
    first = lanes_bottom + _TAKES_EDGE - min(max(takes_scroll, 0), most_takes_scroll)
    rows = tuple(first + index * TAKE_ROW for index in range(takes))
    return Layout(height, boxes, lanes_bottom, rows, most_scroll, most_takes_scroll)


@dataclass
class Shown:
    """All that the timeline shows, the one thing that painting and gestures read."""

    view: View = field(default_factory=View)
    layout: Layout = field(default_factory=lambda: Layout(0))
    lanes: tuple[Lane, ...] = ()
    clips: tuple[TimelineClip, ...] = ()
    grown: dict[str, tuple[Wave, float]] = field(default_factory=dict)
    chosen: str | None = None
    span: ChosenSpan | None = None
    edge: Edge | None = None
    busy: ChosenSpan | None = None
    loop: tuple[float, float] | None = None
    playhead: float = 0.0
    takes_of: str | None = None
    takes: tuple[TakeLane, ...] = ()
    swiped: tuple[str, float, float] | None = None  # a take's id, and seconds of it
    spectra: Spectra = field(default_factory=Spectra)
    starts: tuple[float, ...] = ()  # of the clips, never falling
    rows: dict[str, tuple[tuple[TimelineClip, ...], tuple[float, ...]]] = field(default_factory=dict)
    by_id: dict[str, TimelineClip] = field(default_factory=dict)
    deep: frozenset[str] = frozenset()  # the characters whose clips have words or ribbons
    length: float = 0.0  # seconds to the end of the last clip

    def place(self, clips: tuple[TimelineClip, ...]) -> None:
        """Takes the clips and sorts them into rows, each with the starts of its clips."""
        self.clips = clips
        self.by_id = {clip.line_id: clip for clip in clips}
        self.starts = tuple(clip.start for clip in clips)
        by_character: dict[str, list[TimelineClip]] = {}
        for clip in clips:
            by_character.setdefault(clip.character, []).append(clip)
        self.rows = {}
        for character, row in by_character.items():
            row.sort(key=lambda clip: clip.start)
            self.rows[character] = (tuple(row), tuple(clip.start for clip in row))
        self.deep = frozenset(clip.character for clip in clips if clip.words or clip.ribbon is not None)
        self.length = max((clip.stop for clip in clips), default=0.0)

    def deep_lanes(self) -> tuple[bool, ...]:
        """Of each lane whether it has words or ribbons."""
        return tuple(lane.character in self.deep for lane in self.lanes)

    def clip(self, line_id: str | None) -> TimelineClip | None:
        return self.by_id.get(line_id) if line_id is not None else None

    def row_between(self, character: str, start: float, stop: float) -> tuple[TimelineClip, ...]:
        """The clips of a lane that have something between two moments. They do not overlap by much, so looking one clip
        back is enough."""
        clips, starts = self.rows.get(character, ((), ()))
        first = max(0, bisect_right(starts, start) - 1)
        return tuple(clip for clip in clips[first:bisect_right(starts, stop)] if clip.stop > start)

    def lane_of(self, clip: TimelineClip) -> LaneBox | None:
        for lane, box in zip(self.lanes, self.layout.lanes, strict=True):
            if lane.character == clip.character:
                return box
        return None

    def clip_at(self, x: float, y: float) -> TimelineClip | None:
        """The clip on whose lane and time a point lies, whatever is drawn over it."""
        seconds = self.view.time(x)
        for lane, box in zip(self.lanes, self.layout.lanes, strict=True):
            if box.top <= y < min(box.bottom, self.layout.lanes_bottom):
                return next(iter(self.row_between(lane.character, seconds, seconds)[::-1]), None)
        return None

    def wave_of(self, clip: TimelineClip) -> tuple[Wave | None, float]:
        """What can be heard of a clip, and for how many seconds."""
        grown = self.grown.get(clip.line_id)
        return grown if grown is not None else (clip.wave, clip.performed)

    def selection(self) -> tuple[float, float] | None:
        """From when to when the chosen span is, or else the chosen line."""
        clip = self.clip(self.span.line_id if self.span else self.chosen)
        if clip is None:
            return None
        return (clip.moment(self.span.start), clip.moment(self.span.stop)) if self.span else (clip.start, clip.stop)

    def edge_x(self, edge: Edge) -> float | None:
        """Where an edge of the chosen span stands."""
        clip = self.clip(self.span.line_id) if self.span else None
        if clip is None or self.span is None:
            return None
        return self.view.x(clip.moment(self.span.start if edge == "start" else self.span.stop))


@dataclass(frozen=True)
class OnRuler:
    seconds: float


@dataclass(frozen=True)
class OnLoop:
    """On the loop's bar; `edge` where one of its ends is held."""

    edge: Edge | None


@dataclass(frozen=True)
class OnHandle:
    edge: Edge


@dataclass(frozen=True)
class OnClip:
    clip: TimelineClip
    seconds: float


@dataclass(frozen=True)
class OnRibbon:
    """On the ribbon of doubt under a clip's words."""

    clip: TimelineClip
    frame: int


@dataclass(frozen=True)
class OnTake:
    take: TakeLane


@dataclass(frozen=True)
class OnGap:
    """Between a clip and the one that follows in the script: the pause."""

    before: TimelineClip
    after: TimelineClip
    seconds: float


@dataclass(frozen=True)
class OnGround:
    seconds: float


Hit = OnRuler | OnLoop | OnHandle | OnClip | OnRibbon | OnTake | OnGap | OnGround

_GAP_REACH = 4  # pixels from a clip's start in which the pause before it is held
_LOOP_BAR = 7  # pixels from the top in which the loop's bar is held


def hit(shown: Shown, x: float, y: float) -> Hit:
    """What lies at a point of the canvas."""
    seconds = shown.view.time(x)
    if y < RULER:
        return _hit_ruler(shown, x, y, seconds)
    if y >= shown.layout.lanes_bottom:
        return _hit_take(shown, y, seconds)
    handle = _hit_handle(shown, x, y)
    if handle is not None:
        return handle
    for lane, box in zip(shown.lanes, shown.layout.lanes, strict=True):
        if box.top <= y < box.bottom:
            row = shown.row_between(lane.character, seconds, seconds)
            if not row:
                return _hit_gap(shown, seconds)
            clip = row[-1]
            if box.deep and y >= box.ribbon_top - 2 and clip.ribbon is not None and len(clip.ribbon):
                frame = int((seconds - clip.start) / clip.frame_seconds)
                return OnRibbon(clip, min(max(0, frame), len(clip.ribbon) - 1))
            return OnClip(clip, seconds)
    return _hit_gap(shown, seconds)


def _hit_gap(shown: Shown, seconds: float) -> Hit:
    """The pause that a point of the ground lies in, or near whose end it is."""
    reach = _GAP_REACH / shown.view.pixels_per_second
    after = bisect_right(shown.starts, seconds - reach)  # the first clip that does not begin before the point
    if not 0 < after < len(shown.clips):
        return OnGround(seconds)
    before, following = shown.clips[after - 1], shown.clips[after]
    if before.stop <= seconds or following.start <= seconds + reach:
        return OnGap(before, following, seconds)
    return OnGround(seconds)


def _hit_ruler(shown: Shown, x: float, y: float, seconds: float) -> Hit:
    if shown.loop is None or y > _LOOP_BAR:
        return OnRuler(seconds)
    start, stop = (shown.view.x(edge) for edge in shown.loop)
    if abs(x - stop) <= 4:
        return OnLoop("stop")
    if abs(x - start) <= 4:
        return OnLoop("start")
    return OnLoop(None) if start < x < stop else OnRuler(seconds)


def _hit_handle(shown: Shown, x: float, y: float) -> OnHandle | None:
    clip = shown.clip(shown.span.line_id) if shown.span else None
    box = shown.lane_of(clip) if clip else None
    if box is None or not box.top <= y < box.bottom:
        return None
    reach = 7 if y < box.top + 14 else 3
    held: list[tuple[float, Edge]] = []
    for edge in EDGES:
        edge_x = shown.edge_x(edge)
        if edge_x is not None and abs(x - edge_x) <= reach:
            held.append((abs(x - edge_x), edge))
    return OnHandle(min(held)[1]) if held else None


def _hit_take(shown: Shown, y: float, seconds: float) -> Hit:
    for take, top in zip(shown.takes, shown.layout.take_rows, strict=False):
        if top <= y < top + TAKE_ROW:
            return OnTake(take)
    return OnGround(seconds)
