from __future__ import annotations

import json
from pathlib import Path

import evaluate
import numpy as np
import pytest
from evaluation import takes
from evaluation.measures import Listeners, edits, sound_of, told
from evaluation.page import write_pairs
from evaluation.sentences import plain_lines, tagged_lines
from hypothesis import given
from hypothesis import strategies as st
from voice.corpus import to_learn
from voice.tags import TAGS

from tests.tiny import write_tiny

RATE = 22_050


class Deaf(Listeners):
    """Hears nothing, so that no model is needed."""

    def words(self, samples: np.ndarray, rate: int) -> str:
        return "Nothing."

    def voice(self, samples: np.ndarray, rate: int) -> np.ndarray | None:
        return None

    def quality(self, samples: np.ndarray, rate: int) -> float | None:
        return None


def test_lines_are_the_same_each_time_and_were_never_learned() -> None:
    lines = plain_lines(None)
    assert len(lines) == 200
    assert len({line.name for line in lines}) == 200
    assert sum(line.kind == "free" for line in lines) == 40
    assert not {line.text for line in lines if line.kind == "grammar"} & set(to_learn(11, 2000))
    assert plain_lines(15) == lines[:15]


@pytest.mark.parametrize("tag", TAGS)
def test_a_tagged_line_and_its_like_differ_by_the_tag_alone(tag: str) -> None:
    for tagged, plain in tagged_lines(tag, 10):
        assert tagged.text.replace(f"{tag} ", "") == plain.text == tagged.words
        assert tagged.text[tagged.place :] == plain.text[plain.place :]


@given(st.text("ab", max_size=8), st.text("ab", max_size=8))
def test_edits_are_a_distance(one: str, other: str) -> None:
    assert edits(one, other) == edits(other, one)
    assert abs(len(one) - len(other)) <= edits(one, other) <= max(len(one), len(other))
    assert (edits(one, other) == 0) == (one == other)


def test_words_are_compared_without_their_dress() -> None:
    assert told("“Well — it’s LATE,” she said.") == "well it's late she said"


def test_a_hum_has_its_pitch_and_a_gap_its_length() -> None:
    moment = np.arange(RATE) / RATE
    hum = 0.3 * np.sign(np.sin(2 * np.pi * 200 * moment))
    measured = sound_of(np.concatenate([hum, np.zeros(RATE // 2), hum]), RATE)
    assert measured["f0"] == pytest.approx(200, rel=0.02)
    assert measured["silence"] == pytest.approx(0.5, abs=0.08)
    assert measured["voiced"] > 0.9
    assert sound_of(np.random.default_rng(0).standard_normal(RATE), RATE)["voiced"] < 0.1


def test_an_evaluation_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = write_tiny(tmp_path / "tiny")
    (checkpoint / "voices").mkdir()
    for name in ("heart", "joe"):
        (checkpoint / "voices" / f"{name}-1.txt").write_text("A word.\n")
        np.save(checkpoint / "voices" / f"{name}-1.codes.npy", np.zeros((4, 6), dtype=np.int16))
    monkeypatch.setattr(evaluate, "Listeners", Deaf)
    folder = tmp_path / "evaluation"
    first = evaluate.evaluate(checkpoint, folder, 2, tags=False)
    assert first["all"]["takes"] == 2
    assert first["all"]["WER"] > 0
    assert json.loads((folder / "figures.json").read_text())["all"] == first["all"]
    page = (folder / "index.html").read_text()
    assert all(f"{path.stem}.wav" in page for path in folder.glob("*.wav"))

    made = sorted(path.stat().st_mtime_ns for path in folder.glob("grammar-*.json"))
    monkeypatch.setattr(takes.Studio, "_take", None)  # nothing is made again
    assert evaluate.evaluate(checkpoint, folder, 2, tags=False) == first
    assert sorted(path.stat().st_mtime_ns for path in folder.glob("grammar-*.json")) == made

    write_pairs(folder, folder)
    assert len(json.loads((folder / "pairs.json").read_text())) == len(list(folder.glob("*.wav"))) == 2 + 2 * 2
