from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import RequestError, TooLongError
from engine.performance import Performance
from engine.regeneration import _Cut, _ranked
from engine.request import (
    AtMost,
    Chunk,
    Exactly,
    Finished,
    FrameData,
    Free,
    Generate,
    How,
    Length,
    Part,
    Progress,
    Prompt,
    Reference,
    Regenerate,
    Request,
    Retimbre,
    Score,
    Settings,
    Take,
    Voice,
)
from engine.speaking import Heard
from engine.speech import Engine
from tests.tiny import CODEBOOKS, SEMANTIC, write_tiny

LIVELY = Settings(temperature=1.0, top_p=0.95, top_k=20)
VOICE = Voice(
    "a", (Reference("some words", np.arange(CODEBOOKS * 6).reshape(CODEBOOKS, 6).astype(np.int16) % SEMANTIC),)
)
PROMPT = Prompt((Part(0, "The boat is late this evening."),), (VOICE,))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine.open(write_tiny(tmp_path_factory.mktemp("tiny")), "cpu", "fp32")


def finished(engine: Engine, request: Request) -> Finished:
    *_, last = engine.generate(request)
    assert isinstance(last, Finished)
    return last


def generated(engine: Engine, *seeds: int, prompt: Prompt = PROMPT) -> tuple[Take, ...]:
    return finished(engine, Generate(prompt, seeds, LIVELY)).takes


def capped_at(frames: int) -> Settings:
    return Settings(LIVELY.temperature, LIVELY.top_p, LIVELY.top_k, most_frames=frames)


def longest(engine: Engine) -> Take:
    """A take of some length: random weights end when they like."""
    return max(generated(engine, *range(12)), key=lambda take: take.frames)


def same(one: Take, two: Take) -> bool:
    return one.id == two.id and np.array_equal(one.codes, two.codes)


def test_the_same_seed_gives_the_same_take_alone_in_a_batch_and_again(engine: Engine) -> None:
    seeds = (5, 6, 7, 2**40)
    together = generated(engine, *seeds)
    for seed, take in zip(seeds, together, strict=True):
        assert same(take, generated(engine, seed)[0])
    assert len({take.id for take in together}) == len(seeds)


def test_the_same_seed_gives_the_same_take_in_a_fresh_engine(engine: Engine, tmp_path: Path) -> None:
    fresh = Engine.open(write_tiny(tmp_path), "cpu", "fp32")
    assert same(generated(engine, 9)[0], generated(fresh, 9)[0])


def test_a_take_holds_what_made_it(engine: Engine) -> None:
    take = generated(engine, 3)[0]
    assert take.origin.prompt is PROMPT
    assert (take.origin.seed, take.origin.settings, take.origin.how) == (3, LIVELY, How.GENERATED)
    assert take.origin.checkpoint == engine.checkpoint
    assert take.codes.dtype == np.int16
    assert not take.codes.flags.writeable
    assert take.codes.min() >= 0
    assert take.codes.max() < SEMANTIC
    assert take.frame_data.log_p.shape == take.frame_data.entropy.shape == (2, take.frames)
    assert (take.frame_data.log_p <= 0).all()
    assert (take.frame_data.entropy >= 0).all()
    assert take.frame_data.margin is not None
    assert take.frame_data.margin.shape == (2, take.frames)
    assert ((take.frame_data.margin >= 0) & (take.frame_data.margin <= 1)).all()


def test_chunks_are_the_take_as_it_sounds(engine: Engine) -> None:
    chunks: dict[int, list[Chunk]] = {0: [], 1: []}
    for event in engine.generate(Generate(PROMPT, (1, 2), LIVELY)):
        if isinstance(event, Chunk):
            chunks[event.candidate].append(event)
    for candidate, take in enumerate(event.takes):
        assert np.array_equal(np.concatenate([chunk.codes for chunk in chunks[candidate]], axis=1), take.codes)
        heard = np.concatenate([chunk.samples for chunk in chunks[candidate]])
        assert np.abs(heard - engine.decode(take.codes)).max() < 1e-4
        assert chunks[candidate][0].codes.shape[1] <= 3


def test_a_yield_a_frame(engine: Engine) -> None:
    events = list(engine.generate(Generate(PROMPT, (1,), LIVELY)))
    progress = [event.frames for event in events if isinstance(event, Progress)]
    assert progress == list(range(1, events[-1].takes[0].frames + 1))


def test_a_take_that_reaches_the_cap_is_marked(engine: Engine) -> None:
    take = longest(engine)
    capped = finished(engine, Generate(PROMPT, (take.origin.seed,), capped_at(take.frames - 1))).takes[0]
    assert capped.capped
    assert capped.frames == take.frames - 1
    assert np.array_equal(capped.codes, take.codes[:, :-1])
    whole = finished(engine, Generate(PROMPT, (take.origin.seed,), capped_at(take.frames))).takes[0]
    assert whole.frames == take.frames


def test_the_voices_are_not_read_again(engine: Engine) -> None:
    prompt = Prompt((Part(0, "A line nobody has read so far."),), (VOICE,))
    again = Prompt((Part(0, "A line quite different from it."),), (VOICE,))
    finished(engine, Generate(prompt, (1,), LIVELY))
    report = finished(engine, Generate(again, (1,), LIVELY)).report
    assert report.positions_reused > report.positions_read
    assert 0.5 < report.reused_share < 1
    assert 0 < engine.info()["held"]["reused_share"] < 1
    report = finished(engine, Generate(again, (2,), LIVELY)).report
    assert report.positions_read == 1


@pytest.mark.parametrize("text", ["", "  \n", "[whispers]", "...!?", "[a] [b]"])
def test_a_line_without_words_is_refused(engine: Engine, text: str) -> None:
    with pytest.raises(RequestError, match="nothing to speak"):
        finished(engine, Generate(Prompt((Part(0, text),)), (1,), LIVELY))


def test_no_seed_no_take(engine: Engine) -> None:
    with pytest.raises(RequestError, match="seed"):
        finished(engine, Generate(PROMPT, (), LIVELY))


def test_a_line_too_long_for_the_model(engine: Engine) -> None:
    with pytest.raises(TooLongError):
        finished(engine, Generate(Prompt((Part(0, "word " * 400),)), (1,), LIVELY))


def test_not_asking_on_cancels_and_the_engine_goes_on(engine: Engine) -> None:
    events = engine.generate(Generate(PROMPT, (5,), LIVELY))
    next(events)
    events.close()
    assert same(generated(engine, 5)[0], generated(engine, 5)[0])


lengths = st.one_of(
    st.builds(Free, st.none() | st.integers(0, 9)),
    st.builds(Exactly, st.integers(1, 12)),
    st.builds(AtMost, st.integers(1, 9)),
)


@given(st.data(), lengths, st.integers(1, 3), st.integers(0, 2))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_regenerated_span_leaves_the_rest(
    engine: Engine, data: st.DataObject, length: Length, candidates: int, margin: int
) -> None:
    old = longest(engine)
    start = data.draw(st.integers(0, old.frames))
    stop = data.draw(st.integers(start, old.frames))
    text = data.draw(st.sampled_from([PROMPT.text, "The boat is early this evening.", "A word."]))
    prompt = Prompt((Part(0, text),), PROMPT.voices)
    answer = finished(engine, Regenerate(prompt, old, (start, stop), tuple(range(candidates)), LIVELY, length, margin))
    assert len(answer.takes) == len(answer.scores) == candidates
    print_of_old = engine.decode(old.codes)
    for take, score in zip(answer.takes, answer.scores, strict=True):
        new_start, new_stop = take.origin.span
        assert new_start == start
        assert np.array_equal(take.codes[:, :start], old.codes[:, :start])
        kept = old.frames - (take.frames - new_stop)
        assert abs(kept - stop) <= margin
        assert np.array_equal(take.codes[:, new_stop:], old.codes[:, kept:])
        assert take.codes.max() < SEMANTIC
        assert take.codes.min() >= 0
        assert take.frame_data.log_p.shape == (2, take.frames)
        assert take.origin.parent == old.id
        assert take.origin.prompt is prompt
        assert (score.join is None) == (stop == old.frames)
        assert score.join is None or 0 <= score.join <= 1
        if isinstance(length, Exactly):
            assert new_stop - new_start == length.frames
        if isinstance(length, AtMost):
            assert new_stop - new_start <= length.frames
        samples = engine.decode(take.codes)
        assert np.array_equal(samples[: start * engine.hop], print_of_old[: start * engine.hop])
        assert np.array_equal(engine.decode_after(take.codes, print_of_old, start), samples)
    ranks = [score.rank for score in answer.scores]
    assert ranks == sorted(ranks, reverse=True)


def test_a_regenerate_is_reproducible_in_a_fresh_engine(engine: Engine, tmp_path: Path) -> None:
    """Held memory or read in one pass: the same codes and scores."""
    old = longest(engine)
    request = Regenerate(PROMPT, old, (old.frames // 3, old.frames * 2 // 3), (1, 2, 3), LIVELY)
    one, two = finished(engine, request), finished(engine, request)
    fresh = finished(Engine.open(write_tiny(tmp_path), "cpu", "fp32"), request)
    assert [take.id for take in one.takes] == [take.id for take in two.takes] == [take.id for take in fresh.takes]
    for score, other in zip(one.scores, fresh.scores, strict=True):
        assert abs(score.join - other.join) < 1e-4


def test_cuts_that_are_read_by_and_by_score_as_at_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    old = longest(engine)
    request = Regenerate(PROMPT, old, (old.frames // 3, old.frames * 2 // 3), (1, 2), LIVELY, margin=2)
    at_once = finished(engine, request)
    monkeypatch.setattr("engine.regeneration.CUTS_BYTES", 0)
    by_and_by = finished(engine, request)
    assert [take.id for take in by_and_by.takes] == [take.id for take in at_once.takes]
    for one, other in zip(by_and_by.scores, at_once.scores, strict=True):
        assert abs(one.join - other.join) < 1e-4


def test_a_span_of_a_held_take_reads_one_position(engine: Engine) -> None:
    old = longest(engine)
    report = finished(engine, Regenerate(PROMPT, old, (old.frames // 2, old.frames), (1,), LIVELY)).report
    assert report.positions_read == 1


def test_the_whole_line_anew_with_its_seed_is_the_take_itself(engine: Engine) -> None:
    """A branch at frame 0 draws by the same counted chance as the line did."""
    old = longest(engine)
    answer = finished(engine, Regenerate(PROMPT, old, (0, old.frames), (old.origin.seed,), LIVELY, Free(30)))
    assert np.array_equal(answer.takes[0].codes, old.codes)


def test_a_branch_with_the_takes_seed_goes_on_as_the_take_did(engine: Engine) -> None:
    old = longest(engine)
    middle = old.frames // 2
    answer = finished(engine, Regenerate(PROMPT, old, (middle, old.frames), (old.origin.seed,), LIVELY, Free(30)))
    assert np.array_equal(answer.takes[0].codes, old.codes)


@pytest.mark.parametrize("back", [0, 2])
def test_a_stopped_take_goes_on_to_the_end_of_its_text(engine: Engine, back: int) -> None:
    old = longest(engine)
    stop = old.frames // 4
    data = FrameData(*(each[:, :stop] for each in (old.frame_data.log_p, old.frame_data.entropy)))
    stopped = replace(old, codes=old.codes[:, :stop], frame_data=data, capped=True)
    request = Regenerate(PROMPT, stopped, (stop - back, stop), (old.origin.seed,), LIVELY)
    (take,) = finished(engine, request).takes
    assert np.array_equal(take.codes, old.codes)
    assert not take.capped


def test_who_says_nothing_where_words_are_wanted_comes_last(engine: Engine) -> None:
    old = longest(engine)
    request = Regenerate(PROMPT, old, (2, 2), (1, 2), LIVELY, Free(9))
    silent, speaking = Performance(1), Performance(2)
    number, none = np.zeros((1, 2), np.float32), torch.zeros(1)
    speaking.add(Heard([0], old.codes[:, :1].T, np.zeros(1, bool), number, number, number, none, none), 0)
    cuts = [_Cut(each, each, old.frames, np.zeros((0, 2), np.float32), Score(None, -2.0 * each)) for each in (0, 1)]
    ranked = _ranked(engine._loaded, request, [silent, speaking], cuts, 6.0)
    assert [cut.candidate for cut in ranked] == [1, 0]


def test_a_take_of_another_checkpoint_is_refused(engine: Engine, tmp_path: Path) -> None:
    other = Engine.open(write_tiny(tmp_path, seed=1), "cpu", "fp32")
    old = longest(engine)
    with pytest.raises(RequestError, match="another checkpoint"):
        finished(other, Regenerate(PROMPT, old, (0, 1), (1,), LIVELY))


def test_encode_gives_codes_of_any_rate(engine: Engine) -> None:
    samples = np.sin(np.arange(24000) / 20).astype(np.float32)
    codes = engine.encode(samples, 24000)
    assert codes.shape == (CODEBOOKS, -(-engine.sample_rate // engine.hop))
    assert codes.dtype == np.int16


def test_info_says_what_is_loaded(engine: Engine) -> None:
    info = engine.info()
    assert info["device"] == "CPU"
    assert info["precision"] == "fp32"
    assert info["parameters"]["fast AR"] > 0
    assert info["licence"] == "none stated"


def test_the_embedded_voices(embedded: Path) -> None:
    voices = Engine.open(embedded, "cpu", "fp32").voices()
    assert list(voices) == ["heart", "joe", "rms", "slt"]
    for voice in voices.values():
        assert voice.references[0].transcript
        assert voice.references[0].codes.shape[0] == 10


def test_what_was_drawn_is_judged_as_when_it_was_drawn(engine: Engine) -> None:
    take = longest(engine)
    again = engine.judged(take)
    assert again.id == take.id
    assert np.abs(again.frame_data.log_p - take.frame_data.log_p).max() < 1e-4
    assert np.abs(again.frame_data.entropy - take.frame_data.entropy).max() < 1e-4
    assert np.abs(again.frame_data.margin - take.frame_data.margin).max() < 1e-4


def test_a_new_timbre_keeps_the_acting(engine: Engine) -> None:
    old = longest(engine)
    span = (old.frames // 3, old.frames // 3 + 8)
    answer = finished(engine, Retimbre(old, span, (1, 2, 3), LIVELY))
    for take, score in zip(answer.takes, answer.scores, strict=True):
        assert take.frames == old.frames
        assert np.array_equal(take.codes[0], old.codes[0])
        assert np.array_equal(take.codes[:, : span[0]], old.codes[:, : span[0]])
        assert np.array_equal(take.codes[:, span[1] :], old.codes[:, span[1] :])
        assert not np.array_equal(take.codes, old.codes)
        assert take.codes.max() < SEMANTIC
        assert take.origin.parent == old.id
        assert 0 < score.join <= 1
    again = finished(engine, Retimbre(old, span, (3,), LIVELY)).takes[0]
    assert again.id in {take.id for take in answer.takes}
    own = finished(engine, Retimbre(old, (0, old.frames), (old.origin.seed,), LIVELY)).takes[0]
    assert np.array_equal(own.codes, old.codes)
    with pytest.raises(RequestError):
        finished(engine, Retimbre(old, (3, 3), (1,), LIVELY))


@pytest.mark.parametrize("row", [0, -1])
def test_a_take_with_codes_that_there_are_none_of_is_refused_before_it_is_spoken(engine: Engine, row: int) -> None:
    good = longest(engine)
    codes = good.codes.copy()
    codes[row, -1] = 32_000
    take, span = replace(good, codes=codes), (0, 4)
    for request in (Retimbre(take, span, (1,), LIVELY), Regenerate(good.origin.prompt, take, span, (1,))):
        with pytest.raises(RequestError):
            next(iter(engine.generate(request)))
