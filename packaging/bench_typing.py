"""How long a key press takes in a script of 2 MB, from the event to the painted screen.

    PYTHONPATH=. python packaging/bench_typing.py

Prints milliseconds at the 50th and 99th percentile for keys at the top, in the middle and at the end, with the project
answering each, and how long the script takes to be shown.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio import theme
from studio.document.edits import ReplaceLines, apply
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.document.state import Kind, LineState
from studio.panels.script import ScriptEditor

LINES, SCENES, KEYS = 20_000, 10, 300
WORDS = "Then we have until half past four [sighs] before the whole coast knows, and then it does not matter at all."


def main() -> None:
    app = QApplication([])
    theme.apply(app, theme.DARK)
    project = script()
    editor = ScriptEditor()
    editor.resize(912, 550)
    editor.show()
    size = sum(len(line.text) for line in project.lines()) / 1e6
    states = {line.id: LineState(Kind.READY, 3.0) for line in project.lines()}
    print(f"{LINES} lines, {size:.1f} MB, shown in {seconds(lambda: show(app, editor, project)):.2f} s")
    print(f"states shown in {1000 * seconds(lambda: editor.show_states(states)):.1f} ms")

    def answer(scene: int, start: int, stop: int, lines: tuple[Line, ...]) -> None:
        nonlocal project
        project = apply(project, ReplaceLines(scene, start, stop, lines))
        editor.show_project(project)

    editor.lines_replaced.connect(answer)
    for name, row in (("top", 5), ("middle", LINES // 2), ("end", LINES - 5)):
        editor.choose_line(f"l{row}")
        app.processEvents()
        letters = sorted(seconds(lambda: press(app, editor, Qt.Key.Key_A)) for _ in range(KEYS))
        enters = sorted(seconds(lambda: press(app, editor, Qt.Key.Key_Return)) for _ in range(50))
        print(f"{name}: letters {said(letters)}, Enter {said(enters)}")


def script() -> Project:
    each = LINES // SCENES
    scenes = (
        Scene(f"Scene {n}", tuple(Line(f"l{n * each + m}", (LinePart("Mira", WORDS),)) for m in range(each)))
        for n in range(SCENES)
    )
    return Project("Long", tuple(scenes), (Character("Mira"),))


def show(app: QApplication, editor: ScriptEditor, project: Project) -> None:
    editor.show_project(project)
    app.processEvents()


def press(app: QApplication, editor: ScriptEditor, key: Qt.Key) -> None:
    QTest.keyClick(editor, key)
    app.processEvents()


def seconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def said(times: list[float]) -> str:
    return f"{1000 * times[len(times) // 2]:.1f} / {1000 * times[int(len(times) * 0.99)]:.1f} ms"


if __name__ == "__main__":
    main()
