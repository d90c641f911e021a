"""Voices in the window, without a voice model: a second library from the settings, credits in exports, the menu."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Voice
from studio.app import App
from studio.document.edits import ChangeCharacter, SetVoices
from studio.library.incoming import brought_in
from studio.library.store import Library
from studio.library.voices import Consent, LibraryVoice, Permission, new_voice_id
from studio.samples import Peaks, Print
from studio.settings import Preferences

RATE, HOP, FRAMES = 8_000, 400, 40


def a_recording(folder: Path, name: str) -> Path:
    time = np.arange(2 * RATE) / RATE
    soundfile.write(folder / f"{name}.wav", 0.3 * np.sin(2 * np.pi * 200 * time) * (time % 1 > 0.2), RATE)
    return folder / f"{name}.wav"


def fill(folder: Path, recordings: Path, *names: str) -> None:
    """A library with voices of these names."""
    library = Library(folder)
    for name in names:
        path = a_recording(recordings, name)
        clip = brought_in(path, "Good evening.", (0.5, 6.0)).clip
        permission = Permission(Consent.WRITTEN, f"{name} L.", "2026-01-02", "2027-06-30", "CC0")
        voice = LibraryVoice(new_voice_id(), name, (clip,), permission=permission)
        library.add(voice, {clip.file: path})
    library.close()


def names(app: App) -> list[str]:
    return [row.name for row in app.window.voices.panel._voices]


def test_the_second_library_is_a_preference(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    second = tmp_path / "theirs"
    fill(second, tmp_path, "Ada", "Bea")
    app.window.preferences_wanted.emit(Preferences(second_library=str(second)))
    qtbot.waitUntil(lambda: names(app) == ["Ada", "Bea"])
    row = app.window.voices.panel._voices[0]
    assert row.detail.startswith("Second library")
    assert not row.in_library
    app.window.voices.open_menu("Ada", QPoint(0, 0))
    menu = next(each for each in app.window.findChildren(QMenu, "voice menu") if each.isVisible())
    entries = [action.text() for action in menu.actions()]
    assert "Copy into my library" in entries
    assert not [entry for entry in entries if entry.startswith("Delete")]
    menu.close()
    before = {path: path.stat().st_mtime_ns for path in second.rglob("*")}
    app.window.preferences_wanted.emit(Preferences(second_library=str(tmp_path / "nowhere")))
    qtbot.waitUntil(lambda: names(app) == [])
    app.window.preferences_wanted.emit(Preferences(second_library=str(second)))
    qtbot.waitUntil(lambda: names(app) == ["Ada", "Bea"])
    app.window.preferences_wanted.emit(Preferences())
    qtbot.waitUntil(lambda: names(app) == [])
    assert {path: path.stat().st_mtime_ns for path in second.rglob("*")} == before, "nothing in it is changed"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("ticked", [True, False])
def test_who_allowed_the_voices_is_written_where_it_is_ticked(
    app: App, qtbot: QtBot, tmp_path: Path, ticked: bool
) -> None:
    second = tmp_path / "theirs"
    fill(second, tmp_path, "Ada", "Bea")
    app.window.preferences_wanted.emit(Preferences(second_library=str(second)))
    qtbot.waitUntil(lambda: names(app) == ["Ada", "Bea"])
    session = app.session
    (mira,) = session.project.cast
    session.do(ChangeCharacter("Mira", replace(mira, voice="Ada")))
    origin = Origin(Prompt((Part(0, "Where did they go?"),)), "none", 1, Settings(), How.GENERATED, RATE, HOP)
    nothing = np.zeros((2, FRAMES), np.float32)
    take = Take(np.zeros((3, FRAMES), np.int16), origin, FrameData(nothing, nothing))
    session.add_takes(session.project.lines()[0].id, (take,), "Generate line")
    session.put_print(take.id, RATE, np.full(FRAMES * HOP, 0.1, np.float32))
    qtbot.waitUntil(lambda: session.print_of(take.id) is not None)
    app.window.do("export")
    dialog = app.window.paperwork._exports
    assert dialog is not None
    assert not dialog.credits.isChecked(), "on request alone"
    dialog.credits.setChecked(ticked)
    dialog.path.setText(str(tmp_path / "tea.wav"))
    dialog.export.click()
    qtbot.waitUntil((tmp_path / "tea.wav").exists)
    qtbot.waitUntil(lambda: not app.files.busy)
    with soundfile.SoundFile(tmp_path / "tea.wav") as file:
        told = file.comment
    assert ("Ada: Written, until 2027-06-30; Ada L., 2026-01-02; CC0." in told) == ticked
    assert "Bea" not in told, "of those who speak alone"
    dialog.reject()


def test_a_voice_of_the_projects_is_opened_once_it_is_in_the_library(app: App, qtbot: QtBot) -> None:
    desk, samples = app.window.voices, np.full(FRAMES * HOP, 0.1, np.float32)
    voice = Voice("Guest", (Reference("Good evening.", np.zeros((3, FRAMES), np.int16)),))
    app.session.do(SetVoices((voice,), "Cast the script"))
    app.window.performing.voice_prints["Guest"] = Print(RATE, samples, Peaks(samples))
    desk.edit("Guest")
    qtbot.waitUntil(lambda: desk.editing.editor is not None)
    assert desk.editing.editor is not None
    assert desk.editing.editor.voice.name == "Guest"
    desk.editing.editor.reject()
    desk.voicing.came.emit(desk.voicing.named("Guest"))
    assert desk.editing.editor is None


def test_nothing_is_recorded_for_a_library_that_can_only_be_read(app: App, qtbot: QtBot) -> None:
    desk = app.window.voices
    qtbot.waitUntil(lambda: desk.panel.record.isEnabled() and desk.panel.add.isEnabled())
    assert desk.voicing._library is not None
    desk.voicing._library.read_only = True
    desk.show()
    assert not desk.panel.record.isEnabled()
    assert not desk.panel.add.isEnabled()
