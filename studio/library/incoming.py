"""Recordings on their way in: read, and cut to what is good. On the file thread."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from pathlib import Path

from engine.whole_file import reachable
from studio.library.clips import new_clip
from studio.library.levels import measure_levels
from studio.library.recordings import digest_file, read_recording
from studio.library.voices import Clip

MOST_WORDS = 20_000  # characters of a transcript that lies beside a recording


@dataclass(frozen=True)
class BroughtIn:
    """A recording as a clip, and where it lies now."""

    clip: Clip
    path: Path


def brought_in(path: Path, words: str, good: tuple[float, float]) -> BroughtIn:
    """A recording as a clip; `good` are the seconds that a voice should have."""
    audio = digest_file(path)
    recording = read_recording(path)
    levels = measure_levels(recording.samples, recording.rate)
    name = path.name.encode("utf-8", "replace").decode()
    return BroughtIn(new_clip(audio, name, recording, levels, words, good[1]), path)


def kept_whole(path: Path, words: str) -> BroughtIn:
    """A recording as it is, from its first sample to its last: what somebody says to allow the use of a voice."""
    made = brought_in(path, words, (0.0, math.inf))
    return replace(made, clip=replace(made.clip, trim=(0, made.clip.samples), fade=0.0))


def words_beside(path: Path) -> str:
    """What the .txt of the same name says; "" where there is none that can be read."""
    beside = reachable(path.with_suffix(".txt"))
    with contextlib.suppress(OSError):
        return beside.read_text(encoding="utf-8-sig", errors="replace")[:MOST_WORDS].strip()
    return ""
