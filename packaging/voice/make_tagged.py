"""Performs tags in recordings that are there: shards of recordings whose text holds a tag and whose sound obeys it.

python -m voice.make_tagged FOLDER COUNT [--voices NAME...]
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path

import numpy as np

from voice.make_data import SHARD
from voice.recordings import RATE, Recording, Sound, read_all, whole, write_shard
from voice.tags import JOIN, PERFORMED, TAGS, joined

VOWELS = "ɑæʌɔɛ"
AT_START = 0.35  # share of the tags that stand before the whole line, where most are written
VOWEL = round(0.11 * RATE)  # samples of a vowel that a laugh is made of


def perform(recording: Recording, tag: str, chance: random.Random) -> Recording | None:
    """The recording with a tag before one of its words; None where it has no place for one."""
    starts = [match.start() for match in re.finditer(r"(?<=\s)[A-Za-z]", recording.text)]
    vowel = _vowel(recording)
    if not starts or vowel is None:
        return None
    place = 0 if chance.random() < AT_START else chance.choice(starts)
    cut = _quiet(recording, place)
    word = re.compile(r"[\w']+").match(recording.text, place)
    assert word is not None
    end = _quiet(recording, word.end()) if word.end() < len(recording.text) else len(recording.samples)
    wave = recording.wave
    effect = PERFORMED[tag](wave[cut:], max(2 * JOIN, end - cut), vowel, np.random.default_rng(chance.randrange(2**32)))
    overlap = JOIN if cut >= 2 * JOIN and len(effect.samples) >= 2 * JOIN else 0
    samples = joined(wave[:cut], effect.samples) if overlap else np.concatenate([wave[:cut], effect.samples])
    last = len(samples) - 1

    def moved(moment: int) -> int:
        if moment < cut:
            return moment
        return min(last, round(cut - overlap + effect.now(moment - cut)))

    sounds = tuple(Sound(s.symbol, moved(s.start), moved(s.stop)) for s in recording.sounds)
    letters = [moved(letter) for letter in recording.letters]
    written = f"{tag} "
    text = recording.text[:place] + written + recording.text[place:]
    at_tag = min(letters[place], max(0, cut - overlap))
    before = [min(letter, at_tag) for letter in letters[:place]]
    letters = before + [at_tag] * len(written) + letters[place:]
    return Recording(recording.voice, text, whole(samples), sounds, tuple(letters))


def _quiet(recording: Recording, place: int) -> int:
    """The sample between the character before `place` and the one there, where it is quietest around there."""
    if place == 0:
        return 0
    middle = (recording.letters[place - 1] + recording.letters[place]) // 2
    first, last = max(0, middle - RATE // 40), min(len(recording.samples), middle + RATE // 40)
    power = np.convolve(recording.wave[first:last] ** 2, np.ones(220), mode="same")
    return first + int(power.argmin()) if last > first + 220 else middle


def _vowel(recording: Recording) -> np.ndarray | None:
    """A piece of the middle of the recording's longest open vowel."""
    open_vowels = [sound for sound in recording.sounds if sound.symbol in VOWELS]
    if not open_vowels:
        return None
    longest = max(open_vowels, key=lambda sound: sound.stop - sound.start)
    start = max(0, (longest.start + longest.stop - VOWEL) // 2)
    piece = recording.wave[start : start + VOWEL]
    return piece if len(piece) == VOWEL else None


def make(folder: Path, count: int, voices: list[str]) -> None:
    """So many tagged recordings, from recordings of these voices in seeded order, as shards beside theirs."""
    plain = [one for one in read_all(folder) if one.voice in voices and "[" not in one.text]
    chance = random.Random(0)
    chance.shuffle(plain)
    for number in range(-(-count // SHARD)):
        path = folder / f"tagged-{number:03d}"
        own = random.Random(number + 1)
        said = []
        for place, recording in enumerate(plain[number * SHARD : (number + 1) * SHARD]):
            performed = perform(recording, TAGS[place % len(TAGS)], own)
            if performed is not None:
                said.append(performed)
        if said and not path.with_suffix(".json").exists():
            write_shard(path, said)
            print(f"{path.name}: {len(said)} recordings", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--voices", nargs="+", default=["heart", "joe", "slt", "rms"])
    options = parser.parse_args()
    make(options.folder / "data", options.count, options.voices)


if __name__ == "__main__":
    main()
