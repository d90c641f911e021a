from __future__ import annotations

import numpy as np
import pytest

from engine.request import Speakers
from studio.library.speakers import Company, company


def speakers(*who: int, blur: float = 0.1) -> Speakers:
    """Windows of these speakers, 0.4 s apart and 1.6 s long."""
    chance = np.random.default_rng(0)
    embeddings = np.abs(np.eye(8)[list(who)] + blur * chance.normal(0, 1, (len(who), 8)))
    embeddings /= np.linalg.norm(embeddings, axis=1, keepdims=True)
    begins = 0.4 * np.arange(len(who))
    return Speakers(embeddings.astype(np.float32), begins, begins + 1.6)


def test_one_speaker() -> None:
    assert company(speakers(*[2] * 12)) == Company()


def test_another_one_is_found_where_they_speak() -> None:
    found = company(speakers(*[1] * 8, *[4] * 4)).another
    assert found == pytest.approx((0.4 * 8 + 0.8 - 0.2, 0.4 * 11 + 0.8 + 0.2))
    assert company(speakers(*[4] * 4, *[1] * 8)).another == pytest.approx((0.6, 2.2))


def test_in_the_middle_as_well() -> None:
    found = company(speakers(*[1] * 4, *[4] * 3, *[1] * 4)).another
    assert found == pytest.approx((2.2, 3.4))


@pytest.mark.parametrize("who", [(), (1,), (1, 4), (1, 1, 1, 4), (1, 1, 1, 1, 1, 4)])
def test_a_window_alone_tells_nothing(who: tuple[int, ...]) -> None:
    if who:
        assert company(speakers(*who)).another is None


def test_a_clip_of_somebody_else_than_the_first() -> None:
    first = speakers(*[1] * 5)
    assert company(speakers(*[1] * 6), first) == Company()
    assert company(speakers(*[3] * 6), first) == Company(stranger=True)
