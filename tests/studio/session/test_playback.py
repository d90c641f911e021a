"""What is heard, and where the playhead stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal

from engine.request import FrameData, How, Origin, Settings, Take
from studio.document.compare import prompt_for
from studio.document.edits import ChangeCharacter, ReplaceLines
from studio.document.project import Line, Project
from studio.document.timing import Mix
from studio.player import Player
from studio.player.reader import Reader, Source
from studio.session import Playback
from tests.studio.session.stage import Studio, project
from tests.tiny import CODEBOOKS

RATE, HOP, FRAMES = 8000, 256, 25  # 0.8 s


@pytest.fixture
def player(qapp: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Player]:
    monkeypatch.setenv("RETAKE_SILENT", "1")
    made = Player()
    yield made
    made.close()


@pytest.fixture
def playback(silent_studio: Studio, player: Player) -> Playback:
    """Two lines that sound, 0.8 s each, with 350 ms between them."""
    made = Playback(silent_studio.session, silent_studio.performing, player)
    session, play = silent_studio.session, project("One two.", "Three four.")
    session.start(play)
    for line in play.lines():
        session.add_takes(line.id, (take(play, line),), "Generate line")
        kept = silent_studio.session.find(line.id)
        assert kept is not None
        assert kept.kept is not None
        session.put_print(kept.kept, RATE, np.linspace(-0.5, 0.5, FRAMES * HOP, dtype=np.float32))
    silent_studio.until_idle()
    return made


class Tape(QObject):
    """Stands for the player: takes up what can be read, whenever it is told to."""

    stopped = Signal(float)
    playing = True

    def __init__(self) -> None:
        super().__init__()
        self.heard = np.zeros(0, np.float32)
        self.source: Source | None = None

    def play(self, source: Source, first: int = 0, loop: object = None) -> None:
        self.source = source

    def stop(self) -> None:
        self.source = None

    def position(self) -> float:
        return len(self.heard) / self.source.rate if self.source is not None else 0.0

    def go_on(self) -> None:
        assert self.source is not None
        more = self.source.read(len(self.heard), 2048)
        self.heard = np.concatenate([self.heard, more])


def take(play: Project, line: Line) -> Take:
    origin = Origin(prompt_for(play, line), "tiny", 1, Settings(), How.GENERATED, RATE, HOP)
    data = FrameData(np.zeros((2, FRAMES), np.float32), np.zeros((2, FRAMES), np.float32))
    return Take(np.zeros((CODEBOOKS, FRAMES), np.int16), origin, data)


def test_a_scene_is_heard_whole_while_its_lines_are_made(studio: Studio) -> None:
    """Nothing of it is lost, and nothing comes between that is not in the script."""
    session, performing, tape = studio.session, studio.performing, Tape()
    session.start(project("One two.", "Three four five.", "Six seven.", "Eight."))
    made = Playback(session, performing, tape)
    performing.generate(studio.ids())
    made.play(0.0)
    for more in (performing.grew, performing.changed, performing.progressed):
        more.connect(tape.go_on)
    lengths: list[int] = []
    session.stored.connect(lambda: lengths.append(len(tape.heard)))
    studio.until_idle()
    assert len(set(lengths)) == 4  # it was heard in between
    prints = {line.id: session.print_of(line.kept) for line in session.project.lines()}
    mix = Mix(session.placed(), prints, tape.source.rate)
    while len(tape.heard) < mix.length:
        before = len(tape.heard)
        tape.go_on()
        assert len(tape.heard) > before
    assert np.allclose(tape.heard, mix.read(0, mix.length), atol=1e-3)


def test_it_stops_where_it_is(silent_studio: Studio, playback: Playback) -> None:
    playback.toggle()
    assert playback.playing
    silent_studio.until(lambda: playback.seconds > 0.1)
    playback.toggle()
    at = playback.seconds
    silent_studio.until(lambda: not playback.playing)
    assert playback.seconds == pytest.approx(at, abs=0.05)
    assert 0.1 < playback.seconds < 0.8
    playback.toggle()
    assert playback.seconds >= at - 0.05


def test_from_the_end_it_begins_anew(silent_studio: Studio, playback: Playback) -> None:
    playback.play(1.85)
    silent_studio.until(lambda: not playback.playing)
    assert playback.seconds == pytest.approx(1.95)
    playback.toggle()
    assert playback.seconds < 0.5


def test_another_source_takes_over_with_its_own_place(silent_studio: Studio, playback: Playback) -> None:
    playback.play(0.0)
    silent_studio.until(lambda: playback.seconds > 0.05)
    playback.play_line("line1")
    assert playback.playing
    assert 1.15 <= playback.seconds < 1.3
    silent_studio.until(lambda: playback.seconds > 1.25)
    assert playback.playing
    playback.play_around("line0", (12, 14))
    assert 0 <= playback.seconds < 0.3
    silent_studio.until(lambda: not playback.playing)
    assert playback.seconds == pytest.approx(0.8)


def test_seeking_while_it_plays_goes_on_from_there(silent_studio: Studio, playback: Playback) -> None:
    playback.seek(0.3)
    assert not playback.playing
    assert playback.seconds == 0.3
    playback.toggle()
    playback.seek(1.5)
    assert playback.playing
    assert playback.seconds >= 1.5


def test_a_loop_comes_round(silent_studio: Studio, playback: Playback) -> None:
    playback.set_loop((0.2, 0.4))
    playback.play(0.0)
    seen: list[float] = []

    def came_round() -> bool:
        seen.append(playback.seconds)
        return any(later < earlier for earlier, later in pairwise(seen))

    silent_studio.until(came_round)
    assert 0.2 <= min(seen) <= max(seen) <= 0.41
    playback.set_loop(None)
    assert not playback.looping
    silent_studio.until(lambda: playback.seconds > 0.5)


def test_a_join_is_heard_with_its_surroundings(silent_studio: Studio, playback: Playback) -> None:
    session = silent_studio.session
    old = session.kept(silent_studio.line(2))
    assert old is not None
    spliced = replace(old, origin=replace(old.origin, how=How.SPLICED, parent=old.id, span=(20, 22)))
    session.add_takes("line1", (spliced,), "Regenerate")
    playback.play_around("line1", (20, 22))
    assert not playback.playing  # it has no print yet
    session.put_print(spliced.id, RATE, np.zeros(FRAMES * HOP, np.float32))
    playback.play_around("line1", (20, 22))
    assert 1.15 <= playback.seconds < 1.4


def test_another_project_is_silent_at_its_start(silent_studio: Studio, playback: Playback) -> None:
    playback.set_loop((0.2, 0.4))
    playback.play(0.2)
    silent_studio.session.start(project("Another."))
    assert not playback.playing
    assert (playback.seconds, playback.loop, playback.looping) == (0.0, None, False)
    silent_studio.until(lambda: not playback._player.playing)
    silent_studio.until_idle()
    assert playback.seconds == 0.0


def test_takes_are_compared_in_place_and_equally_loud(silent_studio: Studio, playback: Playback) -> None:
    session = silent_studio.session
    before = session.kept(silent_studio.line(2))
    assert before is not None
    quiet = replace(before, origin=replace(before.origin, seed=7))
    session.add_takes("line1", (quiet,), "Generate line")
    session.put_print(quiet.id, RATE, np.linspace(-0.05, 0.05, FRAMES * HOP, dtype=np.float32))
    sources = []
    play = playback._player.play
    playback._player.play = lambda source, *rest: (sources.append((source, rest[0])), play(source, *rest))
    playback.play(1.15 + 0.4)
    playback.compare("line1", before, quiet)
    source, first = sources[-1]
    assert np.abs(source.read(0, FRAMES * HOP)).max() == pytest.approx(0.5, rel=1e-3)
    assert first >= 0.39 * RATE
    playback.compare("line1", quiet, before)
    assert np.abs(sources[-1][0].read(0, FRAMES * HOP)).max() == pytest.approx(0.05, rel=1e-3)
    playback.stop()


def test_a_loop_without_a_mark_goes_round_at_the_end_of_the_script_as_it_is(
    silent_studio: Studio, playback: Playback
) -> None:
    session, orders = silent_studio.session, []
    playback._player.play = lambda *order: orders.append(order)
    playback.set_looping(True)
    assert playback.loop is None
    third = replace(silent_studio.line(1), id="line2", takes=(), kept=None)
    session.do(ReplaceLines(0, 2, 2, (third,)))
    session.add_takes("line2", (take(session.project, third),), "Generate line")
    session.put_print(session.find("line2").kept, RATE, np.full(FRAMES * HOP, 0.5, np.float32))
    playback.play(1.9)
    reader = Reader(*orders[-1])
    length = round(3.1 * RATE)  # three lines of 0.8 s, with 350 ms between them
    heard: list[int] = []
    while not heard or heard[-1] >= round(1.9 * RATE):
        heard += [first for first, _ in reader.next_block()[1]]
    assert heard[-1] == 0
    assert length - 2048 <= heard[-2] < length
    assert not reader.ended


def loud(playback: Playback) -> list[str]:
    """The lines that are heard."""
    return list(playback._prints(playback._session.placed()))


def test_who_is_heard_alone_or_not_at_all_is_so_under_another_name(silent_studio: Studio, playback: Playback) -> None:
    session = silent_studio.session
    mira = session.project.cast[0]
    playback.toggle_solo("Mira")
    session.do(ChangeCharacter("Mira", replace(mira, name="Mirabel")))
    assert (playback.solo, loud(playback)) == ({"Mirabel"}, ["line0"])
    session.undo()
    assert (playback.solo, loud(playback)) == ({"Mira"}, ["line0"])
    playback.toggle_solo("Mira")
    playback.toggle_mute("Mira")
    session.redo()
    assert (playback.mute, loud(playback)) == ({"Mirabel"}, ["line1"])


def test_who_has_no_line_leaves_the_others_heard(silent_studio: Studio, playback: Playback) -> None:
    playback.toggle_solo("Mira")
    silent_studio.session.do(ReplaceLines(0, 0, 1, ()))
    assert loud(playback) == ["line1"]
    silent_studio.session.undo()
    assert loud(playback) == ["line0"]


def test_in_another_project_everybody_is_heard(silent_studio: Studio, playback: Playback) -> None:
    playback.toggle_solo("Mira")
    playback.toggle_mute("Tom")
    silent_studio.session.start(project("Five six."))
    assert (playback.solo, playback.mute) == (frozenset(), frozenset())


def test_a_loop_beyond_the_end_is_left_out(silent_studio: Studio, playback: Playback) -> None:
    end = max(each.stop_seconds for each in silent_studio.session.placed())
    playback.set_loop((end + 1.0, end + 2.0))
    playback.toggle()
    assert playback.playing
    silent_studio.until(lambda: playback.seconds > 0.2)
    assert playback.seconds < end
