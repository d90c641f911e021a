from __future__ import annotations

import numpy as np

from studio.document.timing import Mix, Placed
from studio.player.reader import GrowingSource, Reader
from studio.samples import LiveWave, Peaks, Print
from studio.session.scene_source import SceneSource, known

RATE = 1000


def tone(value: float, count: int = 1000) -> Print:
    samples = np.full(count, value, np.float32)
    return Print(RATE, samples, Peaks(samples))


def placed(*estimated: bool) -> tuple[Placed, ...]:
    return tuple(
        Placed(str(number), "Mira", 0, number * 1.5, 1.0, is_estimated) for number, is_estimated in enumerate(estimated)
    )


def test_a_whole_script_is_its_mix() -> None:
    prints = {"0": tone(0.1), "1": tone(0.2)}
    lines = placed(False, False)
    at = known(lines, prints, {}, RATE)
    assert at.whole
    source = SceneSource(at)
    assert source.finished
    assert np.array_equal(source.read(0, 9000), Mix(lines, prints, RATE).read(0, 2500))


def test_what_is_being_made_is_waited_for_and_nothing_is_skipped() -> None:
    prints = {"0": tone(0.1), "2": tone(0.3)}
    source = SceneSource(known(placed(False, True, False), prints, {"1": None}, RATE))
    assert isinstance(source, GrowingSource)
    assert not source.finished
    assert len(source.read(0, 9000)) == 1500  # the first line and its pause
    wave = LiveWave(RATE)
    wave.append(np.full(400, 0.2, np.float32))
    source.show(known(placed(False, True, False), prints, {"1": wave}, RATE))
    assert len(source.read(0, 9000)) == 1900
    assert np.allclose(source.read(1500, 400), 0.2)
    lines = (*placed(False, False), Placed("2", "Mira", 0, 2.2, 1.0, False))
    source.show(known(lines, {**prints, "1": tone(0.2, 500)}, {}, RATE))
    assert source.finished
    assert len(source.read(0, 9000)) == 3200


def test_the_player_hears_silence_while_it_waits_and_loses_no_sample() -> None:
    prints = {"0": tone(0.1)}
    source = SceneSource(known(placed(False, True), prints, {"1": None}, RATE))
    reader = Reader(source, 0, None)
    heard = []
    for number in range(4):
        _, pieces = reader.next_block()
        heard += [piece for piece in pieces if piece[0] is not None]
        if number == 1:
            source.show(known(placed(False, False), {**prints, "1": tone(0.2)}, {}, RATE))
        if reader.ended:
            break
    assert reader.ended
    assert sum(count for _, count in heard) == 2500
    assert [first for first, _ in heard] == sorted(first for first, _ in heard)
