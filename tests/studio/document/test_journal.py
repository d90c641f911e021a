"""What was written in a journal comes back, whatever happened since; what is no journal is refused."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Voice
from studio.document import journal as journals
from studio.document.edits import AddTakes, ReplaceLines, SetTitle, SetVoices
from studio.document.history import History
from studio.document.journal import (
    Entry,
    Journal,
    JournalError,
    JournalInUseError,
    Standing,
    delete,
    journals_in,
    new_path,
    recover,
    set_aside,
)
from studio.document.members import all_codes, step_row, step_rows
from studio.document.project import Character, Line, LinePart, Project, Scene

VOICE = Voice("heart", (Reference("As I said.", np.ones((10, 4), np.int16)),))
PROJECT = Project("Play", (Scene("One", (Line("a", (LinePart("Ada", "Hello."),)),)),), (Character("Ada"),), (VOICE,))


def take(seed: int, frames: int = 6) -> Take:
    codes = np.random.default_rng(seed).integers(0, 1024, (10, frames)).astype(np.int16)
    origin = Origin(Prompt((Part(0, "Hello."),), (VOICE,)), "digest", seed, Settings(), How.GENERATED, 44_100, 2_048)
    data = np.ones((2, frames), np.float32)
    return Take(codes, origin, FrameData(data, data))


def typed(text: str) -> ReplaceLines:
    return ReplaceLines(0, 0, 1, (Line("a", (LinePart("Ada", text),)),))


def whole(history: History, standing: Standing | None = None, **more: object) -> Entry:
    """The entry that begins a project."""
    rows = dict(enumerate(step_rows(history, (), ())))
    entry = Entry(standing or Standing(history.at, history.tip), rows, all_codes(history.steps), afresh=True)
    return replace(entry, **more)  # type: ignore[arg-type]


def further(history: History, **more: object) -> Entry:
    last = len(history.steps) - 1
    return replace(Entry(Standing(history.at, history.tip), {last: step_row(history, last)}), **more)  # type: ignore[arg-type]


def test_all_that_was_written_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    history = History.start(PROJECT)
    journal = Journal(path)
    journal.write(whole(history, Standing(0, 0, 0, str(tmp_path / "楚\udce9.retake"), "seal", 4, 1.5)))
    history = history.do(typed("Hel\ud800lo")).do(SetTitle("x")).undo()
    for place in (1, 2):
        row = step_row(history, place)
        journal.write(Entry(Standing(1, 2, 0, str(tmp_path / "楚\udce9.retake"), "seal", 4), {place: row}))
    first, second = take(1), take(2)
    standing = Standing(1, 2, 0, str(tmp_path / "楚\udce9.retake"), "seal", 4)
    journal.write(Entry(standing, takes={3: first}))
    journal.begin_frames(7, "a", take(3, 2))
    journal.add_frames(7, take(4, 3).codes)
    journal.add_frames(7, take(5, 1).codes)
    journal.begin_frames(8, "a", take(6, 2))
    journal.write(Entry(standing, takes={4: second}))
    journal.end_frames(8)
    journal.begin_frames(
        9, "a", replace(take(2), codes=take(2).codes[:, :2])
    )  # it was finished: take 4 goes on from it
    journal.put_playhead(2.5)
    journal.close()
    found = recover(path)
    assert found is not None
    assert [step.project.title for step in found.history.steps] == ["Play", "Play", "x"]
    assert found.history.project.line("a").text == "Hel\ud800lo"
    assert (found.history.at, found.history.tip) == (1, 2)
    assert found.history.project.voices[0].references[0].codes.tolist() == VOICE.references[0].codes.tolist()
    assert [each.id for each in found.takes] == [first.id, second.id]
    ((line_id, unfinished),) = found.unfinished
    assert line_id == "a"
    assert unfinished.capped
    whole_codes = np.concatenate([take(3, 2).codes, take(4, 3).codes, take(5, 1).codes], axis=1)
    assert unfinished.codes.tolist() == whole_codes.tolist()
    assert unfinished.frame_data.log_p.shape == (2, 6)
    assert found.standing.playhead == 2.5
    assert found.standing == replace(standing, playhead=2.5)
    assert found.unsaved
    assert found.unsaved_takes == 1


def test_a_project_begun_afresh_is_alone_in_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    history = History.start(PROJECT)
    journal.write(whole(history, takes={0: take(1)}))
    journal.begin_frames(1, "a", take(2))
    other = History.start(replace(PROJECT, title="Other"))
    journal.write(whole(other, Standing(0, 0, 0)))
    journal.close()
    found = recover(tmp_path / "x.journal")
    assert found is not None
    assert (found.history.project.title, found.takes, found.unfinished) == ("Other", (), ())
    assert not found.unsaved


def test_a_step_that_is_enlarged_is_written_over(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    history = History.start(PROJECT)
    journal.write(whole(history))
    for text in ("1", "12", "123"):
        history = history.do(typed(text), "typing")
        journal.write(further(history))
    journal.close()
    found = recover(tmp_path / "x.journal")
    assert found is not None
    assert [step.project.line("a").text for step in found.history.steps] == ["Hello.", "123"]


def test_new_voices_come_with_their_codes(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    history = History.start(PROJECT)
    journal.write(whole(history))
    voice = Voice("joe", (Reference("Well.", np.full((10, 3), 9, np.int16)),))
    history = history.do(SetVoices((voice,))).do(AddTakes("a", ("t",)))
    for place in (1, 2):
        entry = Entry(Standing(place, place), {place: step_row(history, place)}, all_codes(history.steps))
        journal.write(entry)
    journal.close()
    found = recover(tmp_path / "x.journal")
    assert found is not None
    assert found.history.project.voices[1].references[0].codes.tolist() == [[9] * 3] * 10


def test_what_a_killed_process_wrote_is_there(tmp_path: Path) -> None:
    """Killed without a chance to close anything, in the midst of a transaction."""
    code = f"""
import os, signal, sys
sys.path[:0] = [{str(Path(__file__).parent)!r}]
from test_journal import *
journal = Journal(Path({str(tmp_path / "x.journal")!r}))
history = History.start(PROJECT).do(typed("Last words."))
journal.write(whole(history, takes=dict(enumerate([take(1)]))))
journal._connection.execute("BEGIN IMMEDIATE")
journal._connection.execute("DELETE FROM takes")
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    found = recover(tmp_path / "x.journal")
    assert found is not None
    assert found.history.project.line("a").text == "Last words."
    assert [each.id for each in found.takes] == [take(1).id]


def test_a_journal_that_lacks_a_step_is_damaged(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    history = History.start(PROJECT).do(typed("1")).do(typed("2"))
    journal.write(whole(history))
    journal._connection.execute("DELETE FROM steps WHERE place = 1")
    journal.close()
    with pytest.raises(JournalError, match="damaged"):
        recover(tmp_path / "x.journal")


def test_a_journal_in_use_is_left_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    journal.write(whole(History.start(PROJECT)))
    with pytest.raises(JournalInUseError):
        recover(journal.path)
    journal.delete()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(JournalError, match="cannot be read"):
        recover(journal.path)
    assert list(tmp_path.iterdir()) == []


def test_journals_are_found_by_age_and_set_aside(tmp_path: Path) -> None:
    assert journals_in(tmp_path / "gone") == ()
    paths = [new_path(tmp_path, os.getpid(), number) for number in range(3)]
    for path in paths:
        Journal(path).close()
    assert journals_in(tmp_path) == tuple(paths)
    assert recover(paths[0]) is None
    aside = set_aside(paths[0])
    assert journals_in(tmp_path) == tuple(paths[1:])
    assert aside.exists()
    delete(paths[1])
    assert journals_in(tmp_path) == (paths[2],)


def test_a_journal_of_another_version_says_so(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    journal._connection.execute("UPDATE about SET value = '99' WHERE key = 'version'")
    journal.close()
    with pytest.raises(JournalError, match="another version"):
        recover(journal.path)


def test_a_journal_from_before_candidates_is_read(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    journal.write(whole(History.start(PROJECT), takes={0: take(1)}))
    journal._connection.execute("UPDATE about SET value = '2' WHERE key = 'version'")
    journal._connection.execute("DROP TABLE candidates")
    journal.close()
    found = recover(journal.path)
    assert found is not None
    assert (len(found.takes), found.candidates) == (1, ())


def test_candidates_are_those_of_now(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    journal.write(whole(History.start(PROJECT), takes={0: take(1)}))
    journal.put_candidates("a", (take(2),))
    journal.put_candidates("\ud800", (take(1), take(3)))
    journal.begin_frames(5, "a", take(3))
    journal.close()
    found = recover(journal.path)
    assert found is not None
    assert [(line, each.id) for line, each in found.candidates] == [("\ud800", take(3).id)]
    assert found.unfinished == (), "it became a candidate"


def test_a_full_disk_keeps_what_was_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    history = History.start(PROJECT)
    journal.write(whole(history))
    pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
    journal._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalError, match="full"):
        journal.write(further(history.do(typed("x" * 1_000_000))))
    with pytest.raises(JournalError, match="full"):
        journal.begin_frames(1, "a", take(1, 10_000))
    journal.write(further(history.do(typed("short"))))
    journal.close()
    found = recover(journal.path)
    assert found is not None
    assert found.history.project.line("a").text == "short"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot be written"):
        Journal(tmp_path / "file" / "x.journal")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("journal") / "x.journal"
    journal = Journal(path)
    history = History.start(PROJECT)
    journal.write(whole(history, takes={0: take(1)}))
    history = history.do(typed("1"))
    journal.write(further(history))
    journal.begin_frames(1, "a", take(2))
    journal.add_frames(1, take(3).codes)
    journal.close()
    return path


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    places=st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=8), cut=st.booleans()
)
def test_no_mutation_does_worse_than_a_clear_refusal(
    tmp_path: Path, sound: Path, places: list[tuple[int, int]], cut: bool
) -> None:
    mutated = bytearray(sound.read_bytes())
    for place, value in places:
        mutated[place % len(mutated)] = value
    if cut:
        del mutated[places[0][0] % len(mutated) :]
    path = tmp_path / "x.journal"
    delete(path)
    path.write_bytes(mutated)
    with contextlib.suppress(JournalError):
        found = recover(path)
        assert found is None or found.history.steps


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE about (key TEXT, value TEXT)")
        connection.commit()
    with pytest.raises(JournalError):
        recover(path)
    assert journals.journals_in(tmp_path) == (path,)
