"""The player: one playback thread that copies and counts. Whoever wants to know where the playhead is asks for it.

Blocks of 2,048 samples are written to a blocking stream. Positions count the samples of the source alone: silence while
a line is still being made, the device's latency and fades move nothing.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import soxr
from PySide6.QtCore import QObject, Signal

from studio.player.clock import Heard
from studio.player.reader import Loop, Reader, Source
from studio.player.stream import Device, PlayerError, SilentStream, SoundStream, Stream, find_devices

_LONGEST_FADE_OUT = 0.08  # seconds a stop may wait for its fade to be heard
_LEVEL_SECONDS = 1 / 30
_QUIET = -120.0  # dB

OpenStream = Callable[[Device | None, int], Stream]


@dataclass(eq=False)
class _Order:
    """One wish to hear something; `heard` counts what came out of it. It is played until it is `unwanted`."""

    source: Source
    start: int
    loop: Loop | None
    heard: Heard
    device: Device | None
    unwanted: threading.Event = field(default_factory=threading.Event)
    ended: bool = False


class Player(QObject):
    """Plays one source at a time. All methods but `close` and `devices` return at once; `close` ends the thread.

    `stopped` carries the position in seconds: where it was stopped, or the end of the source. `level` is the peak of
    what is being written in dB, at most thirty times a second. `failed` carries the error, a `PlayerError` or what the
    source raised; `stopped` follows it. `found` carries the output devices that `look` was to look for; where that
    failed there are none.
    """

    started = Signal()
    stopped = Signal(float)
    failed = Signal(object)
    level = Signal(float)
    found = Signal(object)

    def __init__(self, parent: QObject | None = None, open_stream: OpenStream | None = None) -> None:
        super().__init__(parent)
        self._silent = open_stream is None and os.environ.get("RETAKE_SILENT") == "1"
        self._open_stream = open_stream or (SilentStream if self._silent else SoundStream)
        self._device: Device | None = None
        self._wake = threading.Condition()
        self._order: _Order | None = None  # the newest
        self._waiting: _Order | None = None  # the newest as long as the thread has not taken it
        self._looks = False  # devices are to be looked for
        self._closing = False
        self._looking = threading.Lock()
        self._stream_open = threading.Lock()
        self._thread: threading.Thread | None = None

    def play(self, source: Source, start_sample: int = 0, loop: Loop | None = None) -> None:
        """Plays from `start_sample` on, instead of what is playing. `loop` [start, stop) in samples is played again and
        again once its stop is reached; from beyond it, the source plays on to its end."""
        with self._wake:
            if self._order is not None:
                self._order.unwanted.set()
            heard = Heard(source.rate, start_sample)
            self._order = self._waiting = _Order(source, start_sample, loop, heard, self._device)
            self._wake_thread()

    def stop(self) -> None:
        """Stops where it is. The position stays."""
        if self._order is not None:
            self._order.heard.freeze()
            self._order.unwanted.set()

    @property
    def playing(self) -> bool:
        """The newest wish is being played, or is about to be."""
        return self._order is not None and not self._order.ended

    def position(self) -> float:
        """Seconds of the source that have been heard."""
        return self._order.heard.seconds() if self._order is not None else 0.0

    def devices(self) -> tuple[Device, ...]:
        """The output devices there are, looked up anew only while nothing is playing. PlayerError without PortAudio."""
        if self._silent:
            return (Device("Silence", "Retake", True),)
        with self._looking:
            idle = self._stream_open.acquire(blocking=False)
            try:
                return find_devices(refresh=idle)
            finally:
                if idle:
                    self._stream_open.release()

    def look(self) -> None:
        """Looks for the output devices on the playback thread, for starting the sound system anew may take long. While
        something plays they are known, and told at once."""
        if self._silent or self.playing:
            self._tell_devices()
            return
        with self._wake:
            self._looks = True
            self._wake_thread()

    def choose(self, device: Device | None) -> None:
        """Plays on this device from the next `play` on; None: on the system's own choice."""
        self._device = device

    def close(self) -> None:
        """Stops, and ends the thread."""
        self.stop()
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()

    def _wake_thread(self) -> None:
        """There is something for the thread to do; `_wake` is held."""
        self._wake.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="player", daemon=True)
            self._thread.start()

    # The playback thread

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._waiting is not None or self._looks or self._closing)
                order, self._waiting = self._waiting, None
                looks, self._looks = self._looks, False
                if self._closing:
                    return
            if looks:
                self._tell_devices()
            if order is not None:
                self._perform(order)

    def _tell_devices(self) -> None:
        try:
            devices = self.devices()
        except PlayerError as error:
            devices = ()
            self.failed.emit(error)
        self.found.emit(devices)

    def _perform(self, order: _Order) -> None:
        """Plays one order to its end and says how it went."""
        try:
            with self._stream_open:
                self._play_through(order)
        except Exception as error:  # also what a source raises: the thread lives on, the window speaks of it
            order.heard.freeze()
            self.failed.emit(error)
        order.ended = True
        self.level.emit(_QUIET)
        self.stopped.emit(order.heard.seconds())

    def _play_through(self, order: _Order) -> None:
        if order.unwanted.is_set():
            return
        stream = self._open_stream(order.device, order.source.rate)
        try:
            order.heard.latency = stream.latency
            self._write_all(order, stream)
            stream.abort()
        finally:
            stream.close()

    def _write_all(self, order: _Order, stream: Stream) -> None:
        reader = Reader(order.source, order.start, order.loop)
        convert = _Converter(order.source.rate, stream.rate)
        meter = _Meter()
        self.started.emit()
        while not order.unwanted.is_set():
            block, pieces = reader.next_block()
            stream.write(convert(block, last=reader.ended))
            order.heard.written(pieces)
            if (peak := meter.measure(block)) is not None:
                self.level.emit(peak)
            if reader.ended:
                if not order.unwanted.wait(stream.latency):
                    order.heard.finish()
                return
        # What was written before a stop is followed by a fade and not by a cut; a device that holds more than a moment
        # of sound is cut all the same, for a stop that is late is worse.
        stream.write(convert(reader.fade_out(), last=True))
        time.sleep(min(stream.latency, _LONGEST_FADE_OUT))


class _Converter:
    """From the source's rate to the device's."""

    def __init__(self, rate: int, device_rate: int) -> None:
        self._stream = soxr.ResampleStream(rate, device_rate, 1, "float32", "VHQ") if rate != device_rate else None

    def __call__(self, samples: np.ndarray, last: bool) -> np.ndarray:
        return samples if self._stream is None else self._stream.resample_chunk(samples, last=last)


class _Meter:
    """The peak of all samples since it was last told."""

    def __init__(self) -> None:
        self._peak = 0.0
        self._told = -1.0

    def measure(self, samples: np.ndarray) -> float | None:
        """The peak in dB, or None while the last one is not old enough."""
        self._peak = max(self._peak, float(np.abs(samples).max(initial=0.0)))
        if time.monotonic() - self._told < _LEVEL_SECONDS:
            return None
        peak, self._peak, self._told = self._peak, 0.0, time.monotonic()
        return max(_QUIET, 20 * float(np.log10(max(peak, 1e-9))))
