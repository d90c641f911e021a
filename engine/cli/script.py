"""A script file as lines to speak, and who speaks them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine import assets, audio
from engine.errors import RequestError, ScriptError, why
from engine.request import Reference, Voice
from engine.text import clean, control_lookalikes, cut, has_words, turns
from engine.voices import first_clips

if TYPE_CHECKING:
    from engine.speech import Engine

MOST_BYTES = 512 << 10
_MOST_CONTROL_SHARE = 0.05  # of a text's characters; more is no text
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True)
class ScriptLine:
    """A line of the script: its number from 1, its speaker (None where none is named) and what it says.

    `turn` counts the turns from 1: several lines of one turn are a turn that was too long for one generation.
    """

    number: int
    turn: int
    speaker: int | None
    text: str


def read_script(name: str) -> tuple[str, tuple[str, ...]]:
    """The clean text of a script file, or of stdin for "-", and what there is to say about it. Raises ScriptError."""
    where = "The script on standard input" if name == "-" else f"The script {name}"
    try:
        if name == "-":
            if sys.stdin is None:
                raise ScriptError(f"{where} cannot be read: it is closed.")
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ScriptError(f"{where} cannot be read: {why(error)}.") from error
    if len(content) > MOST_BYTES:
        raise ScriptError(f"{where} is larger than {MOST_BYTES >> 10} kB: cut it into several files.")
    text, encoding = _decoded(content)
    if len(_CONTROL.findall(text)) > _MOST_CONTROL_SHARE * len(text):
        raise ScriptError(f"{where} is not a text file: save it as plain text in UTF-8.")
    text = clean(text)
    if not any(has_words(part.text) for part in turns(text)):
        raise ScriptError(f"{where} holds nothing to speak: write some words outside of tags.")
    notes = []
    if encoding == "cp1252":
        notes.append(f"{where} is not UTF-8: it was read as Windows Western (cp1252). Save it as UTF-8 to be sure.")
    lookalikes = [text[start:stop] for start, stop in control_lookalikes(text)]
    if lookalikes:
        notes.append(f"Spoken as plain characters: {', '.join(dict.fromkeys(lookalikes))}.")
    return text, tuple(notes)


def _decoded(content: bytes) -> tuple[str, str]:
    """The text and the name of the encoding it was taken for."""
    encoding = "utf-8-sig"
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif content.count(0) * 4 > len(content) and len(content) % 2 == 0:
        # UTF-16 without its mark: in most scripts every other byte is 0.
        encoding = "utf-16-le" if content[1::2].count(0) > content[::2].count(0) else "utf-16-be"
    try:
        return content.decode(encoding), encoding
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), "cp1252"


def script_lines(text: str, most_characters: int) -> tuple[ScriptLine, ...]:
    """Every turn as a line, a long one as several; turns without words stay, to be refused by name."""
    lines: list[ScriptLine] = []
    spoken_turns = [part for part in turns(text) if part.speaker is not None or part.text.strip()]
    for turn, part in enumerate(spoken_turns, start=1):
        for piece in cut(part.text.strip(), most_characters) or ("",):
            lines.append(ScriptLine(len(lines) + 1, turn, part.speaker, piece.strip()))
    return tuple(lines)


def embedded_voices(engine: Engine) -> dict[str, Voice]:
    """The checkpoint's own voices; where it has none, those that come with Retake, encoded by its codec."""
    voices = engine.voices()
    if voices:
        return voices
    clips = first_clips(assets.folder() / "voice")
    return {name: voice_from_clip(engine, words.with_suffix(".flac"), name) for name, words in clips.items()}


def voice_from_clip(engine: Engine, clip: Path, name: str) -> Voice:
    """A voice with one reference: a clip and its transcript, a .txt beside it."""
    samples, rate = audio.read(clip)
    transcript = clip.with_suffix(".txt")
    try:
        text = clean(_decoded(transcript.read_bytes())[0]).strip()
    except OSError as error:
        raise RequestError(
            f"The clip {clip} needs its transcript: write exactly what is said in it into {transcript}."
        ) from error
    if not has_words(text):
        raise RequestError(f"The transcript {transcript} is empty: write exactly what is said in the clip into it.")
    return Voice(name, (Reference(text, engine.encode(samples, rate)),), engine.codec)


def cast_voices(
    engine: Engine, speakers: Sequence[int | None], cast: Mapping[int, str]
) -> dict[int | None, Voice | None]:
    """The voice of every speaker: as cast, else the embedded ones in turn, those first that nobody was given.

    Text without a speaker goes by 0 in the cast where no speaker has that number.
    """
    embedded = embedded_voices(engine)
    named = {}
    for speaker in speakers:
        number = 0 if speaker is None and 0 not in speakers else speaker
        if number is not None and number in cast:
            named[speaker] = cast[number]
    free = [name for name in embedded if name not in named.values()] or list(embedded)
    voices: dict[int | None, Voice | None] = {}
    waiting = 0
    for speaker in speakers:
        if speaker in named:
            voices[speaker] = _voice(engine, named[speaker], embedded)
        elif free:
            voices[speaker] = embedded[free[waiting % len(free)]]
            waiting += 1
        else:
            voices[speaker] = None
    return voices


def _voice(engine: Engine, name: str, embedded: Mapping[str, Voice]) -> Voice:
    if name in embedded:
        return embedded[name]
    clip = Path(name)
    if not os.path.lexists(clip):  # Path.exists raises where the name is too long for a file
        raise RequestError(
            f"There is no voice “{name}”. Take {' or '.join(embedded) or 'a clip'}, "
            "or name an audio file that has its transcript as a .txt beside it."
        )
    return voice_from_clip(engine, clip, clean(clip.stem))
