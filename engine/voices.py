"""The voices that come with a checkpoint: `voices/NAME-K.{flac,txt,codes.npy}`, clip K of voice NAME."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from engine.audio import read
from engine.errors import CheckpointError
from engine.request import Codes, Reference, Samples, Voice, frozen

_CLIP = re.compile(r"(?P<name>.+)-(?P<number>\d+)$")


def read_voices(folder: Path, encode: Callable[[Samples, int], Codes]) -> dict[str, Voice]:
    """All voices of a checkpoint folder by name, in alphabetical order; clips without codes are encoded.

    Only the first clip of a voice is a reference: the others are there to compare with.
    """
    voices = {}
    for transcript in sorted((folder / "voices").glob("*.txt")):
        clip = _CLIP.fullmatch(transcript.stem)
        if clip and clip["name"] not in voices:
            voices[clip["name"]] = Voice(clip["name"], (_reference(transcript, encode),))
    return voices


def _reference(transcript: Path, encode: Callable[[Samples, int], Codes]) -> Reference:
    codes = transcript.with_suffix(".codes.npy")
    try:
        words = transcript.read_text(encoding="utf-8").strip()
        if codes.exists():
            return Reference(words, frozen(np.load(codes, allow_pickle=False).astype(np.int16)))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"The voice clip {codes} cannot be read ({error}).", codes) from error
    return Reference(words, encode(*read(transcript.with_suffix(".flac"))))
