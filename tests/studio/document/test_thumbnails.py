"""Thumbnails look as their waves do, and come back from a file; damaged ones were never there."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from studio.document import thumbnails
from studio.document.thumbnails import BLOCK, ENTRY, Thumbnail, packed_thumbnails, unpacked_thumbnails
from studio.samples import Peaks, Print


def held(count: int, seed: int = 0) -> Print:
    samples = np.random.default_rng(seed).uniform(-1, 1, count).astype(np.float32)
    return Print(22_050, samples, Peaks(samples))


@given(st.integers(0, 20_000), st.integers(1, 40))
def test_a_thumbnail_looks_as_the_wave(count: int, columns: int) -> None:
    wave = held(count)
    small = Thumbnail.of(wave)
    assert small.seconds == pytest.approx(wave.seconds)
    seen = np.stack(small.peaks.view(0, count, columns))
    real = np.stack(wave.peaks.view(0, count, columns))
    if count // columns >= BLOCK:  # a column is at least as wide as what is known
        assert (seen[0] <= real[0] + 0.01).all()
        assert (seen[1] >= real[1] - 0.01).all()
    assert np.abs(seen).max(initial=0) <= 1


def test_closer_than_it_was_looked_at_it_shows_what_it_knows() -> None:
    small = Thumbnail.of(held(5 * BLOCK))
    low, high, power = small.peaks.view(100, 200, 50)
    assert len(set(low)) == len(set(high)) == 1
    assert (power > 0.4).all()


@given(st.lists(st.integers(0, 5_000), max_size=5))
def test_all_come_back_in_their_order(counts: list[int]) -> None:
    some = {f"take{place}": Thumbnail.of(held(count, place)) for place, count in enumerate(counts)}
    back = unpacked_thumbnails(packed_thumbnails(some))
    assert list(back) == list(some)
    for name, each in some.items():
        assert (back[name].rate, back[name].count) == (each.rate, each.count)
        assert (back[name].columns == each.columns).all()


def test_where_they_are_too_many_the_last_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    some = {f"take{place}": Thumbnail.of(held(10 * BLOCK, place)) for place in range(5)}
    monkeypatch.setattr(thumbnails, "MOST_BYTES", 2 * 3 * 30)
    assert list(unpacked_thumbnails(packed_thumbnails(some))) == ["take2", "take3", "take4"]


def block(rows: Any, columns: Any) -> bytes:
    return safetensors.numpy.save({"columns": columns}, {ENTRY: json.dumps(rows)})


NUMBERS = np.zeros(6, np.int8)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 50,
        safetensors.numpy.save({"columns": NUMBERS}),
        block([["a", 44_100, 2_000]], NUMBERS.astype(np.float32)),
        block([["a", 44_100, 2_000]], NUMBERS.reshape(2, 3)),
        block([["a", 44_100, 3_000]], NUMBERS),
        block([["a", 44_100, -1]], NUMBERS),
        block([["a", 0, 2_000]], NUMBERS),
        block([["a", 44_100.0, 2_000]], NUMBERS),
        block([[1, 44_100, 2_000]], NUMBERS),
        block([["a"]], NUMBERS),
        block({"a": 1}, NUMBERS),
        block(7, NUMBERS),
    ],
)
def test_damaged_ones_were_never_there(content: bytes) -> None:
    assert unpacked_thumbnails(content) == {}
