from __future__ import annotations

import datetime

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.microphone import InputDevice, MicrophoneError
from studio.panels.recorder import COUNTDOWN, LevelMeter, Recorder, consent_passage

RATE = 8_000
DEVICES = (InputDevice("Desk", "ALSA", True), InputDevice("Headset", "ALSA"))


class Throat:
    """An input that says what it is told to, as often as it is asked."""

    def __init__(self, device: InputDevice | None) -> None:
        self.device, self.rate, self.closed = device, RATE, False
        self.block = np.zeros(0, np.float32)
        self.gone = False

    def heard(self) -> np.ndarray:
        if self.gone:
            raise MicrophoneError("Desk stopped answering.")
        return self.block

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def throats() -> list[Throat]:
    return []


@pytest.fixture
def recorder(qtbot: QtBot, throats: list[Throat]) -> Recorder:
    def open_input(device: InputDevice | None) -> Throat:
        throats.append(Throat(device))
        return throats[-1]

    made = Recorder(DEVICES, open_input)
    qtbot.addWidget(made)
    made.show()
    made._tick.stop()  # the test listens by itself
    return made


def say(recorder: Recorder, throat: Throat, seconds: float, level: float) -> None:
    """So much sound, in blocks of a tenth of a second."""
    for _ in range(round(seconds * 10)):
        throat.block = np.full(RATE // 10, level, np.float32)
        recorder._listen()
    throat.block = np.zeros(0, np.float32)


def record(recorder: Recorder, throat: Throat, seconds: float, level: float = 0.3) -> None:
    recorder.toggle()
    say(recorder, throat, COUNTDOWN, 0.0)
    say(recorder, throat, seconds, level)
    recorder.toggle()


def test_the_level_is_seen_before_anything_is_recorded(recorder: Recorder, throats: list[Throat]) -> None:
    say(recorder, throats[0], 0.1, 0.5)
    assert recorder.meter.level == pytest.approx(-6, abs=0.1)
    recorder.grab()
    assert not recorder.use.isEnabled()


def test_a_countdown_then_a_recording(recorder: Recorder, throats: list[Throat], qtbot: QtBot) -> None:
    qtbot.keyClick(recorder, Qt.Key.Key_R)
    assert recorder.record.text() == "Stop"
    say(recorder, throats[0], 1, 0.1)
    assert recorder.time.text() == "2"
    say(recorder, throats[0], 2, 0.1)
    say(recorder, throats[0], 1.5, 0.25)
    assert recorder.time.text() == "1.5 s"
    qtbot.keyClick(recorder, Qt.Key.Key_R)
    assert [len(take.samples) for take in recorder.takes] == [round(1.5 * RATE)]
    assert not recorder.takes[0].samples.flags.writeable
    assert recorder.record.text() == "Record again"


def test_retakes_are_chosen_among(recorder: Recorder, throats: list[Throat], qtbot: QtBot) -> None:
    record(recorder, throats[0], 1.0, 0.1)
    record(recorder, throats[0], 2.0, 0.2)
    assert len(recorder.takes) == 2
    with qtbot.waitSignal(recorder.play_wanted) as wish:
        recorder.play.click()
    assert len(wish.args[0]) == 2 * RATE
    button = recorder._choices.button(0)
    assert button is not None
    button.click()
    recorder.words.setPlainText("What I read.")
    with qtbot.waitSignal(recorder.recorded) as wish:
        recorder.use.click()
    assert (len(wish.args[0]), wish.args[1], wish.args[2]) == (RATE, RATE, "What I read.")
    assert throats[0].closed


def test_the_clipping_light(recorder: Recorder, throats: list[Throat]) -> None:
    recorder.toggle()
    say(recorder, throats[0], COUNTDOWN, 0.0)
    say(recorder, throats[0], 1, 1.0)
    assert recorder.light.text().startswith("Too loud")
    recorder.toggle()
    assert recorder.takes[0].clipped
    record(recorder, throats[0], 1, 0.3)
    assert not recorder.takes[1].clipped
    assert recorder.light.text() == ""


def test_another_microphone(recorder: Recorder, throats: list[Throat]) -> None:
    recorder.device.setCurrentIndex(2)
    recorder.device.activated.emit(2)
    assert throats[0].closed
    assert throats[1].device == DEVICES[1]
    recorder.reject()
    assert throats[1].closed


def test_a_microphone_that_goes_leaves_what_was_said(recorder: Recorder, throats: list[Throat]) -> None:
    recorder.toggle()
    say(recorder, throats[0], COUNTDOWN, 0.0)
    say(recorder, throats[0], 1, 0.3)
    throats[0].gone = True
    recorder._listen()
    assert recorder.told.text() == "Desk stopped answering."
    assert throats[0].closed
    assert len(recorder.takes) == 1
    assert recorder.use.isEnabled()
    assert not recorder.record.isEnabled()


def test_no_microphone(qtbot: QtBot) -> None:
    def open_input(device: InputDevice | None) -> Throat:
        raise MicrophoneError("There is none.")

    made = Recorder((), open_input)
    qtbot.addWidget(made)
    assert made.told.text() == "There is none."
    made.toggle()
    assert made.takes == []


def test_a_countdown_can_be_given_up(recorder: Recorder, throats: list[Throat]) -> None:
    recorder.toggle()
    say(recorder, throats[0], 1, 0.0)
    recorder.toggle()
    say(recorder, throats[0], 5, 0.5)
    assert recorder.takes == []


def test_a_consent_names_who_speaks_and_the_day() -> None:
    day = datetime.date(2026, 3, 1)
    assert consent_passage("Ada L.", day).startswith("My name is Ada L. Today is 1 March 2026. I allow")
    assert consent_passage("", day).startswith("My name is ______. Today is 1 March 2026.")


def test_the_meter_falls_slowly(qtbot: QtBot) -> None:
    meter = LevelMeter()
    qtbot.addWidget(meter)
    for level in (-3.0, -60.0, -200.0):
        meter.show_level(level)
        meter.grab()
    assert meter.level == -7.0


def test_what_was_recorded_stays_when_another_microphone_is_chosen(recorder: Recorder, throats: list[Throat]) -> None:
    recorder.toggle()
    say(recorder, throats[0], COUNTDOWN, 0.0)
    say(recorder, throats[0], 1, 0.3)
    recorder.device.activated.emit(0)
    assert len(recorder.takes) == 1
    assert throats[0].closed


def test_recordings_are_not_thrown_away_unasked(recorder: Recorder, throats: list[Throat]) -> None:
    answers = [False, True]
    recorder.may_drop = lambda: answers.pop(0)
    recorder.toggle()
    say(recorder, throats[0], COUNTDOWN, 0.0)
    say(recorder, throats[0], 1, 0.3)
    recorder.reject()
    assert recorder.isVisible()
    recorder.reject()
    assert not recorder.isVisible()
    assert not answers
