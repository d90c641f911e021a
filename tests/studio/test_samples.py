"""Peaks show what is there at any zoom, alone or growing; the cache gives back what it was given, or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.samples import BASE, LiveWave, Peaks, PrintCache


def noise(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


counts = st.one_of(st.integers(1, 600), st.integers(1, 20_000))


@settings(max_examples=200)
@given(counts, st.floats(0, 1), st.floats(0, 1), st.integers(1, 400))
def test_extremes_are_exact_up_to_the_block(count: int, begin: float, share: float, columns: int) -> None:
    samples = noise(count)
    start = int(begin * (count - 1))
    stop = start + max(1, int(share * (count - start)))
    low, high, rms = Peaks(samples).view(start, stop, columns)
    block = _widest_block((stop - start) // columns)
    for column in range(columns):
        first = start + column * (stop - start) // columns
        last = max(first + 1, start + (column + 1) * (stop - start) // columns)
        inner = samples[first:last]
        outer = samples[first // block * block : -(-last // block) * block]
        assert outer.min() <= low[column] <= inner.min()
        assert inner.max() <= high[column] <= outer.max()
        assert 0 <= rms[column] <= np.abs(outer).max() + 1e-5


def _widest_block(samples_per_column: int) -> int:
    """At most half a column; 1 where the samples themselves must be looked at."""
    block = 1
    while 2 * max(BASE, block * 4) <= samples_per_column:
        block = max(BASE, block * 4)
    return block


@given(st.lists(st.integers(0, 3_000), max_size=12))
def test_a_wave_that_grows_looks_as_if_it_had_come_at_once(sizes: list[int]) -> None:
    samples = noise(sum(sizes))
    live = LiveWave(1_000)
    for size in sizes:
        live.append(samples[len(live.samples) : len(live.samples) + size])
    assert np.array_equal(live.samples, samples)
    assert live.seconds == len(samples) / 1_000
    whole = Peaks(samples)
    assert np.array_equal(live.peaks.blocks, whole.blocks)
    for columns in (1, 7, 100):
        for grown, at_once in zip(
            live.peaks.view(0, max(1, len(samples)), columns), whole.view(0, max(1, len(samples)), columns), strict=True
        ):
            assert np.array_equal(grown, at_once)


def test_outside_the_wave_there_is_silence() -> None:
    peaks = Peaks(np.ones(10, np.float32))
    low, high, rms = peaks.view(-10, 30, 4)
    assert low.tolist() == high.tolist() == rms.tolist() == [0, 1, 0, 0]
    assert Peaks().view(0, 100, 2)[0].tolist() == [0, 0]


def test_rms_of_a_steady_tone() -> None:
    tone = np.sin(np.arange(1 << 16, dtype=np.float32) * np.float32(2 * np.pi / 64))
    for columns in (3, 50, 500):
        assert np.allclose(Peaks(tone).view(0, len(tone), columns)[2], np.sqrt(0.5), atol=0.02)


@pytest.mark.parametrize("count", [0, 1, 255, 256, 10_000])
def test_the_cache_gives_back_what_it_was_given(tmp_path: Path, count: int) -> None:
    cache = PrintCache(tmp_path / "prints")
    assert cache.get("abc") is None
    samples = noise(count)
    for held in (cache.put("abc", 22_050, samples), cache.get("abc"), PrintCache(tmp_path / "prints").get("abc")):
        assert held is not None
        assert held.rate == 22_050
        assert held.seconds == count / 22_050
        assert np.array_equal(held.samples, samples)
        assert np.array_equal(held.peaks.blocks, Peaks(samples).blocks)
        assert not held.samples.flags.writeable


@given(data=st.data())
def test_a_damaged_entry_is_not_there_and_can_be_written_again(tmp_path_factory, data) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("prints")
    cache = PrintCache(folder)
    cache.put("abc", 22_050, noise(600))
    path = folder / "abc.print"
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    assert cache.get("abc") is None
    assert np.array_equal(cache.put("abc", 22_050, noise(600)).samples, noise(600))


def test_a_foreign_file_is_not_a_print(tmp_path: Path) -> None:
    (tmp_path / "abc.print").write_bytes(bytes(5_000))
    assert PrintCache(tmp_path).get("abc") is None
    with pytest.raises(ValueError, match="not the id"):
        PrintCache(tmp_path).get("../abc")


def test_the_least_recently_used_makes_room(tmp_path: Path) -> None:
    cache = PrintCache(tmp_path, most_bytes=10_000)
    for age, name in enumerate(("old", "older", "oldest")):
        cache.put(name, 22_050, noise(800))
        os.utime(tmp_path / f"{name}.print", (1_000 - age, 1_000 - age))
    assert cache.get("oldest") is not None  # and so it is the newest now
    cache.put("new", 22_050, noise(800))
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["new", "old", "oldest"]


def test_the_newest_print_stays_however_large(tmp_path: Path) -> None:
    assert len(PrintCache(tmp_path, most_bytes=10).put("abc", 22_050, noise(800)).samples) == 800
