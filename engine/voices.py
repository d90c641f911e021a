"""The voices that come with a checkpoint: `voices/NAME-K.{flac,txt,codes.npy}`, clip K of voice NAME."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from engine.audio import read
from engine.codes_file import read_codes
from engine.errors import CheckpointError, RequestError
from engine.request import Codes, Reference, Samples, Voice

_CLIP = re.compile(r"(?P<name>.+)-(?P<number>\d+)$")


def read_voices(folder: Path, encode: Callable[[Samples, int], Codes]) -> dict[str, Voice]:
    """All voices of a checkpoint folder by name, in alphabetical order; clips without codes are encoded.

    Only the first clip of a voice is a reference: the others are there to compare with.
    """
    return {name: Voice(name, (_reference(words, encode),)) for name, words in first_clips(folder).items()}


def first_clips(folder: Path) -> dict[str, Path]:
    """The transcript of each voice's first clip, by the voice's name, in alphabetical order."""
    found: dict[str, Path] = {}
    for transcript in sorted((folder / "voices").glob("*.txt")):
        if clip := _CLIP.fullmatch(transcript.stem):
            found.setdefault(clip["name"], transcript)
    return found


def _reference(transcript: Path, encode: Callable[[Samples, int], Codes]) -> Reference:
    codes = transcript.with_suffix(".codes.npy")
    try:
        words = transcript.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{transcript} is no text that can be read: download it again.", transcript) from error
    if codes.exists():
        try:
            return Reference(words, read_codes(codes))
        except RequestError as error:
            raise CheckpointError(f"{error} Download it again.", codes) from error
    return Reference(words, encode(*read(transcript.with_suffix(".flac"))))
