from __future__ import annotations

import datetime
from dataclasses import replace

import numpy as np
import pytest

from engine.request import Part, Prompt
from studio.document.compare import codes_digest, voice_digest
from studio.library.clips import heard, match_loudness, moved, thumbnail, thumbnail_of
from studio.library.coverage import aligned_words, letters, squeezed, words_in_time, writing_system
from studio.library.levels import measure_levels
from studio.library.voices import Clip, Consent, LibraryVoice, Permission, as_cast, codes_key, free_name, with_clip
from tests.studio.library.conftest import WORDS, Speech

RATE = 22_050
CLIP = Clip("a" * 32, "Ada.WAV", RATE, 2, 100_000, "WAV", (1_000, 90_000), WORDS)


def test_codes_are_named_by_audio_trim_level_and_codec() -> None:
    key = codes_key(CLIP, "codec")
    others = (
        codes_key(replace(CLIP, audio="b" * 32), "codec"),
        codes_key(replace(CLIP, trim=(1_001, 90_000)), "codec"),
        codes_key(replace(CLIP, gain=1.5), "codec"),
        codes_key(replace(CLIP, fade=0.05), "codec"),
        codes_key(CLIP, "other"),
    )
    assert len({key, *others}) == 6


def test_a_corrected_transcript_takes_effect_and_nothing_is_encoded_again() -> None:
    """The codes' key stays; what the prompt's memory goes by changes: the prompt, and the voice's digest."""
    corrected = replace(CLIP, transcript="They carried the quays home.", name="renamed.wav")
    assert codes_key(corrected, "codec") == codes_key(CLIP, "codec")
    codes = {codes_key(CLIP, "codec"): np.ones((10, 40), np.int16)}
    before = as_cast(LibraryVoice("1", "Ada", (CLIP,)), codes, "codec")
    after = as_cast(LibraryVoice("1", "Ada", (corrected,)), codes, "codec")
    assert before is not None
    assert after is not None
    assert before.references[0].codes is after.references[0].codes
    assert codes_digest(before.references[0]) == codes_digest(after.references[0])
    assert voice_digest(before) != voice_digest(after)
    assert Prompt((Part(0, "x"),), (before,)).voices != Prompt((Part(0, "x"),), (after,)).voices


def test_a_voice_is_cast_once_every_clip_has_words_and_codes() -> None:
    other = replace(CLIP, audio="b" * 32)
    voice = LibraryVoice("1", "Ada", (CLIP, other))
    codes = {codes_key(CLIP, "codec"): np.ones((10, 40), np.int16)}
    assert as_cast(voice, codes, "codec") is None
    codes[codes_key(other, "codec")] = np.ones((10, 30), np.int16)
    cast = as_cast(voice, codes, "codec")
    assert cast is not None
    assert [reference.codes.shape[1] for reference in cast.references] == [40, 30]
    assert as_cast(voice, codes, "another codec") is None
    assert as_cast(with_clip(voice, 1, replace(other, transcript=" ")), codes, "codec") is None
    assert as_cast(replace(voice, clips=()), codes, "codec") is None


def test_permission_ends_after_its_last_day() -> None:
    permission = Permission(Consent.WRITTEN, "Ada", until="2027-06-30")
    assert permission.words == "Written, until 2027-06-30"
    assert not permission.expired(datetime.date(2027, 6, 30))
    assert permission.expired(datetime.date(2027, 7, 1))
    assert not Permission().expired(datetime.date(2999, 1, 1))


def test_names_are_numbered_where_they_are_taken() -> None:
    assert free_name("Ada", set()) == "Ada"
    assert free_name(" Ada  May ", {"Ada May", "Ada May 2"}) == "Ada May 3"
    assert free_name("\n", set()) == "Voice"


def test_what_is_heard_is_trimmed_levelled_and_faded(speech: Speech) -> None:
    samples = speech(2)
    clip = Clip("a" * 32, "a.wav", RATE, 1, len(samples), "WAV", (3_000, 40_000), gain=-6.0, fade=0.02)
    made = heard(clip, samples)
    assert len(made) == 37_000
    assert not made.flags.writeable
    assert made[0] == 0
    middle = slice(1_000, -1_000)
    np.testing.assert_allclose(made[middle], samples[3_000:40_000][middle] * 10 ** (-6 / 20), rtol=1e-5)
    assert np.abs(heard(replace(clip, gain=40.0), samples)).max() == 1.0
    assert len(heard(replace(clip, trim=(0, 10), fade=9.0), samples)) == 10


def test_matching_loudness_never_clips(speech: Speech) -> None:
    samples = speech(2)
    samples[10_000] = 0.9
    clip = Clip("a" * 32, "a.wav", RATE, 1, len(samples), "WAV", (0, len(samples)))
    quiet = match_loudness(clip, samples * 0.1)
    assert np.abs(heard(quiet, samples * 0.1)).max() <= 10 ** (-0.9 / 20)
    assert match_loudness(clip, np.zeros(50_000, np.float32)) == clip


def test_handles_stay_within_the_recording_and_apart() -> None:
    assert moved(CLIP, -3, 2).trim == (0, 2 * RATE)
    assert moved(CLIP, 1, 99).trim == (RATE, 100_000)
    assert moved(CLIP, 3, 2).trim == (3 * RATE, 3 * RATE + 2_205)
    assert moved(CLIP, 99, 99).trim == (97_795, 100_000)


def test_a_thumbnail_fills_its_height(speech: Speech) -> None:
    small = thumbnail(speech(2) * 0.01)
    assert (len(small), max(small)) == (60, 100)
    shown = thumbnail_of((replace(CLIP, thumbnail=small),))
    assert shown is not None
    assert shown.shape == (60, 2)
    assert thumbnail_of(()) is None
    assert thumbnail(np.zeros(0, np.float32)) == ()


@pytest.mark.parametrize(
    ("text", "count"), [("Good evening,", 11), ("さようなら", 10), ("早上好", 9), ("42 [sighs]", 7), ("", 0)]
)
def test_letters_by_what_they_take_to_say(text: str, count: float) -> None:
    assert letters(text) == count


def test_words_in_time_follow_the_sound(speech: Speech) -> None:
    levels = measure_levels(speech(2), RATE)
    words = words_in_time(f"{WORDS} {WORDS}", levels)
    assert len(words) == 10
    assert [word.begins for word in words] == sorted(word.begins for word in words)
    assert 1.3 < words[5].begins < 1.9
    assert words_in_time("", levels) == words_in_time("a", measure_levels(np.zeros(RATE, np.float32), RATE)) == ()


def test_words_that_an_alignment_squeezes_have_no_sound() -> None:
    text = "the quay was lit"
    begins = [0.1 * place for place in range(9)] + [0.8] * 4 + [0.85, 0.9, 0.95, 1.2]
    words = aligned_words(text, begins)
    assert [text[word.start : word.stop] for word in words] == ["the", "quay", "was", "lit"]
    assert words[1].begins == pytest.approx(0.4)
    assert squeezed(words, text) == ()  # "was" has no time either, but it is short
    text = "the quay seemed lit"
    begins = [0.1 * place for place in range(9)] + [0.8] * 7 + [0.85, 0.9, 0.95, 1.2]
    (lost,) = squeezed(aligned_words(text, begins), text)
    assert text[lost.start : lost.stop] == "seemed"


@pytest.mark.parametrize(
    ("text", "name"),
    [("Good evening", "LATIN"), ("Добрый", "CYRILLIC"), ("漢字かな", "JAPANESE"), ("早上好", "CHINESE"), ("…?", "")],
)
def test_writing_systems(text: str, name: str) -> None:
    assert writing_system(text) == name
