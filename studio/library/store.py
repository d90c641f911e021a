"""Where the voices lie: a folder for each, with its record, the recordings as they came, and their codes.

VOICE/voice.json         the record: what a LibraryVoice holds
VOICE/DIGEST.wav ...     recordings, never changed
VOICE/KEY.codes          codes by audio, trim and codec: made again at will
lock                     held by the copy of Retake that may write; any other only reads

A voice comes and goes as a whole folder, in one renaming; a record is replaced as a whole. So whatever happens
half-way, the library is as it was, and what lies about of it is swept away when it is opened next.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from engine.errors import why
from engine.request import Codes, frozen
from engine.whole_file import WholeFile, reachable
from studio.document.encoding import plain, read
from studio.library.voices import Clip, LibraryVoice, codes_key, free_name

VERSION = 1
_RECORD = "voice.json"
_COMING, _GOING = ".new-", ".gone-"
_MOST_RECORD_BYTES = 4_000_000
_CODES_MAGIC = b"RTKCODE1"


class LibraryError(Exception):
    """The library cannot do that. The message is a plain sentence."""


class Library:
    """The library in a folder. It may be used on one thread at a time; what it gives are values."""

    def __init__(self, folder: Path, may_write: bool = True) -> None:
        """Open a folder, made where it is not there. Where another copy holds it, or it cannot be written to, or
        `may_write` is False, it is only read."""
        self.folder = folder
        self._lock = FileLock(folder / "lock", timeout=0, thread_local=False)
        self.why = "" if may_write else "it was opened to be looked at"  # why it is only read
        self.read_only = not (may_write and self._take_lock())
        if not self.read_only:
            self._sweep()

    def _take_lock(self) -> bool:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except Timeout:
            self.why = "another copy of Retake has it open"
            return False
        except OSError as error:
            self.why = why(error)
            return False
        return True

    def close(self) -> None:
        self._lock.release()

    # Reading

    def voices(self) -> tuple[LibraryVoice, ...]:
        """All voices by name. A folder that cannot be read, or is none of ours, is left out and left alone."""
        found = []
        for path in sorted(self.folder.glob(f"*/{_RECORD}")):
            if not path.parent.name.startswith("."):
                with contextlib.suppress(OSError, ValueError, RecursionError):
                    found.append(_read_record(path))
        return tuple(sorted(found, key=lambda voice: (voice.name.casefold(), voice.id)))

    def audio(self, voice: LibraryVoice, clip: Clip) -> Path:
        """Where the recording of a clip lies."""
        return self.folder / voice.id / clip.file

    def codes(self, voice: LibraryVoice, codec: str) -> dict[str, Codes]:
        """The codes of the voice's clips that are there, by key."""
        held = {}
        for clip in voice.clips:
            key = codes_key(clip, codec)
            with contextlib.suppress(OSError, ValueError):
                held[key] = _read_codes(self._codes_path(voice.id, key))
        return held

    # Writing: OSError where the disk refuses, LibraryError where this copy only reads

    def add(self, voice: LibraryVoice, recordings: Mapping[str, Path]) -> LibraryVoice:
        """A new voice with its recordings, by `Clip.file`. It comes back under the name it has got."""
        self._must_write()
        voice = replace(voice, name=free_name(voice.name, {each.name for each in self.voices()}))
        coming = self.folder / f"{_COMING}{voice.id}"
        try:
            coming.mkdir()
            for name, path in recordings.items():
                _copy(path, coming / name)
            record_voice(coming, voice)
            coming.replace(self.folder / voice.id)
        except OSError:
            shutil.rmtree(coming, ignore_errors=True)
            raise
        return voice

    def put(self, voice: LibraryVoice, recordings: Mapping[str, Path] | None = None) -> LibraryVoice:
        """A voice as it is now, with recordings that are new in it; those no clip names any more go."""
        self._must_write()
        taken = {each.name for each in self.voices() if each.id != voice.id}
        voice = replace(voice, name=free_name(voice.name, taken))
        folder = self.folder / voice.id
        new = {name: path for name, path in (recordings or {}).items() if not (folder / name).exists()}
        try:
            for name, path in new.items():
                _copy(path, folder / name)
            record_voice(folder, voice)
        except OSError:
            for name in new:
                (folder / name).unlink(missing_ok=True)
            raise
        kept = {clip.file for clip in voice.recordings} | {_RECORD}
        for path in folder.iterdir():
            if path.name not in kept and path.suffix != ".codes":
                with contextlib.suppress(OSError):
                    path.unlink()
        return voice

    def put_codes(self, voice_id: str, key: str, codes: Codes) -> None:
        """Keep the codes of a clip; where the voice is gone meanwhile, so are they."""
        if self.read_only or not (self.folder / voice_id).is_dir():
            return
        with WholeFile(self._codes_path(voice_id, key)) as file:
            file.write(_CODES_MAGIC + np.array(codes.shape, "<u4").tobytes() + codes.astype("<i2").tobytes())

    def remove(self, voice_id: str) -> None:
        """The voice goes, with its recordings. Projects that cast it carry what they need of it."""
        self._must_write()
        going = self.folder / f"{_GOING}{voice_id}"
        shutil.rmtree(going, ignore_errors=True)
        (self.folder / voice_id).replace(going)
        shutil.rmtree(going, ignore_errors=True)

    def _must_write(self) -> None:
        if self.read_only:
            raise LibraryError(f"The voice library can only be read now: {self.why}.")

    def _sweep(self) -> None:
        """What a crash left half-way goes."""
        for start in (_COMING, _GOING):
            for path in self.folder.glob(f"{start}*"):
                shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob("*/*.part"):
            with contextlib.suppress(OSError):
                path.unlink()

    def _codes_path(self, voice_id: str, key: str) -> Path:
        return self.folder / voice_id / f"{key}.codes"


def read_voice(said: object) -> LibraryVoice:
    """A voice from what a record says; ValueError where it is none that could have been written."""
    voice = read(LibraryVoice, said)
    if not voice.id.isalnum() or not voice.name.strip():
        raise ValueError(f"no voice: {voice.id!r:.40}")
    for clip in voice.recordings:
        first, last = clip.trim
        if not (clip.audio.isalnum() and clip.rate > 0 and clip.channels > 0 and 0 <= first < last <= clip.samples):
            raise ValueError(f"no clip: {clip.audio!r:.40}")
        if not all(0 <= fade < 3600 for fade in clip.fades):
            raise ValueError("no fade")
        if not clip.suffix[1:].isalnum() or len(clip.trim) != 2:
            raise ValueError(f"no recording: {clip.name!r:.40}")
    return voice


def _read_record(path: Path) -> LibraryVoice:
    if path.stat().st_size > _MOST_RECORD_BYTES:
        raise ValueError("too large")
    said = json.loads(path.read_bytes())
    if not isinstance(said, dict) or said.pop("version", None) != VERSION:
        raise ValueError("not a record of this version")
    voice = read_voice(said)
    if voice.id != path.parent.name:
        raise ValueError("a copy of another voice's folder")
    return voice


def record_voice(folder: Path, voice: LibraryVoice) -> None:
    """Write a voice's record into its folder, whole or not at all."""
    said = json.dumps({"version": VERSION, **plain(voice)}, indent=1)
    with WholeFile(folder / _RECORD) as file:
        file.write(said.encode() + b"\n")


def _read_codes(path: Path) -> Codes:
    data = path.read_bytes()
    head = len(_CODES_MAGIC) + 8
    codebooks, frames = np.frombuffer(data[len(_CODES_MAGIC) : head], "<u4")
    if data[: len(_CODES_MAGIC)] != _CODES_MAGIC or len(data) != head + 2 * int(codebooks) * int(frames) or not frames:
        raise ValueError("no codes")
    return frozen(np.frombuffer(data[head:], "<i2").reshape(int(codebooks), int(frames)).astype(np.int16))


def _copy(source: Path, target: Path) -> None:
    with reachable(source).open("rb") as file, WholeFile(target) as copy:
        shutil.copyfileobj(file, copy, 1 << 20)
