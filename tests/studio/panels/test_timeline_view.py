"""The window of time: what is at a place, and what stays there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.panels.timeline_view import (
    LEAST_PIXELS_PER_SECOND,
    MOST_PIXELS_PER_SECOND,
    View,
    clock,
    ruler_step,
)

scales = st.floats(LEAST_PIXELS_PER_SECOND, MOST_PIXELS_PER_SECOND)
moments = st.floats(0, 36_000)
views = st.builds(View, moments, scales, st.integers(1, 4000))
places = st.floats(0, 4000)


@given(views, places)
def test_time_and_place_are_one_anothers_inverse(view: View, x: float) -> None:
    assert view.x(view.time(x)) == pytest.approx(x, abs=1e-4)


@given(views, places, st.floats(0.01, 100))
def test_zoom_keeps_the_moment_under_the_pointer(view: View, x: float, factor: float) -> None:
    moment = view.time(x)
    closer = view.zoom_at(x, factor)
    assert closer.x(moment) == pytest.approx(x, abs=1e-3)
    assert LEAST_PIXELS_PER_SECOND <= closer.pixels_per_second <= MOST_PIXELS_PER_SECOND


@given(views, st.floats(-10_000, 10_000))
def test_scroll_moves_everything_by_as_much(view: View, pixels: float) -> None:
    moment = view.time(100)
    assert view.scroll(pixels).x(moment) == pytest.approx(100 - pixels, abs=1e-3)


@given(views, moments)
def test_a_page_shows_what_was_asked_for(view: View, moment: float) -> None:
    page = view.page_to(moment)
    assert page.start <= moment <= page.stop
    assert page == view or not view.shows(moment)


@given(views, moments, st.floats(0.05, 3600))
def test_around_shows_all_of_it(view: View, start: float, seconds: float) -> None:
    seen = view.around(start, start + seconds)
    if seconds * LEAST_PIXELS_PER_SECOND < view.width * 0.9:
        assert seen.start <= start + 1e-6
        assert seen.stop >= start + seconds - 1e-6


@given(views, st.floats(0, 36_000))
def test_within_stays_on_whole_pixels_and_near_the_end(view: View, length: float) -> None:
    kept = view.within(length)
    pixels = kept.start * kept.pixels_per_second
    assert pixels == pytest.approx(round(pixels), abs=1e-3)
    assert kept.start >= 0
    assert kept.start <= max(0, length - 0.75 * kept.seconds) + 1 / kept.pixels_per_second
    assert kept.within(length).start == pytest.approx(kept.start)


@given(scales)
def test_ruler_numbers_do_not_touch(scale: float) -> None:
    step, parts = ruler_step(scale)
    assert step * scale >= 76 or step == 14_400
    assert parts >= 3


@pytest.mark.parametrize(
    ("seconds", "decimals", "text"),
    [(8, 0, "0:08"), (3723, 0, "1:02:03"), (8.25, 2, "0:08.25"), (59.96, 1, "1:00.0"), (-1, 0, "0:00")],
)
def test_the_clock_reads(seconds: float, decimals: int, text: str) -> None:
    assert clock(seconds, decimals) == text
