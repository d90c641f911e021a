from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio.panels.top_bar import METER_BARS, TopBar, clock, decibels


@pytest.fixture
def bar(qtbot: QtBot) -> TopBar:
    made = TopBar()
    qtbot.addWidget(made)
    made.resize(1280, 48)
    made.show()
    return made


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00.000"), (12.418, "0:12.418"), (59.9996, "1:00.000"), (3723.5, "62:03.500")]
)
def test_time(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def test_a_level_in_words() -> None:
    assert decibels(-9.2) == "−9 dB"
    assert decibels(-math.inf) == "−∞ dB"


def test_every_button_is_a_wish(bar: TopBar, qtbot: QtBot) -> None:
    bar.show_stale(1)
    for button, wish in (
        (bar.play, bar.play_wanted),
        (bar.to_start, bar.to_start_wanted),
        (bar.to_end, bar.to_end_wanted),
        (bar.loop, bar.loop_wanted),
        (bar.generate, bar.generate_stale_wanted),
        (bar.export, bar.export_wanted),
        (bar.settings, bar.settings_wanted),
    ):
        assert button.toolTip()
        assert button.accessibleName()
        with qtbot.waitSignal(wish):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_loop_tells_on_and_off(bar: TopBar, qtbot: QtBot) -> None:
    with qtbot.waitSignal(bar.loop_wanted) as wish:
        bar.loop.click()
    assert wish.args == [True]
    bar.show_loop(False)
    assert not bar.loop.isChecked()


def test_stale_lines_are_counted(bar: TopBar) -> None:
    bar.show_stale(3)
    assert bar.generate.text() == "Generate 3 stale"
    assert bar.generate.isEnabled()
    bar.show_stale(0)
    assert bar.generate.text() == "All spoken"
    assert not bar.generate.isEnabled()
    bar.show_stale(0, voiceless=2)
    assert bar.generate.text() == "2 without a voice"
    assert not bar.generate.isEnabled()
    bar.show_stale(0, voiceless=2, loading=True)
    assert bar.generate.text() == "Loading…"
    bar.show_stale(1, voiceless=2)
    assert bar.generate.text() == "Generate 1 stale"
    assert bar.generate.toolTip() == "Generate 1 line with a stale take (Ctrl+Shift+Enter)"
    bar.show_stale(8, 8)
    assert (bar.generate.text(), bar.generate.accessibleName()) == ("Generate 8 lines", "Generate 8 lines with no take")
    bar.show_stale(3, 1)
    assert (bar.generate.text(), bar.generate.toolTip()[:43]) == (
        "Generate 3 lines",
        "Generate 3 lines with no take, or a stale o",
    )


def test_without_lines_all_is_not_called_spoken(bar: TopBar) -> None:
    bar.show_stale(2)
    bar.show_no_lines()
    assert (bar.generate.text(), bar.generate.isEnabled()) == ("No lines yet", False)


def test_what_is_not_saved_has_a_dot(bar: TopBar, qtbot: QtBot) -> None:
    bar.show_title("The Lighthouse", True)
    qtbot.waitUntil(lambda: bar.title.text() == "The Lighthouse •")
    assert bar.title.accessibleName() == "The Lighthouse, not saved"
    bar.show_title("The Lighthouse", False)
    qtbot.waitUntil(lambda: bar.title.text() == "The Lighthouse")


def test_a_long_title_gives_way(bar: TopBar) -> None:
    bar.show_title("A very long title " * 10, False)
    bar.show_scenes(["An even longer title of a scene " * 10], 0)
    bar.resize(1280, 48)
    assert bar.settings.geometry().right() <= 1280
    assert bar.minimumSizeHint().width() <= 1280


def test_a_scene_is_chosen_from_the_menu(bar: TopBar, qtbot: QtBot) -> None:
    bar.show_scenes(["The pier", "The kitchen"], 1)
    assert bar.scene.accessibleName() == "Scene 2 The kitchen"
    bar.scene.open_menu()
    menu = bar.scene.findChild(QMenu)
    assert menu is not None
    with qtbot.waitSignal(bar.scene_chosen) as wish:
        menu.actions()[0].trigger()
    assert wish.args == [0]
    menu.close()


def test_the_meter_fills_with_the_level(bar: TopBar) -> None:
    lit = []
    for level in (-math.inf, -60, -30, -9, 0, 3):
        bar.show_level(level)
        lit.append(bar.meter.lit)
    assert lit == sorted(lit)
    assert lit[0] == 0
    assert lit[-2] in (METER_BARS - 1, METER_BARS)
    assert lit[3] == 18


def test_a_peak_stays_written_a_while(bar: TopBar) -> None:
    bar.show_level(-3)
    bar.show_level(-40)
    assert bar.peak.text() == "−3 dB"
    bar._holding.timeout.emit()
    assert bar.peak.text() == "−40 dB"
    bar.show_level(-math.inf)
    assert bar.peak.text() == "−40 dB"
    bar._holding.timeout.emit()
    assert bar.peak.text() == "−∞ dB"


def test_keys_follow_the_user(bar: TopBar) -> None:
    bar.show_keys({"play": "P"})
    assert bar.play.toolTip() == "Play (P)"
    bar.show_playing(True)
    assert bar.play.toolTip() == "Stop (P)"


def test_a_long_scene_leaves_the_title_room(bar: TopBar, qtbot: QtBot) -> None:
    bar.show_title("The Lighthouse at the end of the pier", False)
    bar.show_scenes(("The harbourmaster's unexpectedly long afternoon of paperwork",), 0)
    bar.resize(1000, 48)
    assert bar.title.minimumSizeHint().width() < 96 <= bar.title.minimumWidth()
    bar.show_title("Pier", False)
    assert bar.title.minimumWidth() < 96
