from __future__ import annotations

import pytest

from studio.document.state import Kind, LineState


@pytest.mark.parametrize(
    ("seconds", "target", "beyond"),
    [(2.5, None, 0.0), (None, 2.0, 0.0), (2.05, 2.0, 0.0), (2.5, 2.0, 0.5), (1.5, 2.0, -0.5), (10.4, 10.0, 0.0)],
)
def test_a_take_is_beyond_its_target_where_one_would_notice(
    seconds: float | None, target: float | None, beyond: float
) -> None:
    assert LineState(Kind.READY, seconds=seconds, target=target).beyond == pytest.approx(beyond)
