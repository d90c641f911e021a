from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RequestError
from engine.request import AtMost, Exactly, FrameData, Free, How, Origin, Part, Prompt, Score, Settings, Take
from engine.splice import (
    check_span,
    expected_frames,
    join,
    kept_starts,
    length_score,
    most_frames,
    shortlist,
    spliced_codes,
    spliced_data,
)


def take(frames: int, codebooks: int = 3) -> Take:
    random = np.random.default_rng(frames)
    origin = Origin(Prompt((Part(0, "Some words here."),)), "c", 1, Settings(), How.GENERATED, 8000, 256)
    data = FrameData(*random.normal(size=(2, 2, frames)).astype(np.float32))
    return Take(random.integers(0, 9, (codebooks, frames)).astype(np.int16), origin, data)


spans = st.integers(1, 40).flatmap(
    lambda frames: st.tuples(st.just(frames), st.integers(0, frames), st.integers(0, frames))
).map(lambda t: (t[0], (min(t[1:]), max(t[1:]))))  # fmt: skip


@given(spans)
def test_a_splice_by_its_own_codes_changes_nothing(case: tuple[int, tuple[int, int]]) -> None:
    frames, (start, stop) = case
    old = take(frames)
    assert np.array_equal(spliced_codes(old, (start, stop), old.codes[:, start:stop]), old.codes)


@given(spans, st.integers(0, 12))
def test_what_is_outside_a_span_is_kept(case: tuple[int, tuple[int, int]], count: int) -> None:
    frames, (start, stop) = case
    old, before = take(frames), take(frames).codes.copy()
    codes = spliced_codes(old, (start, stop), np.full((3, count), 7))
    assert codes.shape == (3, frames - (stop - start) + count)
    assert codes.dtype == np.int16
    assert not codes.flags.writeable
    assert np.array_equal(codes[:, :start], before[:, :start])
    assert np.array_equal(codes[:, start + count :], before[:, stop:])
    assert np.array_equal(old.codes, before)


@given(spans, st.integers(0, 12))
def test_frame_data_follows_the_codes(case: tuple[int, tuple[int, int]], count: int) -> None:
    frames, (start, stop) = case
    old = take(frames)
    new = FrameData(np.ones((2, count), np.float32), np.ones((2, count), np.float32))
    forced = np.zeros((min(8, frames - stop), 2), np.float32)
    data = spliced_data(old, (start, stop), new, forced)
    assert data.margin is None  # a part of it is not known
    assert data.log_p.shape == data.entropy.shape == (2, frames - (stop - start) + count)
    assert not data.log_p[:, start + count : start + count + len(forced)].any()


@pytest.mark.parametrize("span", [(-1, 3), (3, 2), (0, 11), (11, 11)])
def test_a_span_outside_the_take_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(RequestError, match="10 frames"):
        check_span(span, 10)


def test_the_expected_length() -> None:
    old = take(40)  # 40 frames for 16 characters
    assert expected_frames(old, 16, (10, 20), Free(characters=8)) == 20
    assert expected_frames(old, 16, (10, 20), Free(characters=1)) == 6
    assert expected_frames(old, 16, (10, 20), Free()) == 10
    assert expected_frames(old, 16, (10, 20), Free(characters=0)) == 0
    assert expected_frames(old, 16, (10, 20), Exactly(13)) == 13
    assert most_frames(20, Free()) == 52
    assert most_frames(0, Free(characters=0)) == 6
    assert most_frames(20, AtMost(15)) == 15
    assert most_frames(13, Exactly(13)) == 13


def test_cuts_follow_the_hints_and_the_prior() -> None:
    hints = np.full((30, 1), -9.0)
    hints[[11, 25]] = -1.0
    assert shortlist(hints, 10, Free())[0] == (11, 0)
    assert len(shortlist(hints, 10, Free())) == 4
    assert all(cut for cut, _ in shortlist(np.zeros((9, 1)), 6, Free()))
    assert shortlist(hints, 13, Exactly(13)) == [(13, 0)]
    nothing_spoken = shortlist(np.array([[-1.0], [-3.0], [-2.0]]), 0, Free(characters=0))
    assert nothing_spoken == [(0, 0), (2, 0), (1, 0)]
    assert all(type(cut) is int for cut, _ in nothing_spoken)  # they become the span of a take, written to files


def test_what_is_kept_may_begin_elsewhere_where_that_follows_better() -> None:
    hints = np.full((30, 3), -2.0)
    hints[13, 2] = 2.0
    cuts = shortlist(hints, 10, Free(), (0, -1, 1))
    assert cuts[:4] == shortlist(hints[:, :1], 10, Free())  # those at the span's end come first, whatever is elsewhere
    assert cuts[4] == (13, 2)
    assert len(cuts) == 7


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 3))
def test_kept_starts_leave_something_on_both_sides(start: int, count: int, margin: int) -> None:
    frames = 40
    span = (start, min(frames, start + count))
    starts = kept_starts(span, frames, Free(), margin)
    assert starts[0] == span[1]
    assert len(set(starts)) == len(starts) <= 2 * margin + 1
    assert all(start < each and frames - each >= min(8, frames - span[1]) for each in starts[1:])
    assert kept_starts(span, frames, Exactly(5), margin) == [span[1]]


def test_the_length_that_words_should_take_scores_best() -> None:
    assert length_score(10, 10) == 1
    assert length_score(5, 10) == pytest.approx(length_score(20, 10))
    assert length_score(0, 0) == 1 > length_score(3, 0)
    assert length_score(2, 6) == 1 > length_score(12, 6)
    ranks = [Score(0.8, -1.0, voice, length).rank for voice, length in ((0.9, 1.0), (0.9, 0.5), (0.2, 0.5), (0.1, 0.1))]
    assert ranks == sorted(ranks, reverse=True)
    assert Score(None, -1.0).rank > Score(None, -2.0).rank


@given(st.integers(1, 8), st.floats(-5, 5))
def test_a_join_is_between_nothing_and_one(frames: int, better: float) -> None:
    before = np.random.default_rng(1).normal(size=(frames, 2))
    score = join(before + better, before)
    assert 0 < score <= 1
    assert (score == 1) == (better >= 0) or abs(better) < 1e-6
