from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from studio.document.numbers import Numbers, Places
from studio.document.project import Line, LinePart, Project, Scene

EDITS = some.lists(
    some.tuples(some.integers(0, 30), some.integers(0, 4), some.integers(0, 4), some.integers(0, 30)), max_size=40
)


@given(some.integers(0, 25), EDITS)
def test_a_name_has_the_number_that_counting_gives(size: int, edits: list[tuple[int, int, int, int]]) -> None:
    names: list[str | None] = [f"first {n}" for n in range(size)]
    numbers = Numbers(names)
    for turn, (place, gone, come, asked) in enumerate(edits):
        start = min(place, len(names))
        stop = min(start + gone, len(names))
        new = [None if n == 3 else f"{turn} {n}" for n in range(come)]
        names[start:stop] = new
        numbers.replace(start, stop, new)
        assert len(numbers) == len(names)
        if names and (name := names[asked % len(names)]) is not None:
            assert numbers[name] == names.index(name)
    assert all(name is None or numbers[name] == n for n, name in enumerate(names))


def test_what_went_has_no_number() -> None:
    numbers = Numbers(["a", "b", "c"])
    numbers.replace(0, 2, ["b"])
    assert "a" not in numbers
    assert numbers["b"] == 0
    assert numbers["c"] == 1
    with pytest.raises(KeyError):
        numbers["a"]


def test_what_stays_in_an_edit_keeps_its_number() -> None:
    numbers = Numbers([None, "a", "b"])
    numbers.replace(1, 3, ["a", "new", "b"])
    assert [numbers[name] for name in ("a", "new", "b")] == [1, 2, 3]


def _scene(*ids: str) -> Scene:
    return Scene("", tuple(Line(each, (LinePart("", each),)) for each in ids))


def _all_right(places: Places, project: Project) -> None:
    for at, scene in enumerate(project.scenes):
        for place, line in enumerate(scene.lines):
            assert places.find(project, line.id) == (at, place)


def test_places_follow_an_edit_in_one_scene_and_a_move_between_two() -> None:
    places = Places()
    project = Project(scenes=(_scene("a", "b"), _scene(), _scene("c", "d")))
    _all_right(places, project)
    edited = replace(project, scenes=(_scene("a", "x", "b"), *project.scenes[1:]))
    _all_right(places, edited)
    moved = Project(scenes=(_scene("a", "x", "d"), _scene("b"), _scene("c")))
    _all_right(places, moved)
    _all_right(places, Project(scenes=moved.scenes[1:]))
    with pytest.raises(KeyError):
        places.find(project, "x")
