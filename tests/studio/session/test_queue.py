"""What waits to be generated can be moved and taken out, and nothing gets lost on the way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.session.queue import Queue


def queue(*lines: str) -> Queue:
    made = Queue()
    for line_id in lines:
        made.add(line_id)
    return made


def lines(made: Queue) -> list[str]:
    return [each.line_id for each in made.waiting]


def test_the_first_comes_first() -> None:
    made = queue("a", "b")
    made.add("a", 3)
    first = made.next()
    assert first is not None
    assert first.line_id == "a"
    assert "a" in made
    assert [each.takes for each in made.waiting] == [1, 3]
    made.clear()
    assert made.next() is None
    assert "a" not in made


def test_moving_and_removing() -> None:
    made = queue("a", "b", "c")
    numbers = [each.number for each in made.waiting]
    made.move(numbers[2], 0)
    assert lines(made) == ["c", "a", "b"]
    made.move(numbers[2], 99)
    assert lines(made) == ["a", "b", "c"]
    made.remove(numbers[1])
    made.move(numbers[1], 0)
    assert lines(made) == ["a", "c"]
    made.keep("c".__eq__)
    assert lines(made) == ["c"]


@given(
    start=st.lists(st.sampled_from("abc"), max_size=8),
    moves=st.lists(st.tuples(st.integers(0, 9), st.integers(-2, 9)), max_size=8),
)
def test_moving_loses_nothing(start: list[str], moves: list[tuple[int, int]]) -> None:
    made = queue(*start)
    for number, to in moves:
        made.move(number, to)
    assert sorted(lines(made)) == sorted(start)
    assert all((line_id in made) == (line_id in start) for line_id in "abc")
