"""Takes as safetensors: one self-contained `.take` file, or many takes in one block of bytes.

Every array (codes of takes, voices and context; frame data) is a tensor named by the digest of its content, so what
several takes share is stored once and damage is noticed. All else is JSON in the metadata entry `retake_take`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import safetensors
import safetensors.numpy

from engine.errors import TakeFileError, why
from engine.request import Codes, FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Turn, Voice, frozen
from engine.whole_file import WholeFile, reachable

VERSION = 1
MOST_BYTES = 64 << 20
_ENTRY = "retake_take"
_MOST_FRAMES = 1 << 20
_MOST_CODEBOOKS = 64
_MOST_CHARACTERS = 1 << 20
_MOST_SPEAKER = 999_999
_MOST_WINDOW = 1 << 16

T = TypeVar("T")


def write_take(path: Path, take: Take) -> None:
    """The take with all it needs to go on from, as one file, whole or not at all. Raises TakeFileError."""
    content = pack_takes((take,))
    try:
        with WholeFile(path) as file:
            file.write(content)
    except OSError as error:
        raise TakeFileError(f"{path} cannot be written: {why(error)}.", path) from error


def read_take(path: Path) -> Take:
    """The take in a file. Raises TakeFileError, and nothing else whatever the file holds."""
    try:
        if reachable(path).stat().st_size > MOST_BYTES:
            raise TakeFileError(f"{path} is larger than a take can be.", path)
        content = reachable(path).read_bytes()
    except OSError as error:
        raise TakeFileError(f"{path} cannot be read: {why(error)}.", path) from error
    try:
        takes = unpack_takes(content)
    except TakeFileError as error:
        raise TakeFileError(f"{path} cannot be read: {error}", path) from error
    if len(takes) != 1:
        raise TakeFileError(f"{path} holds {len(takes)} takes, not one: open it as a project.", path)
    return takes[0]


def pack_takes(takes: Iterable[Take]) -> bytes:
    """Takes as one block of bytes, in order; voices and arrays that they share are stored once.

    Raises TakeFileError where they are more than a block may hold (about a day of speech).
    """
    packing = _Packing()
    entries = [packing.take(take) for take in takes]
    document = {"version": VERSION, "takes": entries, "voices": packing.voices}
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    content = safetensors.numpy.save(packing.arrays, {_ENTRY: text})
    if len(content) > MOST_BYTES:
        raise TakeFileError(f"{len(entries)} takes do not fit into one block of {MOST_BYTES >> 20} MB.")
    return content


def unpack_takes(content: bytes) -> tuple[Take, ...]:
    """The takes in a block of bytes. Raises TakeFileError, whose text does not name the file."""
    if len(content) > MOST_BYTES:
        raise TakeFileError("it is larger than takes can be.")
    document = _metadata(content)
    try:
        arrays = safetensors.numpy.load(content)
    except (safetensors.SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TakeFileError(_DAMAGED) from error
    unpacking = _Unpacking(arrays)
    unpacking.voices = _list(document, "voices", unpacking.voice)
    return tuple(_list(document, "takes", unpacking.take))


_DAMAGED = "it is damaged. Take another copy of it."


def _metadata(content: bytes) -> dict[str, Any]:
    """The JSON document in the header; what safetensors itself checks is left to it."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > len(content) - 8:
        raise TakeFileError("it is not a take.")
    try:
        header = json.loads(content[8 : 8 + size])
        text = header["__metadata__"][_ENTRY]
        document = json.loads(text, parse_constant=_no_constant)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TakeFileError("it is not a take.") from error
    if not isinstance(document, dict):
        raise TakeFileError(_DAMAGED)
    if _integer(document, "version", 1) > VERSION:
        raise TakeFileError("a newer Retake wrote it. Update Retake to open it.")
    return document


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number here")


def _digest(array: np.ndarray) -> str:
    """Sixteen hex digits for the numbers, their kind and their shape."""
    kind = f"{array.dtype.str}{array.shape}".encode()
    return hashlib.sha256(kind + np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


class _Packing:
    """Collects the arrays and voices of takes."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self.voices: list[dict[str, Any]] = []
        self._places: dict[str, int] = {}

    def array(self, array: np.ndarray) -> str:
        name = _digest(array)
        self.arrays[name] = np.ascontiguousarray(array)
        return name

    def voice(self, voice: Voice) -> int:
        """The place of the voice in the list; equal voices have one place."""
        entry = {
            "name": voice.name,
            "references": [
                {"transcript": reference.transcript, "codes": self.array(reference.codes)}
                for reference in voice.references
            ],
        }
        key = json.dumps(entry)
        if key not in self._places:
            self._places[key] = len(self.voices)
            self.voices.append(entry)
        return self._places[key]

    def take(self, take: Take) -> dict[str, Any]:
        origin = take.origin
        return {
            "codes": self.array(take.codes),
            "log_p": self.array(take.frame_data.log_p),
            "entropy": self.array(take.frame_data.entropy),
            "margin": None if take.frame_data.margin is None else self.array(take.frame_data.margin),
            "capped": take.capped,
            "prompt": {
                "parts": _parts_written(origin.prompt.parts),
                "voices": [self.voice(voice) for voice in origin.prompt.voices],
                "context": [
                    {"parts": _parts_written(turn.parts), "codes": self.array(turn.codes)}
                    for turn in origin.prompt.context
                ],
            },
            "checkpoint": origin.checkpoint,
            "seed": origin.seed,
            "settings": vars(origin.settings),
            "how": origin.how.value,
            "rate": origin.rate,
            "hop": origin.hop,
            "codec": origin.codec,
            "parent": origin.parent,
            "span": origin.span,
        }


def _parts_written(parts: tuple[Part, ...]) -> list[dict[str, Any]]:
    return [{"speaker": part.speaker, "text": part.text} for part in parts]


class _Unpacking:
    """Makes takes of entries, checking every value: files come from anywhere."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self.arrays = arrays
        self.voices: list[Voice] = []

    def array(self, entry: dict[str, Any], key: str, dtype: type[np.generic]) -> np.ndarray:
        """An array of two dimensions whose content is what its name says."""
        array = self.arrays.get(_text(entry, key))
        if array is None or array.dtype != dtype or array.ndim != 2 or _digest(array) != entry[key]:
            raise TakeFileError(_DAMAGED)
        return frozen(array)

    def codes(self, entry: dict[str, Any]) -> Codes:
        codes = self.array(entry, "codes", np.int16)
        codebooks, frames = codes.shape
        if not (1 <= codebooks <= _MOST_CODEBOOKS and 0 <= frames <= _MOST_FRAMES) or (frames and codes.min() < 0):
            raise TakeFileError(_DAMAGED)
        return codes

    def frame_data(self, entry: dict[str, Any], frames: int) -> FrameData:
        told = ["log_p", "entropy", *(["margin"] if entry.get("margin") is not None else [])]
        data = [self.array(entry, key, np.float32) for key in told]
        if any(each.shape != (2, frames) or np.isnan(each).any() for each in data):
            raise TakeFileError(_DAMAGED)
        return FrameData(*data)

    def voice(self, entry: dict[str, Any]) -> Voice:
        return Voice(_text(entry, "name"), tuple(_list(entry, "references", self.reference)))

    def reference(self, entry: dict[str, Any]) -> Reference:
        return Reference(_text(entry, "transcript"), self.codes(entry))

    def turn(self, entry: dict[str, Any]) -> Turn:
        return Turn(tuple(_list(entry, "parts", _part)), self.codes(entry))

    def prompt(self, entry: dict[str, Any]) -> Prompt:
        places = entry.get("voices")
        if not isinstance(places, list):
            raise TakeFileError(_DAMAGED)
        if not all(type(place) is int and 0 <= place < len(self.voices) for place in places):
            raise TakeFileError(_DAMAGED)
        parts = tuple(_list(entry, "parts", _part))
        return Prompt(parts, tuple(self.voices[place] for place in places), tuple(_list(entry, "context", self.turn)))

    def take(self, entry: dict[str, Any]) -> Take:
        codes = self.codes(entry)
        prompt = self.prompt(_dict(entry, "prompt"))
        every = [codes, *(turn.codes for turn in prompt.context)]
        every += [reference.codes for voice in prompt.voices for reference in voice.references]
        if any(other.shape[0] != codes.shape[0] for other in every):
            raise TakeFileError(_DAMAGED)
        how = _text(entry, "how")
        if how not in {way.value for way in How}:
            raise TakeFileError(_DAMAGED)
        origin = Origin(
            prompt,
            checkpoint=_text(entry, "checkpoint"),
            seed=_integer(entry, "seed", 0, 2**64),
            settings=_settings(_dict(entry, "settings")),
            how=How(how),
            rate=_integer(entry, "rate", 1, 1_000_000),
            hop=_integer(entry, "hop", 1, 1_000_000),
            parent=None if entry.get("parent") is None else _text(entry, "parent"),
            span=_span(entry, codes.shape[1]),
            codec=_text(entry, "codec") if "codec" in entry else "",
        )
        return Take(codes, origin, self.frame_data(entry, codes.shape[1]), _boolean(entry, "capped"))


def _part(entry: dict[str, Any]) -> Part:
    speaker = None if entry.get("speaker") is None else _integer(entry, "speaker", 0, _MOST_SPEAKER)
    return Part(speaker, _text(entry, "text"))


def _settings(entry: dict[str, Any]) -> Settings:
    most_frames = None if entry.get("most_frames") is None else _integer(entry, "most_frames", 0)
    return Settings(
        temperature=_number(entry, "temperature", 0, 100),
        top_p=_number(entry, "top_p", 0, 1),
        top_k=_integer(entry, "top_k", 1),
        repetition_window=_integer(entry, "repetition_window", 0, _MOST_WINDOW),
        most_frames=most_frames,
    )


def _span(entry: dict[str, Any], frames: int) -> tuple[int, int] | None:
    span = entry.get("span")
    if span is None:
        return None
    if not (isinstance(span, list) and len(span) == 2 and all(type(edge) is int for edge in span)):
        raise TakeFileError(_DAMAGED)
    if not 0 <= span[0] <= span[1] <= frames:
        raise TakeFileError(_DAMAGED)
    return span[0], span[1]


def _list(entry: dict[str, Any], key: str, make: Callable[[dict[str, Any]], T]) -> list[T]:
    values = entry.get(key)
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise TakeFileError(_DAMAGED)
    return [make(value) for value in values]


def _dict(entry: dict[str, Any], key: str) -> dict[str, Any]:
    value = entry.get(key)
    if not isinstance(value, dict):
        raise TakeFileError(_DAMAGED)
    return value


def _text(entry: dict[str, Any], key: str) -> str:
    """Text without lone surrogates, which JSON can spell and nothing else can write."""
    value = entry.get(key)
    if not isinstance(value, str) or len(value) > _MOST_CHARACTERS or any("\ud800" <= c <= "\udfff" for c in value):
        raise TakeFileError(_DAMAGED)
    return value


def _integer(entry: dict[str, Any], key: str, least: int, most: int = 2**31) -> int:
    value = entry.get(key)
    if type(value) is not int or not least <= value <= most:
        raise TakeFileError(_DAMAGED)
    return value


def _number(entry: dict[str, Any], key: str, least: float, most: float) -> float:
    """An integer stays one: a take's id is made from its settings as they were given."""
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise TakeFileError(_DAMAGED)
    return value


def _boolean(entry: dict[str, Any], key: str) -> bool:
    value = entry.get(key)
    if type(value) is not bool:
        raise TakeFileError(_DAMAGED)
    return value
