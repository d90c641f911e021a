from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.align import Heard, Places, aligned, best_heads, judge, path, places
from engine.audio import read as read_sound
from engine.errors import RequestError
from engine.prompt import read
from engine.request import FrameData, Generate, How, Origin, Part, Prompt, Settings, Take
from engine.speech import Engine
from engine.text import words
from tests.tiny import CODEBOOKS, write_tiny

TEXT = "We found it [laughs] near the river."


def take_of(text: str, frames: int, capped: bool = False, codebooks: int = 3) -> Take:
    origin = Origin(Prompt((Part(0, text),)), "c", 1, Settings(), How.GENERATED, 8000, 64)
    return Take(np.zeros((codebooks, frames), np.int16), origin, FrameData(*np.zeros((2, 2, frames))), capped)


def letters(text: str) -> Places:
    """A token for each character outside the tag."""
    tag = range(text.index("["), text.index("]") + 1) if "[" in text else range(0)
    spoken = [place for place in range(len(text)) if place not in tag]
    return Places(tuple((place, place + 1) for place in range(len(text))), np.array(spoken))


def diagonal(where: Places, frames: int, blur: float = 1.0) -> np.ndarray:
    """Looks that go evenly over what is spoken."""
    weights = np.zeros((frames, len(where.ranges)))
    centre = np.arange(frames)[:, None] / frames * len(where.spoken)
    weights[:, where.spoken] = np.exp(-(((np.arange(len(where.spoken)) - centre) / blur) ** 2))
    return weights


@given(st.integers(1, 30), st.integers(1, 60), st.integers(0, 9999), st.booleans())
def test_a_path_never_goes_back_and_ends_at_the_end(tokens: int, frames: int, seed: int, open_end: bool) -> None:
    weights = np.random.default_rng(seed).random((frames, tokens))
    found = path(weights, open_end)
    assert (np.diff(found) >= 0).all()
    assert 0 <= found[0] <= found[-1] < tokens
    if not open_end and frames > 1:
        assert found[-1] == tokens - 1


def test_a_path_goes_where_the_looks_are() -> None:
    weights = np.full((9, 3), 0.01)
    weights[:2, 0] = weights[2:7, 1] = weights[7:, 2] = 1
    assert path(weights).tolist() == [0, 0, 1, 1, 1, 1, 1, 2, 2]


@given(st.integers(1, 80), st.integers(0, 9999), st.booleans())
def test_an_alignment_covers_the_take(frames: int, seed: int, capped: bool) -> None:
    where = letters(TEXT)
    weights = np.random.default_rng(seed).random((frames, len(where.ranges)))
    found = aligned(weights, where, take_of(TEXT, frames, capped))
    assert len(found.begins) == len(TEXT) + 1
    assert found.begins[-1] == frames
    assert (np.diff(found.begins) >= 0).all()
    assert found.begins[0] >= 0
    assert len(found.sure) == len(words(TEXT))
    assert ((found.sure >= 0) & (found.sure <= 1)).all()
    for start, stop in words(TEXT):
        first, last = found.span(start, stop)
        assert 0 <= first < last <= frames


def test_words_stand_where_they_are_looked_at_and_tags_take_no_time() -> None:
    where = letters(TEXT)
    frames = 2 * len(where.spoken)
    found = aligned(diagonal(where, frames), where, take_of(TEXT, frames))
    assert abs(found.span(*words(TEXT)[1])[0] - 6) <= 1  # "found", the fourth character
    tag = TEXT.index("[")
    assert len(set(found.begins[tag : TEXT.index("]") + 1])) == 1
    assert (found.sure > 0.7).all()


def test_an_unsure_word_goes_between_its_neighbours_at_a_quiet_frame() -> None:
    text = "one two three four five six seven eight"
    where = letters(text)
    frames = 2 * len(text)
    weights = diagonal(where, frames)
    three, five, seven = (text.index(word) for word in ("three", "five", "seven"))
    weights[2 * three : 2 * seven] = 1  # looks everywhere
    loud = np.ones(frames * 64, np.float32)
    found = aligned(weights, where, take_of(text, frames), loud)
    assert (found.sure[3:5] < 0.35).all()
    assert (found.sure[[0, 1, 7]] > 0.7).all()
    assert abs(found.begins[five] - 2 * five) <= 4
    quiet = found.begins[five] + 1
    loud[quiet * 64 : (quiet + 1) * 64] = 0
    assert aligned(weights, where, take_of(text, frames), loud).begins[five] == quiet


def test_a_pause_beside_a_word_is_no_part_of_it() -> None:
    text = "one two three."
    where, frames = letters(text), 4 * len(text)
    loud = np.ones((frames, 64), np.float32)
    two, three = text.index("two"), text.index("three")
    before = aligned(diagonal(where, frames), where, take_of(text, frames), loud.reshape(-1))
    first, last = before.span(two, two + 3)
    loud[first : first + 3] = loud[last - 4 : last] = 0
    found = aligned(diagonal(where, frames), where, take_of(text, frames), loud.reshape(-1))
    assert found.span(two, two + 3) == (first + 3, last - 4)
    assert found.span(three, three + 5) == before.span(three, three + 5)
    assert found.span(0, 3) == before.span(0, 3)
    assert (np.diff(found.begins) >= 0).all()
    loud[first + 2] = 1  # two silent frames are no pause, and a silent word stays where it is
    loud[slice(*before.span(0, 3))] = 0
    found = aligned(diagonal(where, frames), where, take_of(text, frames), loud.reshape(-1))
    assert found.span(two, two + 3) == (first, last - 4)
    assert found.span(0, 3) == before.span(0, 3)


@given(st.integers(1, 60), st.integers(0, 9999))
def test_whatever_is_silent_an_alignment_covers_the_take(frames: int, seed: int) -> None:
    chance, where = np.random.default_rng(seed), letters(TEXT)
    loud = np.repeat(chance.random(frames) < 0.5, 64).astype(np.float32)
    found = aligned(chance.random((frames, len(where.ranges))), where, take_of(TEXT, frames), loud)
    assert (found.begins[-1], len(found.begins)) == (frames, len(TEXT) + 1)
    assert (np.diff(found.begins) >= 0).all()
    assert found.begins[0] >= 0
    for start, stop in words(TEXT):
        first, last = found.span(start, stop)
        assert 0 <= first < last <= frames


def test_the_head_that_follows_the_text_is_found() -> None:
    where, frames = letters(TEXT), 70
    right = diagonal(where, frames)
    late = np.roll(right, 8, axis=0)
    noise = np.random.default_rng(1).random(right.shape) / len(where.ranges)
    back = right[::-1]
    scores = judge([Heard(np.stack([noise, late, back, right]), where, TEXT)])
    assert best_heads(((0, 0), (0, 1), (1, 0), (1, 1)), scores) == ((1, 1),)


@pytest.mark.parametrize("parts", [(Part(0, "Hello there."),), (Part(1, "Hello"), Part(0, "[sighs] grüße, 你好 😀"))])
def test_tokens_have_their_places_in_the_text(embedded: Path, parts: tuple[Part, ...]) -> None:
    engine = Engine.open(embedded, "cpu", "fp32")
    checkpoint = engine._loaded.checkpoint
    where = places(parts, checkpoint.tokenizer)
    start, stop = read(Prompt(parts), 1, checkpoint.tokenizer, checkpoint.config).text
    assert len(where.ranges) == stop - start
    text = Prompt(parts).text
    said = "".join(
        dict.fromkeys(text[slice(*where.ranges[token])] + str(where.ranges[token]) for token in where.spoken)
    )
    assert "sighs" not in said
    for word_start, word_stop in words(text):
        covered = {c for token in where.spoken for c in range(*where.ranges[token])}
        assert set(range(word_start, word_stop)) <= covered


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine.open(write_tiny(tmp_path_factory.mktemp("tiny")), "cpu", "fp32")


def generated(engine: Engine, text: str = "The boat is late.") -> Take:
    *_, last = engine.generate(Generate(Prompt((Part(0, text),)), tuple(range(6)), Settings(1.0, 0.95, 20)))
    return max(last.takes, key=lambda take: take.frames)


def test_any_checkpoint_aligns_its_takes_and_remembers_how(tiny: Engine, tmp_path: Path) -> None:
    take = generated(tiny)
    first = tiny.align(take)
    heads = list(tiny._loaded.heads)
    assert heads
    fresh = Engine.open(write_tiny(tmp_path), "cpu", "fp32")
    again = fresh.align(generated(fresh, "Another line altogether."))
    assert fresh._loaded.heads == heads
    assert len(again.begins)
    assert np.array_equal(tiny.align(take, tiny.decode(take.codes)).begins[-1:], first.begins[-1:])


def test_an_empty_take_has_an_alignment(tiny: Engine) -> None:
    take = generated(tiny)
    empty = Take(take.codes[:, :0], take.origin, FrameData(*np.zeros((2, 2, 0), np.float32)))
    assert not tiny.align(empty).begins.any()


def test_a_take_of_another_checkpoint_is_not_aligned(tiny: Engine) -> None:
    with pytest.raises(RequestError, match="another checkpoint"):
        tiny.align(take_of("Hello.", 5, codebooks=CODEBOOKS))


def test_the_embedded_voice_knows_where_a_recordings_words_stand(embedded: Path, golden_nano: Path) -> None:
    """Edges from a forced alignment of the clip with another tool, to within two frames."""
    engine = Engine.open(embedded, "cpu", "fp32")
    transcript = "They carried the keys home."
    codes = engine.encode(*read_sound(golden_nano / "voices" / "joe-1.flac"))
    origin = Origin(Prompt((Part(1, transcript),)), engine.checkpoint, 0, Settings(), How.IMPORTED, 22050, 1024)
    take = Take(codes, origin, FrameData(*np.zeros((2, 2, codes.shape[1]), np.float32)))
    found = engine.align(take)
    seconds = (0.0, 0.14, 0.57, 0.64, 0.97)
    starts = [found.begins[start] for start, _ in words(transcript)]
    assert np.abs(np.array(starts) - np.array(seconds) * 22050 / 1024).max() <= 2.5
