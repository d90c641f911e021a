"""A voice as one `.voice` file, to give to others: a zip with a few named members, read without trusting it.

mimetype             first and stored, so that the file can be told by its beginning
voice.json           version, and the voice with its clips
clips/0.flac ...     the recordings, lossless, at their own rates
consent.flac         what was said to allow the use of the voice, where that was recorded
codes.safetensors    the clips' codes by place, int16 [codebook, frame], and the digest of the codec that made them

Nothing of a file is ever written where its own names say, nothing in it is run, and no member may be larger than any
honest one is.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import safetensors.numpy
import soundfile
from safetensors import SafetensorError

from engine.errors import AudioError
from engine.request import Codes, Samples, frozen
from engine.whole_file import WholeFile, reachable
from studio.document.encoding import plain
from studio.document.zipped import read_member
from studio.library.recordings import Recording, read_recording
from studio.library.store import read_voice
from studio.library.voices import Clip, LibraryVoice, codes_key, new_voice_id

SUFFIX = ".voice"
VERSION = 2
MIMETYPE = b"application/x-retake-voice"
MOST_CLIPS = 32
MOST_SAMPLES = 60_000_000  # of all recordings in one file: twenty minutes at 48 kHz
_MEGABYTE = 1_000_000
_MOST_FILE_BYTES = 300 * _MEGABYTE
_MOST_BYTES = {"mimetype": 100, "voice.json": _MEGABYTE, "codes.safetensors": 8 * _MEGABYTE}
_MOST_CLIP_BYTES = 200 * _MEGABYTE
_MOST_RATE, _MOST_CHANNELS = 384_000, 8
_MOST_LIST_BYTES = 8_000
_END = struct.Struct("<4s4H2LH")  # how a zip ends that has no comment: signature, disks, counts, bytes of the list
_BLOCK = 1 << 16
_CONSENT = "consent.flac"
_MALFORMED = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, KeyError, IndexError, ValueError,
    TypeError, OverflowError, RecursionError, SafetensorError, soundfile.LibsndfileError, AudioError,
)  # fmt: skip


class VoiceFileError(Exception):
    """A voice file cannot be read. The message is a plain sentence, `path` the file."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True, eq=False)
class SharedVoice:
    """What is in a voice file: the voice (under a new id), its recordings as FLAC by `Clip.file`, how the first one
    sounds, its codes by key, all for the codec of that digest ("" where there are none), and how the spoken consent
    sounds, where there is one."""

    voice: LibraryVoice
    recordings: Mapping[str, bytes]
    first: Recording
    codes: Mapping[str, Codes]
    codec: str
    consent: Recording | None = None


def share(path: Path, voice: LibraryVoice, audio: Mapping[str, Path], codes: Mapping[str, Codes], codec: str) -> None:
    """Write a voice file whole or not at all. `audio` holds the recordings by `Clip.file`, `codes` those of the clips
    by key. Of recordings that are longer than a voice file may hold, what is the reference goes into it. OSError where
    the disk refuses, AudioError where a recording is gone, VoiceFileError where the voice is too large."""
    whole = sum(clip.samples for clip in voice.recordings) <= MOST_SAMPLES
    clips, packed, made = [], {}, {}
    for place, clip in enumerate(voice.clips):
        shared, made[f"clips/{place}.flac"] = _shared(clip, audio[clip.file], whole)
        clips.append(shared)
        if (held := codes.get(codes_key(clip, codec))) is not None:
            packed[str(place)] = np.ascontiguousarray(held)
    consent = voice.spoken_consent
    if consent is not None:
        consent, made[_CONSENT] = _shared(consent, audio[consent.file], whole)
    _check_size(path, [*clips, *([consent] if consent is not None else [])], made)
    told = replace(voice, clips=tuple(clips), spoken_consent=consent, favourite=False, folder="", projects=())
    said = json.dumps({"version": VERSION, "voice": plain(told)}, indent=1).encode()
    with WholeFile(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("mimetype", MIMETYPE)
        archive.writestr("voice.json", said, zipfile.ZIP_DEFLATED)
        for name, data in made.items():
            archive.writestr(name, data)
        archive.writestr("codes.safetensors", safetensors.numpy.save(packed, metadata={"codec": codec}))


def _shared(clip: Clip, path: Path, whole: bool) -> tuple[Clip, bytes]:
    """A clip and its recording as FLAC: all of it, or what is left by its trim."""
    if whole:
        data = _flac(path)
        return _as_flac(clip, data), data
    samples, rate = _channels(path)
    data = _encoded(samples[slice(*clip.trim)], rate)
    first, last = (round(place / max(1, clip.samples) * len(clip.thumbnail)) for place in clip.trim)
    made = _as_flac(replace(clip, thumbnail=clip.thumbnail[first:last]), data)
    return replace(made, trim=(0, made.samples)), data


def _check_size(path: Path, clips: list[Clip], made: Mapping[str, bytes]) -> None:
    """Raises VoiceFileError where no Retake would open the file."""
    if len(clips) > MOST_CLIPS:
        raise VoiceFileError(
            f"A voice file holds {MOST_CLIPS} recordings at most, and this voice has {len(clips)}.", path
        )
    sizes = [len(data) for data in made.values()]
    large = sum(sizes) > _MOST_FILE_BYTES - 10 * _MEGABYTE or max(sizes) > _MOST_CLIP_BYTES
    if large or sum(clip.samples for clip in clips) > MOST_SAMPLES:
        raise VoiceFileError(
            "The recordings of this voice are too long for a voice file, as far as they are used.", path
        )


def look_into(path: Path) -> SharedVoice:
    """All that is in a voice file, checked. OSError where it cannot be read at all, else VoiceFileError."""
    path = reachable(path)
    if path.stat().st_size > _MOST_FILE_BYTES:
        raise VoiceFileError(f"{path.name} is larger than any voice file can be.", path)
    data = path.read_bytes()
    try:
        _look_at_end(data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _opened(archive, path)
    except _MALFORMED as error:
        raise VoiceFileError(f"{path.name} is not a voice file, or it is damaged.", path) from error


def _look_at_end(data: bytes) -> None:
    """A list of members that is longer than ours would fill the memory before any name in it is seen."""
    end = data[-_END.size :]
    if len(end) < _END.size or not end.startswith(b"PK\x05\x06"):
        raise ValueError("no list of members at its end")
    if _END.unpack(end)[5] > _MOST_LIST_BYTES:
        raise ValueError("too many members")


def _opened(archive: zipfile.ZipFile, path: Path) -> SharedVoice:
    if _member(archive, "mimetype") != MIMETYPE:
        raise ValueError("another kind of file")
    said = json.loads(_member(archive, "voice.json"))
    version = said["version"]
    if type(version) is not int or version < 1:
        raise ValueError(f"no version: {version!r:.40}")
    if version > VERSION:
        raise VoiceFileError(f"{path.name} was written by a newer Retake.", path)
    names = archive.namelist()
    clips = (f"clips/{place}.flac" for place in range(MOST_CLIPS))
    if set(names) - {"mimetype", "voice.json", "codes.safetensors", _CONSENT, *clips} or len(set(names)) < len(names):
        raise VoiceFileError(f"{path.name} holds what no voice file holds, and was not opened.", path)
    voice = replace(read_voice(said["voice"]), id=new_voice_id(), favourite=False, folder="", projects=())
    if not 1 <= len(voice.clips) <= MOST_CLIPS or len(names) != 3 + len(voice.recordings):
        raise ValueError(f"{len(voice.clips)} clips")
    recordings, heard = {}, []
    if sum(clip.samples for clip in voice.recordings) > MOST_SAMPLES:
        raise ValueError("too long")
    for place, clip in enumerate(voice.clips):
        data = _member(archive, f"clips/{place}.flac")
        heard.append(_checked(clip, data))
        recordings[clip.file] = data
    consent = None
    if voice.spoken_consent is not None:
        data = _member(archive, _CONSENT)
        consent = _checked(voice.spoken_consent, data)
        recordings[voice.spoken_consent.file] = data
    codes, codec = _codes(_member(archive, "codes.safetensors"), voice)
    return SharedVoice(voice, recordings, heard[0], codes, codec, consent)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The member of that name, KeyError where there is none; more than an honest one may have is refused unread."""
    return read_member(archive, name, _MOST_BYTES.get(name, _MOST_CLIP_BYTES))


def _checked(clip: Clip, data: bytes) -> Recording:
    """The recording, if it is what the clip says; no more of it is decoded than that."""
    if clip.audio != _digest(data) or clip.suffix != ".flac":
        raise ValueError(f"another recording than that of {clip.name!r:.40}")
    with soundfile.SoundFile(io.BytesIO(data)) as file:
        if file.format != "FLAC" or not (file.samplerate <= _MOST_RATE and file.channels <= _MOST_CHANNELS):
            raise ValueError(f"no recording: {file.format}")
        if (file.frames, file.samplerate, file.channels) != (clip.samples, clip.rate, clip.channels):
            raise ValueError("its header says something else")
        samples = np.zeros(clip.samples, np.float32)
        count = 0
        while len(block := file.read(min(_BLOCK, clip.samples - count), dtype="float32", always_2d=True)):
            samples[count : count + len(block)] = block.mean(axis=1)
            count += len(block)
    if count != clip.samples or not np.isfinite(samples).all():
        raise ValueError("cut short")
    return Recording(frozen(samples), clip.rate, clip.channels, "FLAC")


def _codes(data: bytes, voice: LibraryVoice) -> tuple[dict[str, Codes], str]:
    """The codes by key. They are only read for the codec they name, so they need not be trusted further."""
    held = safetensors.numpy.load(data)
    codec = _codec(data)
    codes = {}
    for place, each in held.items():
        if not place.isdigit() or int(place) >= len(voice.clips):
            raise ValueError(f"codes of no clip: {place!r:.20}")
        if each.dtype != np.int16 or each.ndim != 2 or not each.size or each.min() < 0:
            raise ValueError(f"codes are {each.dtype} {each.shape}")
        codes[codes_key(voice.clips[int(place)], codec)] = frozen(each)
    return codes, codec


def _codec(data: bytes) -> str:
    """What the header says of the codec. It was parsed before, so it is whole."""
    length = int.from_bytes(data[:8], "little")
    codec = json.loads(data[8 : 8 + length]).get("__metadata__", {}).get("codec", "")
    if not isinstance(codec, str) or not (codec == "" or codec.isalnum()) or len(codec) > 64:
        raise ValueError(f"no codec: {codec!r:.40}")
    return codec


def _flac(path: Path) -> bytes:
    """A recording as FLAC, all its channels, as deep as FLAC goes; what came as FLAC goes as it is."""
    if path.suffix == ".flac":
        return path.read_bytes()
    return _encoded(*_channels(path))


def _encoded(samples: Samples, rate: int) -> bytes:
    made = io.BytesIO()
    with soundfile.SoundFile(made, "w", rate, samples.shape[1], "PCM_24", format="FLAC") as file:
        for start in range(0, len(samples), _BLOCK):
            file.write(samples[start : start + _BLOCK])
    return made.getvalue()


def _channels(path: Path) -> tuple[Samples, int]:
    """float32 [sample, channel] and the rate."""
    if path.suffix in (".m4a", ".mp4", ".aac"):
        recording = read_recording(path)
        return recording.samples[:, None], recording.rate
    with soundfile.SoundFile(path) as file:
        return file.read(dtype="float32", always_2d=True), file.samplerate


def _as_flac(clip: Clip, data: bytes) -> Clip:
    """The clip with its recording as FLAC; some formats hold a few samples more or less than they say."""
    with soundfile.SoundFile(io.BytesIO(data)) as file:
        count, channels = file.frames, file.channels
    name = clip.name[: len(clip.name) - len(clip.suffix)] + ".flac"
    trim = (min(clip.trim[0], count - 1), min(clip.trim[1], count))
    return replace(clip, audio=_digest(data), name=name, samples=count, channels=channels, kind="FLAC", trim=trim)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
