"""Where things stand, what lies under the pointer, and what is found between two moments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.panels.timeline_layout import (
    RULER,
    OnClip,
    OnGap,
    OnGround,
    OnHandle,
    OnLoop,
    OnRuler,
    OnTake,
    Shown,
    arrange,
    hit,
)
from studio.panels.timeline_values import ChosenSpan, Lane, TakeLane, TimelineClip
from studio.panels.timeline_view import View

FRAME = 0.05
lanes_deep = st.lists(st.booleans(), max_size=12).map(tuple)


def clip(line_id: str, character: str, start: float, seconds: float) -> TimelineClip:
    return TimelineClip(line_id, int(line_id), character, 0, start, seconds, frame_seconds=FRAME)


def two_lanes() -> Shown:
    shown = Shown(view=View(0, 100, 1000), lanes=(Lane("Mira", 0), Lane("Tom", 1)))
    shown.place((clip("1", "Tom", 0, 2), clip("2", "Mira", 2, 3), clip("3", "Mira", 6, 2)))
    shown.layout = arrange(276, (True, False), 2, takes_open=True)
    return shown


@given(st.integers(105, 1000), lanes_deep, st.integers(0, 12), st.booleans(), st.integers(0, 2000))
def test_lanes_stand_one_below_another_and_can_all_be_reached(
    height: int, deep: tuple[bool, ...], takes: int, opened: bool, scroll: int
) -> None:
    layout = arrange(height, deep, takes, opened, scroll)
    for upper, lower in zip(layout.lanes, layout.lanes[1:], strict=False):
        assert upper.bottom == lower.top
        assert upper.wave_height == lower.wave_height > 20
    assert RULER < layout.lanes_bottom <= height
    assert layout.has_takes == bool(takes)
    end = arrange(height, deep, takes, opened, 10_000)
    assert not end.lanes or end.lanes[-1].bottom <= end.lanes_bottom or end.most_scroll == 0
    assert len(layout.take_rows) == (takes if opened else 0)


def test_takes_leave_the_lanes_their_words_and_ribbons() -> None:
    layout = arrange(276, (True, True), 9, takes_open=True)
    assert layout.most_scroll == 0
    assert layout.lanes[-1].bottom <= layout.lanes_bottom
    assert layout.most_takes_scroll > 0
    many = arrange(276, (True,) * 5, 9, takes_open=True)
    assert many.height - many.lanes_bottom >= 66


def test_more_lanes_than_fit_are_scrolled() -> None:
    layout = arrange(276, (True,) * 6, 0, takes_open=False, scroll=40)
    assert layout.lanes[0].top == RULER - 40
    assert layout.most_scroll > 40


def test_what_lies_under_the_pointer() -> None:
    shown = two_lanes()
    mira, tom = shown.layout.lanes
    shown.takes_of, shown.takes = "2", (TakeLane(1, "a", 2.0, None), TakeLane(2, "b", 3.0, None))
    assert hit(shown, 250, 15) == OnRuler(2.5)
    assert isinstance(found := hit(shown, 250, mira.wave_top), OnClip)
    assert found.clip.line_id == "2"
    assert isinstance(gap := hit(shown, 550, mira.wave_top), OnGap)
    assert (gap.before.line_id, gap.seconds) == ("2", 5.5)
    assert hit(shown, 250, tom.wave_top) == OnGround(2.5)
    assert isinstance(found := hit(shown, 100, tom.bottom - 2), OnClip)
    assert found.clip.line_id == "1"
    assert hit(shown, 250, shown.layout.take_rows[1] + 5) == OnTake(shown.takes[1])


def test_a_clip_is_found_under_what_is_drawn_over_it() -> None:
    shown = two_lanes()
    shown.span = ChosenSpan("2", 10, 12)
    mira, tom = shown.layout.lanes
    assert shown.clip_at(250, mira.top + 5) is shown.clip("2")
    assert shown.clip_at(550, mira.wave_top) is None
    assert shown.clip_at(100, tom.wave_top) is shown.clip("1")
    assert shown.clip_at(250, 5) is None


def test_handles_go_before_clips_and_the_nearer_before_the_other() -> None:
    shown = two_lanes()
    shown.span = ChosenSpan("2", 10, 12)  # 250 to 260 pixels
    top = shown.layout.lanes[0].top
    assert hit(shown, 246, top + 5) == OnHandle("start")
    assert hit(shown, 256, top + 5) == OnHandle("stop")
    assert hit(shown, 259, top + 50) == OnHandle("stop")
    assert isinstance(hit(shown, 246, top + 50), OnClip)
    assert not isinstance(hit(shown, 246, shown.layout.lanes[1].top + 5), OnHandle)


def test_the_loop_is_held_at_its_ends() -> None:
    shown = two_lanes()
    shown.loop = (1.0, 3.0)
    assert hit(shown, 101, 3) == OnLoop("start")
    assert hit(shown, 298, 3) == OnLoop("stop")
    assert hit(shown, 200, 3) == OnLoop(None)
    assert hit(shown, 200, 18) == OnRuler(2.0)
    assert hit(shown, 400, 3) == OnRuler(4.0)


@given(st.lists(st.tuples(st.floats(0.1, 5), st.floats(0, 3)), max_size=20), st.floats(0, 50), st.floats(0, 20))
def test_a_row_finds_what_is_seen(lengths: list[tuple[float, float]], start: float, seconds: float) -> None:
    clips, at = [], 0.0
    for number, (length, gap) in enumerate(lengths):
        clips.append(clip(str(number), "Mira", at, length))
        at += length + gap
    shown = Shown()
    shown.place(tuple(clips))
    seen = shown.row_between("Mira", start, start + seconds)
    assert list(seen) == [each for each in clips if each.stop > start and each.start <= start + seconds]


@given(st.floats(-5, 50))
def test_frames_are_within_their_clip(seconds: float) -> None:
    mine = clip("1", "Mira", 3, 4.0)
    frame = mine.frame_at(seconds)
    assert 0 <= frame <= mine.frames == 80
    if 3 <= seconds <= 7:
        assert abs(mine.moment(frame) - seconds) <= FRAME / 2 + 1e-9


def test_clips_are_the_same_by_what_they_show() -> None:
    assert clip("1", "Mira", 0, 1) == clip("1", "Mira", 0, 1)
    assert clip("1", "Mira", 0, 1) != clip("1", "Mira", 0, 1.5)
