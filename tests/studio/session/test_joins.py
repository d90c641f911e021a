from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.session.joins import Joins, Moved
from tests.studio.session.stage import Studio, project

PROMPT = Prompt((Part(0, "Some words here."),))


def take(codes: np.ndarray, span: tuple[int, int] | None = None, parent: str | None = None) -> Take:
    origin = Origin(PROMPT, "c", 1, Settings(), How.SPLICED if span else How.GENERATED, 8000, 64, parent, span)
    data = -np.abs(np.random.default_rng(1).normal(size=(2, 2, codes.shape[1])).astype(np.float32))
    return Take(codes.astype(np.int16), origin, FrameData(*data))


def moved(frames: int = 30, start: int = 10, stop: int = 20, drawn: int = 8, beyond: int = 4) -> Moved:
    """Old frames are counted from 0, drawn ones from 100."""
    old = take(np.tile(np.arange(frames), (3, 1)))
    new = np.tile(np.arange(100, 100 + drawn + beyond), (3, 1))
    codes = np.concatenate([old.codes[:, :start], new[:, :drawn], old.codes[:, stop:]], axis=1)
    return Moved(old, take(codes, (start, start + drawn), old.id), new[:, drawn:])


def test_a_join_that_has_not_moved_changes_nothing() -> None:
    each = moved()
    assert np.array_equal(each.take().codes, each.drawn.codes)
    assert each.take().id == each.drawn.id


@pytest.mark.parametrize(
    ("left", "right", "row"),
    [
        (2, 0, [*range(12), *range(102, 108), *range(20, 30)]),
        (0, 2, [*range(10), *range(100, 110), *range(22, 30)]),
        (0, -3, [*range(10), *range(100, 105), *range(17, 30)]),
        (1, 1, [*range(11), *range(101, 109), *range(21, 30)]),
    ],
)
def test_a_moved_join_takes_more_of_one_and_less_of_the_other(left: int, right: int, row: list[int]) -> None:
    each = moved()
    shifted = Moved(each.parent, each.drawn, each.beyond, left, right)
    assert shifted.possible
    made = shifted.take()
    assert made.codes[0].tolist() == row
    assert made.origin.span == (10 + left, 18 + right)
    assert made.origin.parent == each.parent.id


spans = st.integers(1, 30).flatmap(
    lambda frames: st.tuples(st.just(frames), st.integers(0, frames), st.integers(0, frames), st.integers(0, 9),
                             st.integers(0, 5), st.integers(-12, 12), st.integers(-12, 12))
)  # fmt: skip


@given(spans)
def test_whatever_is_possible_is_as_long_and_keeps_what_is_outside(case: tuple[int, ...]) -> None:
    frames, one, two, drawn, beyond, left, right = case
    each = moved(frames, min(one, two), max(one, two), drawn, beyond)
    shifted = Moved(each.parent, each.drawn, each.beyond, left, right)
    if not shifted.possible:
        return
    made = shifted.take()
    start, stop = made.origin.span
    assert made.frames == each.drawn.frames
    assert 0 <= start <= stop <= made.frames
    assert np.array_equal(made.codes[:, :start], each.parent.codes[:, :start])
    kept = made.frames - stop
    assert np.array_equal(made.codes[:, stop:], each.parent.codes[:, each.parent.frames - kept :])
    assert 0 <= shifted.score(made).join <= 1


@pytest.fixture
def joins(studio: Studio) -> Joins:
    """Of a line with candidates to choose from."""
    session, performing = studio.session, studio.performing
    session.start(project("One two three four five six."))
    performing.generate(studio.ids())
    studio.until_idle()
    session.choose_span("line0", (3, 8))
    performing.regenerate()
    studio.until_idle()
    return Joins(session, performing, studio.engine)


def test_a_join_moves_that_of_the_chosen_candidate(studio: Studio, joins: Joins) -> None:
    before = studio.performing.candidates.view
    assert joins.move("start", 1)
    assert joins.move("start", 1)
    studio.until(lambda: studio.line(1).kept != before.take.id)
    studio.until_idle()
    made = studio.session.kept(studio.line(1))
    assert made.origin.span[0] == 5
    assert studio.performing.candidates.view.takes[1:] == before.takes[1:]


def test_a_candidate_that_is_chosen_while_another_ones_join_moves_stays(studio: Studio, joins: Joins) -> None:
    before = studio.performing.candidates.view
    assert joins.move("start", 1)
    studio.performing.candidates.choose(1)
    studio.until(lambda: joins._asked is None)
    studio.until_idle()
    assert studio.performing.candidates.view.takes == before.takes
    assert studio.line(1).kept == before.takes[1].id
    assert joins.move("start", 1)
    studio.until_idle()
    studio.until(lambda: joins._asked is None)


def test_a_join_moves_from_where_that_of_its_own_candidate_is(studio: Studio, joins: Joins) -> None:
    before = studio.performing.candidates.view
    assert joins.move("start", 3)
    studio.performing.candidates.choose(1)
    assert joins.move("start", 1)
    studio.until(lambda: studio.line(1).kept not in {each.id for each in before.takes})
    made = studio.session.kept(studio.line(1))
    assert made.origin.span[0] == before.takes[1].origin.span[0] + 1
    assert made.origin.seed == before.takes[1].origin.seed
    assert studio.performing.candidates.view.takes[0] is before.takes[0]
    studio.until_idle()
