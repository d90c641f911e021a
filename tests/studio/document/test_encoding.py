"""What is made plain is read back as it was, and nothing is read as what it is not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.request import Settings
from studio.document.encoding import plain, read
from studio.document.project import Line, LinePart, Mark, Scene
from studio.document.state import Kind

texts = st.text(max_size=5)
samplings = st.builds(Settings, st.floats(0, 2), st.floats(0, 1), st.integers(0, 99), st.integers(0, 20), st.none())
parts = st.lists(st.builds(LinePart, texts, texts)).map(tuple)
takes = st.lists(texts).map(tuple)
lines = st.builds(
    Line, texts, parts, takes, st.none() | texts, st.none() | samplings, texts, st.booleans(), st.none() | st.integers()
)


@given(st.builds(Scene, texts, st.lists(lines).map(tuple), st.integers()))
def test_a_value_comes_back_through_json(scene: Scene) -> None:
    assert read(Scene, json.loads(json.dumps(plain(scene)))) == scene


def test_what_is_as_by_default_is_left_out() -> None:
    assert plain(Mark(star=True)) == {"star": True}
    assert plain(Kind.NO_VOICE) == "no voice"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, 1),
        (int, True),
        (int, 1.0),
        (bool, 1),
        (float, "1"),
        (float, float("inf")),
        (float, True),
        (Kind, "nothing"),
        (tuple[str, ...], "text"),
        (tuple[str, ...], [1]),
        (Mapping[str, int], []),
        (Mapping[str, int], {"a": "b"}),
        (LinePart, {"character": "Ada"}),
        (LinePart, {"character": "Ada", "text": "x", "more": 1}),
        (LinePart, ["Ada", "x"]),
        (Scene, {"title": None}),
    ],
)
def test_what_is_of_another_type_is_refused(kind: Any, value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(kind, value)
