from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from voice.phonemes import SILENCE, SYMBOLS, from_arpabet, from_ipa, letter_times
from voice.recordings import Recording, Sound, read_all, whole, write_shard


def symbols(sounds: tuple[Sound, ...]) -> str:
    return "".join(sound.symbol for sound in sounds)


def test_stress_belongs_to_the_sound_after_it_and_length_to_the_one_before() -> None:
    sounds = from_ipa("tˈuːə", [0, 10, 20, 30, 40], 50)
    assert sounds == (Sound("t", 0, 10), Sound("u", 10, 40), Sound("ə", 40, 50))


def test_two_signs_of_one_diphthong_become_one_sound() -> None:
    sounds = from_ipa("haɪdʒoʊ", [0, 1, 2, 3, 4, 5, 6], 7)
    assert symbols(sounds) == "hIʤO"
    assert sounds[1] == Sound("I", 1, 3)


def test_what_is_no_sound_is_silence_and_silences_join() -> None:
    assert symbols(from_ipa("a, .b", range(5), 5)) == f"ɑ{SILENCE}b"


def test_both_alphabets_meet() -> None:
    assert symbols(from_arpabet(["pau", "hh", "ax", "l", "ow"], [0, 2, 3, 4, 5], 9)) == f"{SILENCE}həlO"
    assert symbols(from_ipa("həlˈO", range(5), 5)) == "həlO"


def test_every_letter_is_spoken_within_its_word() -> None:
    sounds = (Sound("_", 0, 10), Sound("ð", 10, 20), Sound("ə", 20, 30), Sound("_", 30, 60), Sound("b", 60, 80),
              Sound("O", 80, 100), Sound("t", 100, 120), Sound("_", 120, 150))  # fmt: skip
    times = letter_times("The boat.", ["ðə", "bOt"], sounds, 150)
    assert all(10 <= time < 30 for time in times[:3])
    assert all(60 <= time < 120 for time in times[4:8])
    assert times[-1] == 149


def test_words_are_found_where_a_teacher_says_them_otherwise() -> None:
    sounds = tuple(Sound(symbol, 10 * place, 10 * place + 10) for place, symbol in enumerate("ðəkætsæt"))
    times = letter_times("A cat sat", ["A", "kæt", "sæt"], sounds, 80)
    assert 20 <= times[2] < 50
    assert 50 <= times[6] < 80


@given(st.text(st.sampled_from("ab c"), min_size=1, max_size=20), st.data())
def test_letters_never_go_back(text: str, data: st.DataObject) -> None:
    spelled = [data.draw(st.text(st.sampled_from(SYMBOLS[1:]), max_size=4)) for _ in text.split()]
    said = data.draw(st.text(st.sampled_from(SYMBOLS), min_size=1, max_size=20))
    sounds = tuple(Sound(symbol, 5 * place, 5 * place + 5) for place, symbol in enumerate(said))
    times = letter_times(text, spelled, sounds, 5 * len(said))
    assert len(times) == len(text)
    assert all(before <= after for before, after in pairwise(times))
    assert all(0 <= time < 5 * len(said) for time in times)


def test_a_shard_comes_back_as_it_was_written(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    waves = [chance.uniform(-0.5, 0.5, length).astype(np.float32) for length in (100, 37)]
    written = [
        Recording("heart", f"Line {number}.", whole(wave), (Sound("a", 0, 30),), (1, 2, 3))
        for number, wave in enumerate(waves)
    ]
    write_shard(tmp_path / "heart-000", written)
    for one, other, wave in zip(read_all(tmp_path), written, waves, strict=True):
        assert (one.voice, one.text, one.sounds, one.letters) == (other.voice, other.text, other.sounds, other.letters)
        np.testing.assert_allclose(one.wave, wave, atol=2e-5)
    assert not list(tmp_path.glob("*.part"))
