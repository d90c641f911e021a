from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.request import Alignment, FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.session.doubt import doubt, flags, hot_spot, quiet_frame, worst_span

HOP, RATE = 400, 8000


def take(row: np.ndarray, entropy: np.ndarray | None = None, capped: bool = False) -> Take:
    frames = len(row)
    origin = Origin(Prompt((Part(0, "one two three four"),)), "c", 1, Settings(), How.GENERATED, RATE, HOP)
    entropy = np.zeros((2, frames), np.float32) if entropy is None else np.stack([entropy, entropy * 0])
    codes = np.stack([row, row]).astype(np.int16)
    return Take(codes, origin, FrameData(np.zeros((2, frames), np.float32), entropy), capped)


def aligned() -> Alignment:
    begins = np.concatenate([np.linspace(0, 40, 18, endpoint=False).round(), [40]]).astype(np.int64)
    return Alignment(begins, np.ones(4, np.float32))


def test_the_worst_span_is_the_words_around_the_greatest_doubt() -> None:
    entropy = np.zeros(40, np.float32)
    entropy[20:26] = 9
    doubtful = take(np.arange(40), entropy)
    start, stop = worst_span(doubtful, aligned())
    assert start <= 20
    assert stop >= 26
    assert start in aligned().begins
    assert doubt(doubtful).max() == 1
    assert worst_span(doubtful, None)[1] - worst_span(doubtful, None)[0] == 8
    assert hot_spot(doubtful, aligned(), 22) == aligned().span(8, 13)
    assert worst_span(take(np.zeros(0)), None) is None


def test_a_second_best_that_is_near_the_best_is_a_doubt() -> None:
    one = take(np.arange(4), np.zeros(4, np.float32))
    margin = np.array([[1, 1, 0, 0], [1, 0, 1, 0]], np.float32)
    told = replace(one, frame_data=replace(one.frame_data, margin=margin))
    assert doubt(one).tolist() == [0, 0, 0, 0]  # not known, as in older files
    sure, half, other_half, neither = doubt(told)
    assert 0 == sure < half == other_half < neither


def test_where_little_is_sure_only_what_stands_out_is_a_doubt() -> None:
    chance = np.random.default_rng(0)
    for mean in (1.5, 7.0):
        told = doubt(take(np.arange(400), (mean + chance.normal(0, 0.4, 400)).astype(np.float32)))
        assert (told > 0.35).mean() < 0.3
        assert (told > 0.6).mean() < 0.15
    assert (doubt(take(np.arange(40), np.full(40, 8.0, np.float32))) <= 0.35).all()
    assert len(doubt(take(np.zeros(0)))) == 0


def test_a_loop_is_flagged_once() -> None:
    assert flags(take(np.arange(60)), None) == ()
    looped = np.concatenate([np.arange(50, 60), np.tile(np.arange(7), 4), np.arange(70, 80)])
    (flag,) = flags(take(looped), None)
    assert flag.span == (10, 38)
    assert "again" in flag.words


def test_silences_leaps_and_caps_are_flagged() -> None:
    sound = np.sin(np.arange(60 * HOP)).astype(np.float32) * 0.3
    assert flags(take(np.arange(60)), sound) == ()
    silent = sound.copy()
    silent[10 * HOP : 34 * HOP] = 0
    assert [flag.span for flag in flags(take(np.arange(60)), silent) if "Silent" in flag.words] == [(10, 34)]
    short = sound.copy()
    short[10 * HOP : 14 * HOP] = 0
    assert flags(take(np.arange(60)), short) == ()
    leaping = sound.copy()
    leaping[30 * HOP :] *= 0.04
    assert any("leaps" in flag.words for flag in flags(take(np.arange(60)), leaping))
    assert [flag.words for flag in flags(take(np.arange(60), capped=True), sound)] == [
        "Stopped at its longest, perhaps too soon"
    ]


def test_a_leap_of_pitch_is_flagged() -> None:
    hertz = np.repeat([100.0, 220.0], 15 * 20)
    phase = 2 * np.pi * np.cumsum(np.repeat(hertz, HOP)) / RATE
    samples = sum(np.sin(n * phase) / n for n in range(1, 6)).astype(np.float32) * 0.2
    found = flags(take(np.arange(600)), samples)
    assert [flag.words for flag in found] == ["Its pitch leaps"]
    assert found[0].span[0] < 300 < found[0].span[1]


def test_the_nearest_quiet_frame() -> None:
    samples = np.sin(np.arange(40 * HOP)).astype(np.float32) * 0.3
    samples[14 * HOP + 100 : 16 * HOP + 300] = 0
    assert quiet_frame(samples, HOP, 12, 8) == 15
    assert quiet_frame(samples, HOP, 19, 8) == 16
    assert abs(quiet_frame(samples, HOP, 30, 3) - 30) <= 3  # none is quiet: the quietest
    assert quiet_frame(np.zeros(0, np.float32), HOP, 0, 3) == 0
