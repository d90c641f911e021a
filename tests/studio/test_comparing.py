"""What is said of a comparison of tags; what it makes is heard in the journeys."""

from __future__ import annotations

import pytest

from studio.comparing import stands


@pytest.mark.parametrize(
    ("place", "told"),
    [(0, "at the start of the line"), (5, "before “tea, Tom”"), (13, "at the end of the line")],
)
def test_where_the_tags_stand(place: int, told: str) -> None:
    assert stands("Some tea, Tom?", place) == told
