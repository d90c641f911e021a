"""Lines follow one another with their pauses, and the mix sounds exactly that, however it is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import expected_seconds
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.document.timing import Mix, Placed, layout, total_seconds
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


def test_a_line_without_a_take_takes_its_target() -> None:
    lines = (Line("n", (LinePart("", "Hello."),), target=4.0), Line("a", (LinePart("", "Hi."),), target=4.0))
    empty = Line("e", (LinePart("", ""),), target=4.0)
    placed = layout(Project(scenes=(Scene("", (*lines, empty)),)), known)
    assert [each.seconds for each in placed] == [4.0, 1.0, 0.0]
    assert placed[0].estimated


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


def test_lines_that_overlap_are_heard_together_each_at_its_level() -> None:
    placed = (
        Placed("a", "Mira", 0, 0.0, 3.0, False),
        Placed("b", "Tom", 0, 1.0, 0.5, False, gain=-20.0),
        Placed("c", "Tom", 0, 2.0, 0.5, False),
    )
    rate = 1000
    prints = {
        name: Print(rate, np.full(count, value, np.float32), Peaks())
        for name, count, value in (("a", 3000, 0.1), ("b", 500, 0.5), ("c", 500, 0.2))
    }
    heard = Mix(placed, prints, rate).read(0, 3000)
    assert heard[500] == pytest.approx(0.1)
    assert heard[1200] == pytest.approx(0.1 + 0.05)
    assert heard[2200] == pytest.approx(0.1 + 0.2)
    assert heard[2700] == pytest.approx(0.1)
    piece = Mix(placed, prints, rate).read(2600, 100)  # the long line goes on after the short ones
    assert np.allclose(piece, 0.1)


def test_a_pause_below_nothing_lets_lines_overlap_but_not_change_places() -> None:
    lines = (Line("a", (LinePart("Mira", "One."),), pause=-500), Line("b", (LinePart("Tom", "Two."),), pause=-9000))
    last = Line("c", (LinePart("Mira", "Three."),), gain=3.0)
    project = Project(scenes=(Scene("", (*lines, last)),), cast=(Character("Mira", gain=-1.0), Character("Tom")))
    placed = layout(project, lambda line: 2.0)
    assert [each.start_seconds for each in placed] == [0.0, 1.5, 1.5]
    assert [each.gain for each in placed] == [-1.0, 0.0, 2.0]


def test_another_character_has_a_pause_of_its_own() -> None:
    said = [("Ada", None), ("Ada", None), ("Tom", 100), ("Ada", None)]
    lines = tuple(Line(str(n), (LinePart(name, "Yes."),), pause=pause) for n, (name, pause) in enumerate(said))
    scene = Scene("", lines, 200, 700)
    starts = [each.start_seconds for each in layout(Project(scenes=(scene,)), lambda _: 1.0)]
    assert starts == pytest.approx([0.0, 1.2, 2.9, 4.0])
    assert [scene.own_pause(place) for place in range(4)] == [200, 700, 700, 200]
