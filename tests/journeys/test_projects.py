"""A project through the real main: ended without closing and recovered, opened twice, changed underneath, gone back in,
merged and collected."""

from __future__ import annotations

import shutil
from pathlib import Path

import platformdirs
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from studio.app import App
from studio.document.file import load
from studio.document.journal import journals_in, recover
from studio.document.lock import place_of
from studio.panels.merge_dialog import MergeDialog
from studio.panels.recovery_bar import RecoveryBar
from tests.journeys.hands import ALT, CONTROL, LEFT, SHIFT, Hands, Travel

Key = Qt.Key


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "play.txt"
    path.write_text("MIRA: Did you hear that?\n\nTOM: Is anybody home?\n", encoding="utf-8")
    return path


def save_as(hands: Hands, path: Path) -> None:
    hands.choose_file(path)
    hands.press(Key.Key_S, CONTROL | SHIFT)
    hands.until(lambda: hands.session.path == path and not hands.session.unsaved)


def answer(hands: Hands, words: str) -> str:
    """Click a button of the box that asks, and say what it asked."""

    def box() -> QMessageBox | None:
        shown = [each for each in hands.window.findChildren(QMessageBox) if each.isVisible()]
        return shown[0] if shown else None

    hands.until(box)
    asked = box()
    assert asked is not None
    button = next(each for each in asked.buttons() if each.text().replace("&", "") == words)
    QTest.mouseClick(button, LEFT)
    hands.until(lambda: box() is None)
    return asked.text()


def left_behind(journals: Path, aside: Path, hands: Hands) -> bool:
    """Lay aside what a sudden end would leave now, and say whether that is all of it."""
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(journals, aside)
    found = recover(journals_in(aside)[0])
    history = hands.session.history
    if found is None or (found.history.at, len(found.history.steps)) != (history.at, len(history.steps)):
        return False
    view = hands.performing.candidates.view
    others = {take.id for take in view.takes[1:]} - {view.takes[0].id} if view is not None and view.takes else set()
    return others <= {take.id for _, take in found.candidates}  # the best is a take of its line already


def bar(hands: Hands) -> RecoveryBar:
    return hands.window.findChildren(RecoveryBar)[0]


def test_what_was_done_before_a_sudden_end_is_offered_and_had_back(
    travel: Travel, script: Path, tmp_path: Path
) -> None:
    journals = Path(platformdirs.user_state_dir("retake", appauthor=False)) / "journals"
    aside = tmp_path / "aside"

    def first(hands: Hands) -> None:
        hands.until_loaded()
        hands.go_to(1)
        hands.type(" Once more.")
        hands.press(Key.Key_Return, CONTROL)
        hands.until(lambda: hands.line(1).kept is not None)
        hands.until_idle()
        hands.go_to(2)
        hands.type(" Nobody.")
        hands.press(Key.Key_Z, CONTROL)
        hands.until(lambda: left_behind(journals, aside, hands))

    travel(first, script)
    assert not list(journals.iterdir()), "an end in order leaves nothing"
    shutil.copytree(aside, journals, dirs_exist_ok=True)

    def second(hands: Hands) -> None:
        hands.until_loaded()
        hands.until(lambda: bar(hands).offer is not None)
        assert "play" in bar(hands).title.text()
        QTest.mouseClick(bar(hands).recover, LEFT)
        hands.until(lambda: hands.line(1).text == "Did you hear that? Once more.")
        hands.until(lambda: hands.session.print_of(hands.line(1).kept) is not None)
        assert hands.line(2).text == "Is anybody home?"
        hands.window.do("redo")
        assert hands.line(2).text == "Is anybody home? Nobody."
        hands.until(lambda: len(list(journals.glob("*.journal"))) == 1)

    travel(second)
    assert not list(journals.iterdir())


def test_candidates_to_choose_from_survive_a_sudden_end(travel: Travel, script: Path, tmp_path: Path) -> None:
    journals = Path(platformdirs.user_state_dir("retake", appauthor=False)) / "journals"
    aside = tmp_path / "aside"
    candidates: list[str] = []

    def first(hands: Hands) -> None:
        hands.until_loaded()
        hands.go_to(1)
        hands.press(Key.Key_Return, CONTROL)
        hands.until(lambda: hands.line(1).kept is not None)
        hands.until_idle()
        hands.session.choose_span(hands.line(1).id, (3, 9))
        hands.press(Key.Key_Return, ALT)
        hands.until(lambda: hands.performing.candidates.view is not None and hands.performing.candidates.view.takes)
        hands.until_idle()
        assert hands.performing.candidates.view is not None
        candidates.extend(take.id for take in hands.performing.candidates.view.takes)
        hands.until(lambda: left_behind(journals, aside, hands))

    travel(first, script)
    shutil.copytree(aside, journals, dirs_exist_ok=True)

    def second(hands: Hands) -> None:
        hands.until_loaded()
        hands.until(lambda: bar(hands).offer is not None)
        assert f"and {len(set(candidates)) - 1} candidates" in bar(hands).meaning.text()
        QTest.mouseClick(bar(hands).recover, LEFT)
        hands.until(lambda: len(hands.line(1).takes) == 1 + len(set(candidates)))
        assert set(hands.line(1).takes) >= set(candidates)
        assert hands.line(1).kept == candidates[0]
        hands.press(Key.Key_Z, CONTROL)
        assert len(hands.line(1).takes) == 2

    travel(second)


def test_a_project_with_sound_is_heard_without_its_cache(
    travel: Travel, script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, prints = tmp_path / "play.retake", Path(platformdirs.user_cache_dir("retake", appauthor=False)) / "prints"

    def first(hands: Hands) -> None:
        hands.until_loaded()
        hands.go_to(1)
        hands.press(Key.Key_Return, CONTROL)
        hands.until(lambda: hands.line(1).kept is not None)
        hands.until_idle()
        action = hands.window.actions_["keep_sound"]
        action.trigger()
        assert action.isChecked()
        hands.press(Key.Key_Z, CONTROL)
        assert not action.isChecked()
        action.trigger()
        save_as(hands, path)
        assert hands.session.in_file.written.sounds == {hands.line(1).kept}

    travel(first, script)
    shutil.rmtree(prints)
    monkeypatch.setattr(App, "load", lambda *_: None)  # the voice model does not come

    def second(hands: Hands) -> None:
        hands.until(lambda: hands.session.print_of(hands.line(1).kept) is not None)
        hands.until(lambda: hands.shown.clips and hands.clip(1).wave is not None)
        hands.press(Key.Key_Space, CONTROL)
        hands.until(lambda: hands.playback.seconds > 0.1)
        assert not prints.exists()

    travel(second, path)


def test_typing_before_the_voice_model_is_there_costs_nobody_a_voice(travel: Travel, script: Path) -> None:
    def journey(hands: Hands) -> None:
        hands.go_to(1)
        hands.type(" Early.")
        hands.until_loaded()
        hands.until(lambda: all(each.voice for each in hands.session.project.cast))
        assert hands.line(1).text == "Did you hear that? Early."

    travel(journey, script)


def test_a_project_that_is_open_elsewhere_can_be_copied_or_looked_at(
    travel: Travel, script: Path, tmp_path: Path
) -> None:
    path = tmp_path / "楚心.retake"
    travel(lambda hands: save_as(hands, path), script)
    assert not place_of(path).exists()

    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.choose_file(path)
        hands.press(Key.Key_O, CONTROL)
        assert "楚心.retake is open in Retake on elsewhere" in answer(hands, "Open a copy")
        hands.until(lambda: hands.line(1).text == "Did you hear that?")
        assert hands.session.path is None
        hands.window.do("open")
        answer(hands, "Open to look")
        hands.until(lambda: hands.session.path == path)
        assert hands.session.in_file.read_only
        other = tmp_path / "other.retake"
        hands.choose_file(other)
        hands.window.do("save")
        hands.until(lambda: hands.session.path == other)
        assert not hands.session.in_file.read_only

    place_of(path).write_text('{"host": "elsewhere", "process": 1, "began": 1.0}')
    travel(journey)
    assert place_of(path).exists()


def test_a_file_changed_underneath_is_not_saved_over_unasked(travel: Travel, script: Path, tmp_path: Path) -> None:
    path, theirs = tmp_path / "play.retake", tmp_path / "theirs.retake"

    def journey(hands: Hands) -> None:
        hands.until_loaded()
        save_as(hands, theirs)
        hands.go_to(2)
        hands.type(" Not theirs.")
        save_as(hands, path)
        hands.go_to(1)
        hands.type(" Mine.")
        shutil.copy(theirs, path)
        hands.press(Key.Key_S, CONTROL)
        assert "changed by another program" in answer(hands, "Cancel")
        assert "Mine." not in load(path).history.project.line(hands.line(1).id).text
        hands.window.do("save")
        answer(hands, "Save over it")
        hands.until(lambda: not hands.session.unsaved)
        assert "Mine." in load(path).history.project.line(hands.line(1).id).text
        kept = [each.read_bytes() for each in hands.session.backups.folder.rglob("*.retake")]  # type: ignore[union-attr]
        assert set(kept) == {theirs.read_bytes()}, "more than one only where seconds went by between"

    travel(journey, script)


def test_the_history_goes_back_to_a_branch_that_was_left_behind(travel: Travel, script: Path) -> None:
    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.go_to(1)
        hands.type(" One.")
        hands.press(Key.Key_Z, CONTROL)
        hands.type(" Two.")
        hands.press(Key.Key_H, CONTROL | SHIFT)
        rows = hands.window.recalling.panel.rows
        assert [row.about for row in rows.rows.rows] == ["…Two.", "…One.", ""]
        rect = rows.visualRect(rows.model().index(1, 0))
        QTest.mouseClick(rows.viewport(), LEFT, pos=rect.center())
        hands.until(lambda: hands.line(1).text == "Did you hear that? One.")
        hands.press(Key.Key_H, CONTROL | SHIFT)
        assert hands.window.recalling.panel.isHidden()

    travel(journey, script)


def test_scenes_come_from_another_project_and_all_of_it_goes_into_a_folder_and_back(
    travel: Travel, script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "play.retake"

    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.go_to(1)
        hands.press(Key.Key_Return, CONTROL)
        hands.until(lambda: hands.line(1).kept is not None)
        hands.until_idle()
        save_as(hands, path)
        hands.choose_file(path)
        hands.window.do("merge")
        hands.until(lambda: any(each.isVisible() for each in hands.window.findChildren(MergeDialog)))
        (dialog,) = hands.window.findChildren(MergeDialog)
        QTest.mouseClick(dialog.merge, LEFT)
        hands.until(lambda: len(hands.lines) == 4)
        assert hands.line(3).takes == hands.line(1).takes
        hands.until(lambda: QApplication.activeModalWidget() is None)
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
        hands.window.do("collect")
        folder = tmp_path / "play"
        hands.until(folder.is_dir)
        assert len(list((folder / "sound").iterdir())) == 2
        before = hands.session.project
        hands.until(lambda: not hands.window.paperwork._files.busy)
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
        hands.window.do("open_folder")
        hands.until(lambda: hands.session.project is not before)
        assert hands.session.project.lines() == before.lines()
        assert hands.session.path is None
        hands.until(lambda: hands.session.print_of(hands.line(1).kept) is not None)
        take_file = next((folder / "takes").iterdir())
        hands.session.choose_line(hands.line(2).id)
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(take_file)], ""))
        hands.window.do("import_takes")
        hands.until(lambda: hands.line(2).kept == take_file.stem)
        assert QApplication.activeModalWidget() is None

    travel(journey, script)
