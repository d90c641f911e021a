"""What is made of a recording: the clip as the model hears it, and the ways to cut and level it. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.request import Samples, frozen
from studio.library.levels import Levels
from studio.library.loudness import loudness, peak
from studio.library.recordings import Recording
from studio.library.voices import Clip, Trim

TARGET = -20.0  # LUFS that loudness is matched to
_HIGHEST = -1.0  # dB that no sample may pass when it is
_MOST_GAIN = 30.0  # dB
_THUMBNAIL = 60


def new_clip(audio: str, name: str, recording: Recording, levels: Levels, transcript: str, most_seconds: float) -> Clip:
    """The clip of a new recording: without the silence at its ends, and where its words are not known yet (so that
    nothing can get lost of them) no longer than is good, up to a pause."""
    whole = (0, len(recording.samples))
    clip = Clip(
        audio, name, recording.rate, recording.channels, len(recording.samples), recording.kind, whole,
        transcript.strip(), thumbnail=thumbnail(recording.samples),
    )  # fmt: skip
    clip = trim_silence(clip, levels)
    return clip if transcript.strip() else shorten(clip, levels, most_seconds)


def heard(clip: Clip, samples: Samples) -> Samples:
    """The clip as it is encoded and played: trimmed, levelled, faded at both ends."""
    made = np.array(samples[clip.trim[0] : clip.trim[1]], np.float32)
    made *= np.float32(10 ** (clip.gain / 20))
    rising, falling = (min(round(fade * clip.rate), len(made) // 2) for fade in clip.fades)
    made[:rising] *= _slope(rising)
    made[len(made) - falling :] *= _slope(falling)[::-1]
    return frozen(np.clip(made, -1.0, 1.0))


def trim_silence(clip: Clip, levels: Levels) -> Clip:
    """The silence within the trim, before its first word and after its last, falls away."""
    first, last = clip.trim[0] / clip.rate, clip.trim[1] / clip.rate
    spoken = levels.cut(first, last).spoken()
    if spoken is None:
        return clip
    return replace(clip, trim=_trim(clip, max(first, first + spoken[0]), min(last, first + spoken[1])))


def shorten(clip: Clip, levels: Levels, most_seconds: float) -> Clip:
    """A clip that is too long ends in the last pause that keeps it within `most_seconds`."""
    if clip.seconds <= most_seconds:
        return clip
    start = clip.trim[0] / clip.rate
    pauses = [(first + last) / 2 for first, last in levels.quiet()]
    fitting = [pause for pause in pauses if start + most_seconds / 3 <= pause <= start + most_seconds]
    return replace(clip, trim=_trim(clip, start, fitting[-1] if fitting else start + most_seconds))


def match_loudness(clip: Clip, samples: Samples) -> Clip:
    """As loud as speech is best read, as far as the peaks allow; silence stays as it is."""
    part = samples[clip.trim[0] : clip.trim[1]]
    found = loudness(part, clip.rate)
    if not np.isfinite(found):
        return clip
    gain = min(TARGET - found, _HIGHEST - peak(part), _MOST_GAIN)
    return replace(clip, gain=round(gain, 1))


def thumbnail(samples: Samples) -> tuple[int, ...]:
    """The peaks of 60 equal stretches, the loudest of them 100."""
    if not len(samples):
        return ()
    starts = np.linspace(0, len(samples), _THUMBNAIL, endpoint=False).astype(np.int64)
    peaks = np.maximum.reduceat(np.abs(samples), starts)
    return tuple(int(each) for each in np.round(100 * peaks / max(float(peaks.max()), 1e-6)))


def thumbnail_of(clips: Sequence[Clip]) -> np.ndarray | None:
    """The thumbnail of a voice as a wave is painted, float32 [column, 2]: that of its first clip."""
    if not clips or not clips[0].thumbnail:
        return None
    peaks = np.array(clips[0].thumbnail, np.float32) / 100
    return np.stack([-peaks, peaks], axis=1)


def moved(clip: Clip, start: float, stop: float) -> Clip:
    """The clip with its trim at other seconds of the recording; at least a tenth of a second is left."""
    return replace(clip, trim=_trim(clip, start, stop))


def faded(clip: Clip, rising: float, falling: float) -> Clip:
    """The clip with other fades at its beginning and its end, in seconds; each at most half of what is left."""
    most = clip.seconds / 2
    return replace(clip, fade=min(max(0.0, rising), most), fade_out=min(max(0.0, falling), most))


def _slope(count: int) -> np.ndarray:
    return np.sin(np.linspace(0, np.pi / 2, count, dtype=np.float32)) ** 2


def _trim(clip: Clip, start: float, stop: float) -> Trim:
    least = min(round(0.1 * clip.rate), clip.samples)
    first = min(max(0, round(start * clip.rate)), clip.samples - least)
    return first, max(first + least, min(clip.samples, round(stop * clip.rate)))
