"""What the program opens: projects, scripts in its own way of writing, and all else that can be imported."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from studio.app import App
from studio.panels.import_dialog import ImportDialog


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("name", ["Pier.txt", "PIER.MD"])
def test_a_script_in_any_encoding(app: App, tmp_path: Path, encoding: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes("ADA: Schön. “Los”, sagte er.\n".encode(encoding))
    app.open(path)
    assert [line.text for line in app.session.project.lines()] == ["Schön. “Los”, sagte er."]
    assert ("cp1252" in app.window.display.jobs.words.accessibleName()) == (encoding == "cp1252")


def test_what_is_no_text_is_refused(app: App, tmp_path: Path) -> None:
    before = app.session.project
    path = tmp_path / "a.txt"
    path.write_bytes(b"MZ\0\0\0")
    app.open(path)
    assert app.session.project is before
    assert app.window.problems.problem is not None
    assert "no text" in app.window.problems.problem.title


def test_capitals_in_a_suffix_make_no_difference(
    app: App, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "PIER.RETAKE"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    app.window.paperwork.save_as()
    qtbot.waitUntil(path.exists)
    project = app.session.project
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    for by_dialog in (False, True):
        app.session.start()
        if by_dialog:
            app.window.paperwork.open()
        else:
            app.open(path)
        qtbot.waitUntil(lambda: app.session.path == path)
        assert app.session.project.scenes == project.scenes
    table = tmp_path / "TABLE.CSV"
    table.write_text("who,line\nAda,Hi.\n")
    app.open(table)
    qtbot.waitUntil(lambda: bool(app.window.findChildren(ImportDialog)))
