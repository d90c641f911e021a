"""The store keeps every take, once."""

from __future__ import annotations

import numpy as np
import pytest

from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.document.store import Store


def take(seed: int) -> Take:
    origin = Origin(Prompt((Part(0, "Hello."),)), "digest", seed, Settings(), How.GENERATED, 22050, 1024)
    data = np.zeros((2, 4), np.float32)
    return Take(np.full((10, 4), seed, np.int16), origin, FrameData(data, data))


def test_takes_are_kept_by_id_in_the_order_they_came() -> None:
    store = Store([take(1)])
    second = store.add(take(2))
    assert [held.origin.seed for held in store] == [1, 2]
    assert store.get(second).origin.seed == 2
    assert second in store
    with pytest.raises(KeyError):
        store.get("gone")


def test_the_same_performance_twice_is_one_take() -> None:
    store = Store()
    assert store.add(take(1)) == store.add(take(1))
    assert len(store) == len(store.takes()) == 1
