from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QRadioButton
from pytestqt.qtbot import QtBot

from studio.exporting import file_name
from studio.panels.export_dialog import ExportDialog, ExportKind


@pytest.fixture
def dialog(qtbot: QtBot, tmp_path: Path) -> ExportDialog:
    made = ExportDialog("Night: the kitchen?", tmp_path, file_name)
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_file_is_suggested_that_every_system_takes(dialog: ExportDialog, tmp_path: Path) -> None:
    assert Path(dialog.path.text()) == tmp_path / "Night_ the kitchen_.wav"
    dialog.findChildren(QRadioButton)[1].click()
    assert dialog.kind() is ExportKind.LINES
    assert Path(dialog.path.text()) == tmp_path / "Night_ the kitchen_"
    dialog.path.setText("/elsewhere/mine")
    dialog.findChildren(QRadioButton)[0].click()
    assert dialog.path.text() == "/elsewhere/mine"


def test_export_is_a_wish(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    dialog.path.setText(str(tmp_path / "night"))
    with qtbot.waitSignal(dialog.export_wanted) as wish:
        dialog.export.click()
    assert wish.args == [ExportKind.SCENE, tmp_path / "night.wav"]


def test_nowhere_cannot_be_written(dialog: ExportDialog) -> None:
    for nowhere in ("", "/", "."):
        dialog.path.setText(nowhere)
        assert not dialog.export.isEnabled()


def test_the_path_is_browsed(dialog: ExportDialog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("/elsewhere/night.wav", ""))
    dialog.browse.click()
    assert dialog.path.text() == "/elsewhere/night.wav"


def test_the_end_shows_the_folder(dialog: ExportDialog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    dialog.show_busy()
    assert not dialog.export.isEnabled()
    dialog.show_done(tmp_path / "night.wav", beyond_db=2.0)
    assert "2.0 dB too loud" in dialog.said.text()
    assert dialog.export.isEnabled()
    dialog.show_folder.click()
    assert [Path(url.toLocalFile()) for url in opened] == [tmp_path]


def test_a_failure_says_that_nothing_was_written(dialog: ExportDialog) -> None:
    dialog.show_busy()
    dialog.show_failed()
    assert dialog.said.text() == "Nothing was written."
    assert dialog.export.isEnabled()
