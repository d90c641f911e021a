"""Does anybody hear that a word was spoken anew? Many splices of a word with the embedded voice, and what became of
all that was not to change.

    .venv/bin/python packaging/measure_splice.py --hearing hearing/bin/python [--splices 100] [--json]

`--hearing` names a Python that has the recogniser (packaging/hearing.py says how to make one). With `--recordings DIR`
the lines are recordings (NAME.flac beside NAME.txt, in the voice that `--voice` names) instead of generated ones: then
all but the span is as good as the codec, and only the span is as good as the voice. All figures are shares of 1:

samples_before_identical   splices before whose start every sample is what it was, to the bit
words_outside_unchanged    of the words heard outside the span before, those that are heard there afterwards; a word
                           belongs to the span where it is heard then, or where it is the span's word in the text
words_outside_control      the same of takes in which nothing changed but that they begin a fifth of a second later:
                           what the recogniser hears of a poor voice hangs on as little as that
span_words_heard           how often the span's word is heard afterwards, against how often it is heard in the same
                           lines generated whole
clicks                     joins where within 5 ms the second difference of the samples exceeds 1.5 times its 99.9th
                           percentile in that take
clicks_control             the same at as many random places of takes that were never spliced
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import soundfile

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hearing import Word, heard, plain

from engine import assets
from engine.audio import read
from engine.request import (
    Finished,
    FrameData,
    Generate,
    How,
    Origin,
    Part,
    Prompt,
    Regenerate,
    Request,
    Samples,
    Settings,
    Span,
    Take,
    Voice,
)
from engine.speech import Engine
from engine.splice import BREATH
from engine.text import words

CANDIDATES = 6
CLICK_SECONDS, CLICK_TIMES, CLICK_PERCENTILE = 0.005, 1.5, 99.9
LATER = 0.2  # seconds of silence before a take for the control
NEAR = 0.06  # seconds from the span in which a heard word counts as part of it

_WHO = "The captain|My sister|The doctor|Our neighbour|The little girl|Everyone|The driver|The teacher|Your brother"
_DID = "heard|remembered|found|opened|carried|watched|needed|answered|lost|followed"
_WHAT = "the front door|the last train|the red umbrella|an old song|the answer|the broken window|the phone|the keys"
_WHERE = "in the kitchen|at the station|in the garden|near the river|before the storm|after dinner|under the bridge"


@dataclass(frozen=True)
class Splice:
    """A word spoken anew, the text's at `place`: `old` frames [start, stop) have become `new` frames of `after`."""

    word: str
    place: int
    before: Take
    after: Take
    old: Span
    new: Span
    join: float
    samples_before: Samples
    samples_after: Samples


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choice(words.split("|")) for words in (_WHO, _DID, _WHAT, _WHERE)) + "."


def finished(engine: Engine, request: Request) -> Finished:
    *_, last = engine.generate(request)
    assert isinstance(last, Finished)
    return last


def generated(engine: Engine, chance: random.Random) -> Iterator[Take]:
    """Lines in the embedded voices in turn."""
    voices = tuple(engine.voices().values())
    for number in itertools.count():
        prompt = Prompt((Part(0, sentence(chance)),), (voices[number % len(voices)],))
        yield finished(engine, Generate(prompt, (chance.randrange(2**31),), engine.settings)).takes[0]


def recorded(engine: Engine, folder: Path, voice: Voice) -> Iterator[Take]:
    """Recordings as takes; what the model thinks of each frame is found by letting it read them."""
    for file in sorted(folder.glob("*.flac")):
        codes = engine.encode(*read(file))
        prompt = Prompt((Part(0, file.with_suffix(".txt").read_text(encoding="utf-8").strip()),), (voice,))
        origin = Origin(prompt, engine.checkpoint, 0, Settings(), How.IMPORTED, engine.sample_rate, engine.hop)
        nothing = np.zeros((2, codes.shape[1]), np.float32)
        yield engine.judged(Take(codes, origin, FrameData(nothing, nothing)))


def splices(engine: Engine, takes: Iterator[Take], count: int, chance: random.Random) -> list[Splice]:
    """A word somewhere inside each of so many lines, made anew."""
    made: list[Splice] = []
    for take in takes:
        prompt = take.origin.prompt
        every = words(prompt.text)
        start, stop = chosen = chance.choice(every[1:-1])
        before = engine.decode(take.codes)
        span = engine.align(take, before).span(start, stop)
        if take.capped or span[1] >= take.frames:
            continue
        seeds = tuple(chance.randrange(2**31) for _ in range(CANDIDATES))
        answer = finished(engine, Regenerate(prompt, take, span, seeds, engine.settings, margin=BREATH))
        after, join = answer.takes[0], answer.scores[0].join
        assert after.origin.span is not None
        word, place, new = plain(prompt.text[start:stop]), every.index(chosen), after.origin.span
        made.append(Splice(word, place, take, after, span, new, join or 0.0, before, engine.decode(after.codes)))
        if len(made) == count:
            break
    return made


def outside(found: Sequence[Word], each: Splice, span: Span, frame_seconds: float) -> list[str]:
    """The words whose middle does not lie in the span or right beside it, and that are not the span's in the text: a
    recogniser tells what was said far better than when."""
    start, stop = span[0] * frame_seconds - NEAR, span[1] * frame_seconds + NEAR
    text = each.before.origin.prompt.text
    said, heard = [plain(text[slice(*place)]) for place in words(text)], [word for word, _, _ in found]
    blocks = SequenceMatcher(None, said, heard, autojunk=False).get_matching_blocks()
    own = {block.b + each.place - block.a for block in blocks if block.a <= each.place < block.a + block.size}
    return [
        word
        for place, (word, begin, end) in enumerate(found)
        if place not in own and not start <= (begin + end) / 2 < stop
    ]


def unchanged(before: Sequence[str], after: Sequence[str]) -> int:
    return sum(block.size for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks())


def clicks_at(samples: Samples, place: int, rate: int) -> bool:
    """Is there a click near sample `place`?"""
    second = np.abs(np.diff(samples, 2))
    reach = round(CLICK_SECONDS * rate)
    near = second[max(0, place - reach) : place + reach]
    return bool(len(near)) and float(near.max()) > CLICK_TIMES * float(np.percentile(second, CLICK_PERCENTILE))


def measure(engine: Engine, made: Sequence[Splice], hearing: Path) -> dict[str, float]:
    frame_seconds = 1 / engine.frames_per_second
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, each in enumerate(made):
            delayed = np.concatenate([np.zeros(round(LATER * engine.sample_rate), np.float32), each.samples_before])
            for name, samples in (("before", each.samples_before), ("after", each.samples_after), ("later", delayed)):
                files.append(Path(folder) / f"{number}-{name}.wav")
                soundfile.write(files[-1], samples, engine.sample_rate)
        found = heard(hearing, files)
    before, after, later = found[::3], found[1::3], found[2::3]
    there, kept, control = 0, 0, 0
    for each, first, second, third in zip(made, before, after, later, strict=True):
        old, new = outside(first, each, each.old, frame_seconds), outside(second, each, each.new, frame_seconds)
        again = [(word, start - LATER, stop - LATER) for word, start, stop in third]
        there, kept = there + len(old), kept + unchanged(old, new)
        control += unchanged(old, outside(again, each, each.old, frame_seconds))
    said_before, said_after = _share_heard(made, before), _share_heard(made, after)
    hop, rate, chance = engine.hop, engine.sample_rate, random.Random(2)
    joins = [(each, frame) for each in made for frame in each.new if 0 < frame < each.after.frames]
    places = [(each, chance.randrange(1, each.before.frames) * hop) for each, _ in joins]
    return {
        "splices": len(made),
        "samples_before_identical": float(np.mean([_same_before(each, hop) for each in made])),
        "words_outside_unchanged": kept / max(1, there),
        "words_outside_control": control / max(1, there),
        "span_words_heard": said_after / max(said_before, 1e-9),
        "clicks": float(np.mean([clicks_at(each.samples_after, frame * hop, rate) for each, frame in joins])),
        "clicks_control": float(np.mean([clicks_at(each.samples_before, place, rate) for each, place in places])),
        "median_join": float(np.median([each.join for each in made])),
        "span_words_heard_whole_lines": said_before,
        "median_length_difference_frames": float(
            np.median([abs((each.new[1] - each.new[0]) - (each.old[1] - each.old[0])) for each in made])
        ),
    }


def _share_heard(made: Sequence[Splice], found: Sequence[Sequence[Word]]) -> float:
    return float(
        np.mean([each.word in {word for word, _, _ in heard} for each, heard in zip(made, found, strict=True)])
    )


def _same_before(each: Splice, hop: int) -> bool:
    count = each.old[0] * hop
    return bool(np.array_equal(each.samples_before[:count], each.samples_after[:count]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splices", type=int, default=100)
    parser.add_argument("--hearing", type=Path, default=Path(sys.executable), help="a Python that has faster-whisper")
    parser.add_argument("--checkpoint", type=Path, default=assets.folder() / "voice")
    parser.add_argument("--recordings", type=Path, help="a folder of NAME.flac and NAME.txt")
    parser.add_argument("--voice", default="heart", help="whose recordings they are")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    engine = Engine.open(options.checkpoint)
    chance = random.Random(1)
    takes = generated(engine, chance)
    if options.recordings is not None:
        takes = recorded(engine, options.recordings, engine.voices()[options.voice])
    figures = measure(engine, splices(engine, takes, options.splices, chance), options.hearing)
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    for name, value in figures.items():
        print(f"{name:34} {value:.3f}" if isinstance(value, float) else f"{name:34} {value}")


if __name__ == "__main__":
    main()
