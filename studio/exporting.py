"""Writing what is heard into files: the same mix that the player reads, on the file thread."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.audio import Writer, write
from engine.request import Samples
from engine.whole_file import reachable
from studio.document.timing import Mix, Placed
from studio.samples import Print
from studio.session import Session

BLOCK_SECONDS = 1
_FORBIDDEN = '<>:"/\\|?*'
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)  # no names of files on Windows
_LONGEST_NAME = 80  # characters, and twice as many bytes: what is made of a name must still be one


@dataclass(frozen=True, eq=False)
class Material:
    """What an export is made of: the lines of one scene from its first moment on, and their prints where there are any.
    `silent` are the numbers of the lines that have words but no take yet; `undecoded` those whose take is still on its
    way to a print, `foreign` those whose take the voice model cannot make sound. `credits` go into the metadata of what
    is written."""

    title: str
    placed: tuple[Placed, ...]
    names: tuple[str, ...]
    prints: Mapping[str, Print]
    silent: tuple[int, ...] = ()
    undecoded: tuple[int, ...] = ()
    credits: str = ""
    foreign: tuple[int, ...] = ()

    @property
    def rate(self) -> int:
        """Samples a second; there must be a print."""
        return next(each.rate for each in self.prints.values())


def material(session: Session, scene: int) -> Material:
    """The scene as it stands."""
    placed = tuple(each for each in session.placed() if each.scene == scene)
    first = min((each.start_seconds for each in placed), default=0.0)
    prints: dict[str, Print] = {}
    silent, undecoded, foreign, names = [], [], [], []
    for each in placed:
        line = session.find(each.line_id)
        held = session.print_of(line.kept) if line else None
        names.append(each.character or "Nobody")
        if held is not None:
            prints[each.line_id] = held
        elif line is not None and line.kept in session.foreign:
            foreign.append(session.number(line.id))
        elif line is not None and session.kept(line) is not None:
            undecoded.append(session.number(line.id))
        elif line is not None and line.text.strip():
            silent.append(session.number(line.id))
    title = session.project.scenes[scene].title or session.project.title
    moved = tuple(replace(each, start_seconds=each.start_seconds - first) for each in placed)
    missing = tuple(silent), tuple(undecoded)
    return Material(title, moved, tuple(names), prints, *missing, foreign=tuple(foreign))


@dataclass(frozen=True)
class Written:
    """How many files were written, and the greatest sample in them before what is beyond 1 was cut off."""

    files: int
    peak: float

    @property
    def beyond_db(self) -> float:
        """By how much the loudest place was too loud; 0 where none was."""
        return max(0.0, 20 * math.log10(self.peak)) if self.peak > 0 else 0.0


def export_scene(material: Material, path: Path) -> Written:
    """The scene as one file. AudioError where that fails, and then none is written."""
    mix, peak = Mix(material.placed, material.prints, material.rate), 0.0
    with Writer(path, material.rate, comment=material.credits) as writer:
        for start in range(0, mix.length, BLOCK_SECONDS * mix.rate):
            samples = mix.read(start, min(BLOCK_SECONDS * mix.rate, mix.length - start))
            peak = max(peak, _peak(samples))
            writer.write(samples)
    return Written(1, peak)


def export_lines(material: Material, folder: Path) -> Written:
    """A file for each line that sounds, named by number and character, in a folder that is made if need be."""
    reachable(folder).mkdir(parents=True, exist_ok=True)
    files, peak = line_files(material, folder), 0.0
    for each in material.placed:
        if each.line_id in files:
            held = material.prints[each.line_id]
            samples = held.samples * np.float32(10 ** (each.gain / 20))
            peak = max(peak, _peak(samples))
            write(files[each.line_id], samples, held.rate, comment=material.credits)
    return Written(len(files), peak)


def _peak(samples: Samples) -> float:
    return float(np.abs(samples).max(initial=0.0))


def line_files(material: Material, folder: Path) -> dict[str, Path]:
    """The file of each line that sounds, by the line's id."""
    return {
        each.line_id: folder / f"{number:03d} {file_name(name)}.wav"
        for number, (each, name) in enumerate(zip(material.placed, material.names, strict=True), 1)
        if each.line_id in material.prints
    }


def file_name(name: str) -> str:
    """The name without what file systems refuse, and not too long for them; scripts of any kind stay."""
    allowed = "".join("_" if letter in _FORBIDDEN or not letter.isprintable() else letter for letter in name)
    short = allowed[:_LONGEST_NAME].encode("utf-8", "replace")[: 2 * _LONGEST_NAME].decode("utf-8", "ignore")
    short = short.strip(" .") or "_"
    return f"_{short}" if _DEVICES.match(short) else short
