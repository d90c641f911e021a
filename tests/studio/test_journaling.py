"""What happens in the session is in the journal as soon as that says so, and the next run gives all of it back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from engine.request import (
    Chunk,
    Finished,
    FrameData,
    Generate,
    How,
    Origin,
    Part,
    Prompt,
    Reference,
    Regenerate,
    Report,
    Settings,
    Stopped,
    Take,
    Voice,
)
from studio.document import journal as journals
from studio.document.edits import ReplaceLines, SetTitle, SetVoices
from studio.document.journal import Recovered, journals_in, recover
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.engine_thread import Opened
from studio.file_thread import FileThread
from studio.journaling import Journaling
from studio.recovering import words
from studio.samples import PrintCache
from studio.session import CandidatesView, Session
from studio.session.changes import Place

VOICE = Voice("heart", (Reference("As I said.", np.ones((10, 4), np.int16)),))
PROJECT = Project("Play", (Scene("One", (Line("a", (LinePart("Ada", "Hello."),)),)),), (Character("Ada"),), (VOICE,))
PROMPT = Prompt((Part(0, "Hello."),), (VOICE,))
OPENED = Opened(Path("voice"), "digest", Settings(), (VOICE,), 400, 44_100, 2_048, "cpu", "fp32", 1)


def full_disk(*_: object) -> None:
    raise journals.JournalError("The journal cannot be written: database or disk is full.", Path("journal"))


def take(seed: int, frames: int = 6) -> Take:
    codes = np.random.default_rng(seed).integers(0, 1024, (10, frames)).astype(np.int16)
    origin = Origin(PROMPT, "digest", seed, Settings(), How.GENERATED, 44_100, 2_048)
    data = np.ones((2, frames), np.float32)
    return Take(codes, origin, FrameData(data, data))


def typed(text: str) -> ReplaceLines:
    return ReplaceLines(0, 0, 1, (Line("a", (LinePart("Ada", text),)),))


class Others(QObject):
    """Stands for the engine, the jobs and the playhead."""

    answered = Signal(int, object)
    generating = Signal(int, str, object)
    changed = Signal()
    view: CandidatesView | None = None
    seconds = 0.0

    @property
    def candidates(self) -> Others:
        return self

    def choose_from(self, *takes: Take) -> None:
        self.view = CandidatesView("a", Place((1, 3), "Hello", "Hello", (0, 5)), takes) if takes else None
        self.changed.emit()


class Run:
    """A run of the program, as far as the journal sees it. `end` is a kill: nothing is put away in order."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self._qtbot = qtbot
        self._ended = False
        self.files, self.others = FileThread(), Others()
        self.session = Session(self.files, PrintCache(folder / "prints"))
        self.session.engine = OPENED
        others: Any = self.others
        self.journaling = Journaling(self.session, others, others, others, folder / "journals")
        self.found: list[Recovered] = []
        self.problems: list[Exception] = []
        self.journaling.found.connect(self.found.append)
        self.journaling.problem.connect(self._tell)
        self.files.failed.connect(self._tell_of_file)
        self.session.start(PROJECT)

    def _tell(self, error: Exception, _: str) -> None:
        self.problems.append(error)

    def _tell_of_file(self, _: int, error: Exception) -> None:
        self.problems.append(error)

    def settle(self) -> None:
        self._qtbot.waitUntil(lambda: not self.journaling.busy and not self.files.busy)

    def end(self) -> None:
        if self._ended:
            return
        self._ended = True
        self.settle()
        self.session.close()  # of a process that is no more nothing is locked
        self.journaling.close()
        self.files.close()


@pytest.fixture
def runs(qtbot: QtBot, tmp_path: Path) -> Iterator[Any]:
    begun: list[Run] = []

    def begin() -> Run:
        begun.append(Run(qtbot, tmp_path))
        return begun[-1]

    yield begin
    for run in begun:
        run.end()


def left(tmp_path: Path) -> Recovered:
    (path,) = journals_in(tmp_path / "journals")
    found = recover(path)
    assert found is not None
    return found


def test_nothing_is_written_before_something_happens(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.end()
    assert journals_in(tmp_path / "journals") == ()


def test_every_edit_undo_and_take_is_there(runs: Any, tmp_path: Path) -> None:
    run = runs()
    session = run.session
    session.do(typed("Hel"), gesture="typing")
    session.do(typed("Hello there."), gesture="typing")
    session.do(SetTitle("Second"))
    session.do(SetVoices((Voice("joe", VOICE.references),)))
    session.add_takes("a", (take(1), take(2)), "Generate line")
    session.undo()
    session.undo()
    session.do(SetTitle("Third"))
    run.others.seconds = 2.5
    session.undo()
    run.end()
    found = left(tmp_path)
    assert [step.label for step in found.history.steps] == [step.label for step in session.history.steps]
    assert [step.before for step in found.history.steps] == [step.before for step in session.history.steps]
    assert (found.history.at, found.history.tip) == (session.history.at, session.history.tip)
    assert found.history.project.line("a").text == "Hello there."
    assert [each.id for each in found.takes] == [take(1).id, take(2).id]
    assert found.standing.playhead == 2.5
    assert words(found) == "It kept 5 steps and 2 takes. The last of it happened a moment ago."


def test_frames_that_are_being_drawn_come_back_as_a_capped_take(runs: Any, tmp_path: Path) -> None:
    run = runs()
    others = run.others
    for number, codes in ((3, take(3, 4).codes), (4, take(4, 2).codes), (5, take(5).codes)):
        others.generating.emit(number, "a", Generate(PROMPT, (70 + number,)))
        others.answered.emit(number, Chunk(0, codes[:, :1], np.zeros(1, np.float32)))
        others.answered.emit(number, Chunk(0, codes[:, 1:], np.zeros(1, np.float32)))
    others.answered.emit(4, Stopped())
    run.session.add_takes("a", (take(6),), "Generate line")
    others.answered.emit(5, Finished((take(6),), (), Report(1, None, 6, 1, 0)))
    run.end()
    next_run = runs()
    next_run.journaling.look()
    next_run.settle()
    (found,) = next_run.found
    ((line_id, unfinished),) = found.unfinished
    assert line_id == "a"
    assert unfinished.codes.tolist() == take(3, 4).codes.tolist()
    assert (unfinished.origin.seed, unfinished.capped) == (73, True)
    assert "4 frames of a line that was being spoken" in words(found)
    next_run.session.recover(found)
    next_run.settle()
    line = next_run.session.find("a")
    assert line is not None
    assert line.takes == (take(6).id, unfinished.id)
    assert line.kept == take(6).id
    assert len(journals_in(tmp_path / "journals")) == 1, "that of the new run"
    next_run.end()
    assert [each.id for each in left(tmp_path).takes] == [take(6).id, unfinished.id]


def test_candidates_that_are_being_drawn_come_back_in_the_take_they_are_for(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.session.add_takes("a", (take(1),), "Generate line")
    drawn = (take(2, 8).codes, take(3, 8).codes)
    run.others.generating.emit(9, "a", Regenerate(PROMPT, take(1), (2, 4), (70, 71)))
    for candidate, codes in enumerate(drawn):
        run.others.answered.emit(9, Chunk(candidate, codes[:, :5], None))
        run.others.answered.emit(9, Chunk(candidate, codes[:, 5:], None))
    run.end()
    found = left(tmp_path)
    for (line_id, each), codes in zip(found.unfinished, drawn, strict=True):
        assert line_id == "a"
        assert each.codes[:, 2:10].tolist() == codes.tolist()
        assert each.codes[:, :2].tolist() == take(1).codes[:, :2].tolist()
        assert each.codes[:, 10:].tolist() == take(1).codes[:, 4:].tolist()
    assert "16 frames of a line that was being spoken" in words(found)
    run = runs()
    run.session.recover(found)
    run.settle()
    line = run.session.find("a")
    assert line.takes == (take(1).id, *(each.id for _, each in found.unfinished))
    assert line.kept == take(1).id
    assert run.session.history.undo_label == "Recover unfinished takes"


def test_candidates_that_can_be_chosen_from_come_back_until_the_choice_is_made(runs: Any, tmp_path: Path) -> None:
    run = runs()
    one, two, three = (take(seed) for seed in (1, 2, 3))
    run.session.add_takes("a", (one,), "Regenerate")
    run.others.choose_from(one, three)
    run.others.choose_from(one, two)
    run.settle()
    run.session.save(tmp_path / "play.retake")
    run.end()
    run = runs()
    run.journaling.look()
    run.settle()
    (found,) = run.found
    assert words(found).startswith("It kept 1 candidate.")
    run.session.recover(found)
    run.settle()
    assert run.session.find("a").takes == (one.id, two.id)
    assert run.session.find("a").kept == one.id
    run.others.choose_from(one, three)
    run.others.choose_from()
    run.end()
    assert left(tmp_path).candidates == ()


def test_candidates_alone_are_worth_a_journal(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.others.choose_from(take(1), take(2))
    run.end()
    assert len(left(tmp_path).candidates) == 2


def test_what_is_saved_is_not_offered_and_what_came_after_is(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.session.do(SetTitle("Second"))
    run.session.add_takes("a", (take(1),), "Generate line")
    run.session.save(tmp_path / "play.retake")
    run.end()
    assert not left(tmp_path).unsaved
    run = runs()
    run.journaling.look()
    run.settle()
    assert run.found == []
    assert journals_in(tmp_path / "journals") == ()
    run.session.open(tmp_path / "play.retake")
    run.settle()
    run.session.add_takes("a", (take(2),), "Generate line")
    run.end()
    run = runs()
    run.journaling.look()
    run.settle()
    (found,) = run.found
    assert found.unsaved_takes == 1
    assert words(found) == "It kept 1 step since it was saved and 1 take. The last of it happened a moment ago."
    run.session.recover(found)
    run.settle()
    session = run.session
    assert session.path == tmp_path / "play.retake"
    assert session.unsaved
    assert {each.id for each in session.store} == {take(1).id, take(2).id}
    session.undo()
    assert not session.unsaved
    session.save(tmp_path / "play.retake")
    run.settle()
    assert run.problems == []


def test_what_was_left_of_a_project_that_is_open_again_is_recovered_in_its_file(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.session.save(tmp_path / "play.retake")
    run.settle()
    run.session.do(SetTitle("Second"))
    run.end()
    found = left(tmp_path)
    run = runs()
    session = run.session
    session.open(tmp_path / "play.retake")
    run.settle()
    session.recover(found)
    run.settle()
    assert (session.path, session.project.title, session.unsaved) == (tmp_path / "play.retake", "Second", True)
    session.save(tmp_path / "play.retake")
    run.settle()
    assert (run.problems, session.unsaved) == ([], False)


def test_what_is_not_recovered_after_all_stays_to_be_recovered(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.session.do(SetTitle("Second"))
    run.end()
    found, stayed = left(tmp_path), []
    run = runs()
    run.session.may_leave = lambda before: run.session.project is before
    run.session.recover(found, lambda: stayed.append(run.session.project.title))
    run.session.do(SetTitle("Done meanwhile"))
    run.settle()
    assert stayed == ["Done meanwhile"]
    assert found.journal.exists()


def test_a_file_changed_or_gone_since_is_told(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.session.add_takes("a", (take(1),), "Generate line")
    run.session.save(tmp_path / "play.retake")
    run.settle()
    run.session.do(SetTitle("Mine"))
    run.end()
    (tmp_path / "play.retake").unlink()
    run = runs()
    missing: list[object] = []
    run.session.recovered.connect(lambda _, error: missing.append(error))
    run.session.recover(left(tmp_path))
    run.settle()
    assert run.problems == []
    assert isinstance(missing[0], FileNotFoundError)
    assert run.session.path is None
    assert run.session.project.title == "Mine"
    assert {each.id for each in run.session.store} == {take(1).id}, "takes of that run are in its journal as well"


def test_another_project_and_an_end_in_order_leave_nothing(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.session.do(SetTitle("Second"))
    run.settle()
    assert len(journals_in(tmp_path / "journals")) == 1
    run.session.start(replace(PROJECT, title="Other"))
    run.settle()
    assert journals_in(tmp_path / "journals") == ()
    run.session.do(SetTitle("Third"))
    run.journaling.leave()
    run.session.add_takes("a", (take(1),), "Generate line")  # it was finished a moment after
    run.end()
    assert journals_in(tmp_path / "journals") == ()


def test_a_journal_that_cannot_be_written_is_told_once_and_written_afresh_when_it_can(
    runs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runs()
    run.session.do(SetTitle("1"))
    run.settle()

    with monkeypatch.context() as patch:
        patch.setattr(journals.Journal, "write", full_disk)
        for title in "234":
            run.session.do(SetTitle(title))
        run.settle()
    assert len(run.problems) == 1
    run.session.do(SetTitle("5"))
    run.end()
    found = left(tmp_path)
    assert [step.project.title for step in found.history.steps] == ["Play", "1", "2", "3", "4", "5"]


def test_another_journal_is_kept_until_this_one_holds_what_was_in_it(
    runs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runs()
    run.session.do(SetTitle("Second"))
    run.others.choose_from(take(1))
    run.end()
    (old,) = journals_in(tmp_path / "journals")
    run = runs()
    run.journaling.look()
    run.settle()

    with monkeypatch.context() as patch:
        patch.setattr(journals.Journal, "write", full_disk)
        run.session.recover(run.found[0])
        run.settle()
    assert len(run.problems) == 1
    assert old.exists()
    run.session.do(SetTitle("Third"))
    run.end()
    assert not old.exists()
    found = left(tmp_path)
    assert [step.project.title for step in found.history.steps] == ["Play", "Second", "Second", "Third"]
    assert [each.id for each in found.takes] == [take(1).id]


def test_another_journal_goes_with_the_project_that_was_recovered_from_it(
    runs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runs()
    run.session.do(SetTitle("Second"))
    run.end()
    run = runs()
    run.journaling.look()
    run.settle()

    monkeypatch.setattr(journals.Journal, "__init__", full_disk)
    run.session.recover(run.found[0])
    run.settle()
    assert len(journals_in(tmp_path / "journals")) == 1
    run.session.start(PROJECT)
    run.settle()
    assert journals_in(tmp_path / "journals") == ()


def over_again(session: Session, *takes: Take) -> None:
    """The bin is emptied: these are the takes that are left of line a."""
    (scene,) = session.project.scenes
    (line,) = scene.lines
    left = replace(line, takes=tuple(each.id for each in takes), kept=takes[0].id if takes else None)
    session.start_over(replace(session.project, scenes=(replace(scene, lines=(left,)),)))


def test_starting_over_keeps_what_is_nowhere_else(runs: Any, tmp_path: Path) -> None:
    run = runs()
    session, path = run.session, tmp_path / "play.retake"
    session.add_takes("a", tuple(map(take, range(1, 6))), "Generate line")
    session.save(path)
    run.settle()
    session.add_takes("a", (take(6), take(7)), "Generate line")
    over_again(session, take(7), take(2), take(6))
    session.do(SetTitle("After"))
    session.add_takes("a", (take(8),), "Generate line")
    run.end()
    found = left(tmp_path)
    assert [each.id for each in found.takes] == [take(each).id for each in (6, 7, 8)]
    assert found.unsaved_takes == 3
    assert found.history.steps[0].label == "Empty bin"
    run = runs()
    run.session.recover(found)
    run.settle()
    assert run.problems == []
    assert {take(each).id for each in (2, 6, 7, 8)} <= {each.id for each in run.session.store}
    assert run.session.project.title == "After"
    assert run.session.unsaved


def test_starting_over_without_takes_is_offered_after_a_crash_and_asked_about_then(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.session.do(SetTitle("Mine"))
    over_again(run.session)
    run.end()
    found = left(tmp_path)
    assert found.unsaved
    assert len(found.history.steps) == 1
    run = runs()
    run.session.recover(found)
    run.settle()
    assert run.session.project.title == "Mine"
    assert run.session.unsaved


def test_what_is_being_spoken_and_chosen_from_goes_on_when_it_is_started_over(runs: Any, tmp_path: Path) -> None:
    run = runs()
    codes = take(3, 4).codes
    run.others.generating.emit(3, "a", Generate(PROMPT, (73,)))
    run.others.answered.emit(3, Chunk(0, codes[:, :1], np.zeros(1, np.float32)))
    run.others.choose_from(take(1), take(2))
    over_again(run.session)
    run.others.answered.emit(3, Chunk(0, codes[:, 1:], np.zeros(1, np.float32)))
    run.end()
    found = left(tmp_path)
    ((_, unfinished),) = found.unfinished
    assert unfinished.codes.tolist() == codes.tolist()
    assert len(found.candidates) == 2


def test_a_damaged_journal_is_set_aside_and_told(runs: Any, tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    folder.mkdir()
    (folder / "x.journal").write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    run = runs()
    run.journaling.look()
    run.settle()
    assert [type(each).__name__ for each in run.problems] == ["UnreadableJournalError"]
    assert journals_in(folder) == ()
    assert (folder / "x.damaged").exists()


def test_what_is_not_wanted_goes(runs: Any, tmp_path: Path) -> None:
    run = runs()
    run.session.do(SetTitle("Second"))
    run.end()
    run = runs()
    run.journaling.look()
    run.settle()
    run.journaling.discard(run.found[0])
    run.settle()
    assert journals_in(tmp_path / "journals") == ()
