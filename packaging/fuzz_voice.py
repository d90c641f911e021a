"""Throws spoilt `.voice` files at the reader: `.venv/bin/python packaging/fuzz_voice.py [FILES] [SEED]`.

Every file must be refused with a plain sentence or be read whole; nothing may be written, run, or take long. It prints
how many were refused and read, and fails at the first file that gets out of hand, which it leaves behind.
"""

from __future__ import annotations

import io
import pickle
import random
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import soundfile

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from studio.library.share import VoiceFileError, look_into, share  # noqa: E402
from studio.library.voices import Clip, LibraryVoice, codes_key, new_voice_id  # noqa: E402

SLOWEST = 2.0  # seconds for one small file
STRANGE = (
    "../evil.txt", "/etc/evil", "clips/../../evil", "C:\\evil", "clips/99.flac", "consent.wav", "x" * 5000, "a.pkl",
    "a\x00b",
)  # fmt: skip
NUMBERS = (b"0", b"-1", b"1e309", b"99999999999999999999", b"null", b"[]", b'"../x"', b"NaN", b"true")


def a_voice_file(folder: Path) -> bytes:
    """A small voice file as it should be: two clips with codes, and a spoken consent."""
    rate, noise = 22_050, np.random.default_rng(1)
    clips, audio, codes = [], {}, {}
    for number in range(3):
        path = folder / f"clip{number}.wav"
        soundfile.write(path, noise.normal(0, 0.1, (rate // 10, 1 + number)), rate)
        clip = Clip(f"{number:032x}", path.name, rate, 1 + number, rate // 10, "WAV", (10, 2_000), "Good evening.")
        clips.append(clip)
        audio[clip.file] = path
        codes[codes_key(clip, "0123456789abcdef")] = noise.integers(0, 256, (10, 3)).astype(np.int16)
    *clips, consent = clips
    voice = LibraryVoice(new_voice_id(), "Ada", tuple(clips), "English", "a note", spoken_consent=consent)
    made = folder / "honest.voice"
    share(made, replace(voice, colour=3), audio, codes, "0123456789abcdef")
    return made.read_bytes()


def members(honest: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(honest)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(held: list[tuple[str, bytes]], method: int = zipfile.ZIP_STORED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in held:
            archive.writestr(name, data)
    return made.getvalue()


def flipped(honest: bytes, chance: random.Random) -> bytes:
    """Some bytes of the whole file are others."""
    data = bytearray(honest)
    for _ in range(chance.choice((1, 2, 8, 64))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def shortened(honest: bytes, chance: random.Random) -> bytes:
    start, stop = sorted(chance.randrange(len(honest) + 1) for _ in range(2))
    return chance.choice((honest[:stop], honest[start:], honest[:start] + honest[stop:]))


def spoilt_member(honest: bytes, chance: random.Random) -> bytes:
    """One member is flipped, cut, doubled or foreign, and the zip around it sound."""
    held = members(honest)
    name = chance.choice(sorted(held))
    data = held[name] or b"\0"
    held[name] = chance.choice((
        flipped(data, chance), shortened(data, chance), data * 2, b"", chance.randbytes(500), pickle.dumps({"a": [1]}),
    ))  # fmt: skip
    return zipped(list(held.items()))


def lying_record(honest: bytes, chance: random.Random) -> bytes:
    """voice.json says something else: a number, a name, a nesting."""
    held = members(honest)
    data = held["voice.json"]
    places = [place for place, byte in enumerate(data) if byte in b'0123456789"']
    for _ in range(chance.choice((1, 1, 2, 5))):
        place = chance.choice(places)
        data = data[:place] + chance.choice(NUMBERS) + data[place + chance.choice((0, 1, 3)) :]
    if chance.random() < 0.02:
        data = b"[" * 200_000
    held["voice.json"] = data
    return zipped(list(held.items()))


def strange_names(honest: bytes, chance: random.Random) -> bytes:
    """Members beside ours, in place of ours, twice, or out of order."""
    held = list(members(honest).items())
    for _ in range(chance.choice((1, 3))):
        name = chance.choice((*STRANGE, *(name for name, _ in held)))
        made = (name, chance.randbytes(chance.choice((0, 40))))
        place = chance.randrange(len(held))
        rest = held[place + 1 :]
        held = chance.choice(([*held, made], [*held[:place], made, *rest], held[:place] + rest))
    chance.shuffle(held)
    return zipped(held)


def swollen(honest: bytes, chance: random.Random) -> bytes:
    """A member that unpacks to far more than it takes."""
    held = members(honest)
    held[chance.choice(sorted(held))] = bytes(chance.choice((2_000_000, 9_000_000)))
    return zipped(list(held.items()), zipfile.ZIP_DEFLATED)


def lying_headers(honest: bytes, chance: random.Random) -> bytes:
    """Sizes, offsets and methods in the zip's own lists are others."""
    data = bytearray(honest)
    for signature, span in ((b"PK\x01\x02", 46), (b"PK\x03\x04", 30), (b"PK\x05\x06", 22)):
        place = data.rfind(signature) if chance.random() < 0.5 else data.find(signature)
        if place >= 0 and chance.random() < 0.6:
            at = place + chance.randrange(4, span)
            data[at : at + 2] = chance.randbytes(2)
    return bytes(data)


SPOIL: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flipped, shortened, spoilt_member, lying_record, strange_names, lying_headers,
)  # fmt: skip


def main(count: int, seed: int) -> None:
    chance = random.Random(seed)
    came = Counter[str]()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        honest = a_voice_file(folder)
        look_into(folder / "honest.voice")
        before = {path.name for path in folder.iterdir()} | {"spoilt.voice"}
        for number in range(count):
            spoil = swollen if number % 200 == 0 else chance.choice(SPOIL)
            path = folder / "spoilt.voice"
            path.write_bytes(spoil(honest, chance))
            start = time.monotonic()
            try:
                look_into(path)
                came["read"] += 1
            except VoiceFileError:
                came["refused"] += 1
            except BaseException:
                Path("spoilt.voice").write_bytes(path.read_bytes())
                print(f"file {number} ({spoil.__name__}) got out of hand; it lies in spoilt.voice")
                raise
            if time.monotonic() - start > SLOWEST:
                raise SystemExit(f"file {number} ({spoil.__name__}) took {time.monotonic() - start:.1f} s")
        assert {path.name for path in folder.iterdir()} == before, "something was written"
    print(f"{count} files in {time.monotonic() - began:.0f} s: {came['refused']} refused, {came['read']} read")


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    main(*(given + [20_000, 1][len(given) :]))
