"""Takes in packs: many of them in one block of bytes, which never changes again and is copied whole from file to file.

A pack is one safetensors block of flat tensors, and JSON in the metadata entry `retake_pack`:

    codes       int16 [number]    the codes of takes, voices and context, one array after another
    frame_data  float32 [number]  log_p [2, frame] and entropy [2, frame] of each take, one take after another
    margin      float32 [number]  margin [2, frame] of each take, below 0 where it is not known; older packs lack it

What several takes share (arrays, voices, prompts, how they were drawn) stands in a table, once. The entry
`retake_codecs` has the codecs of checkpoints by their digests, as far as they are known; older packs lack it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import safetensors
import safetensors.numpy

from engine.request import Codes, FrameData, How, Origin, Part, Prompt, Reference, Settings, Span, Take, Turn, Voice
from studio.document.encoding import check_size, plain, read

ENTRY = "retake_pack"
_CODECS = "retake_codecs"
MOST_BYTES = 64_000_000  # of a pack: what is larger is refused
_FULL_BYTES = 2_000_000  # a pack this large is left alone; smaller ones are packed anew with what is new
_MOST_NEW_BYTES = 16_000_000
_MOST_CODEBOOKS = 64
_MOST_FRAMES = 1 << 20
_TAKE_BYTES = 600  # of JSON for a take, about

_MALFORMED = (
    safetensors.SafetensorError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
)

T = TypeVar("T")


class PackError(ValueError):
    """A pack does not hold what a pack holds."""


@dataclass(frozen=True, eq=False)
class Pack:
    """The bytes and the takes that are in them, in order."""

    content: bytes = field(repr=False)
    takes: tuple[Take, ...]


@dataclass(frozen=True)
class _PartRecord:
    text: str
    speaker: int | None = None


@dataclass(frozen=True)
class _ReferenceRecord:
    transcript: str
    codes: int


@dataclass(frozen=True)
class _VoiceRecord:
    name: str
    references: tuple[_ReferenceRecord, ...] = ()


@dataclass(frozen=True)
class _TurnRecord:
    parts: tuple[_PartRecord, ...]
    codes: int


@dataclass(frozen=True)
class _PromptRecord:
    parts: tuple[_PartRecord, ...]
    voices: tuple[int, ...] = ()
    context: tuple[_TurnRecord, ...] = ()


@dataclass(frozen=True)
class _MadeRecord:
    """How takes were drawn, apart from their seeds."""

    checkpoint: str
    settings: Settings
    how: How
    rate: int
    hop: int


@dataclass(frozen=True)
class _PackRecord:
    """The tables. `arrays` are [codebooks, frames] of what lies in `codes`, in order; `takes` are rows
    [id, array, prompt, made, seed, parent, span start, span stop, capped]."""

    arrays: tuple[tuple[int, ...], ...] = ()
    voices: tuple[_VoiceRecord, ...] = ()
    prompts: tuple[_PromptRecord, ...] = ()
    made: tuple[_MadeRecord, ...] = ()


@dataclass(frozen=True)
class _Codecs:
    by_checkpoint: Mapping[str, str]


def packed(packs: Sequence[Pack], takes: Sequence[Take]) -> tuple[Pack, ...]:
    """Packs of these takes, in order. Those of `packs` that are full and hold none but the first of them stay."""
    kept: list[Pack] = []
    at = 0
    for each in packs:
        stop = at + len(each.takes)
        if len(each.content) < _FULL_BYTES or any(a is not b for a, b in zip(each.takes, takes[at:stop], strict=False)):
            break
        if stop > len(takes):
            break
        kept.append(each)
        at = stop
    return (*kept, *map(pack, _portions(takes[at:])))


def pack(takes: Sequence[Take]) -> Pack:
    """One pack of all these takes."""
    writing = _Writing()
    rows = [writing.row(each) for each in takes]
    tables = plain(
        _PackRecord(tuple(writing.shapes), tuple(writing.voices), tuple(writing.prompts), tuple(writing.made))
    )
    text = json.dumps({**tables, "takes": rows}, allow_nan=False, separators=(",", ":"))
    tensors = {
        "codes": _joined(writing.arrays, np.int16),
        "frame_data": _joined([data for each in takes for data in _frame_data(each)], np.float32),
        "margin": _joined([_margin(each) for each in takes], np.float32),
    }
    codecs = {take.origin.checkpoint: take.origin.codec for take in takes if take.origin.codec}
    entries = {ENTRY: text, **({_CODECS: json.dumps(codecs)} if codecs else {})}
    return Pack(safetensors.numpy.save(tensors, entries), tuple(takes))


def unpack(content: bytes) -> Pack:
    """The takes in these bytes. PackError where they are no pack, or hold what cannot be."""
    if len(content) > MOST_BYTES:
        raise PackError("larger than a pack can be")
    try:
        tables, codecs = _tables(content)
        rows = tables.pop("takes")
        tensors = safetensors.numpy.load(content)
        arrays = tensors["codes"], tensors["frame_data"], tensors.get("margin")
        reading = _Reading(read(_PackRecord, tables), *arrays, read(_Codecs, codecs).by_checkpoint)
        return Pack(content, tuple(map(reading.take, rows)))
    except _MALFORMED as error:
        raise PackError(f"no pack of takes: {error!r:.200}") from error


def _portions(takes: Sequence[Take]) -> Iterable[Sequence[Take]]:
    """The takes in order, so many at a time that a pack stays small; those with long contexts are fewer."""
    start, size = 0, 0
    for at, take in enumerate(takes):
        size += _TAKE_BYTES + take.codes.nbytes + 24 * take.frames
        size += sum(turn.codes.nbytes for turn in take.origin.prompt.context)
        if size > _MOST_NEW_BYTES:
            yield takes[start : at + 1]
            start, size = at + 1, 0
    if start < len(takes):
        yield takes[start:]


def _frame_data(take: Take) -> tuple[np.ndarray, np.ndarray]:
    return take.frame_data.log_p, take.frame_data.entropy


def _margin(take: Take) -> np.ndarray:
    known = take.frame_data.margin
    return known if known is not None else np.full_like(take.frame_data.entropy, -1)


def _joined(arrays: Sequence[np.ndarray], kind: type[np.generic]) -> np.ndarray:
    flat = [np.ascontiguousarray(each, kind).ravel() for each in arrays]
    return np.concatenate(flat) if flat else np.zeros(0, kind)


def _tables(content: bytes) -> tuple[dict[str, Any], Any]:
    """The JSON in the header, tables and codecs; what safetensors itself checks is left to it."""
    size = int.from_bytes(content[:8], "little")
    if size > len(content) - 8:
        raise PackError("cut short")
    check_size(content[8 : 8 + size])
    entries = json.loads(content[8 : 8 + size])["__metadata__"]
    tables = json.loads(entries[ENTRY], parse_constant=_no_constant)
    if not isinstance(tables, dict):
        raise PackError("no tables")
    return tables, {"by_checkpoint": json.loads(entries.get(_CODECS, "{}"))}


def _no_constant(name: str) -> float:
    raise PackError(f"{name} is no number here")


class _Table(list[T]):
    """What is put in it gets a place; the same again has the same place."""

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[str, int] = {}  # by how they are written: 1 is 1.0, but it makes another id

    def place(self, each: T) -> int:
        key = repr(each)
        if key not in self._places:
            self._places[key] = len(self)
            self.append(each)
        return self._places[key]


class _Writing:
    """Fills the tables."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self.shapes: list[tuple[int, ...]] = []
        self.voices: _Table[_VoiceRecord] = _Table()
        self.prompts: _Table[_PromptRecord] = _Table()
        self.made: _Table[_MadeRecord] = _Table()
        self._shared: dict[tuple[tuple[int, ...], bytes], int] = {}
        self._prompts: dict[int, int] = {}  # by id: many takes have the very same one

    def row(self, take: Take) -> list[Any]:
        origin = take.origin
        place = self._prompts.get(id(origin.prompt))
        if place is None:
            place = self._prompts[id(origin.prompt)] = self.prompts.place(self._prompt(origin.prompt))
        made = _MadeRecord(origin.checkpoint, origin.settings, origin.how, origin.rate, origin.hop)
        start, stop = origin.span or (None, None)
        codes, number = self._array(take.codes), self.made.place(made)
        return [take.id, codes, place, number, origin.seed, origin.parent, start, stop, take.capped]

    def _prompt(self, prompt: Prompt) -> _PromptRecord:
        voices = tuple(self.voices.place(self._voice(each)) for each in prompt.voices)
        context = tuple(_TurnRecord(_parts(turn.parts), self._shared_array(turn.codes)) for turn in prompt.context)
        return _PromptRecord(_parts(prompt.parts), voices, context)

    def _voice(self, voice: Voice) -> _VoiceRecord:
        references = (_ReferenceRecord(each.transcript, self._shared_array(each.codes)) for each in voice.references)
        return _VoiceRecord(voice.name, tuple(references))

    def _array(self, codes: Codes) -> int:
        self.arrays.append(codes)
        self.shapes.append(codes.shape)
        return len(self.arrays) - 1

    def _shared_array(self, codes: Codes) -> int:
        key = (codes.shape, codes.tobytes())
        if key not in self._shared:
            self._shared[key] = self._array(codes)
        return self._shared[key]


def _parts(parts: tuple[Part, ...]) -> tuple[_PartRecord, ...]:
    return tuple(_PartRecord(part.text, part.speaker) for part in parts)


class _Reading:
    """Makes takes of rows, checking every value: files come from anywhere."""

    def __init__(
        self,
        tables: _PackRecord,
        codes: np.ndarray,
        frame_data: np.ndarray,
        margin: np.ndarray | None,
        codecs: Mapping[str, str],
    ) -> None:
        _check(codes.dtype == np.int16 and codes.ndim == 1 and frame_data.dtype == np.float32 and frame_data.ndim == 1)
        _check(not codes.size or codes.min() >= 0)
        _check(margin is None or (margin.dtype == np.float32 and 2 * margin.size == frame_data.size))
        self._frame_data, self._margin, self._data_at = frame_data, margin, 0
        self._arrays: list[Codes] = []
        at = 0
        for shape in tables.arrays:
            _check(len(shape) == 2 and 1 <= shape[0] <= _MOST_CODEBOOKS and 0 <= shape[1] <= _MOST_FRAMES)
            stop = at + shape[0] * shape[1]
            _check(stop <= codes.size)
            self._arrays.append(_readable(codes[at:stop].reshape(shape)))
            at = stop
        self._voices = [self._voice(each) for each in tables.voices]
        self._prompts = [self._prompt(each) for each in tables.prompts]
        for made in tables.made:
            _check(0 < made.rate <= 1_000_000 and 0 < made.hop <= 1_000_000)
        self._made, self._codecs = tables.made, codecs

    def take(self, row: list[Any]) -> Take:
        name, array, prompt, number, seed, parent, start, stop, capped = row
        _check(type(name) is str and type(capped) is bool and (parent is None or type(parent) is str))
        codes, made = self._at(self._arrays, array), self._at(self._made, number)
        read_from = self._at(self._prompts, prompt)
        _check(type(seed) is int and 0 <= seed < 2**64)
        frames = codes.shape[1]
        _check(all(each.shape[0] == codes.shape[0] for each in _codes_of(read_from)))
        span = _span(start, stop, frames)
        codec = self._codecs.get(made.checkpoint, "")
        drawn = made.checkpoint, seed, made.settings, made.how, made.rate, made.hop
        origin = Origin(read_from, *drawn, parent, span, codec)
        take = Take(codes, origin, self._next_frame_data(frames), capped)
        _check(take.id == name)
        return take

    def _next_frame_data(self, frames: int) -> FrameData:
        at, self._data_at = self._data_at, self._data_at + 4 * frames
        _check(self._data_at <= self._frame_data.size)
        data = _readable(self._frame_data[at : self._data_at].reshape(4, frames))
        margin = None
        if self._margin is not None:
            told = self._margin[at // 2 : self._data_at // 2].reshape(2, frames)
            margin = None if (told < 0).any() else _readable(told)
        return FrameData(data[:2], data[2:], margin)

    def _voice(self, made: _VoiceRecord) -> Voice:
        return Voice(made.name, tuple(self._reference(each) for each in made.references))

    def _reference(self, made: _ReferenceRecord) -> Reference:
        return Reference(made.transcript, self._at(self._arrays, made.codes))

    def _prompt(self, made: _PromptRecord) -> Prompt:
        context = tuple(Turn(_parts_of(turn.parts), self._at(self._arrays, turn.codes)) for turn in made.context)
        return Prompt(_parts_of(made.parts), tuple(self._at(self._voices, each) for each in made.voices), context)

    @staticmethod
    def _at(table: Sequence[T], place: Any) -> T:
        _check(type(place) is int and 0 <= place < len(table))
        return table[place]


def _parts_of(parts: tuple[_PartRecord, ...]) -> tuple[Part, ...]:
    return tuple(Part(part.speaker, part.text) for part in parts)


def _codes_of(prompt: Prompt) -> list[Codes]:
    return [e.codes for voice in prompt.voices for e in voice.references] + [turn.codes for turn in prompt.context]


def _span(start: Any, stop: Any, frames: int) -> Span | None:
    if start is None and stop is None:
        return None
    _check(type(start) is int and type(stop) is int and 0 <= start <= stop <= frames)
    return start, stop


def _readable(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _check(sound: bool) -> None:
    if not sound:
        raise PackError("a value that no take has")
