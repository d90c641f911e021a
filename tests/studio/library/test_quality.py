"""What real recordings are like, and what is said of them: each of the common faults gets the advice that mends it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from engine.audio import resample
from studio.library.clips import match_loudness, moved, new_clip, trim_silence
from studio.library.coverage import Word
from studio.library.levels import measure_levels
from studio.library.loudness import loudness
from studio.library.quality import Advice, Report, clipped, report
from studio.library.recordings import Recording, read_recording
from studio.library.speakers import Company
from tests.studio.library.conftest import WORDS, Speech, advice_on, clip_of

RATE = 22_050


def mono(samples: np.ndarray, rate: int = RATE, kind: str = "WAV") -> Recording:
    return Recording(samples.astype(np.float32), rate, 1, kind)


def told(found: Report, about: str) -> Advice:
    advice = found.on(about)
    assert advice is not None, f"nothing is said about {about}"
    return advice


def test_a_good_clip_has_no_warnings(speech: Speech) -> None:
    found = advice_on(mono(speech(5)), " ".join([WORDS] * 5))
    assert [each for each in found.advice if not each.good] == []
    assert told(found, "length").fact == "Length 7.6 s"
    assert told(found, "transcript").fact == "Words at 18 letters a second"


# The ten


def test_too_long(speech: Speech) -> None:
    advice = told(advice_on(mono(speech(25)), " ".join([WORDS] * 25)), "length")
    assert not advice.good
    assert "too long" in advice.fact
    assert "Up to 30 s" in advice.to_do


def test_too_short(speech: Speech) -> None:
    advice = told(advice_on(mono(speech(1)), WORDS), "length")
    assert not advice.good
    assert "too short" in advice.fact
    assert "at least 5 s" in advice.to_do


def test_stereo_is_mixed_and_told_where_the_channels_cancel(speech: Speech, tmp_path: Path) -> None:
    left = speech(5)
    soundfile.write(tmp_path / "alike.wav", np.stack([left, 0.8 * left], axis=1), RATE)
    soundfile.write(tmp_path / "against.wav", np.stack([left, -0.95 * left], axis=1), RATE)
    alike, against = (read_recording(tmp_path / name) for name in ("alike.wav", "against.wav"))
    words = " ".join([WORDS] * 5)
    assert told(advice_on(alike, words), "source") == Advice("source", True, "WAV, 22.05 kHz, stereo to mono")
    advice = told(advice_on(against, words), "source")
    assert not advice.good
    assert "cancel" in advice.fact
    assert "one channel" in advice.to_do


@pytest.mark.parametrize("rate", [8_000, 11_025, 37_800])
def test_an_odd_rate(speech: Speech, rate: int) -> None:
    found = advice_on(mono(resample(speech(5), RATE, rate), rate), " ".join([WORDS] * 5))
    assert told(found, "source").good == (rate >= 16_000)
    assert f"{rate / 1000:g} kHz" in told(found, "source").fact
    assert told(found, "bandwidth").good == (rate >= 16_000)


def test_mp3_is_read_and_named(speech: Speech, tmp_path: Path) -> None:
    path = tmp_path / "ada.mp3"
    with soundfile.SoundFile(path, "w", RATE, 1, format="MP3") as file:
        file.write(speech(5))
    found = advice_on(read_recording(path), " ".join([WORDS] * 5))
    assert told(found, "source").fact.startswith("MP3")
    assert "WAV or FLAC" in told(found, "source").to_do


def test_music_behind(speech: Speech) -> None:
    samples = speech(5)
    time = np.arange(len(samples)) / RATE
    chord = sum(np.sin(2 * np.pi * tone * time) for tone in (220.0, 277.2, 329.6))
    advice = told(advice_on(mono(samples + 0.02 * chord), " ".join([WORDS] * 5)), "pauses")
    assert not advice.good
    assert "sounds behind" in advice.fact
    assert "Music" in advice.to_do


def test_the_transcript_is_missing(speech: Speech) -> None:
    advice = told(advice_on(mono(speech(5)), "  \n"), "transcript")
    assert not advice.good
    assert advice.fact == "The words are missing"
    assert "exactly what is said" in advice.to_do


def test_words_without_sound(speech: Speech) -> None:
    advice = told(advice_on(mono(speech(5)), " ".join([WORDS] * 10)), "transcript")
    assert not advice.good
    assert "words have no sound" in advice.fact
    assert advice.to_do == "Delete what is not said."


def test_words_whose_sound_is_outside_the_handles(speech: Speech) -> None:
    words = " ".join([WORDS] * 5)
    spoken, rest = speech(5), np.zeros(2 * RATE, np.float32)
    cut = told(advice_on(mono(spoken), words, (0, len(spoken) // 3)), "transcript")
    assert cut.to_do == "Delete what is not said, or move the handles out to where it is."
    silent = told(advice_on(mono(np.concatenate([rest, speech(1), rest])), words, (2 * RATE, 4 * RATE)), "transcript")
    assert silent.to_do == "Delete what is not said.", "there is silence alone"


def test_words_that_the_engine_finds_no_sound_for(speech: Speech) -> None:
    recording = mono(speech(5))
    words = " ".join([WORDS] * 5)
    levels = measure_levels(recording.samples, RATE)
    lost = (Word(5, 12, 1.0, 1.05),)  # “carried”
    found = report(clip_of(recording, words), recording, levels, (5, 30), aligned=lost)
    assert told(found, "transcript").fact == "At least 1 word has no sound"
    assert told(found, "transcript").to_do.startswith("The sound is used up at “carried”. Delete what is not said")
    assert found.lost == lost


def test_sound_without_words(speech: Speech) -> None:
    advice = told(advice_on(mono(speech(5)), WORDS), "transcript")
    assert not advice.good
    assert "s of speech have no words" in advice.fact
    assert "Write all that is said" in advice.to_do


def test_a_corrected_transcript_is_looked_at_anew(speech: Speech) -> None:
    """That it reaches the model as well, without encoding again, is tested where voices are cast (test_voices)."""
    recording = mono(speech(5))
    before, after = advice_on(recording, WORDS), advice_on(recording, " ".join([WORDS] * 5))
    assert not told(before, "transcript").good
    assert told(after, "transcript").good


# And what else is measured


def test_who_speaks_is_told_where_it_is_known(speech: Speech) -> None:
    recording = mono(speech(5))
    levels = measure_levels(recording.samples, RATE)
    clip = moved(clip_of(recording, " ".join([WORDS] * 5)), 1.0, 7.0)

    def asked(company: Company | None) -> Advice | None:
        return report(clip, recording, levels, (5, 30), company=company).on("speakers")

    assert asked(None) is None, "without the extra nothing is said"
    assert asked(Company()) == Advice("speakers", True, "One speaker")
    another, stranger = asked(Company((2.0, 4.5))), asked(Company(stranger=True))
    assert another is not None
    assert stranger is not None
    assert another.fact == "Another speaker from 3.0 to 5.5 s", "as the ruler has it"
    assert "where one person speaks" in another.to_do
    assert "Take this one out" in stranger.to_do


def test_clipping(speech: Speech) -> None:
    loud = np.clip(speech(5) * 6, -1, 1)
    assert clipped(loud) > 10
    advice = told(advice_on(mono(loud), " ".join([WORDS] * 5)), "clipping")
    assert not advice.good
    assert "input lower" in advice.to_do
    assert clipped(speech(5)) == 0
    touched = np.zeros(100, np.float32)
    touched[50] = 1.0
    assert clipped(touched) == 0


def test_a_narrow_band_though_the_rate_is_high(speech: Speech) -> None:
    telephone = soxr.resample(soxr.resample(speech(5), RATE, 8_000), 8_000, 44_100).astype(np.float32)
    advice = told(advice_on(mono(telephone, 44_100), " ".join([WORDS] * 5)), "bandwidth")
    assert not advice.good
    assert "telephone" in advice.to_do
    assert 3.0 < float(advice.fact.split()[3]) < 4.3


def test_a_long_pause_inside(speech: Speech) -> None:
    pause = np.zeros(2 * RATE, np.float32)
    advice = told(advice_on(mono(np.concatenate([speech(2), pause, speech(2)])), " ".join([WORDS] * 4)), "silence")
    assert not advice.good
    assert advice.fact.startswith("A pause of 2.")


def test_silence_at_an_end_goes_by_trimming(speech: Speech) -> None:
    recording = mono(np.concatenate([np.zeros(RATE, np.float32), speech(5)]))
    levels = measure_levels(recording.samples, RATE)
    clip = clip_of(recording, " ".join([WORDS] * 5))
    advice = told(report(clip, recording, levels, (5, 30)), "silence")
    assert advice.to_do == "Press Trim silence."
    assert told(report(trim_silence(clip, levels), recording, levels, (5, 30)), "silence").good


def test_cut_in_the_middle_of_a_word(speech: Speech) -> None:
    recording = mono(speech(5))
    levels = measure_levels(recording.samples, RATE)
    clip = moved(clip_of(recording, " ".join([WORDS] * 5)), 0.45, 5.6)
    found = report(clip, recording, levels, (5, 30))
    begins, ends = told(found, "start"), told(found, "end")
    assert begins.fact == ends.fact == "Cut in the middle of a word"
    assert begins.to_do.startswith("The clip begins inside “They”. Move the left handle ")
    assert begins.to_do.endswith(" ms back.")
    assert ends.to_do.startswith("The clip ends inside “home”. Move the right handle ")
    moves = int(begins.to_do.rsplit("handle ", 1)[1].split()[0]) / 1000
    mended = report(moved(clip, 0.45 - moves, 6.0), recording, levels, (5, 30))
    assert mended.on("start") is None


def test_a_recording_that_begins_in_mid_word(speech: Speech) -> None:
    recording = mono(speech(5)[round(0.45 * RATE) :])
    advice = told(advice_on(recording, " ".join([WORDS] * 5)), "start")
    assert "take the word out of the text" in advice.to_do


def test_a_cut_without_a_pause_near_it_asks_for_more(speech: Speech) -> None:
    """What would be left is no clip any more."""
    one = speech(1)
    recording = mono(one[: round(0.75 * len(one))])
    assert told(advice_on(recording, WORDS), "end").to_do.endswith("Use a longer piece of the recording.")


def test_too_quiet_goes_by_matching_loudness(speech: Speech) -> None:
    recording = mono(speech(5) * 0.03)
    clip = clip_of(recording, " ".join([WORDS] * 5))
    levels = measure_levels(recording.samples, RATE)
    advice = told(report(clip, recording, levels, (5, 30)), "loudness")
    assert (advice.good, advice.to_do) == (False, "Press Match loudness.")
    matched = report(match_loudness(clip, recording.samples), recording, levels, (5, 30))
    assert told(matched, "loudness").good
    assert matched.loudness == pytest.approx(-20, abs=0.1)


def test_another_writing_than_the_scripts(speech: Speech) -> None:
    found = advice_on(mono(speech(5)), " ".join([WORDS] * 5), script="Добрый вечер, сказал лоцман.")
    assert told(found, "writing").fact == "Latin letters, the script has Cyrillic"
    assert advice_on(mono(speech(5)), " ".join([WORDS] * 5), script="Good evening.").on("writing") is None


@pytest.mark.parametrize("samples", [np.zeros(RATE * 6), np.full(RATE * 6, 1e-7), np.zeros(100), np.ones(3)])
def test_where_nobody_speaks_nothing_else_is_measured(samples: np.ndarray) -> None:
    found = advice_on(mono(samples), WORDS)
    assert len(samples) < 200 or told(found, "speech").fact == "No speech is heard"


def test_a_new_clip_ends_in_a_pause_where_its_words_are_not_known(speech: Speech) -> None:
    recording = mono(speech(20))
    levels = measure_levels(recording.samples, RATE)
    clip = new_clip("0" * 32, "a.wav", recording, levels, "", 6.0)
    assert 2 < clip.seconds <= 6
    assert report(clip, recording, levels, (0.7, 6.0)).on("end") is None
    known = new_clip("0" * 32, "a.wav", recording, levels, " ".join([WORDS] * 20), 6.0)
    assert known.seconds > 28


@pytest.mark.parametrize(
    ("tone", "rate", "expected"),
    [(997.0, 48_000, -23.0), (997.0, 44_100, -23.0), (997.0, 22_050, -23.0)],
)
def test_loudness_of_the_standards_tone(tone: float, rate: int, expected: float) -> None:
    """A tone of 997 Hz at full scale in one channel measures −3.01 LUFS (BS.1770-4)."""
    time = np.arange(20 * rate) / rate
    samples = 10 ** ((expected + 3.01) / 20) * np.sin(2 * np.pi * tone * time)
    assert loudness(samples.astype(np.float32), rate) == pytest.approx(expected, abs=0.05)


def test_loudness_leaves_silence_out(speech: Speech) -> None:
    samples = speech(4)
    rest = np.zeros(10 * RATE, np.float32)
    assert loudness(np.concatenate([rest, samples, rest]), RATE) == pytest.approx(loudness(samples, RATE), abs=0.6)
    assert loudness(rest, RATE) == -np.inf
    assert loudness(rest[:100], RATE) == -np.inf
