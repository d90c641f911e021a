"""Will it clone well? Plain advice on a clip, each from a quantity that is measured and shown. Hints, no gates.

What cannot be measured reliably is left out, not guessed: a second speaker without a network that knows speakers, and
whether what sounds behind a voice is music.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.request import Samples
from studio.library.coverage import Coverage, Word, coverage, squeezed, words_in_time, writing_system
from studio.library.levels import STEP, Levels
from studio.library.loudness import loudness, peak
from studio.library.recordings import Recording
from studio.library.speakers import Company
from studio.library.voices import Clip

Range = tuple[float, float]

FULL = 0.985  # of full scale: where clipped recordings stand
_FLAT = 3  # samples in a row on one level at full scale: cut off, not touched
_GOOD_PAUSES = 25.0  # dB that pauses should lie under the speech
_NARROW = 7_000.0  # Hz: less sounds like a telephone
_AUDIBLE = 55.0  # dB under the loudest band that still count as sound
_LONG_PAUSE = 1.0  # seconds
_LOOSE_END = 0.5  # seconds of silence at an end that are better cut off
_QUIETEST, _LOUDEST = -32.0, -12.0  # LUFS
_EDGE = 0.03  # seconds at a cut that are looked at
_LOUD_EDGE = 20.0  # dB under the speech: more at a cut is the middle of a word
_ROOM = 0.1  # seconds between a word and a handle
_REACH = 1.5  # seconds that a handle may have to move to a pause
_SPOKEN = 0.2  # seconds of speech that are worth moving a handle for
_CANCELLED = 8.0  # dB lost by mixing to mono


@dataclass(frozen=True)
class Advice:
    """One line of the report: what was measured, whether it is good, and what to do where it is not.

    `about` names the quantity ("length", "pauses"), for those who look for one.
    """

    about: str
    good: bool
    fact: str
    to_do: str = ""


@dataclass(frozen=True)
class Report:
    """All advice on a clip, in the order in which it is shown, and how its words and its sound go together; `lost` are
    the words that an alignment found no sound for."""

    advice: tuple[Advice, ...]
    coverage: Coverage
    loudness: float
    peak: float
    lost: tuple[Word, ...] = ()

    def on(self, about: str) -> Advice | None:
        return next((each for each in self.advice if each.about == about), None)


def report(
    clip: Clip,
    recording: Recording,
    levels: Levels,
    good_seconds: Range,
    script: str = "",
    aligned: tuple[Word, ...] = (),
    company: Company | None = None,
) -> Report:
    """Look at a clip of a recording with its levels. `good_seconds` is what the checkpoint clones best from, `script`
    some of the text that the voice shall speak, `aligned` the clip's words where the engine found them, `company` who
    speaks in it, where that is known."""
    part = recording.samples[clip.trim[0] : clip.trim[1]]
    inside = levels.cut(clip.trim[0] / clip.rate, clip.trim[1] / clip.rate)
    covered = coverage(clip.transcript, inside)
    loud, highest = loudness(part, clip.rate) + clip.gain, peak(part) + clip.gain
    advice: list[Advice | None] = [_length(clip.seconds, good_seconds)]
    if not inside.speaking.any():
        advice.append(Advice("speech", False, "No speech is heard", "Move the handles to where somebody speaks."))
        return _report(advice, covered, loud, highest, ())
    lost = squeezed(aligned, clip.transcript)
    advice += [
        _speakers(company, clip.trim[0] / clip.rate),
        _pauses(inside),
        _clipping(part),
        _bandwidth(part, clip.rate, inside),
        _level(loud),
        _source(recording),
        _silence(inside, clip.trim[0] / clip.rate),
        _transcript(clip.transcript, covered, _speech_outside(clip, levels), inside, lost),
    ]
    advice += [_cut(clip, levels, start=True), _cut(clip, levels, start=False), _writing(clip.transcript, script)]
    return _report(advice, covered, loud, highest, lost)


def _report(
    advice: list[Advice | None], covered: Coverage, loud: float, highest: float, lost: tuple[Word, ...]
) -> Report:
    return Report(tuple(each for each in advice if each is not None), covered, loud, highest, lost)


def _length(seconds: float, good: Range) -> Advice:
    fact = f"Length {seconds:.1f} s"
    if seconds < good[0]:
        more = f"Use at least {good[0]:g} s: less is too little to know a voice by. Move the handles, or add a clip."
        return Advice("length", False, f"{fact}, too short", more)
    if seconds > good[1]:
        less = f"Up to {good[1]:g} s is best: more fills the model's memory and makes it wander. Move the right handle."
        return Advice("length", False, f"{fact}, too long", less)
    return Advice("length", True, fact)


def _speakers(company: Company | None, begins: float) -> Advice | None:
    if company is None:
        return None
    if company.another is not None:
        start, stop = (begins + each for each in company.another)
        return Advice(
            "speakers",
            False,
            f"Another speaker from {start:.1f} to {stop:.1f} s",
            "Both would be mixed into one voice. Move the handles to where one person speaks.",
        )
    if company.stranger:
        return Advice(
            "speakers",
            False,
            "Another speaker than in the first clip",
            "All clips of a voice should be of one person. Take this one out, or make a voice of its own of it.",
        )
    return Advice("speakers", True, "One speaker")


def _pauses(inside: Levels) -> Advice | None:
    if inside.pauses is None:
        return None
    below = inside.speech - inside.pauses
    if below >= _GOOD_PAUSES:
        return Advice("pauses", True, f"Pauses {below:.0f} dB below the speech")
    return Advice(
        "pauses",
        False,
        f"Pauses only {below:.0f} dB below the speech: something sounds behind it",
        "Music, noise or an echo would be cloned too. Use a recording of the voice alone.",
    )


def _clipping(part: Samples) -> Advice:
    count = clipped(part)
    if count == 0:
        return Advice("clipping", True, "No clipping")
    return Advice(
        "clipping",
        False,
        f"Clipped in {count} places" if count > 1 else "Clipped in one place",
        "The recording was too loud and is cut off there. Record it again with the input lower.",
    )


def clipped(samples: Samples) -> int:
    """In how many places three samples or more in a row stand at one level at full scale."""
    if len(samples) < _FLAT:
        return 0
    at_full = np.abs(samples) >= FULL
    same = np.abs(np.diff(samples)) < 1e-4
    flat = at_full[1:] & at_full[:-1] & same
    runs = np.flatnonzero(np.diff(np.concatenate([[False], flat, [False]]).astype(np.int8)))
    return int(((runs[1::2] - runs[::2]) >= _FLAT - 1).sum())


def _bandwidth(part: Samples, rate: int, inside: Levels) -> Advice | None:
    top = bandwidth(part, rate, inside)
    if top is None:
        return None
    fact = f"Sound up to {top / 1000:.1f} kHz"
    if top >= _NARROW:
        return Advice("bandwidth", True, fact)
    return Advice(
        "bandwidth",
        False,
        f"{fact} only",
        "It will sound like a telephone. Use a recording of a better microphone, or a file that was pressed less.",
    )


def bandwidth(part: Samples, rate: int, inside: Levels) -> float | None:
    """Up to which frequency speech sounds in Hz; None where there is too little of it."""
    size = 1 << max(8, round(np.log2(rate * 0.04)))
    starts = np.flatnonzero(inside.speaking) * round(rate * STEP)
    starts = starts[starts + size <= len(part)][:: max(1, size // round(rate * STEP) // 2)]
    if len(starts) < 8:
        return None
    frames = part[starts[:300, None] + np.arange(size)] * np.hanning(size).astype(np.float32)
    power = np.square(np.abs(np.fft.rfft(frames, axis=1))).mean(axis=0)
    smooth = np.convolve(power, np.ones(9) / 9, mode="same")
    sounding = np.flatnonzero(10 * np.log10(np.maximum(smooth, 1e-20) / smooth.max()) > -_AUDIBLE)
    return float(sounding[-1] * rate / size)


def _level(loud: float) -> Advice:
    fact = f"Loudness {_db(loud)} LUFS" if np.isfinite(loud) else "Too short to tell how loud it is"
    if not np.isfinite(loud) or _QUIETEST <= loud <= _LOUDEST:
        return Advice("loudness", True, fact)
    return Advice("loudness", False, f"{fact}, too {'quiet' if loud < _QUIETEST else 'loud'}", "Press Match loudness.")


def _source(recording: Recording) -> Advice:
    """How the file came: channels, rate, and whether something was thrown away to make it small."""
    channels = {1: "mono", 2: "stereo to mono"}.get(recording.channels, f"{recording.channels} channels to mono")
    fact = f"{recording.kind}, {recording.rate / 1000:g} kHz, {channels}"
    if recording.lost > _CANCELLED:
        return Advice(
            "source",
            False,
            f"{fact}: the channels cancel each other",
            f"Mixed to mono, {recording.lost:.0f} dB of it are gone. Save one channel alone and add that file.",
        )
    if recording.rate < 16_000:
        return Advice(
            "source", False, f"{fact}: a low rate", "Nothing above half the rate is in it. Record at 44.1 kHz or more."
        )
    if recording.kind in ("MP3", "M4A", "OGG", "Opus"):
        return Advice(
            "source", True, fact, "Made small by leaving sound out. If there is a WAV or FLAC of it, use that."
        )
    return Advice("source", True, fact)


def _silence(inside: Levels, begins: float) -> Advice:
    total = len(inside.db) * STEP
    quiet = inside.quiet()
    within = [each for each in quiet if each[0] > 0 and each[1] < total - STEP / 2]
    longest = max(within, key=lambda each: each[1] - each[0], default=(0.0, 0.0))
    if longest[1] - longest[0] > _LONG_PAUSE:
        return Advice(
            "silence",
            False,
            f"A pause of {longest[1] - longest[0]:.1f} s at {begins + longest[0]:.1f} s",
            "The voice would learn to pause like that. End the clip before it, or make two clips of it.",
        )
    ends = [each[1] - each[0] for each in quiet if each not in within]
    if ends and max(ends) > _LOOSE_END:
        return Advice("silence", False, f"{max(ends):.1f} s of silence at one end", "Press Trim silence.")
    return Advice("silence", True, "No long pauses")


def _speech_outside(clip: Clip, levels: Levels) -> bool:
    """Whether somebody speaks in what the trim leaves out."""
    first, last = (round(each / clip.rate / STEP) for each in clip.trim)
    return bool(levels.speaking[:first].sum() + levels.speaking[last:].sum() > _SPOKEN / STEP)


def _transcript(transcript: str, covered: Coverage, outside: bool, inside: Levels, lost: tuple[Word, ...]) -> Advice:
    if not transcript.strip():
        return Advice(
            "transcript",
            False,
            "The words are missing",
            "Write exactly what is said: without its words a clip is not cloned.",
        )
    if covered.soundless or lost:
        count = max(covered.soundless, len(lost))
        at = f"The sound is used up at “{transcript[lost[0].start : lost[0].stop]}”. " if lost else ""
        return Advice(
            "transcript",
            False,
            f"At least {'1 word has' if count == 1 else f'{count} words have'} no sound",
            f"{at}Delete what is not said" + (", or move the handles out to where it is." if outside else "."),
        )
    if covered.wordless:
        return Advice(
            "transcript",
            False,
            f"About {covered.wordless:.1f} s of speech have no words",
            f"Write all that is said in the {inside.speech_seconds:.1f} s of speech, or move the handles in.",
        )
    return Advice("transcript", True, f"Words at {covered.pace:.0f} letters a second")


def _cut(clip: Clip, levels: Levels, start: bool) -> Advice | None:
    """Whether the clip begins or ends in the middle of a word; None where it does not."""
    at = clip.trim[0 if start else 1] / clip.rate
    place = round(at / STEP)
    width = round(_EDGE / STEP)
    edge = slice(place, place + width) if start else slice(max(0, place - width), place)
    inside = levels.speaking[edge]
    if not len(inside) or not inside.all() or levels.db[edge].mean() < levels.speech - _LOUD_EDGE:
        return None
    words = words_in_time(clip.transcript, levels.cut(clip.trim[0] / clip.rate, clip.trim[1] / clip.rate))
    named = ""
    if words:
        word = words[0 if start else -1]
        named = f" “{clip.transcript[word.start : word.stop]}”"
    fact = "Cut in the middle of a word"
    where = f"The clip {'begins' if start else 'ends'} inside{named or ' a word'}."
    return Advice("start" if start else "end", False, fact, f"{where} {_way_out(at, levels, start, clip.seconds / 2)}")


def _way_out(at: float, levels: Levels, start: bool, most: float) -> str:
    """Where the handle should go: out to the nearest pause, or else in, by at most so many seconds."""
    handle, out, back = ("left", -1, "back") if start else ("right", 1, "on")
    pauses = [pause for pause in levels.quiet() if pause[1] - pause[0] >= _EDGE]
    rests = [max(sum(pause) / 2, pause[1] - _ROOM) if start else min(sum(pause) / 2, pause[0] + _ROOM)
             for pause in pauses]  # fmt: skip
    outer = [rest for rest in rests if 0 < (rest - at) * out <= _REACH]
    inner = [rest for rest in rests if 0 < (at - rest) * out <= most]
    if outer:
        nearest = min(outer, key=lambda rest: abs(rest - at))
        return f"Move the {handle} handle {_span(abs(nearest - at))} {back}."
    if inner:
        nearest = min(inner, key=lambda rest: abs(rest - at))
        inward = "on" if start else "back"
        return f"Move the {handle} handle {_span(abs(nearest - at))} {inward}, and take the word out of the text."
    return "Use a longer piece of the recording."


def _writing(transcript: str, script: str) -> Advice | None:
    mine, theirs = writing_system(transcript), writing_system(script)
    if not mine or not theirs or mine == theirs:
        return None
    return Advice(
        "writing",
        False,
        f"{mine.capitalize()} letters, the script has {theirs.capitalize()}",
        "A voice speaks best the language of its clips.",
    )


def _span(seconds: float) -> str:
    return f"{round(seconds * 1000, -1):.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _db(value: float) -> str:
    return f"{value:.0f}".replace("-", "−")
