"""Kills the real program again and again while it edits, generates and saves, and looks whether anything is missing
that was reported done.

    .venv/bin/python packaging/crash_test.py 200

Each run is `studio.app.open_app` in a process of its own, without a screen. Random acts go through its window; each
time the journal or a save says that all is on the disk, the run tells what that is. It is killed at a random moment;
then its journal and its project file are read, as the next start does, and compared with the last that was told.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from studio.document.file import load  # noqa: E402
from studio.document.history import History  # noqa: E402
from studio.document.journal import journals_in, recover  # noqa: E402
from studio.document.members import step_row  # noqa: E402
from studio.document.unfinished import new_span  # noqa: E402
from studio.session.filing import recover_project  # noqa: E402

Told = dict[str, Any]
LONGEST = 10.0  # seconds of a run
ACT_MS = 25


class LostError(AssertionError):
    """Something that was reported done is not there."""


def steps_of(history: History) -> list[int]:
    """A number for each step that no other step has."""
    return [zlib.crc32(step_row(history, place)) for place in range(len(history.steps))]


# The run


def run(project: Path, seed: int) -> None:
    """Act at random for ever."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QMessageBox

    from engine.request import Chunk, Failed, Finished, Stopped
    from studio.app import App, open_app

    QMessageBox.exec = lambda _: QMessageBox.StandardButton.Discard  # type: ignore[method-assign]
    chance = random.Random(seed)
    frames: dict[int, int] = {}

    def count(number: int, event: object) -> None:
        if isinstance(event, Chunk):
            frames[number] = frames.get(number, 0) + event.codes.shape[1]
        elif isinstance(event, Finished | Stopped | Failed) and frames.pop(number, 0):
            print(json.dumps({"over": "frames"}), flush=True)  # before the journal lets them go

    def tell(app: App, **more: Any) -> None:
        history, view = app.session.history, app.performing.candidates.view
        takes = [take.id for take in app.session.store]
        candidates = [take.id for take in view.takes] if view is not None else []
        told = {"steps": steps_of(history), "at": history.at, "tip": history.tip, "takes": takes}
        told |= {"candidates": candidates, "frames": sum(frames.values())}
        print(json.dumps({**told, **more}), flush=True)

    def saved_takes(app: App) -> list[str]:
        return [take.id for pack in app.session.in_file.written.packs for take in pack.takes]

    def act(app: App) -> None:
        window, session = app.window, app.session
        key = Qt.Key
        control = Qt.KeyboardModifier.ControlModifier
        match chance.randrange(22):
            case 0 | 1 | 2:
                window.do("undo")
            case 3:
                window.do("redo")
            case 4:
                lines = session.project.lines()
                session.choose_line(chance.choice(lines).id)
            case 5 | 6 | 13 | 14:
                window.do("generate")
            case 7 | 20:
                take = session.kept(session.line) if session.line else None
                if take is not None:
                    start = chance.randrange(take.frames)
                    session.choose_span(session.chosen or "", (start, min(take.frames, start + 20)))
                window.do("regenerate")
            case 21 if chance.random() < 0.1:
                window.do("keep_sound")
            case 8 if session.path is not None or chance.random() < 0.3:
                session.save(project)
            case 9:
                QTest.keyClick(window.display.script, key.Key_Return)
            case 10:
                session.jump(chance.randrange(len(session.history.steps)))
            case 11:
                QTest.keyClick(window.display.script, key.Key_A, control)
                QTest.keyClicks(window.display.script, "MIRA: All of it anew.")
            case 12:
                window.do("next_take")
            case _:
                QTest.keyClicks(window.display.script, chance.choice(("word ", "and ", "so ", "[sighs] ", "no. ")))

    with open_app(project if project.exists() else None) as app:
        app.engine.answered.connect(count)
        app.journaling.written.connect(lambda: tell(app))
        app.performing.candidates.changed.connect(lambda: print(json.dumps({"over": "candidates"}), flush=True))
        app.session.saved.connect(lambda _: tell(app, saved=saved_takes(app), candidates=[], frames=0))
        timer = QTimer(interval=ACT_MS)
        timer.timeout.connect(lambda: act(app))

        def begin() -> None:
            timer.start()
            print("begun", flush=True)

        if seed % 4 == 0:  # now and then from before the voice model is there
            begin()
        else:
            app.engine.opened.connect(begin, Qt.ConnectionType.QueuedConnection)
        QApplication.exec()


# The test


def kill_once(folder: Path, seed: int) -> tuple[int, ...]:
    """One run, killed. How many reports there were, and steps, takes, candidates and frames of unfinished ones in the
    last of them; LostError where something is gone."""
    chance = random.Random(seed)
    project = folder / "楚心 project.retake"
    with (folder / "errors").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, __file__, "--run", str(project), str(seed)],
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_surroundings(folder),
            text=True,
            cwd=ROOT,
        )
    assert process.stdout is not None
    try:
        if "begun\n" not in iter(process.stdout.readline, ""):
            raise LostError(f"the run, which did not begin: {(folder / 'errors').read_text()[-300:]}")
        os.set_blocking(process.stdout.fileno(), False)
        until = time.monotonic() + chance.uniform(0.2, LONGEST)
        text = ""
        while time.monotonic() < until:
            text += _read(process)
            time.sleep(0.01)
        if process.poll() is not None:
            raise LostError(f"the run, which ended by itself: {(folder / 'errors').read_text()[-300:]}")
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
    os.set_blocking(process.stdout.fileno(), True)
    text += process.stdout.read()
    process.stdout.close()
    reports = reports_in(text)
    if reports:
        _compare(folder, project, reports)
    for path in journals_in(_journals(folder)):
        path.unlink()
    last: Told = reports[-1] if reports else {"steps": [], "takes": [], "candidates": [], "frames": 0}
    return len(reports), *(len(last[what]) for what in ("steps", "takes", "candidates")), last["frames"]


def reports_in(text: str) -> list[Told]:
    """The whole lines that a run printed; of the last report, what was over since it was made is left out."""
    reports: list[Told] = []
    for line in text.split("\n")[:-1]:
        said = json.loads(line)
        if "over" not in said:
            reports.append(said)
        elif reports:
            reports[-1][said["over"]] = [] if said["over"] == "candidates" else 0
    return reports


def _compare(folder: Path, project: Path, reports: list[Told]) -> None:
    """Everything in the last report is in what the next start finds."""
    last = reports[-1]
    saved = [each["saved"] for each in reports if "saved" in each]
    if saved and (missing := set(saved[-1]) - {take.id for take in load(project).takes}):
        raise LostError(f"{len(missing)} takes that were saved")
    found = next((each for path in journals_in(_journals(folder)) if (each := recover(path))), None)
    if found is not None:
        opened = recover_project(found)
        opened.in_file.leave()
        history, takes, candidates = opened.history, opened.takes, {take.id for _, take in found.candidates}
        frames = sum(stop - start for start, stop in (new_span(take) for _, take in found.unfinished))
    elif project.exists():  # nothing had happened since it was opened
        loaded = load(project)
        history, takes, candidates, frames = loaded.history, loaded.takes, set(), 0
    elif len(last["steps"]) > 1:
        raise LostError("the journal")
    else:
        return
    steps, known = steps_of(history), len(last["steps"])
    # The newest step may have grown since by what was typed after the report; all others stand as they were.
    if len(steps) < known or steps[: known - 1] != last["steps"][:-1]:
        raise LostError(f"steps: {known} were reported, {len(steps)} are there")
    ids = {take.id for take in takes}
    if missing := set(last["takes"]) - ids:
        raise LostError(f"{len(missing)} takes of {len(last['takes'])}")
    if missing := set(last["candidates"]) - ids - candidates:
        raise LostError(f"{len(missing)} candidates of {len(last['candidates'])}")
    new = sum(take.frames for take in takes if take.id not in last["takes"])
    if frames + new < last["frames"]:
        raise LostError(f"frames: {last['frames']} were reported, {frames} are there")


def _read(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    with contextlib.suppress(BlockingIOError, TypeError):
        return process.stdout.read() or ""
    return ""


def _surroundings(folder: Path) -> dict[str, str]:
    """A home of its own, no screen and no sound."""
    kinds = {f"XDG_{kind.upper()}_HOME": str(folder / kind) for kind in ("config", "data", "state", "cache")}
    home = {"HOME": str(folder), "QT_QPA_PLATFORM": "offscreen", "RETAKE_SILENT": "1", "OMP_NUM_THREADS": "1"}
    return {**os.environ, **kinds, **home, "PYTHONPATH": str(ROOT)}


def _journals(folder: Path) -> Path:
    return folder / "state" / "retake" / "journals"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", type=int, nargs="?", default=200, help="how often the program is killed, in pairs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run", nargs=2, metavar=("PROJECT", "SEED"), help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.run is not None:
        run(Path(told.run[0]), int(told.run[1]))
        return 0
    lost, totals = 0, [0] * 5
    began = time.monotonic()
    for number in range(told.seed, told.seed + told.kills):
        folder = Path(tempfile.mkdtemp(prefix="retake-crash-"))
        try:
            for life in range(2):  # the second opens what the first has saved
                counts = kill_once(folder, 2 * number + life)
                totals = [total + count for total, count in zip(totals, counts, strict=True)]
        except LostError as error:
            lost += 1
            print(f"run {number}: lost {error}", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    reports, steps, takes, candidates, frames = totals
    print(
        f"{2 * told.kills} kills in {time.monotonic() - began:.0f} s: {reports} reports, "
        f"{steps} steps, {takes} takes, {candidates} candidates and {frames} frames of unfinished takes at the last of "
        f"them, {lost} losses"
    )
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
