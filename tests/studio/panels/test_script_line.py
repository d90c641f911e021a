"""What is said of a line beside its text, and the dialog about how lines are drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.request import Settings
from studio.document.project import Line, LinePart
from studio.panels.script_line import LinePanel
from studio.panels.script_sampling import SamplingDialog, Speaking

LINE = Line("a", (LinePart("Mira", "Who is there?"),), direction="tired", note="again", pause=200)


@pytest.fixture
def panel(qtbot: QtBot) -> LinePanel:
    made = LinePanel()
    qtbot.addWidget(made)
    made.show_line(LINE, 3, 350, None, True)
    made.show()
    return made


def test_showing_a_line_wishes_nothing(panel: LinePanel, qtbot: QtBot) -> None:
    wishes = (panel.pause_wanted, panel.target_wanted, panel.locked_wanted, panel.as_written_wanted)
    for signal in (*wishes, panel.direction_wanted):
        with qtbot.assertNotEmitted(signal):
            panel.show_line(Line("b", (), locked=True, as_written=True), 4, 350, Settings(), True)
    assert panel.pause.text() == "Pause: 350 ms"
    assert panel.as_scene.isHidden()
    panel.show_line(Line("b", (), pause=-120), 4, 350, None, True)  # the next line begins before it ends
    assert panel.pause.text() == "Pause: -120 ms"
    assert not panel.as_scene.isHidden()
    panel.show_line(Line("b", (), pause=-120), 4, 350, Settings(), True)
    assert panel.sampling.text() == "Sampling: 0.7 · 0.8 · 30"
    panel.show_line(None, 0, 0, None, False)
    assert not panel.isEnabled()


def test_what_is_written_is_wished_when_it_is_left(panel: LinePanel, qtbot: QtBot) -> None:
    panel.direction.setText("  tired,  to herself ")
    with qtbot.waitSignal(panel.direction_wanted) as wish:
        qtbot.keyClick(panel.direction, Qt.Key.Key_Return)
    assert wish.args == ["a", "tired, to herself"]
    with qtbot.assertNotEmitted(panel.note_wanted):
        qtbot.keyClick(panel.note, Qt.Key.Key_Return)


def test_a_target_is_wished_for_and_taken_back(panel: LinePanel, qtbot: QtBot) -> None:
    assert panel.target.text() == "Target: none"
    with qtbot.waitSignal(panel.target_wanted) as wish:
        panel.target.setValue(2.5)
    assert wish.args == ["a", 2.5]
    panel.show_line(replace(LINE, target=2.5), 3, 350, None, True)
    assert panel.target.text() == "Target: 2.5 s"
    with qtbot.waitSignal(panel.target_wanted) as wish:
        panel.target.setValue(0)
    assert wish.args == ["a", None]


def test_pause_lock_and_pronunciation(panel: LinePanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.pause_wanted) as wish:
        panel.pause.setValue(0)
    assert wish.args == ["a", 0]
    with qtbot.waitSignal(panel.pause_wanted) as wish:
        panel.pause.stepDown()
    assert wish.args == ["a", -50]
    with qtbot.waitSignal(panel.pause_wanted) as wish:
        qtbot.mouseClick(panel.as_scene, Qt.MouseButton.LeftButton)
    assert wish.args == ["a", None]
    with qtbot.waitSignal(panel.locked_wanted) as wish:
        qtbot.mouseClick(panel.lock, Qt.MouseButton.LeftButton)
    assert wish.args == ["a", True]
    with qtbot.waitSignal(panel.as_written_wanted) as wish:
        panel.as_written.click()
    assert wish.args == ["a", True]


def test_the_dialog_says_what_its_fields_say(qtbot: QtBot) -> None:
    dialog = SamplingDialog("How Mira speaks", "the checkpoint has it", Speaking(Settings()), True, None)
    qtbot.addWidget(dialog)
    assert dialog.speaking() == Speaking(Settings())
    dialog.own.setChecked(True)
    dialog.temperature.setValue(1.05)
    dialog.fixed.setChecked(True)
    dialog.seed.setValue(48121)
    dialog.direction.setText(" old and frail ")
    with qtbot.waitSignal(dialog.speaking_wanted) as wish:
        dialog.save.click()
    assert wish.args == [Speaking(Settings(), Settings(temperature=1.05), 48121, "old and frail")]


def test_the_dialog_keeps_what_it_does_not_show(qtbot: QtBot) -> None:
    own = Settings(0.3, 0.9, 5, repetition_window=0, most_frames=80)
    dialog = SamplingDialog("A line", "its character", Speaking(Settings(), own), False, None)
    qtbot.addWidget(dialog)
    assert dialog.speaking().settings == own
    assert dialog.seed.parent() is None or not dialog.seed.isVisible()


def test_it_fits_into_its_column_whatever_the_line_has(panel: LinePanel) -> None:
    """Beside the scroll bar, 288 pixels are left; what the fields say is seen whole."""
    panel.resize(288, 300)
    for pause, target, drawn in ((None, None, None), (-1200, 12.5, Settings(0.95, 0.85, 1024))):
        panel.show_line(Line("a", (), pause=pause, target=target), 3, 350, drawn, True)
        assert panel.minimumSizeHint().width() <= 288
        panel.grab()
        for field in (panel.pause, panel.target):
            assert field.fontMetrics().horizontalAdvance(field.text()) <= field.width() - 12
