"""What a large project costs: 200 lines of 50 takes, each take a step of its history and with a thumbnail, opened and
saved; without sound, and with that of the 200 kept takes.

.venv/bin/python packaging/bench_project.py
"""

from __future__ import annotations

import argparse
import gc
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Voice
from studio.document.edits import AddTakes, ReplaceLines, SetKeepsSound
from studio.document.file import load, save
from studio.document.history import History, Step
from studio.document.journal import Entry, Journal, Standing
from studio.document.members import step_row, step_rows
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.document.store import Store
from studio.document.thumbnails import Thumbnail
from studio.samples import Peaks, Print

LINES, TAKES, FRAMES, CODEBOOKS = 200, 50, 86, 10
TEXT = "There are eleven of them, and not one has ever told us where the other ten have been all this time."


def take(number: int, line: int, voice: Voice) -> Take:
    """A take of about four seconds."""
    random = np.random.default_rng(number)
    prompt = Prompt((Part(0, f"{TEXT} {line}"),), (voice,))
    origin = Origin(prompt, "0123456789abcdef", number, Settings(), How.GENERATED, 44_100, 2_048)
    data = FrameData(*random.random((2, 2, FRAMES), np.float32))
    return Take(random.integers(0, 1024, (CODEBOOKS, FRAMES)).astype(np.int16), origin, data)


def made() -> tuple[History, list[Take]]:
    """The project with all that happened in it."""
    codes = np.random.default_rng(0).integers(0, 1024, (CODEBOOKS, 215)).astype(np.int16)
    voice = Voice("heart", (Reference("As I said.", codes),))
    lines = tuple(Line(f"{number:012x}", (LinePart("Ada", f"{TEXT} {number}"),)) for number in range(LINES))
    scenes = tuple(Scene(f"Scene {at}", lines[at : at + 20]) for at in range(0, LINES, 20))
    history = History.start(Project("Large", scenes, (Character("Ada", 0, "heart"),), (voice,)))
    steps: list[Step] = list(history.steps)
    takes = []
    for number in range(LINES * TAKES):
        made = take(number, number % LINES, voice)
        takes.append(made)
        step = replace(history, steps=(steps[-1],), at=0, tip=0).do(AddTakes(lines[number % LINES].id, (made.id,)))
        steps.append(replace(step.steps[-1], before=len(steps) - 1))
    return History(tuple(steps), len(steps) - 1, len(steps) - 1), takes


def print_of(_: str) -> Print:
    """How a take sounds: noise, which FLAC makes least of."""
    samples = np.random.default_rng(0).uniform(-0.3, 0.3, FRAMES * 2_048).astype(np.float32)
    return Print(44_100, samples, Peaks(samples))


def measure(path: Path) -> None:
    """Open the project in a process of its own, go on a little, and save it again."""
    gc.disable()  # as in the program, which collects when its event loop says so
    before = most_memory()
    began, worked = time.perf_counter(), time.process_time()
    loaded = load(path)
    store = Store(loaded.takes)
    opened, opening = time.perf_counter() - began, time.process_time() - worked
    memory = most_memory() - before
    voice, line = loaded.history.project.voices[0], loaded.history.project.lines()[0]
    history = loaded.history.do(ReplaceLines(0, 0, 1, (replace(line, note="x"),)))
    takes = (*store.takes(), take(-1 % 2**32, 0, voice))
    began, worked = time.perf_counter(), time.process_time()
    save(path, history, takes, loaded.written, loaded.thumbnails)
    saved, saving = time.perf_counter() - began, time.process_time() - worked
    began = time.perf_counter()
    for number in range(100):
        history = history.do(ReplaceLines(0, 0, 1, (replace(line, note=str(number)),)))
    edited = (time.perf_counter() - began) * 10
    began = time.perf_counter()
    for _ in range(100):
        history = history.undo()
    undone = (time.perf_counter() - began) * 10
    print(
        f"opened in {opened:.2f} s ({opening:.2f} s of the processor) with {memory:.0f} MB, "
        f"saved in {saved:.2f} s ({saving:.2f} s), "
        f"an edit {edited:.2f} ms, an undo {undone:.3f} ms, a journal entry {journaled(history, path):.1f} ms"
    )


def journaled(history: History, path: Path) -> float:
    """Milliseconds until an edit is on the disk, on the journal's own thread."""
    journal = Journal(path.with_suffix(".journal"))
    standing = Standing(history.at, history.tip)
    journal.write(Entry(standing, dict(enumerate(step_rows(history, (), ()))), afresh=True))
    began = time.perf_counter()
    for _ in range(100):
        last = len(history.steps) - 1
        journal.write(Entry(standing, {last: step_row(history, last)}))
    spent = (time.perf_counter() - began) * 10
    journal.delete()
    return spent


def most_memory() -> float:
    """The most memory this process has had, in MB (Linux)."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1000 if found else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, help="an existing project to measure")
    told = parser.parse_args()
    if told.path is not None:
        measure(told.path)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.retake"
        history, takes = made()
        thumbnails = dict.fromkeys((take.id for take in takes), Thumbnail.of(print_of("")))
        for sound in (False, True):
            history = history.do(SetKeepsSound(sound))
            began = time.perf_counter()
            save(path, history, takes, thumbnails=thumbnails, print_of=print_of)
            spent = time.perf_counter() - began
            size = path.stat().st_size / 1e6
            print(f"{len(takes)} takes, {len(history.steps)} steps, {size:.0f} MB, written in {spent:.1f} s")
            for _ in range(5 if not sound else 3):
                subprocess.run([sys.executable, __file__, str(path)], check=True)


if __name__ == "__main__":
    main()
