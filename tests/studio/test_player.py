"""The player: what is written to the device, where it says it is, and that it stops."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject, Slot
from pytestqt.qtbot import QtBot

from studio.player import Device, Player, PlayerError, SilentStream
from studio.player.clock import Heard
from studio.player.reader import BLOCK, Reader
from studio.player.stream import SoundStream

RATE = 44100


class Tape:
    """Samples that count up, so that every one tells where it is from. It may grow until it is finished."""

    rate = RATE

    def __init__(self, count: int, finished: bool = True) -> None:
        self.count = count
        self.finished = finished

    def read(self, start_sample: int, count: int) -> np.ndarray:
        stop = min(self.count, start_sample + count)
        return np.arange(start_sample, max(start_sample, stop), dtype=np.float32) + 1


class FakeStream:
    """Takes what it is given, at once or as many blocks as `room` allows, and may break."""

    latency = 0.0

    def __init__(self, rate: int = RATE, room: int | None = None, break_after: int | None = None) -> None:
        self.rate = rate
        self.blocks: list[np.ndarray] = []
        self.room = threading.Semaphore(room) if room is not None else None
        self.break_after = break_after
        self.aborted = self.closed = False

    def write(self, samples: np.ndarray) -> None:
        if self.room is not None:
            assert self.room.acquire(timeout=5)
        if self.break_after is not None and len(self.blocks) >= self.break_after:
            raise PlayerError("Headphones stopped answering.", Device("Headphones", "ALSA"))
        self.blocks.append(np.array(samples))

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.closed = True

    @property
    def samples(self) -> np.ndarray:
        return np.concatenate(self.blocks)


class Deck(QObject):
    """A player on a fake stream, and what it said."""

    def __init__(self, stream: FakeStream) -> None:
        super().__init__()
        self.stream = stream
        self.opened: list[tuple[Device | None, int]] = []
        self.errors: list[Exception] = []
        self.levels: list[float] = []
        self.player = Player(self, open_stream=self.open_stream)
        self.player.failed.connect(self._failed)
        self.player.level.connect(self._level)

    def open_stream(self, device: Device | None, rate: int) -> FakeStream:
        self.opened.append((device, rate))
        return self.stream

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        self.errors.append(error)

    @Slot(float)
    def _level(self, level: float) -> None:
        self.levels.append(level)


@pytest.fixture
def decks(qtbot: QtBot) -> Iterator[list[Deck]]:
    made: list[Deck] = []
    yield made
    for deck in made:
        if deck.stream.room is not None:
            deck.stream.room.release(1000)
        deck.player.close()


def deck_on(decks: list[Deck], stream: FakeStream) -> Deck:
    decks.append(Deck(stream))
    return decks[-1]


def test_plays_to_the_end_and_says_where_it_is(qtbot: QtBot, decks: list[Deck]) -> None:
    deck = deck_on(decks, FakeStream())
    with qtbot.waitSignal(deck.player.started), qtbot.waitSignal(deck.player.stopped) as stopped:
        deck.player.play(Tape(10_000), 4410)
    assert stopped.args == [pytest.approx(10_000 / RATE)]
    assert deck.player.position() == stopped.args[0]
    assert len(deck.stream.samples) == 10_000 - 4410
    assert deck.opened == [(None, RATE)]
    assert deck.stream.closed
    assert not deck.errors


def test_stop_stays_where_it_stopped(qtbot: QtBot, decks: list[Deck]) -> None:
    stream = FakeStream(room=3)
    deck = deck_on(decks, stream)
    with qtbot.waitSignal(deck.player.started):
        deck.player.play(Tape(10 * RATE))
    qtbot.waitUntil(lambda: len(stream.blocks) == 3)
    with qtbot.waitSignal(deck.player.stopped) as stopped:
        deck.player.stop()
        here = deck.player.position()
        stream.room.release(2)  # type: ignore[union-attr]
    assert stopped.args == [here]
    assert deck.player.position() == here
    assert here <= 4 * BLOCK / RATE
    assert stream.aborted
    assert len(stream.blocks) <= 5  # the block under way and the fade: a stop takes no longer
    assert stream.blocks[-1][-1] == 0


def test_a_stop_between_plays_does_nothing(decks: list[Deck]) -> None:
    deck = deck_on(decks, FakeStream())
    deck.player.stop()
    assert deck.player.position() == 0


def test_a_new_play_takes_over(qtbot: QtBot, decks: list[Deck]) -> None:
    deck = deck_on(decks, FakeStream(room=1))
    with qtbot.waitSignal(deck.player.started):
        deck.player.play(Tape(100 * RATE))
    deck.player.play(Tape(60_000), 50_000)
    assert deck.player.position() == pytest.approx(50_000 / RATE)
    with qtbot.waitSignals([deck.player.stopped, deck.player.stopped]):
        deck.stream.room.release(1000)  # type: ignore[union-attr]
    assert deck.player.position() == pytest.approx(60_000 / RATE)
    assert len(deck.opened) == 2


def test_a_growing_line_is_waited_for_in_silence_that_is_not_counted(qtbot: QtBot, decks: list[Deck]) -> None:
    stream = FakeStream(room=4)
    deck = deck_on(decks, stream)
    tape = Tape(3000, finished=False)
    deck.player.play(tape)
    qtbot.waitUntil(lambda: len(stream.blocks) == 4)
    assert deck.player.position() <= 3000 / RATE
    tape.count, tape.finished = 6000, True
    with qtbot.waitSignal(deck.player.stopped) as stopped:
        stream.room.release(1000)  # type: ignore[union-attr]
    assert stopped.args == [pytest.approx(6000 / RATE)]
    assert stream.samples.max() > 5800
    assert np.count_nonzero(stream.samples == 0) >= 4 * BLOCK - 3000 - 10


def test_a_device_that_goes_leaves_the_position(qtbot: QtBot, decks: list[Deck]) -> None:
    deck = deck_on(decks, FakeStream(break_after=5))
    with qtbot.waitSignals([deck.player.failed, deck.player.stopped]):
        deck.player.play(Tape(10 * RATE), RATE)
    qtbot.waitUntil(lambda: len(deck.errors) == 1)
    assert isinstance(deck.errors[0], PlayerError)
    assert "Headphones" in str(deck.errors[0])
    assert 1 <= deck.player.position() <= 1 + 5 * BLOCK / RATE
    deck.stream.break_after = None
    with qtbot.waitSignal(deck.player.stopped):  # and it plays again
        deck.player.play(Tape(5000))
    assert deck.player.position() == pytest.approx(5000 / RATE)


def test_a_stream_that_cannot_be_opened_is_told(qtbot: QtBot) -> None:
    def refuse(device: Device | None, rate: int) -> FakeStream:
        raise PlayerError("Speakers is not connected. Choose another output.", device)

    player = Player(open_stream=refuse)
    speakers = Device("Speakers", "ALSA")
    player.choose(speakers)
    with qtbot.waitSignal(player.failed) as failed, qtbot.waitSignal(player.stopped) as stopped:
        player.play(Tape(100), 50)
    player.close()
    assert failed.args[0].device == speakers
    assert stopped.args == [pytest.approx(50 / RATE)]


def test_a_rate_the_device_refuses_is_converted(qtbot: QtBot, decks: list[Deck]) -> None:
    deck = deck_on(decks, FakeStream(rate=48000))
    with qtbot.waitSignal(deck.player.stopped) as stopped:
        deck.player.play(Tape(RATE))
    assert len(deck.stream.samples) == 48000
    assert stopped.args == [pytest.approx(1.0)]


def test_the_level_is_told_and_falls_silent(qtbot: QtBot, decks: list[Deck]) -> None:
    deck = deck_on(decks, FakeStream())
    with qtbot.waitSignal(deck.player.stopped):
        deck.player.play(Tape(5000))
    qtbot.waitUntil(lambda: bool(deck.levels) and deck.levels[-1] == -120.0)
    assert deck.levels[0] > 60  # the tape counts to thousands
    assert len(deck.levels) <= 4  # one a block where the machine is busy


def test_silence_plays_in_real_time(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETAKE_SILENT", "1")
    player = Player()
    assert [device.name for device in player.devices()] == ["Silence"]
    with qtbot.waitSignal(player.stopped) as stopped:
        player.play(Tape(4000))
    player.close()
    assert stopped.args == [pytest.approx(4000 / RATE)]


def test_the_silent_stream_takes_as_long_as_the_sound() -> None:
    clock = [10.0]

    def wait(seconds: float) -> None:
        clock[0] += seconds

    stream = SilentStream(None, 1000, now=lambda: clock[0], wait=wait)
    for _ in range(3):
        stream.write(np.zeros(500, np.float32))
    assert clock[0] == pytest.approx(11.5)


def test_close_without_a_play_is_fine(qtbot: QtBot) -> None:
    Player().close()


# Order of samples


def read_all(reader: Reader, most_blocks: int) -> tuple[np.ndarray, list[tuple[int | None, int]]]:
    blocks, pieces = [np.zeros(0, np.float32)], []
    for _ in range(most_blocks):
        block, more = reader.next_block()
        assert len(block) == sum(count for _, count in more)
        blocks.append(block)
        pieces += more
        if reader.ended:
            break
    return np.concatenate(blocks), pieces


@given(count=st.integers(0, 9000), start=st.integers(0, 9000))
def test_a_whole_source_is_read_once_in_order(count: int, start: int) -> None:
    samples, pieces = read_all(Reader(Tape(count), start, None), 20)
    assert len(samples) == max(0, count - start)
    covered = [sample for first, length in pieces if first is not None for sample in range(first, first + length)]
    assert covered == list(range(start, max(start, count)))
    assert len(samples) == 0 or samples[0] == 0


@given(start=st.integers(0, 4000), begin=st.integers(0, 5000), length=st.integers(200, 4000))
def test_a_loop_goes_round(start: int, begin: int, length: int) -> None:
    loop = (begin, begin + length)
    _, pieces = read_all(Reader(Tape(20_000), start, loop), 8)
    expected = start
    for first, count in pieces:
        assert first == expected
        assert first is not None
        expected = first + count
        if start < loop[1]:
            assert expected <= loop[1]
            expected = loop[0] if expected == loop[1] else expected


def test_a_loop_with_nothing_in_it_ends() -> None:
    reader = Reader(Tape(1000), 500, (2000, 3000))
    samples, _ = read_all(reader, 5)
    assert reader.ended
    assert len(samples) == 500


def test_a_loop_that_reaches_beyond_the_end_turns_there() -> None:
    _, pieces = read_all(Reader(Tape(1000), 900, (500, 3000)), 1)
    assert pieces[:3] == [(900, 100), (500, 500), (500, 500)]


# The clock


def test_what_the_device_holds_is_not_heard_yet() -> None:
    now = [0.0]
    heard = Heard(1000, 5000, now=lambda: now[0])
    heard.latency = 0.2
    assert heard.seconds() == 5.0
    heard.written([(5000, 100), (5100, 100), (5200, 100)])
    assert heard.seconds() == pytest.approx(5.1)
    now[0] = 0.05
    assert heard.seconds() == pytest.approx(5.15)
    now[0] = 9
    assert heard.seconds() == pytest.approx(5.3)  # never past what was written


def test_silence_and_jumps_are_followed() -> None:
    now = [0.0]
    heard = Heard(1000, 0, now=lambda: now[0])
    heard.written([(0, 100), (None, 500), (100, 100), (0, 50)])
    heard.latency = 0.75
    for moment, expected in ((0.05, 0.05), (0.3, 0.1), (0.59, 0.1), (0.65, 0.15), (0.72, 0.02)):
        now[0] = moment
        assert heard.seconds() == pytest.approx(expected)
    heard.freeze()
    now[0] = 5
    heard.finish()
    assert heard.seconds() == pytest.approx(0.02)


# The sound device


class FakePortAudio(types.ModuleType):
    """sounddevice as far as the player knows it, with two outputs and a microphone."""

    class PortAudioError(Exception):
        pass

    class OutputStream:
        latency = 0.1

        def __init__(self, samplerate: int, device: int, channels: int, dtype: str, latency: str) -> None:
            if device == 3:
                raise FakePortAudio.PortAudioError("busy")
            self.samplerate = float(samplerate)
            self.device, self.channels, self.dtype, self.how = device, channels, dtype, latency
            self.written: list[np.ndarray] = []
            self.said: list[str] = []

        def start(self) -> None:
            self.said.append("start")

        def write(self, samples: np.ndarray) -> None:
            if len(samples) > 100:
                raise FakePortAudio.PortAudioError("gone")
            self.written.append(samples)

        def abort(self) -> None:
            self.said.append("abort")

        def close(self) -> None:
            self.said.append("close")

    def __init__(self) -> None:
        super().__init__("sounddevice")
        self.default = types.SimpleNamespace(device=(0, 2))
        self.refreshed: list[str] = []
        self.found = [
            {"index": index, "name": name, "hostapi": api, "max_output_channels": outputs, "default_samplerate": 48e3}
            for index, (name, api, outputs) in enumerate(
                (("Microphone", 0, 0), ("Speakers", 0, 8), ("Speakers", 1, 2), ("Headset", 1, 1))
            )
        ]

    def _terminate(self) -> None:
        self.refreshed.append("terminate")

    def _initialize(self) -> None:
        self.refreshed.append("initialize")

    def query_hostapis(self) -> list[dict[str, str]]:
        return [{"name": "ALSA"}, {"name": "JACK"}]

    def query_devices(self, kind: str | None = None) -> object:
        if kind is None:
            return self.found
        if not self.found:
            raise FakePortAudio.PortAudioError("Error querying device -1")
        return self.found[self.default.device[1]]

    def check_output_settings(self, device: int, channels: int, dtype: str, samplerate: int) -> None:
        if samplerate not in (44100, 48000):
            raise FakePortAudio.PortAudioError("Invalid sample rate")


@pytest.fixture
def portaudio(monkeypatch: pytest.MonkeyPatch) -> FakePortAudio:
    fake = FakePortAudio()
    monkeypatch.setitem(sys.modules, "sounddevice", fake)
    monkeypatch.delenv("RETAKE_SILENT", raising=False)
    return fake


def test_devices_are_looked_up_anew_between_plays(qtbot: QtBot, portaudio: FakePortAudio) -> None:
    devices = Player().devices()
    assert devices == (Device("Speakers", "ALSA"), Device("Speakers", "JACK", True), Device("Headset", "JACK"))
    assert portaudio.refreshed == ["terminate", "initialize"]


def test_devices_are_looked_for_on_the_players_own_thread(qtbot: QtBot, portaudio: FakePortAudio) -> None:
    player, threads = Player(), []
    portaudio._initialize = lambda: threads.append(threading.current_thread().name)  # type: ignore[method-assign]
    with qtbot.waitSignal(player.found) as found:
        player.look()
    player.close()
    assert ([device.name for device in found.args[0]], threads) == (["Speakers", "Speakers", "Headset"], ["player"])


def test_devices_stay_as_they_are_while_something_plays(
    qtbot: QtBot, portaudio: FakePortAudio, decks: list[Deck]
) -> None:
    deck = deck_on(decks, FakeStream(room=1))
    with qtbot.waitSignal(deck.player.started):
        deck.player.play(Tape(10 * RATE))
    assert len(deck.player.devices()) == 3
    with qtbot.waitSignal(deck.player.found):
        deck.player.look()
    assert not portaudio.refreshed


def test_the_stream_is_the_device_by_name_and_host(portaudio: FakePortAudio) -> None:
    stream = SoundStream(Device("Speakers", "ALSA"), 44100)
    stream.write(np.arange(3, dtype=np.float32))
    stream.write(np.zeros(0, np.float32))
    assert (stream.rate, stream.latency) == (44100, 0.1)
    opened = stream._stream
    assert (opened.device, opened.channels, opened.dtype, opened.how) == (1, 2, "float32", "high")
    assert [block.tolist() for block in opened.written] == [[[0, 0], [1, 1], [2, 2]]]
    stream.abort()
    stream.close()
    assert opened.said == ["start", "abort", "close"]


def test_a_refused_rate_opens_at_the_devices_own(portaudio: FakePortAudio) -> None:
    assert SoundStream(None, 24000).rate == 48000


def test_what_the_device_cannot_do_is_said(portaudio: FakePortAudio) -> None:
    with pytest.raises(PlayerError, match="USB is not connected"):
        SoundStream(Device("USB", "ALSA"), 44100)
    with pytest.raises(PlayerError, match="Headset cannot be opened"):
        SoundStream(Device("Headset", "JACK"), 44100)
    with pytest.raises(PlayerError, match="stopped answering"):
        SoundStream(None, 44100).write(np.zeros(200, np.float32))
    portaudio.found = []
    with pytest.raises(PlayerError, match="There is no sound output"):
        SoundStream(None, 44100)


def test_a_machine_without_portaudio_says_so(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RETAKE_SILENT", raising=False)
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    player = Player()
    with pytest.raises(PlayerError, match="PortAudio"):
        player.devices()
    with qtbot.waitSignal(player.failed) as failed:
        player.play(Tape(100))
    with qtbot.waitSignal(player.found) as found:
        player.look()
    player.close()
    assert isinstance(failed.args[0], PlayerError)
    assert found.args == [()]
