"""The microphone, with a stand-in for PortAudio."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from studio.microphone import InputDevice, MicrophoneError, SoundInput, find_inputs


class PortAudioError(Exception):
    pass


class InputStream:
    """Runs until it is told that its device is gone."""

    opened: ClassVar[list[InputStream]] = []

    def __init__(self, **settings: Any) -> None:
        self.settings, self.active, self.closed = settings, False, False
        self.samplerate = settings["samplerate"]
        InputStream.opened.append(self)

    def start(self) -> None:
        self.active = True

    def close(self) -> None:
        self.closed = True

    def hears(self, block: np.ndarray) -> None:
        self.settings["callback"](block[:, None], len(block), None, None)


@pytest.fixture
def portaudio(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    devices = [
        {"name": "Speakers", "hostapi": 0, "max_input_channels": 0, "index": 0, "default_samplerate": 48_000},
        {"name": "Desk", "hostapi": 0, "max_input_channels": 1, "index": 1, "default_samplerate": 16_000},
        {"name": "Headset", "hostapi": 0, "max_input_channels": 2, "index": 2, "default_samplerate": 44_100},
    ]

    def check(index: int | None, channels: int, kind: str, samplerate: int) -> None:
        if samplerate not in module.rates:
            raise PortAudioError

    module = SimpleNamespace(
        rates=[48_000, 44_100], PortAudioError=PortAudioError, InputStream=InputStream, check_input_settings=check,
        default=SimpleNamespace(device=[1, 0]), query_hostapis=lambda: [{"name": "ALSA"}],
        query_devices=lambda index=None, kind=None: devices if kind is None else devices[index or 1],
    )  # fmt: skip
    InputStream.opened.clear()
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    return module


def test_the_microphones_there_are(portaudio: SimpleNamespace) -> None:
    assert find_inputs() == (InputDevice("Desk", "ALSA", True), InputDevice("Headset", "ALSA"))


def test_what_is_heard_is_handed_over_once(portaudio: SimpleNamespace) -> None:
    microphone = SoundInput(InputDevice("Headset", "ALSA"))
    (stream,) = InputStream.opened
    assert (stream.settings["device"], stream.settings["channels"], microphone.rate) == (2, 1, 48_000)
    assert len(microphone.heard()) == 0
    block = np.array([0.1, 0.2], np.float32)
    stream.hears(block)
    block[:] = 9  # PortAudio writes the next block to the same place
    stream.hears(np.array([0.3], np.float32))
    np.testing.assert_allclose(microphone.heard(), [0.1, 0.2, 0.3])
    assert len(microphone.heard()) == 0
    microphone.close()
    assert stream.closed


def test_the_devices_own_rate_where_it_knows_no_other(portaudio: SimpleNamespace) -> None:
    portaudio.rates = [44_100]
    assert SoundInput(None).rate == 44_100
    portaudio.rates = []
    assert SoundInput(InputDevice("Desk", "ALSA")).rate == 16_000


def test_a_microphone_that_is_not_there(portaudio: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MicrophoneError, match="Gone is not connected"):
        SoundInput(InputDevice("Gone", "ALSA"))

    def refuse(**_: Any) -> None:
        raise PortAudioError

    portaudio.InputStream = refuse
    with pytest.raises(MicrophoneError, match="Desk cannot be opened"):
        SoundInput(InputDevice("Desk", "ALSA"))
    with pytest.raises(MicrophoneError, match="The microphone cannot be opened"):
        SoundInput(None)
    there = portaudio.query_devices
    portaudio.query_devices = lambda index=None, kind=None: there()[:1] if kind is None else there()[0]
    with pytest.raises(MicrophoneError, match="No microphone is connected"):
        SoundInput(None)


def test_a_microphone_that_goes(portaudio: SimpleNamespace) -> None:
    microphone = SoundInput(None)
    InputStream.opened[0].active = False
    with pytest.raises(MicrophoneError, match="stopped answering"):
        microphone.heard()


def test_without_portaudio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(MicrophoneError, match="libportaudio2"):
        find_inputs()
