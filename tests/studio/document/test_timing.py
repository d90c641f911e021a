"""Lines follow one another with their pauses, and the mix sounds exactly that, however it is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import expected_seconds
from studio.document.project import Line, LinePart, Project, Scene
from studio.document.timing import Mix, layout, scene_bounds, total_seconds
from studio.samples import Peaks, Print

RATE = 1_000


def line(name: str, text: str = "Hello.", pause: int | None = None) -> Line:
    return Line(name, (LinePart("Ada", text),), pause=pause)


PROJECT = Project(
    scenes=(
        Scene("One", (line("a"), line("b", pause=50)), pause=200),
        Scene("Two", (line("c"), line("d", "")), pause=0),
    )
)
SECONDS = {"a": 1.0, "b": 0.5}


def known(line: Line) -> float | None:
    return SECONDS.get(line.id)


def printed(samples: np.ndarray, rate: int = RATE) -> Print:
    samples = samples.astype(np.float32)
    return Print(rate, samples, Peaks(samples))


def test_lines_follow_one_another_with_pauses() -> None:
    guess = expected_seconds("Hello.")
    placed = layout(PROJECT, known)
    assert [(each.line_id, each.scene, each.estimated) for each in placed] == [
        ("a", 0, False),
        ("b", 0, False),
        ("c", 1, True),
        ("d", 1, True),
    ]
    assert [each.start_seconds for each in placed] == pytest.approx([0, 1.2, 1.75, 1.75 + guess])
    assert placed[3].seconds == 0
    assert total_seconds(placed) == pytest.approx(1.75 + guess)
    assert scene_bounds(placed)[0] == pytest.approx((0, 1.7))
    assert total_seconds(()) == 0


def test_the_mix_has_each_line_in_its_place_and_silence_between() -> None:
    placed = layout(PROJECT, known)
    mix = Mix(placed, {"a": printed(np.ones(1_000)), "b": printed(np.full(500, 2))}, RATE)
    heard = mix.read(0, mix.length)
    assert mix.length == round(total_seconds(placed) * RATE)
    assert heard[:1_000].tolist() == [1] * 1_000
    assert not heard[1_000:1_200].any()
    assert heard[1_200:1_700].tolist() == [2] * 500
    assert not heard[1_700:].any()


@given(st.lists(st.integers(0, 700), min_size=1, max_size=6), st.integers(1, 900), st.integers(-500, 299))
def test_read_in_pieces_it_is_the_same(lengths: list[int], piece: int, start: int) -> None:
    lines = tuple(line(str(number), pause=7) for number in range(len(lengths)))
    prints = {str(number): printed(np.arange(1, length + 1)) for number, length in enumerate(lengths)}
    placed = layout(Project(scenes=(Scene("", lines),)), lambda each: prints[each.id].seconds)
    mix = Mix(placed, prints, RATE)
    stop = mix.length + 300
    whole = mix.read(start, stop - start)
    pieces = [mix.read(at, min(piece, stop - at)) for at in range(start, stop, piece)]
    assert np.array_equal(np.concatenate(pieces), whole)
    assert whole.sum() == sum(mix.read(0, mix.length)[max(0, start) :])


def test_a_print_of_another_rate_is_resampled() -> None:
    tone = np.sin(np.arange(2_000) * 2 * np.pi * 10 / 2_000)
    placed = layout(PROJECT, known)
    mix = Mix(placed, {"a": printed(tone, 2_000)}, RATE)
    assert np.allclose(mix.read(100, 800), tone[200:1_800:2], atol=0.01)
    assert not mix.read(1_000, 500).any()


def test_a_guess_is_silent() -> None:
    placed = layout(PROJECT, lambda line: None)
    assert not Mix(placed, {"a": printed(np.ones(100))}, RATE).read(0, 500).any()
