"""Where samples go: the sound device, or silence that takes as long. Without Qt.

sounddevice is imported when it is first needed: a machine without PortAudio runs all the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol

import numpy as np

from studio.problems import SoundDeviceError


@dataclass(frozen=True)
class Device:
    """An output device. Name and host API find it again; numbers change whenever something is plugged in."""

    name: str
    host_api: str
    default: bool = False


class PlayerError(SoundDeviceError):
    """Nothing can be heard. `device` is the one that was asked for, None for the system's own choice."""

    def __init__(self, message: str, device: Device | None = None) -> None:
        super().__init__(message)
        self.device = device


class Stream(Protocol):
    """An open output. `rate` may differ from the one asked for, where the device refused that."""

    @property
    def rate(self) -> int: ...

    @property
    def latency(self) -> float:
        """Seconds from writing to hearing."""
        ...

    def write(self, samples: np.ndarray) -> None:
        """Takes float32 samples and returns once it has room for more. PlayerError where the device is gone."""
        ...

    def abort(self) -> None:
        """Drops what was written and not heard yet."""
        ...

    def close(self) -> None: ...


def find_devices(refresh: bool) -> tuple[Device, ...]:
    """The output devices. `refresh` looks for them anew, which ends all open streams. PlayerError without PortAudio."""
    sounddevice = _sounddevice()
    if refresh:
        sounddevice._terminate()
        sounddevice._initialize()
    apis = sounddevice.query_hostapis()
    default = sounddevice.default.device[1]
    return tuple(
        Device(found["name"], apis[found["hostapi"]]["name"], found["index"] == default)
        for found in sounddevice.query_devices()
        if found["max_output_channels"] > 0
    )


def _sounddevice() -> ModuleType:
    try:
        import sounddevice
    except (ImportError, OSError) as error:
        raise PlayerError(
            "Nothing can be heard: the PortAudio library is not installed. On Debian and Ubuntu it is libportaudio2."
        ) from error
    return sounddevice


class SoundStream:
    """The sound device, at the rate asked for or, where it refuses that, at its own."""

    def __init__(self, device: Device | None, rate: int) -> None:
        self._sounddevice = _sounddevice()
        self._device = device
        try:
            found = self._find(device)
            self._channels = min(2, found["max_output_channels"])
            self._stream = self._sounddevice.OutputStream(
                samplerate=self._rate(found, rate), device=found["index"], channels=self._channels, dtype="float32",
                latency="high",
            )
            self._stream.start()
        except self._sounddevice.PortAudioError as error:
            name = device.name if device else "The sound output"
            raise PlayerError(f"{name} cannot be opened. Another program may hold it; choose another one.",
                              device) from error

    @property
    def rate(self) -> int:
        return round(self._stream.samplerate)

    @property
    def latency(self) -> float:
        return float(self._stream.latency)

    def write(self, samples: np.ndarray) -> None:
        if not len(samples):
            return
        try:
            self._stream.write(np.repeat(samples[:, None], self._channels, axis=1))
        except self._sounddevice.PortAudioError as error:
            name = self._device.name if self._device else "The sound output"
            raise PlayerError(f"{name} stopped answering. If it was unplugged, choose another one.",
                              self._device) from error

    def abort(self) -> None:
        self._stream.abort()

    def close(self) -> None:
        self._stream.close()

    def _find(self, device: Device | None) -> dict[str, int]:
        """What PortAudio knows of a device."""
        if device is None:
            try:
                return self._sounddevice.query_devices(kind="output")
            except (ValueError, self._sounddevice.PortAudioError) as error:
                raise PlayerError("There is no sound output.") from error
        apis = self._sounddevice.query_hostapis()
        for found in self._sounddevice.query_devices():
            known = (found["name"], apis[found["hostapi"]]["name"])
            if known == (device.name, device.host_api) and found["max_output_channels"] > 0:
                return found
        raise PlayerError(f"{device.name} is not connected. Choose another output.", device)

    def _rate(self, found: dict[str, int], rate: int) -> int:
        try:
            self._sounddevice.check_output_settings(found["index"], self._channels, "float32", samplerate=rate)
        except self._sounddevice.PortAudioError:
            return round(found["default_samplerate"])
        return rate


class SilentStream:
    """No device: takes samples as fast as they would be heard."""

    latency = 0.0

    def __init__(self, device: Device | None, rate: int, now: Callable[[], float] = time.monotonic,
                 wait: Callable[[float], None] = time.sleep) -> None:
        self.rate = rate
        self._now = now
        self._wait = wait
        self._heard_by = now()

    def write(self, samples: np.ndarray) -> None:
        self._heard_by = max(self._heard_by, self._now()) + len(samples) / self.rate
        self._wait(max(0.0, self._heard_by - self._now()))

    def abort(self) -> None:
        self._heard_by = self._now()

    def close(self) -> None:
        pass
