"""Files are written where the user says, and nothing that is there is written over unasked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QRadioButton
from pytestqt.qtbot import QtBot

from studio import paperwork as module
from studio.app import App
from studio.document.edits import RenameScene
from studio.document.timing import Placed
from studio.exporting import Material
from studio.panels.export_dialog import ExportDialog
from studio.samples import Peaks, Print

RATE = 8000


class Answers:
    """What the user answers to message boxes, and what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.given = QMessageBox.StandardButton.Cancel

    def give(self, box: QMessageBox) -> QMessageBox.StandardButton:
        self.asked.append(box.text())
        return self.given


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    made = Answers()
    monkeypatch.setattr(QMessageBox, "exec", lambda box: made.give(box))
    return made


@pytest.fixture
def dialog(app: App, monkeypatch: pytest.MonkeyPatch) -> ExportDialog:
    """To export two lines that sound."""
    samples = np.full(RATE, 0.1, np.float32)
    sound = Print(RATE, samples, Peaks(samples))
    placed = (Placed("a", "Mira", 0, 0.0, 1.0, False), Placed("b", "Tom", 0, 1.5, 1.0, False))
    made = Material("Play", placed, ("Mira", "Tom"), {"a": sound, "b": sound})
    monkeypatch.setattr(module, "material", lambda *_: made)
    app.window.paperwork.export(0)
    shown = app.window.paperwork._exports
    assert shown is not None
    return shown


def export(app: App, qtbot: QtBot, dialog: ExportDialog) -> None:
    dialog.export.click()
    qtbot.waitUntil(lambda: not app.files.busy and dialog.said.text() != "Writing…")


def test_an_export_asks_before_it_writes_over_a_file(
    app: App, qtbot: QtBot, dialog: ExportDialog, answers: Answers, tmp_path: Path
) -> None:
    there = tmp_path / "night.wav"
    there.write_bytes(b"precious")
    dialog.path.setText(str(tmp_path / "night"))  # the ending is added
    export(app, qtbot, dialog)
    assert answers.asked == ["“night.wav” is there already. Write over it?"]
    assert there.read_bytes() == b"precious"
    answers.given = QMessageBox.StandardButton.Yes
    export(app, qtbot, dialog)
    assert there.read_bytes() != b"precious"
    export(app, qtbot, dialog)
    assert len(answers.asked) == 2, "what the dialog itself has written is written again unasked"
    dialog.path.setText(str(tmp_path / "day.wav"))
    export(app, qtbot, dialog)
    assert (tmp_path / "day.wav").exists()
    assert len(answers.asked) == 2
    dialog.reject()


def test_so_does_an_export_of_lines(
    app: App, qtbot: QtBot, dialog: ExportDialog, answers: Answers, tmp_path: Path
) -> None:
    dialog.findChildren(QRadioButton)[1].click()
    dialog.path.setText(str(tmp_path))
    for name in ("001 Mira.wav", "002 Tom.wav", "003 Ann.wav"):
        (tmp_path / name).write_bytes(b"precious")
    export(app, qtbot, dialog)
    assert answers.asked == ["2 of the files are there already. Write over them?"]
    assert (tmp_path / "001 Mira.wav").read_bytes() == b"precious"
    answers.given = QMessageBox.StandardButton.Yes
    export(app, qtbot, dialog)
    assert (tmp_path / "001 Mira.wav").read_bytes() != b"precious"
    assert (tmp_path / "003 Ann.wav").read_bytes() == b"precious"
    dialog.reject()


def test_an_ending_that_is_added_asks_again_what_is_there(
    app: App, qtbot: QtBot, answers: Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("play.retake", "tea.retake"):
        (tmp_path / name).write_bytes(b"precious")
    chosen = [tmp_path / "play", tmp_path / "other"]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(chosen.pop(0)), ""))
    with qtbot.waitSignal(app.session.saved) as saved:
        app.window.do("save_as")
    assert answers.asked == ["“play.retake” is there already. Write over it?"]
    assert saved.args == [tmp_path / "other.retake"]
    assert (tmp_path / "play.retake").read_bytes() == b"precious"
    chosen = [tmp_path / "tea.retake"]  # the file dialog has asked about this one
    with qtbot.waitSignal(app.session.saved):
        app.window.do("save_as")
    assert len(answers.asked) == 1


def test_what_is_typed_while_a_project_is_opened_is_asked_about(
    app: App, qtbot: QtBot, answers: Answers, tmp_path: Path
) -> None:
    path, session, script = tmp_path / "play.retake", app.session, app.window.display.script
    session.save(path)
    qtbot.waitUntil(lambda: not session.unsaved)
    session.open(path)
    script.moveCursor(QTextCursor.MoveOperation.End)
    script.insertPlainText(" And when?")  # it is told at the end of the turn
    qtbot.waitUntil(lambda: not app.files.busy)
    assert answers.asked == ["“Tea” has changes that are not saved."]
    assert session.project.lines()[0].text == "Where did they go? And when?"
    answers.given = QMessageBox.StandardButton.Discard
    with qtbot.waitSignal(session.opened):
        session.open(path)
    assert len(answers.asked) == 1, "what is open is what the user was asked about when the file was chosen"
    assert session.project.lines()[0].text == "Where did they go?"


def dropped(app: App, *paths: Path) -> bool:
    """Whether the window takes what is dropped on it."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    button, modifier = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    over = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, button, modifier)
    QApplication.sendEvent(app.window, over)
    if over.isAccepted():
        QApplication.sendEvent(app.window, QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, button, modifier))
    return over.isAccepted()


def test_a_script_dropped_on_the_window_is_opened(app: App, qtbot: QtBot, tmp_path: Path, answers: Answers) -> None:
    script = tmp_path / "Harbour.txt"
    script.write_text("Tom: Not in the fog.\n", encoding="utf-8")
    for refused in ((tmp_path / "Photo.png",), (script, script)):
        assert not dropped(app, *refused)
    assert dropped(app, script)
    qtbot.waitUntil(lambda: app.session.project.title == "Harbour")
    app.session.do(RenameScene(0, "Fog"))
    assert dropped(app, tmp_path / "Tea.txt")
    qtbot.waitUntil(lambda: bool(answers.asked))  # whether the work on the harbour may go
    assert app.session.project.title == "Harbour"
