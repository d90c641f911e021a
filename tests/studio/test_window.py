"""The window: what hands wish for reaches the session, and what the session holds is on the panels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDialog, QFileDialog, QInputDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from engine.errors import DeviceError, ScriptError
from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.app import App
from studio.document.state import Kind
from studio.panels.candidates import LengthMode
from studio.panels.palette_dialog import PaletteDialog
from studio.panels.settings_dialog import SettingsDialog
from studio.player import Device
from studio.settings import Preferences
from studio.window import Window

CONTROL = Qt.KeyboardModifier.ControlModifier
SCRIPT = "Mira: Some tea?\n\nTom: Where to?\n"


@pytest.fixture
def script() -> str:
    return SCRIPT


@pytest.fixture
def app(app: App, qtbot: QtBot) -> App:
    """The program on a script, without a checkpoint, in the window that has the keyboard."""
    app.window.activateWindow()
    qtbot.waitUntil(app.window.isActiveWindow)
    return app


@pytest.fixture
def window(app: App) -> Window:
    return app.window


def press(window: Window, key: Qt.Key, modifiers: Qt.KeyboardModifier = CONTROL) -> None:
    QTest.keyClick(window.display.script, key, modifiers)


def dialogs(window: Window, kind: type[QDialog]) -> list[QDialog]:
    return [each for each in window.findChildren(kind) if each.isVisible()]


def test_the_project_is_on_the_panels(window: Window) -> None:
    shown = window.display
    assert shown.script.toPlainText().split("\n")[1:] == ["Some tea?", "Where to?"]
    assert [clip.character for clip in shown.clips] == ["Mira", "Tom"]
    states = [shown.script._states[line.id] for line in window.session.project.lines()]
    assert [state.kind for state in states] == [Kind.NO_VOICE, Kind.NO_VOICE]


def test_every_verb_can_be_done_at_any_time(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is chosen that it needs, nothing is made yet: it does nothing, or says why."""
    from studio.actions import VERBS

    for name in ("getOpenFileName", "getOpenFileNames", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    for name, answer in (("getInt", 1), ("getText", ""), ("getMultiLineText", "")):
        monkeypatch.setattr(QInputDialog, name, lambda *_, answer=answer, **__: (answer, False))
    monkeypatch.setattr(QMessageBox, "exec", lambda _: QMessageBox.StandardButton.Discard)
    monkeypatch.setattr(window, "close", lambda: True)
    for verb in VERBS:
        window.do(verb.name)
        while window.problems.problem is not None:
            assert "mistake in Retake" not in window.problems.meaning.text(), verb.name
            window.problems.close_problem()
        for dialog in dialogs(window, QDialog):
            dialog.reject()
    assert window.session.project.lines()


def test_typing_is_one_step_of_undo(window: Window) -> None:
    press(window, Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier)
    QTest.keyClicks(window.display.script, " Yes?")
    assert window.session.project.lines()[0].text.endswith("tea? Yes?")
    press(window, Qt.Key.Key_Z)
    assert window.session.project.lines()[0].text == "Some tea?"


def test_a_chosen_line_is_chosen_everywhere(window: Window) -> None:
    second = window.session.project.lines()[1].id
    window.display.timeline.line_chosen.emit(second)
    assert window.session.chosen == second
    assert window.display.script.line_selected() == (second, 0, 0)
    press(window, Qt.Key.Key_Up, Qt.KeyboardModifier.NoModifier)
    assert window.session.chosen == window.session.project.lines()[0].id
    assert window.display.timeline._shown.chosen == window.session.chosen


def test_the_buttons_of_a_problem_do_what_they_say(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    window.tell(DeviceError("There is no CUDA device."), "load the checkpoint")
    window.problems.action.click()
    (settings,) = dialogs(window, SettingsDialog)
    settings.reject()
    saved: list[bool] = []
    monkeypatch.setattr(window.paperwork, "save_as", lambda: saved.append(True))
    window.tell(OSError(28, "No space left on device", "play.retake"), "save the project")
    window.problems.action.click()
    assert saved == [True]
    window.tell(ZeroDivisionError("never thought of"), "draw")
    window.problems.action.click()
    assert "ZeroDivisionError" in QGuiApplication.clipboard().text()
    assert window.problems.problem is None
    assert window.session.project.lines()[0].takes == ()


def test_esc_closes_a_problem(window: Window) -> None:
    window.tell(ScriptError("Nobody has no voice."), "generate line 1")
    assert window.problems.isVisible()
    press(window, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert not window.problems.isVisible()


def test_saving_leaves_how_spans_are_made(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    window.display.candidates.options_changed.emit(3, LengthMode.EXACTLY)
    with qtbot.waitSignal(window.session.saved):
        window.session.save(tmp_path / "tea.retake")
    assert window.performing.options.candidates == 3
    assert window.performing.options.length.__name__ == "Exactly"


def test_the_palette_does_what_is_picked(window: Window, qtbot: QtBot) -> None:
    press(window, Qt.Key.Key_K)
    (palette,) = dialogs(window, PaletteDialog)
    palette.verb_chosen.emit("generate")  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: window.problems.problem is not None)
    assert "Mira has no voice" in window.problems.title.text()
    palette.reject()


def test_an_unforeseen_error_is_told_and_the_work_goes_on(app: App, qtbot: QtBot) -> None:
    class Breaking(QObject):
        now = Signal()

    def break_down() -> None:
        raise ZeroDivisionError("never thought of")

    breaking, printed, hooks = Breaking(), [], app._hooks
    app._hooks = (lambda *error: printed.append(error), hooks[1])
    breaking.now.connect(break_down)
    breaking.now.emit()
    qtbot.waitUntil(lambda: app.window.problems.problem is not None)
    app._hooks = hooks
    assert len(printed) == 1
    assert "ZeroDivisionError" in app.window.problems.problem.details  # type: ignore[union-attr]
    press(app.window, Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier)
    QTest.keyClicks(app.window.display.script, "!")
    assert app.session.project.lines()[0].text.endswith("!")


def test_closing_asks_and_may_be_refused(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [False, True]
    monkeypatch.setattr(window.paperwork, "may_leave", lambda: answers.pop(0))
    assert not window.close()
    assert window.isVisible()
    assert window.close()


def test_the_window_comes_back_where_it_was(window: Window) -> None:
    window.columns.setSizes([300, 800, 340])
    kept = window.placement()
    assert kept.geometry
    assert set(kept.splitters) >= {"columns", "rows"}


def test_what_is_being_typed_about_the_line_is_not_lost(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb's key comes while the field has the focus still, and so may the end."""
    panel, session = window.directing.line, window.session
    panel.direction.setFocus()
    QTest.keyClicks(panel.direction, "tired")
    assert session.project.lines()[0].direction == ""
    press(window, Qt.Key.Key_K)  # any verb
    dialogs(window, PaletteDialog)[0].reject()
    assert session.project.lines()[0].direction == "tired"
    window.do("undo")
    assert panel.direction.text() == ""
    window.do("fit")
    assert session.project.lines()[0].direction == ""  # what was undone is not typed again
    QTest.keyClicks(panel.note, "again")
    panel.pause.lineEdit().selectAll()
    QTest.keyClicks(panel.pause, "1200")
    panel.target.lineEdit().selectAll()
    QTest.keyClicks(panel.target, "2.5")
    window.display.show_project()  # something else happens meanwhile
    window.directing.show_line()
    monkeypatch.setattr(window.paperwork, "may_leave", lambda: False)
    assert not window.close()
    line = session.project.lines()[0]
    assert (line.note, line.pause, line.target) == ("again", 1200, 2.5)


def test_no_button_takes_space_from_playing_by_a_click(window: Window) -> None:
    buttons = [each for each in window.findChildren(QAbstractButton) if each.window() is window]
    assert len(buttons) > 20
    clicked = [each for each in buttons if each.focusPolicy() & Qt.FocusPolicy.ClickFocus]
    assert [(each.parent(), each.text()) for each in clicked] == []


def test_verbs_that_can_do_nothing_are_grey(window: Window) -> None:
    able = {name: window.actions_[name].isEnabled() for name in ("undo", "redo", "join", "part", "export", "generate")}
    assert able == {"undo": False, "redo": False, "join": True, "part": False, "export": False, "generate": True}
    assert not window.display.top.export.isEnabled()
    window.do("join")
    assert window.actions_["undo"].isEnabled()
    assert window.actions_["part"].isEnabled()
    assert not window.actions_["join"].isEnabled()
    window.do("lock")
    assert not window.actions_["generate"].isEnabled()
    window.do("undo")
    window.do("undo")
    assert window.actions_["redo"].isEnabled()
    assert window.actions_["generate"].isEnabled()
    window.session.choose_line(window.session.project.lines()[1].id)
    assert not window.actions_["join"].isEnabled()
    window.display.script.selectAll()
    assert window.actions_["join"].isEnabled()
    press(window, Qt.Key.Key_K)
    (palette,) = dialogs(window, PaletteDialog)
    assert [row.name for row in palette.rows.rows.rows if not row.possible][:1] == ["export"]  # type: ignore[attr-defined]
    palette.reject()


def test_the_sound_system_is_asked_for_devices_only_for_another_output(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr(window._player, "look", lambda: told.append("look"))
    monkeypatch.setattr(window._player, "choose", told.append)
    chosen = replace(window._preferences, output_name="Speakers", output_host="ALSA")
    window.show_preferences(chosen)
    window.show_preferences(replace(chosen, words=("kettle",)))
    assert told == [Device("Speakers", "ALSA"), "look"]
    window._player.found.emit((Device("Speakers", "ALSA", True),))
    window._player.found.emit(())
    assert told[2:] == [Device("Speakers", "ALSA", True), None]
    window.show_preferences(replace(chosen, output_name="Headphones"))
    assert told[4:] == [Device("Headphones", "ALSA"), "look"]


def test_the_settings_open_before_devices_are_known(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window._player, "look", lambda: None)
    window.do("settings")
    (settings,) = dialogs(window, SettingsDialog)
    assert settings.output.count() == 2
    window._player.found.emit((Device("Speakers", "ALSA"), Device("Headset", "JACK")))
    assert [settings.output.itemText(row) for row in range(3)][1:] == ["Speakers (ALSA)", "Headset (JACK)"]
    settings.reject()
    window._player.found.emit(())


def test_the_menu_keeps_apart_what_is_of_different_kinds(window: Window) -> None:
    window.display.top.menu.click()
    (menu,) = (each for each in window.findChildren(QMenu) if each.isVisible())
    rows = menu.actions()
    first = [rows[place + 1].objectName() for place, row in enumerate(rows) if row.isSeparator()]
    assert first == ["save", "import", "add_voice", "settings", "undo", "find", "palette"]
    menu.close()


def a_take() -> Take:
    origin = Origin(Prompt((Part(0, "Some tea?"),)), "digest", 1, Settings(), How.GENERATED, 44_100, 2_048)
    data = np.zeros((2, 6), np.float32)
    return Take(np.zeros((10, 6), np.int16), origin, FrameData(data, data))


@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_line_is_pasted_with_its_takes_where_they_are(window: Window, elsewhere: bool) -> None:
    session, script = window.session, window.display.script
    line, take = session.project.lines()[0], a_take()
    session.add_takes(line.id, (take,), "Generate line")
    session.choose_line(line.id)
    script.moveCursor(QTextCursor.MoveOperation.StartOfBlock)
    script.moveCursor(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    script.cut()
    script.flush()
    if elsewhere:
        session.start()
    script.paste()
    script.flush()
    pasted = session.project.lines()[0]
    assert pasted.text == "Some tea?"
    assert (pasted.takes, pasted.kept) == (((), None) if elsewhere else ((take.id,), take.id))


def test_a_place_that_is_none_is_passed_over(app: App) -> None:
    app.window._restore(Preferences(geometry="abc", splitters=MappingProxyType({"columns": "abc", "rows": "#"})))
    assert app.window.isVisible()
