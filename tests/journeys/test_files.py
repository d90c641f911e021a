"""Files and folders that are not as they should be: each is told of, the window lives on, and nothing is lost."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from studio.document import file
from tests.journeys.hands import CONTROL, SHIFT, Hands, Travel

Key = Qt.Key


def write_a_line(hands: Hands) -> None:
    hands.until_loaded()
    hands.press(Key.Key_N, CONTROL)
    hands.type("MIRA: Did you hear that?")


def test_a_project_that_is_not_there(travel: Travel, tmp_path: Path) -> None:
    def journey(hands: Hands) -> None:
        problem = hands.until_problem()
        assert "could not open the project" in problem.title
        assert "is not there" in problem.title
        write_a_line(hands)
        assert hands.line(1).text == "Did you hear that?"

    travel(journey, tmp_path / "gone.retake")


def test_a_script_that_is_not_there(travel: Travel, tmp_path: Path) -> None:
    def journey(hands: Hands) -> None:
        assert "could not open the script" in hands.until_problem().title
        write_a_line(hands)

    travel(journey, tmp_path / "gone.txt")


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x03\x04 only the beginning of one"])
def test_a_damaged_project(travel: Travel, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged.retake"
    path.write_bytes(content)

    def journey(hands: Hands) -> None:
        write_a_line(hands)
        project = hands.session.project
        hands.choose_file(path)
        hands.press(Key.Key_O, CONTROL)
        assert len(hands.asked) == 1
        assert "damaged.retake" in hands.until_problem().title
        assert hands.session.project is project
        assert hands.session.path is None

    travel(journey)
    assert path.read_bytes() == content


def test_a_checkpoint_that_is_broken(travel: Travel, tmp_path: Path, embedded: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(embedded, folder)
    (folder / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")

    def journey(hands: Hands) -> None:
        problem = hands.until_problem()
        assert "model.safetensors" in problem.title
        assert hands.session.engine is None
        hands.press(Key.Key_N, CONTROL)
        hands.type("MIRA: Did you hear that?")
        assert hands.line(1).text == "Did you hear that?"
        assert hands.shown.jobs.engine.toolTip() or "No voice model" in hands.shown.jobs.engine.text()

    travel(journey, "--checkpoint", folder)


def test_a_full_disk(travel: Travel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "full.retake"

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    def journey(hands: Hands) -> None:
        write_a_line(hands)
        hands.choose_file(path)
        hands.press(Key.Key_S, CONTROL)
        hands.until(lambda: not hands.session.unsaved)
        saved = path.read_bytes()
        hands.type(" Listen.")
        with monkeypatch.context() as patched:
            patched.setattr(file, "whole_file", full)
            hands.press(Key.Key_S, CONTROL)
            problem = hands.until_problem()
        assert "the disk is full" in problem.title
        assert path.read_bytes() == saved
        assert hands.session.unsaved
        hands.press(Key.Key_S, CONTROL)
        hands.until(lambda: not hands.session.unsaved)
        assert path.read_bytes() != saved

    travel(journey)


def test_closing_asks_for_what_is_not_saved(travel: Travel, tmp_path: Path) -> None:
    path = tmp_path / "asked.retake"

    def journey(hands: Hands) -> None:
        write_a_line(hands)
        hands.answer = QMessageBox.StandardButton.Cancel
        hands.press(Key.Key_Q, CONTROL)
        assert len(hands.asked) == 1
        assert hands.window.isVisible()
        hands.answer = QMessageBox.StandardButton.Save
        hands.choose_file(path)
        hands.press(Key.Key_Q, CONTROL)
        assert not hands.window.isVisible()

    travel(journey)
    assert file.load(path).history.project.lines()[0].text == "Did you hear that?"


def test_an_export_of_nothing_and_to_nowhere(travel: Travel, tmp_path: Path) -> None:
    def journey(hands: Hands) -> None:
        write_a_line(hands)
        hands.press(Key.Key_E, CONTROL | SHIFT)
        assert hands.window.paperwork._exports is None
        assert not hands.shown.top.export.isEnabled()
        assert "no line has a take yet" in hands.shown.top.export.toolTip()
        hands.press(Key.Key_Return, CONTROL)
        hands.until_idle()
        hands.press(Key.Key_E, CONTROL | SHIFT)
        dialog = hands.window.paperwork._exports
        assert dialog is not None
        dialog.path.setText(str(tmp_path / "no" / "folder.wav"))
        dialog.export.click()
        problem = hands.until_problem()
        assert "folder.wav" in problem.title
        assert dialog.said.text() == "Nothing was written."
        dialog.cancel.click()

    travel(journey)
