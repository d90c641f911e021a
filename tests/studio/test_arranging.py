"""Lines in time, through the window: pauses of a scene, ripple, the switches of the timeline, spectrograms."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.app import App
from studio.document.edits import SetPause
from studio.panels.pauses_dialog import PausesDialog

SCRIPT = "Mira: Some tea?\n\nTom: Where to?\n\nTom: Out.\n\nMira: No.\n"
RATE, HOP = 8_000, 400


@pytest.fixture
def script() -> str:
    return SCRIPT


def take(frames: int, seed: int) -> Take:
    origin = Origin(Prompt((Part(0, "Where to?"),)), "none", seed, Settings(), How.GENERATED, RATE, HOP)
    nothing = np.zeros((2, frames), np.float32)
    return Take(np.full((3, frames), seed, np.int16), origin, FrameData(nothing, nothing))


def starts(app: App) -> list[float]:
    return [round(each.start_seconds, 3) for each in app.session.placed()]


def test_pauses_of_a_scene(app: App, qtbot: QtBot) -> None:
    before = starts(app)
    app.window.do("scene_pauses")
    (dialog,) = app.window.findChildren(PausesDialog)
    assert (dialog.pause.value(), dialog.turn_pause.isEnabled()) == (350, False)
    dialog.other.click()
    dialog.turn_pause.setValue(850)
    dialog.save.click()
    assert app.session.project.scenes[0].turn_pause == 850
    assert np.subtract(starts(app), before) == pytest.approx([0, 0.5, 0.5, 1.0])
    line = app.session.project.lines()[0]
    app.session.choose_line(line.id)
    assert app.window.directing.line.pause.value() == 850
    app.window.do("undo")
    assert starts(app) == before


def test_what_follows_stays_without_ripple(app: App) -> None:
    session = app.session
    lines = [line.id for line in session.project.lines()]
    for line_id in lines:
        session.add_takes(line_id, (take(20, 1),), "Generate line")
    before = starts(app)
    app.window.do("ripple")
    assert not app.preferences.ripple
    step = session.add_takes(lines[1], (take(26, 2),), "Regenerate")
    assert starts(app) == before
    session.add_takes(lines[1], (take(22, 3),), "Regenerate", instead_of=step)
    assert starts(app) == before
    assert session.project.lines()[1].pause == 350 - 100
    session.do(SetPause(lines[0], 500), gesture="drag")
    session.do(SetPause(lines[0], 600), gesture="drag")
    assert starts(app) == [before[0], round(before[1] + 0.25, 3), *before[2:]]
    session.undo()
    assert starts(app) == before
    app.window.do("ripple")
    session.do(SetPause(lines[0], 600))
    assert starts(app) == [before[0], *(round(each + 0.25, 3) for each in before[1:])]


def test_the_switches_are_the_verbs_and_the_preferences(app: App) -> None:
    timeline = app.window.display.timeline
    timeline.modes.switches["spectrogram"].click()
    assert app.preferences.spectrogram
    assert timeline.modes.on["spectrogram"]
    assert app.window.actions_["spectrogram"].isChecked()
    app.window.do("follow")
    assert not timeline.modes.on["follow"]
    assert not app.window.actions_["follow"].isChecked()


def test_spectrograms_are_made_of_what_is_seen(app: App, qtbot: QtBot) -> None:
    session, timeline = app.session, app.window.display.timeline
    made = take(20, 1)
    session.add_takes(session.project.lines()[0].id, (made,), "Generate line")
    session.put_print(made.id, RATE, np.zeros(20 * HOP, np.float32))
    app.window.do("spectrogram")
    spectra = timeline._shown.spectra

    def there() -> bool:
        wave = timeline._shown.clips[0].wave  # the print may be another once it is mapped from the cache
        return wave is not None and id(wave) in spectra._known

    qtbot.waitUntil(there)
    assert not spectra.wanting
