"""Mutates project files, takes and journals, and looks that each is opened or refused in plain words.

    .venv/bin/python packaging/fuzz_files.py 20000

Bytes are changed, taken out, put in or repeated, in the file or in a member inside a sound zip; numbers and words in
JSON become others. Nothing but a clear refusal may come of it: no other error, no file elsewhere, and less than a
gigabyte of memory.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import re
import resource
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from engine.errors import TakeFileError  # noqa: E402
from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Turn, Voice  # noqa: E402
from engine.take_file import read_take, write_take  # noqa: E402
from studio.document.edits import AddTakes, MarkTake, ReplaceLines, SetTitle  # noqa: E402
from studio.document.file import ProjectFileError, load, save  # noqa: E402
from studio.document.history import History  # noqa: E402
from studio.document.journal import Entry, Journal, JournalError, Standing, delete, recover  # noqa: E402
from studio.document.members import all_codes, step_rows  # noqa: E402
from studio.document.project import Character, Line, LinePart, Mark, Project, Scene  # noqa: E402
from studio.document.sounds import read_clip, read_sound  # noqa: E402
from studio.document.thumbnails import Thumbnail  # noqa: E402
from studio.samples import Peaks, Print  # noqa: E402

MOST_BYTES = 1_000_000_000  # of memory, over what the program itself takes
MOST_SECONDS = 10.0  # for one file
STRANGE: tuple[Any, ...] = (None, True, -1, 0, 2**63, 1e308, "", "\ud800", "x" * 1_000, [], {}, [[]], "../../x")


def take(seed: int) -> Take:
    codes = np.random.default_rng(seed).integers(0, 1024, (10, 30)).astype(np.int16)
    voice = Voice("heart", (Reference("As I said.", codes[:, :9]),))
    prompt = Prompt((Part(0, "Hello."),), (voice,), (Turn((Part(None, "Before."),), codes[:, :5]),))
    origin = Origin(prompt, "digest", seed, Settings(), How.SPLICED, 44_100, 2_048, "parent", (3, 9))
    data = np.ones((2, 30), np.float32)
    return Take(codes, origin, FrameData(data, data))


def heard(take_id: str) -> Print:
    samples = np.sin(np.arange(30 * 2_048) / (9 + len(take_id))).astype(np.float32)
    return Print(44_100, samples, Peaks(samples))


def opened(path: Path) -> None:
    """Open a project, look at all waves and hear all sounds that are in it."""
    loaded = load(path)
    for take in loaded.takes:
        if take.id in loaded.thumbnails:
            loaded.thumbnails[take.id].peaks.view(0, 50_000, 120)
        if take.id in loaded.written.sounds:
            read_sound(path, take)
    for voice in loaded.history.project.voices:
        for reference in voice.references:
            read_clip(path, reference)


def sound_files(folder: Path) -> list[Path]:
    """A project with thumbnails and sound, one of each older version, a take and a journal."""
    takes = [take(seed) for seed in range(4)]
    voice = takes[0].origin.prompt.voices[0]
    lines = tuple(Line(f"l{n}", (LinePart("Ada", f"Line {n}."),), (takes[n].id,), takes[n].id) for n in range(3))
    project = Project("Play", (Scene("One", lines),), (Character("Ada", 0, "heart"),), (voice,), keeps_sound=True)
    history = History.start(project).do(SetTitle("Second")).do(AddTakes("l0", (takes[3].id,)))
    history = history.undo().do(ReplaceLines(0, 1, 2, ())).do(MarkTake(takes[0].id, Mark(star=True)))
    thumbnails = {each.id: Thumbnail.of(heard(each.id)) for each in takes}
    save(folder / "sound.retake", history, takes, thumbnails=thumbnails, print_of=heard, clip_of=heard)
    write_take(folder / "sound.take", takes[0])
    journal = Journal(folder / "sound.journal")
    rows = dict(enumerate(step_rows(history, (), ())))
    standing = Standing(history.at, history.tip, None, str(folder / "sound.retake"))
    journal.write(Entry(standing, rows, all_codes(history.steps), dict(enumerate(takes)), afresh=True))
    journal.begin_frames(1, "l0", take(7))
    journal.add_frames(1, take(8).codes)
    journal.put_candidates("l0", (takes[0], take(9)))
    journal.close()
    old = sorted((ROOT / "tests" / "studio" / "document" / "files").glob("*.retake"))
    return [folder / "sound.retake", folder / "sound.take", folder / "sound.journal", *old]


def mutated(content: bytes, suffix: str, chance: random.Random) -> bytes:
    """The file with something wrong in it."""
    if suffix == ".retake" and chance.random() < 0.7:
        return _mutated_member(content, chance)
    if chance.random() < 0.2:
        return _mutated_json(content, chance)
    return _mutated_bytes(content, chance)


def _mutated_member(content: bytes, chance: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(list(members))
    change = _mutated_json if chance.random() < 0.6 else _mutated_bytes
    members[name] = change(members[name], chance)
    if chance.random() < 0.05:
        del members[chance.choice(list(members))]
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for each, data in members.items():
            archive.writestr(each if chance.random() < 0.99 else f"../{each}", data)
    return written.getvalue()


def _mutated_json(content: bytes, chance: random.Random) -> bytes:
    """A number, a word or a true in it becomes something strange; where there is none, bytes change."""
    places = list(re.finditer(rb'(?<=[:\[,])(-?\d+|"[^"\\]{0,40}"|true|false|null)(?=[,\]}])', content))
    if not places:
        return _mutated_bytes(content, chance)
    place = chance.choice(places)
    strange = json.dumps(chance.choice(STRANGE)).encode()
    return content[: place.start()] + strange + content[place.end() :]


def _mutated_bytes(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(data) + 1)
        length = chance.choice((0, 1, 1, 2, 4, 100))
        match chance.randrange(4):
            case 0:
                data[at : at + length] = chance.randbytes(length)
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[max(0, at - length) : at] * chance.choice((1, 2, 1_000))
            case 3:
                data[at : at + 4] = chance.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f"))
    if chance.random() < 0.1:
        del data[chance.randrange(len(data) + 1) :]
    return bytes(data)


READERS: dict[str, tuple[Callable[[Path], Any], type[Exception]]] = {
    ".retake": (opened, ProjectFileError),
    ".take": (read_take, TakeFileError),
    ".journal": (recover, JournalError),
}


def fuzz(count: int, seed: int, folder: Path) -> Counter[str]:
    """How many were opened and how many refused, by kind. Any other error goes on its way."""
    sound = {path: path.read_bytes() for path in sound_files(folder)}
    figures: Counter[str] = Counter()
    chance = random.Random(seed)
    before = set(folder.parent.iterdir())
    for number in range(count):
        path, content = chance.choice(list(sound.items()))
        strange = folder / f"strange{path.suffix}"
        delete(strange)
        strange.write_bytes(mutated(content, path.suffix, chance))
        opens, refuses = READERS[path.suffix]
        began = time.monotonic()
        try:
            opens(strange)
        except refuses as error:
            if not str(error).endswith("."):
                raise AssertionError(f"{seed}, {number}: no sentence: {error}") from error
            figures[f"{path.suffix} refused"] += 1
        except Exception as error:
            kept = folder.parent / f"fuzzed-{seed}-{number}{path.suffix}"
            strange.replace(kept)
            raise AssertionError(f"{kept} is neither opened nor refused") from error
        else:
            figures[f"{path.suffix} opened"] += 1
        if time.monotonic() - began > MOST_SECONDS:
            raise AssertionError(f"{seed}, {number}: took {time.monotonic() - began:.0f} s")
    if strangers := {each for each in folder.parent.iterdir() if each not in before}:
        raise AssertionError(f"written outside: {strangers}")
    return figures


@contextmanager
def little_memory() -> Iterator[None]:
    """No more than a gigabyte over what is used now (Linux)."""
    used = int(re.findall(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[0]) * 1024
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=20_000, help="how many files")
    parser.add_argument("--seed", type=int, default=0)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as above, little_memory():
        folder = Path(above) / "files"
        folder.mkdir()
        began = time.monotonic()
        figures = fuzz(told.count, told.seed, folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    counted = ", ".join(f"{count:,} {kind}" for kind, count in sorted(figures.items()))
    print(f"{told.count:,} files in {time.monotonic() - began:.0f} s, at most {peak:.0f} MB: {counted}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
