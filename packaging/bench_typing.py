"""How long a key press takes in a script of 2 MB: from the event to the painted window.

    python packaging/bench_typing.py [--lines N] [--editor]

Opens the real window on a script of 20,000 lines (offscreen, without a voice model) and types at its top, in its middle
and at its end: letters, Enter, Backspace that joins two lines, a pasted word. Prints milliseconds at the 50th and 99th
percentile, by the clock and of the window's own thread (what a machine with nothing else to do would show), how long
the script takes to be read and shown, and how long the window stands at most while its timeline follows.
`--editor` types into the script's panel alone, with the project answering each key. Goals: 16 ms a key, 50 ms.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("RETAKE_SILENT", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio import theme
from studio.app import App
from studio.document.edits import ReplaceLines, apply
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.document.script import project_from_script, to_text
from studio.panels.script import ScriptEditor
from studio.settings import Preferences

SCENES, KEYS, OTHERS = 10, 300, 100
FOLLOWS = 3.0  # seconds after the last key
WORDS = "Then we have until half past four [sighs] before the whole coast knows, and then it does not matter at all."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--editor", action="store_true", help="the script's panel alone")
    told = parser.parse_args()
    qt = QApplication([])
    theme.apply(qt, theme.DARK)
    project = script(told.lines)
    if told.editor:
        type_in_editor(qt, project)
    else:
        type_in_window(qt, project)


def type_in_window(qt: QApplication, project: Project) -> None:
    text = to_text(project)
    app = App(Preferences())
    app.window.show()
    qt.processEvents()
    print(f"{len(project.lines())} lines, {len(text) / 1e6:.1f} MB")
    read = seconds(lambda: project_from_script(text, ()))

    def show() -> None:
        app.session.start(project)
        qt.processEvents()

    shown = seconds(show)
    print(f"read in {read:.2f} s, shown in {shown:.2f} s")
    settle(qt, lambda: app.window.writing.linting.busy)
    measure(qt, app.window.display.script, project)
    clock, own = gaps(qt)
    print(f"while the timeline follows, the window stands at most {1e3 * clock:.1f} ms, own {1e3 * own:.1f} ms")
    app.close()


def type_in_editor(qt: QApplication, project: Project) -> None:
    editor = ScriptEditor()
    editor.resize(912, 550)
    editor.show()
    held = project

    def answer(scene: int, start: int, stop: int, lines: tuple[Line, ...]) -> None:
        nonlocal held
        held = apply(held, ReplaceLines(scene, start, stop, lines))
        editor.show_project(held)

    print(f"shown in {seconds(lambda: editor.show_project(project)):.2f} s")
    editor.lines_replaced.connect(answer)
    measure(qt, editor, project)


def measure(qt: QApplication, editor: ScriptEditor, project: Project) -> None:
    ids = [line.id for line in project.lines()]
    times: dict[str, list[tuple[float, float]]] = {}
    for row in (5, len(ids) // 2, len(ids) - 5):
        editor.choose_line(ids[row])
        settle(qt, lambda: False)
        QApplication.clipboard().setText("until ")
        for keys, count, act in (
            ("a letter", KEYS, lambda: press(qt, editor, Qt.Key.Key_A)),
            ("Enter", OTHERS, lambda: press(qt, editor, Qt.Key.Key_Return)),
            ("Backspace", OTHERS, lambda: press(qt, editor, Qt.Key.Key_Backspace)),
            ("a paste", OTHERS, lambda: paste(qt, editor)),
        ):
            times.setdefault(keys, []).extend(costs(act) for _ in range(count))
    for keys, each in times.items():
        print(f"{keys}: {said(each)}")


def script(count: int) -> Project:
    each = count // SCENES
    scenes = (
        Scene(f"Scene {n + 1}", tuple(Line(f"l{n * each + m}", (LinePart("Mira", WORDS),)) for m in range(each)))
        for n in range(SCENES)
    )
    return Project("Long", tuple(scenes), (Character("Mira"),))


def settle(qt: QApplication, busy: Callable[[], bool]) -> None:
    """Until nothing waits any more."""
    quiet = time.monotonic() + 0.6
    while busy() or time.monotonic() < quiet:
        qt.processEvents()


def press(qt: QApplication, editor: ScriptEditor, key: Qt.Key) -> None:
    QTest.keyClick(editor, key)
    qt.processEvents()


def gaps(qt: QApplication) -> tuple[float, float]:
    """The longest turn of the event loop until the timeline has followed: seconds by the clock, and of this thread."""
    until, found = time.monotonic() + FOLLOWS, []
    while time.monotonic() < until:
        found.append(costs(qt.processEvents))
    clock, own = zip(*found, strict=True)
    return max(clock), max(own)


def paste(qt: QApplication, editor: ScriptEditor) -> None:
    QTest.keyClick(editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qt.processEvents()


def seconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def costs(act: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of this thread alone."""
    own = time.thread_time()
    return seconds(act), time.thread_time() - own


def said(times: list[tuple[float, float]]) -> str:
    clock, own = (sorted(each) for each in zip(*times, strict=True))
    at = int(len(times) * 0.99)
    half = len(times) // 2
    return f"{1e3 * clock[half]:.1f} / {1e3 * clock[at]:.1f} ms, own {1e3 * own[half]:.1f} / {1e3 * own[at]:.1f} ms"


if __name__ == "__main__":
    main()
