"""Of what was being made there is all that was drawn, where it belongs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.request import FrameData, Generate, How, Origin, Part, Prompt, Regenerate, Settings, Take
from studio.document.packs import pack, unpack
from studio.document.unfinished import begun_take, is_beginning, new_span, with_frames

PROMPT = Prompt((Part(0, "Hello there."),))


def codes(seed: int, frames: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1024, (10, frames)).astype(np.int16)


def take(frames: int = 12) -> Take:
    origin = Origin(Prompt((Part(0, "Hello."),)), "digest", 1, Settings(), How.GENERATED, 44_100, 2_048)
    data = np.arange(2 * frames, dtype=np.float32).reshape(2, frames)
    return Take(codes(0, frames), origin, FrameData(data, -data))


@given(st.integers(0, 12), st.integers(0, 12), st.lists(st.integers(0, 5), max_size=4))
def test_a_span_grows_between_what_is_kept(one: int, other: int, sizes: list[int]) -> None:
    start, stop = sorted((one, other))
    old = take()
    request = Regenerate(PROMPT, old, (start, stop), (7, 8))
    made = begun_take(request, 8, "digest", 44_100, 2_048, 10)
    drawn = codes(1, sum(sizes))
    at = 0
    for size in sizes:
        made = with_frames(made, drawn[:, at : at + size])
        (made,) = unpack(pack((made,)).content).takes  # what is written can be read
        at += size
    assert made.codes.tolist() == np.concatenate([old.codes[:, :start], drawn, old.codes[:, stop:]], axis=1).tolist()
    assert new_span(made) == (start, start + sum(sizes))
    assert (made.origin.parent, made.origin.how, made.origin.seed) == (old.id, How.SPLICED, 8)
    assert made.origin.prompt is not old.origin.prompt
    outside = [*range(start), *range(start + sum(sizes), made.frames)]
    kept = [*range(start), *range(stop, old.frames)]
    assert made.frame_data.log_p[:, outside].tolist() == old.frame_data.log_p[:, kept].tolist()
    assert not made.frame_data.entropy[:, start : start + sum(sizes)].any()


def test_a_line_grows_at_its_end() -> None:
    made = begun_take(Generate(PROMPT, (5,)), 5, "digest", 44_100, 2_048, 10)
    assert (made.frames, made.capped) == (0, True)
    made = with_frames(with_frames(made, codes(1, 3)), codes(2, 4))
    assert made.codes.tolist() == np.concatenate([codes(1, 3), codes(2, 4)], axis=1).tolist()
    assert new_span(made) == (0, 7)


def test_what_became_of_it_is_known_by_its_first_frames() -> None:
    line = with_frames(begun_take(Generate(PROMPT, (5,)), 5, "digest", 44_100, 2_048, 10), codes(1, 6))
    finished = replace(line, codes=np.concatenate([line.codes, codes(2, 3)], axis=1))
    assert is_beginning(line, finished)
    assert not is_beginning(finished, line), "more was drawn than that one has"
    assert not is_beginning(line, replace(finished, codes=codes(3, 9)))
    assert not is_beginning(line, replace(finished, origin=replace(line.origin, seed=6)))
    begun = begun_take(Regenerate(PROMPT, take(), (2, 5), (7,)), 7, "digest", 44_100, 2_048, 10)
    drawn = with_frames(begun, codes(1, 8))
    assert is_beginning(drawn, with_frames(begun, codes(1, 8)[:, :5])), "it was cut earlier"
    assert is_beginning(with_frames(begun, codes(1, 8)[:, :2]), drawn)
    assert not is_beginning(drawn, with_frames(begun, codes(2, 8)))
