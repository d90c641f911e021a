"""A prompt told part by part is the prompt that is read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.prompt import read
from engine.request import Part, Prompt, Reference, Settings, Turn, Voice
from engine.speech import Engine
from tests.tiny import CODEBOOKS, SEMANTIC, write_tiny


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine.open(write_tiny(tmp_path_factory.mktemp("tiny")), "cpu", "fp32")


def codes(frames: int) -> np.ndarray:
    return (np.arange(CODEBOOKS * frames).reshape(CODEBOOKS, frames) % SEMANTIC).astype(np.int16)


VOICE = Voice("a", (Reference("some words", codes(6)),))
TURN = Turn((Part(0, "Is it late?"),), codes(9))
PROMPT = Prompt((Part(0, "The boat is late."),), (VOICE,), (TURN, TURN))


def test_each_part_is_told_in_order(engine: Engine) -> None:
    told = engine.describe(PROMPT, Settings())
    assert [(row.role, row.text, row.frames) for row in told.rows] == [
        ("system", "convert the provided text to speech reference to the following:\n\nText:\n", 0),
        ("system", "<|speaker:0|>some words", 0),
        ("system", "\n\nSpeech:\n", 0),
        ("system", "", 6),
        ("user", "<|speaker:0|>Is it late?", 0),
        ("assistant", "", 9),
        ("user", "<|speaker:0|>Is it late?", 0),
        ("assistant", "", 9),
        ("user", "<|speaker:0|>The boat is late.", 0),
    ]
    checkpoint = engine._loaded.checkpoint
    assert told.positions == read(PROMPT, 1, checkpoint.tokenizer, checkpoint.config).columns.shape[1]
    assert told.positions > sum(row.positions for row in told.rows)
    assert told.limit == checkpoint.config.max_seq_len
    assert told.fits
    assert told.turns_left_out == 0


def test_what_is_left_out_is_told(engine: Engine) -> None:
    told = engine.describe(replace(PROMPT, context=(TURN,) * 40), Settings())
    assert told.fits
    assert 0 < told.turns_left_out < 40
    assert sum(row.role == "assistant" for row in told.rows) == 40 - told.turns_left_out


def test_what_does_not_fit_is_told_all_the_same(engine: Engine) -> None:
    told = engine.describe(replace(PROMPT, parts=(Part(0, "late " * 400),)), Settings())
    assert not told.fits
    assert told.turns_left_out == 2
    assert told.rows[-1].text.startswith("<|speaker:0|>late")
