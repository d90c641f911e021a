"""What a recogniser hears, told with a model that says what it is told to say; and what is refused."""

from __future__ import annotations

import importlib.util
import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models

from engine import hearing
from engine.errors import HearingError
from engine.hearing import RATE, WINDOW, Recogniser, log_mel, mel_filters, partings

PIECES = ["ĠThey", "Ġcarr", "ied", "Ġhome", ".", "Ċ"]
CONTROL = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|transcribe|>", "<|notimestamps|>"]


def tokenizer() -> Tokenizer:
    vocabulary = {piece: number for number, piece in enumerate([*PIECES, *CONTROL])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="Ċ"))
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(CONTROL)
    return made


class Model:
    """Says the same tokens in each window, two frames of 20 ms a token."""

    n_mels = 80

    def __init__(self, tokens: list[int], multilingual: bool = False, silent: float = 0.0, score: float = -0.2) -> None:
        self.is_multilingual = multilingual
        self.tokens, self.silent, self.score = tokens, silent, score
        self.prompts: list[list[int]] = []
        self.ways: list[dict[str, Any]] = []

    def encode(self, features: object) -> object:
        return features

    def detect_language(self, features: object) -> list[list[tuple[str, float]]]:
        return [[("<|de|>", 0.9), ("<|en|>", 0.1)]]

    def generate(self, features: object, prompts: list[list[int]], **how: Any) -> list[Any]:
        self.prompts += prompts
        self.ways.append(how)
        return [types.SimpleNamespace(sequences_ids=[self.tokens], scores=[self.score], no_speech_prob=self.silent)]

    def align(self, features: object, prompt: list[int], tokens: list[list[int]], frames: list[int]) -> list[Any]:
        (said,) = tokens
        path = [(place // 2, place) for place in range(2 * len(said) + 1)]
        return [
            types.SimpleNamespace(
                alignments=path, text_token_probs=[0.5, 0.6, 0.7, 0.8, 0.9, *[0.9] * len(said)][: len(said)]
            )
        ]


@pytest.fixture(autouse=True)
def _storage(monkeypatch: pytest.MonkeyPatch) -> None:
    view = types.SimpleNamespace(from_array=lambda array: array)
    monkeypatch.setitem(sys.modules, "ctranslate2", types.SimpleNamespace(StorageView=view))  # type: ignore[arg-type]


def heard(model: Model, seconds: float = 2.0, language: str = "") -> list[hearing.HeardPart]:
    samples = np.zeros(round(seconds * RATE), np.float32)
    return list(Recogniser(model, tokenizer()).hear(samples, RATE, language))


def test_words_have_times_and_probabilities() -> None:
    (part,) = heard(Model([0, 1, 2, 3, 4]))
    told = [(word.text, round(word.begins, 2), round(word.ends, 2), round(word.probability, 2)) for word in part.words]
    assert told == [("They", 0.0, 0.04, 0.5), ("carried", 0.04, 0.12, 0.65), ("home.", 0.12, 0.2, 0.85)]
    assert (part.heard, part.seconds) == (2.0, 2.0)


def test_a_long_recording_comes_in_parts_whose_times_go_on() -> None:
    parts = heard(Model([0]), seconds=50)
    assert len(parts) == 2
    assert parts[1].words[0].begins == pytest.approx(parts[0].heard)
    assert parts[1].heard == 50


def test_silence_has_no_words() -> None:
    assert heard(Model([0], silent=0.9, score=-2.0))[0].words == ()
    assert heard(Model([]))[0].words == ()
    assert heard(Model([0]), seconds=0) == []


def test_what_goes_round_in_circles_is_heard_again() -> None:
    model = Model([0] * 40)
    heard(model)
    assert [how.get("no_repeat_ngram_size") for how in model.ways] == [None, 3]


def test_the_language_is_said_or_found_out() -> None:
    found, said = Model([0], multilingual=True), Model([0], multilingual=True)
    heard(found)
    heard(said, language="en")
    vocabulary = tokenizer()
    names = [[vocabulary.id_to_token(token) for token in prompt] for prompt in (*found.prompts, *said.prompts)]
    assert [each[1] for each in names] == ["<|de|>", "<|en|>"]


def test_a_language_that_is_not_known_is_refused() -> None:
    with pytest.raises(HearingError, match="English alone"):
        heard(Model([0]), language="de")
    with pytest.raises(HearingError, match="xx"):
        heard(Model([0], multilingual=True), language="xx")


def test_refusals_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(HearingError, match="transcribe"):
        Recogniser.open(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    with pytest.raises(HearingError, match="settings"):
        Recogniser.open(None)
    with pytest.raises(HearingError, match=r"model\.bin is missing") as refused:
        Recogniser.open(tmp_path)
    assert refused.value.path == tmp_path
    for name in ("model.bin", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"{}")
    (tmp_path / "config.json").write_text("no JSON")
    with pytest.raises(HearingError, match="can be read"):
        Recogniser.open(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({}))
    with pytest.raises(HearingError, match="can be read"):  # the library has no Whisper here
        Recogniser.open(tmp_path)


@given(st.floats(0, 200))
def test_no_part_is_longer_than_a_window(seconds: float) -> None:
    samples = np.zeros(round(seconds * RATE), np.float32)
    places = partings(samples)
    assert places[0] == 0
    assert places[-1] == len(samples)
    assert all(0 < length <= WINDOW for length in np.diff(places))


def test_it_is_parted_where_it_is_quiet() -> None:
    samples = np.ones(40 * RATE, np.float32)
    samples[25 * RATE : 26 * RATE] = 0
    assert 25 <= partings(samples)[1] / RATE <= 26


def test_the_filters_have_one_area_and_cover_the_spectrum() -> None:
    filters = mel_filters(80)
    assert filters.shape == (80, 201)
    assert (filters.sum(0)[1:-1] > 0).all()
    wide = filters[40:].sum(1) * RATE / 400
    assert np.allclose(wide, 1, atol=0.08)


def test_a_tone_is_seen_at_its_height() -> None:
    time = np.arange(RATE) / RATE
    low, high = (log_mel(np.sin(2 * np.pi * hertz * time).astype(np.float32), mel_filters(80)) for hertz in (300, 3000))
    assert low.shape == (80, 3000)
    assert low[:, 50].argmax() < 15 < 50 < high[:, 50].argmax()
    assert low[:, 200].max() < low[:, 50].max() - 1
