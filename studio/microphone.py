"""Where recordings come from: an input device that hands over what it has heard since it was last asked. Without Qt.

sounddevice is imported when it is first needed: a machine without PortAudio runs all the rest.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from studio.problems import SoundDeviceError

RATES = (48_000, 44_100)  # tried in turn, before the device's own


@dataclass(frozen=True)
class InputDevice:
    """A microphone. Name and host API find it again; numbers change whenever something is plugged in."""

    name: str
    host_api: str
    default: bool = False


class MicrophoneError(SoundDeviceError):
    """Nothing can be recorded. The message is a plain sentence."""


class Input(Protocol):
    """An open input of one channel at `rate`."""

    @property
    def rate(self) -> int: ...

    def heard(self) -> np.ndarray:
        """float32 samples since the last time. MicrophoneError where the device is gone."""
        ...

    def close(self) -> None: ...


def find_inputs() -> tuple[InputDevice, ...]:
    """The microphones there are. MicrophoneError without PortAudio."""
    sounddevice = _sounddevice()
    apis = sounddevice.query_hostapis()
    default = sounddevice.default.device[0]
    return tuple(
        InputDevice(found["name"], apis[found["hostapi"]]["name"], found["index"] == default)
        for found in sounddevice.query_devices()
        if found["max_input_channels"] > 0
    )


def _sounddevice() -> ModuleType:
    try:
        import sounddevice
    except (ImportError, OSError) as error:
        raise MicrophoneError(
            "Nothing can be recorded: the PortAudio library is not installed. On Debian and Ubuntu it is libportaudio2."
        ) from error
    return sounddevice


class SoundInput:
    """The device itself. Its thread copies blocks into a queue, nothing else."""

    def __init__(self, device: InputDevice | None) -> None:
        self._sounddevice = _sounddevice()
        self._blocks: deque[np.ndarray] = deque()
        self._name = device.name if device else "The microphone"
        try:
            index = self._index(device)
            self._stream = self._sounddevice.InputStream(
                samplerate=self._rate(index), device=index, channels=1, dtype="float32", latency="high",
                callback=self._take,
            )  # fmt: skip
            self._stream.start()
        except (self._sounddevice.PortAudioError, ValueError) as error:
            if device is None and not find_inputs():
                raise MicrophoneError("No microphone is connected: plug one in, and begin again.") from error
            raise MicrophoneError(
                f"{self._name} cannot be opened. Another program may hold it; choose another one, or allow it."
            ) from error

    @property
    def rate(self) -> int:
        return round(self._stream.samplerate)

    def heard(self) -> np.ndarray:
        if not self._stream.active:
            raise MicrophoneError(f"{self._name} stopped answering. If it was unplugged, choose another one.")
        blocks = [self._blocks.popleft() for _ in range(len(self._blocks))]
        return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)

    def close(self) -> None:
        self._stream.close()

    def _take(self, block: np.ndarray, frames: int, time: Any, status: Any) -> None:
        self._blocks.append(block[:, 0].copy())

    def _index(self, device: InputDevice | None) -> int | None:
        if device is None:
            return None
        apis = self._sounddevice.query_hostapis()
        for found in self._sounddevice.query_devices():
            known = (found["name"], apis[found["hostapi"]]["name"])
            if known == (device.name, device.host_api) and found["max_input_channels"] > 0:
                return int(found["index"])
        raise MicrophoneError(f"{device.name} is not connected. Choose another microphone.")

    def _rate(self, index: int | None) -> int:
        for rate in RATES:
            try:
                self._sounddevice.check_input_settings(index, 1, "float32", samplerate=rate)
            except self._sounddevice.PortAudioError:
                continue
            return rate
        return round(self._sounddevice.query_devices(index, "input")["default_samplerate"])
