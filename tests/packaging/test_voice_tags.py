"""Each tag moves what the evaluation measures of it, the right way and from its place on."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from evaluation.figures import MOVED
from evaluation.measures import sound_of
from voice.make_tagged import perform
from voice.make_varied import vary
from voice.recordings import RATE, Recording, Sound, whole
from voice.tags import PERFORMED, TAGS, pitched, stretched

TEXT = "One two three four five six."
WORD = 0.4  # seconds


def voice(pitch: float = 140.0) -> Recording:
    """Six hummed words, each of a vowel's sound with quiet around it."""
    moment = np.arange(round(WORD * RATE)) / RATE
    hum = sum(np.sin(2 * np.pi * pitch * k * moment) / k for k in range(1, 12))
    word = 0.25 * hum * np.hanning(len(moment)) ** 0.5
    samples = np.tile(np.concatenate([word, np.zeros(RATE // 50)]), 6)
    each = len(samples) // 6
    sounds = tuple(Sound("ɑ", number * each, number * each + len(word)) for number in range(6))
    letters = []
    for number, text in enumerate(TEXT.split(" ")):
        letters += [number * each + round(len(word) * (k + 0.5) / len(text)) for k in range(len(text))]
        letters.append((number + 1) * each)
    return Recording("heart", TEXT, whole(samples.astype(np.float32)), sounds, tuple(letters[: len(TEXT)]))


def in_the_middle(tag: str, recording: Recording) -> Recording:
    for seed in range(200):
        done = perform(recording, tag, random.Random(seed))
        assert done is not None
        if done.text.startswith(f"One two three {tag} "):
            return done
    raise AssertionError("no seed put the tag in the middle")


@pytest.mark.parametrize("tag", TAGS)
def test_what_a_tag_says_is_heard(tag: str) -> None:
    plain, tagged = voice(), in_the_middle(tag, voice())
    place = len("One two three ")
    measured = []
    for recording, start in ((plain, place), (tagged, place + len(tag) + 1)):
        after = sound_of(recording.wave[recording.letters[start] - RATE // 8 :], RATE)
        measured.append({"after": after, "whole": sound_of(recording.wave, RATE)})
    assert MOVED[tag](measured[1], measured[0]), measured


@pytest.mark.parametrize("tag", TAGS)
def test_letters_stay_in_order_and_what_is_before_stays_as_it_was(tag: str) -> None:
    plain, tagged = voice(), in_the_middle(tag, voice())
    assert len(tagged.letters) == len(tagged.text)
    assert all(before <= after for before, after in pairwise(tagged.letters))
    assert tagged.letters[-1] < len(tagged.samples)
    assert tagged.letters[:13] == plain.letters[:13]
    before = plain.letters[12]
    np.testing.assert_array_equal(tagged.samples[:before], plain.samples[:before])


@pytest.mark.parametrize("factor", [0.7, 1.4])
def test_stretching_keeps_the_pitch_and_pitching_the_length(factor: float) -> None:
    wave = voice().wave
    longer, higher = stretched(wave, factor), pitched(wave, factor)
    assert len(longer) == pytest.approx(factor * len(wave), rel=0.01)
    assert sound_of(longer, RATE)["f0"] == pytest.approx(140, rel=0.03)
    assert len(higher) == len(wave)
    assert sound_of(higher, RATE)["f0"] == pytest.approx(140 * factor, rel=0.04)


def test_a_varied_voice_is_higher_and_keeps_its_pace() -> None:
    plain = voice()
    varied = vary(plain, 1.16)
    assert len(varied.samples) == pytest.approx(len(plain.samples), abs=1024)
    assert sound_of(varied.wave, RATE)["f0"] == pytest.approx(140 * 1.16, rel=0.04)
    assert varied.voice != plain.voice
    assert varied.letters[-1] < len(varied.samples)


def test_every_tag_has_its_measure() -> None:
    assert set(MOVED) == set(PERFORMED)
