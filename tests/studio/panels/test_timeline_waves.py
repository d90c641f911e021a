"""Waves as pictures: the columns do not depend on where they are seen from, and the picture shows them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QColor

from studio.panels.timeline_waves import GLANCE, WaveColumns, put_glances, ribbon_picture, wave_picture
from studio.samples import LiveWave, Peaks, Print

RATE = 8000


def print_of(seconds: float) -> Print:
    samples = np.random.default_rng(1).uniform(-0.9, 0.9, int(seconds * RATE)).astype(np.float32)
    return Print(RATE, samples, Peaks(samples))


@settings(max_examples=30)
@given(scale=st.sampled_from([3.0, 110.0, 1234.5]), first=st.integers(0, 1500), count=st.integers(1, 1500))
def test_columns_are_the_same_from_wherever_they_are_seen(scale: float, first: int, count: int) -> None:
    wave = print_of(4.0)
    whole = int(4.0 * scale)
    first = min(first, whole - 1)
    last = min(whole, first + count)
    columns = WaveColumns()
    seen = columns.between(wave, 4.0, scale, first, last)
    assert seen.shape == (3, last - first)
    np.testing.assert_array_equal(seen, WaveColumns().between(wave, 4.0, scale, 0, whole)[:, first:last])
    assert np.all(seen[0] <= seen[1])


def test_a_growing_wave_is_looked_up_again_where_it_grew() -> None:
    wave = LiveWave(RATE)
    wave.append(np.full(RATE, 0.5, np.float32))
    columns = WaveColumns()
    assert columns.between(wave, 1.0, 100.0, 0, 100)[1].min() == np.float32(0.5)
    wave.append(np.full(RATE, 0.25, np.float32))
    grown = columns.between(wave, 2.0, 100.0, 0, 200)
    assert grown[1, :99].min() == np.float32(0.5)
    assert grown[1, 101:].min() == np.float32(0.25)


def test_the_picture_is_as_high_as_the_wave() -> None:
    columns = np.array([[-1, -0.5, 0], [1, 0.5, 0], [0.5, 0.2, 0]], np.float32)
    picture = wave_picture(columns, 41, QColor("#56C7C9"))
    assert (picture.width(), picture.height()) == (3, 41)

    def heights(column: int) -> int:
        return sum(picture.pixelColor(column, row).alpha() > 20 for row in range(41))

    assert heights(0) >= 38
    assert 18 <= heights(1) <= 24
    assert 1 <= heights(2) <= 3
    assert picture.pixelColor(0, 20).alpha() > picture.pixelColor(0, 4).alpha() > 100  # the RMS is denser


def test_an_unseen_column_is_clear() -> None:
    columns = np.array([[-1, -1], [1, 1], [1, 1]], np.float32)
    picture = wave_picture(columns, 10, QColor("#56C7C9"), np.array([1, 0], np.float32))
    assert picture.pixelColor(1, 5).alpha() == 0


def test_the_ribbon_keeps_the_greatest_doubt() -> None:
    colours = (QColor("#00ff00"), QColor("#ffff00"), QColor("#ff0000"))
    values = np.zeros(100, np.float32)
    values[50] = 0.9
    values[99] = 0.5

    def level(column: int, picture_columns: float, last: int) -> tuple[int, int]:
        colour = ribbon_picture(values, picture_columns, 0, last, colours).pixelColor(column, 0)
        return (colour.red() > 128, colour.green() > 128)

    assert level(5, 0.1, 10) == (True, False)
    assert level(9, 0.1, 10) == (True, True)
    assert level(4, 0.1, 10) == (False, True)
    assert level(101, 2.0, 200) == (True, False)
    assert level(102, 2.0, 200) == (False, True)
    gap = ribbon_picture(values, 8.0, 0, 16, colours)
    assert [gap.pixelColor(column, 0).alpha() > 0 for column in range(16)].count(False) == 2


@given(st.lists(st.tuples(st.floats(-30, 60), st.floats(0.2, 16)), min_size=1, max_size=20))
def test_small_waves_are_laid_where_they_stand_and_nowhere_else(places: list[tuple[float, float]]) -> None:
    columns = np.zeros((3, 40), np.float32)
    glances = np.tile(np.array([[-0.5], [0.75], [0.25]], np.float32), (len(places), 1, GLANCE))
    lefts = np.array([round(left) for left, _ in places])
    rights = lefts + np.array([round(width) for _, width in places])
    met = put_glances(columns, glances, lefts, rights)
    wanted = np.zeros(40, bool)
    for left, right in zip(lefts, rights, strict=True):
        wanted[max(0, left):max(0, right, left + 1)] = True
    assert np.array_equal(met, wanted)
    assert np.array_equal(columns[:, met].T, np.tile(np.float32([-0.5, 0.75, 0.25]), (met.sum(), 1)))
    assert not columns[:, ~met].any()


def test_a_glance_has_the_extremes_of_the_whole_wave() -> None:
    samples = np.zeros(5_000, np.float32)
    samples[3_000], samples[10] = 0.9, -0.8
    wave = Print(1_000, samples, Peaks(samples))
    columns = WaveColumns()
    glance = columns.glance(wave, 5.0)
    assert glance.shape == (3, GLANCE)
    assert (glance[0].min(), glance[1].max()) == (np.float32(-0.8), np.float32(0.9))
    assert columns.glance(wave, 5.0) is glance
