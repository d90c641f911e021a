from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from voice import words
from voice.corpus import CLIPS, LONGEST, SHORTEST, held_out, sentences, to_learn


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_sentences_are_seeded_different_and_of_a_length(seed: int) -> None:
    made = sentences(seed, 60)
    assert made == sentences(seed, 60)
    assert len(set(made)) == 60
    assert all(SHORTEST <= len(sentence) <= LONGEST for sentence in made)
    assert all(re.fullmatch(r"[A-Z][A-Za-z' ,!]*[.!?]", sentence) for sentence in made), made


def test_what_is_held_out_is_never_learned() -> None:
    kept = set(held_out()) | set(CLIPS)
    assert len(kept) == len(held_out()) + len(CLIPS)
    assert not kept & set(to_learn(11, 3000))


@pytest.mark.parametrize("name", ["PEOPLE", "THINGS", "PLACES", "ADJECTIVES", "NUMBERS", "REMARKS"])
def test_lists_hold_each_entry_once(name: str) -> None:
    entries = getattr(words, name)
    assert len(entries) > 20
    assert len(set(entries)) == len(entries)
    assert all(entries)


def test_verbs_have_three_forms() -> None:
    assert {len(verb.split()) for verb in words.VERBS} == {3}
    assert {len(doing.split()) % 2 for doing in words.DOINGS} == {0}
