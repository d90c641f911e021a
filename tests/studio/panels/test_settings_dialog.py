from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from studio.panels.settings_dialog import SettingsDialog
from studio.settings import Preferences, Theme

OUTPUTS = (("Headphones", "ALSA"), ("Headphones", "JACK"))
FULL = Preferences(
    theme=Theme.LIGHT,
    output_name="Headphones",
    output_host="JACK",
    checkpoint="/checkpoints/s2",
    device="cuda:0",
    precision="bf16",
    compiled=True,
    candidates=12,
    recent=("/a.retake",),
    backups="/backups",
    backup_minutes=25,
    second_library="/voices/theirs",
)


@pytest.fixture
def dialog(qtbot: QtBot) -> SettingsDialog:
    made = SettingsDialog()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize("preferences", [Preferences(), FULL], ids=["fresh", "full"])
def test_nothing_touched_is_nothing_changed(dialog: SettingsDialog, preferences: Preferences) -> None:
    dialog.show_preferences(preferences, ("cpu", "cuda:0"), ("fp32", "bf16"))
    assert dialog.preferences() == preferences
    dialog.show_outputs(OUTPUTS)
    assert dialog.preferences() == preferences


def test_what_is_not_there_now_is_not_forgotten(dialog: SettingsDialog) -> None:
    dialog.show_preferences(FULL, (), ())
    dialog.show_outputs(())
    assert dialog.preferences() == FULL


def test_devices_that_come_later_leave_what_is_chosen(dialog: SettingsDialog) -> None:
    dialog.show_preferences(FULL, (), ())
    rows = dialog.output.model()
    able = [Qt.ItemFlag.ItemIsEnabled in rows.flags(rows.index(row, 0)) for row in range(3)]
    assert able == [True, True, False]
    dialog.output.setCurrentIndex(0)
    dialog.show_outputs(OUTPUTS)
    assert (dialog.output.count(), dialog.preferences().output_name) == (3, None)
    dialog.output.setCurrentIndex(1)
    dialog.show_outputs((OUTPUTS[1], OUTPUTS[0]))
    assert dialog.preferences().output_host == "ALSA"


def test_the_embedded_voice_is_offered_where_another_speaks(dialog: SettingsDialog) -> None:
    assert not dialog.embedded.isEnabled()
    dialog.show_preferences(FULL, (), ())
    assert dialog.embedded.isEnabled()
    dialog.embedded.click()
    assert not dialog.embedded.isEnabled()


def test_save_is_a_wish(dialog: SettingsDialog, qtbot: QtBot) -> None:
    dialog.show_preferences(FULL, ("cpu", "cuda:0"), ("fp32", "bf16"))
    dialog.show_outputs(OUTPUTS)
    dialog.theme.setCurrentIndex(list(Theme).index(Theme.HIGH_CONTRAST))
    dialog.output.setCurrentIndex(0)
    dialog.embedded.click()
    with qtbot.waitSignal(dialog.preferences_wanted) as wish:
        dialog.save.click()
    changed = replace(FULL, theme=Theme.HIGH_CONTRAST, output_name=None, output_host=None, checkpoint=None)
    assert wish.args == [changed]


def test_backups_are_chosen(dialog: SettingsDialog, monkeypatch: pytest.MonkeyPatch) -> None:
    dialog.show_preferences(Preferences(), (), ())
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/elsewhere")
    dialog.browse_backups.click()
    dialog.backup_minutes.setCurrentIndex(dialog.backup_minutes.count() - 1)
    assert (dialog.preferences().backups, dialog.preferences().backup_minutes) == ("/elsewhere", None)


def test_the_second_library_is_browsed_and_taken_away(
    dialog: SettingsDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog.show_preferences(Preferences(), (), ())
    assert dialog.preferences().second_library is None
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/voices/theirs")
    dialog.browse_library.click()
    assert dialog.preferences().second_library == "/voices/theirs"
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    dialog.browse_library.click()
    assert dialog.preferences().second_library == "/voices/theirs", "a dialog that was left changes nothing"
    dialog.second_library.setText("  ")
    assert dialog.preferences().second_library is None


def test_the_checkpoint_is_browsed(dialog: SettingsDialog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/checkpoints/other")
    dialog.browse.click()
    assert dialog.preferences().checkpoint == "/checkpoints/other"


def test_cancel_wishes_nothing(dialog: SettingsDialog, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(dialog.preferences_wanted):
        dialog.cancel.click()
    assert dialog.isHidden()
