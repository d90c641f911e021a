"""The open project: its steps, its file, what is chosen of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.document.edits import ReplaceLines, SetKeepsSound
from studio.document.project import LinePart, Project
from studio.samples import PrintCache
from studio.session.filing import Backups
from tests.studio.session.stage import Studio, project


def write(studio: Studio, text: str) -> None:
    line = studio.line(1)
    studio.session.do(ReplaceLines(0, 0, 1, (replace(line, parts=(LinePart("Mira", text),)),)))


def test_saving_is_of_the_moment_it_was_asked_for(silent_studio: Studio, tmp_path: Path) -> None:
    session, path = silent_studio.session, tmp_path / "play.retake"
    session.start(project("One two."))
    write(silent_studio, "One.")
    session.save(path)
    write(silent_studio, "Two.")
    silent_studio.until(lambda: session.path == path)
    assert session.unsaved
    session.undo()
    assert not session.unsaved


def test_a_save_that_ends_after_another_project_began_is_not_its_own(silent_studio: Studio, tmp_path: Path) -> None:
    session, path = silent_studio.session, tmp_path / "play.retake"
    session.start(project("One two."))
    write(silent_studio, "One.")
    session.save(path)
    session.start()
    silent_studio.until_idle()
    assert path.exists()
    assert session.path is None


def test_what_is_opened_is_what_was_saved(silent_studio: Studio, tmp_path: Path) -> None:
    session, path = silent_studio.session, tmp_path / "play.retake"
    session.start(project("One two.", "Three."))
    write(silent_studio, "One.")
    scenes = [step.project.scenes for step in session.history.steps]
    with silent_studio.qtbot.waitSignal(session.saved):
        session.save(path)
    session.start()
    with silent_studio.qtbot.waitSignal(session.opened):
        session.open(path)
    assert [step.project.scenes for step in session.history.steps] == scenes
    assert session.chosen == "line0"
    assert not session.unsaved


@pytest.mark.parametrize("chosen", ["line0", "line1"])
def test_a_chosen_line_that_goes_leaves_the_first(silent_studio: Studio, chosen: str) -> None:
    session = silent_studio.session
    session.start(project("One two.", "Three.", "Four."))
    session.choose_line(chosen)
    session.choose_text(chosen, 0, 3)
    assert session.selection is not None
    at = int(chosen[-1])
    session.do(ReplaceLines(0, at, at + 1, ()))
    assert session.chosen == silent_studio.ids()[0]
    assert session.selection is None
    session.undo()
    assert session.find(chosen) is not None


def test_numbers_count_in_the_scene(silent_studio: Studio) -> None:
    session = silent_studio.session
    play = project("One.", "Two.", "Three.")
    lines = play.scenes[0].lines
    session.start(
        replace(play, scenes=(replace(play.scenes[0], lines=lines[:2]), replace(play.scenes[0], lines=lines[2:])))
    )
    assert [session.number(line.id) for line in lines] == [1, 2, 1]


def open_again(studio: Studio, path: Path) -> None:
    studio.session.start()
    studio.session.open(path)
    studio.until(lambda: studio.session.path == path and not studio.files.busy)


def test_waves_are_seen_and_kept_takes_heard_where_no_model_is(studio: Studio, tmp_path: Path) -> None:
    """On another machine, without its cache and its checkpoint."""
    session, path = studio.session, tmp_path / "play.retake"
    session.start(project("One two.", frames=8))
    studio.performing.generate(studio.ids())
    studio.until_idle()
    kept = studio.line(1).kept
    real = session.print_of(kept)
    assert real is not None
    assert kept is not None
    session.save(path)
    studio.until_idle()
    session._cache = PrintCache(tmp_path / "elsewhere")
    session.engine = None
    open_again(studio, path)
    wave = session.wave_of(kept)
    assert session.print_of(kept) is None
    assert wave is not None
    assert wave.seconds == real.seconds
    session.do(SetKeepsSound(True))
    session._cache = PrintCache(tmp_path / "prints")
    session.save(path)
    studio.until_idle()
    session._cache = PrintCache(tmp_path / "elsewhere")
    open_again(studio, path)
    missing: list[str] = []
    session.look_up_print(kept, missing.append)
    studio.until(lambda: not studio.files.busy)
    heard = session.print_of(kept)
    assert heard is not None
    assert np.abs(heard.samples - real.samples).max() < 1e-4
    assert (heard.exact, missing) == (False, [])


def test_what_the_file_keeps_is_made_exact_where_the_model_is(studio: Studio, tmp_path: Path) -> None:
    session, path = studio.session, tmp_path / "play.retake"
    session.start(replace(project("One two.", frames=8), keeps_sound=True))
    studio.performing.generate(studio.ids())
    studio.until_idle()
    kept = studio.line(1).kept
    real = session.print_of(kept)
    assert real is not None
    assert kept is not None
    session.save(path)
    studio.until_idle()
    session._cache = PrintCache(tmp_path / "elsewhere")
    open_again(studio, path)
    studio.performing.need_print(kept)
    studio.until_idle()
    made = session.print_of(kept)
    assert made is not None
    assert made.exact
    assert (made.samples == real.samples).all()


def test_what_others_have_saved_is_not_written_over_where_it_cannot_be_backed_up(
    silent_studio: Studio, tmp_path: Path
) -> None:
    session, path = silent_studio.session, tmp_path / "play.retake"
    (tmp_path / "file").write_text("")
    session.start(project("One two."))
    session.save(path)
    silent_studio.until_idle()
    session.backups = Backups(tmp_path / "file" / "backups", None)
    path.write_bytes(b"theirs")
    failed: list[int] = []
    silent_studio.files.failed.connect(lambda number, _: failed.append(number))
    session.save(path, over_others=True)
    silent_studio.until_idle()
    assert len(failed) == 1
    assert path.read_bytes() == b"theirs"
    session.backups = Backups(tmp_path / "backups", None)
    session.save(path, over_others=True)
    silent_studio.until_idle()
    (kept,) = (tmp_path / "backups").rglob("*.retake")
    assert kept.read_bytes() == b"theirs"


def failures(studio: Studio) -> list[Exception]:
    failed: list[Exception] = []
    studio.files.failed.connect(lambda _, error: failed.append(error))
    return failed


def lock_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


def test_saving_again_before_the_first_is_done_is_no_change_by_others(silent_studio: Studio, tmp_path: Path) -> None:
    session, path, failed = silent_studio.session, tmp_path / "play.retake", failures(silent_studio)
    session.start(project("One two."))
    for text in ("One.", "Two.", "Three."):
        write(silent_studio, text)
        session.save(path)
    silent_studio.until_idle()
    write(silent_studio, "Four.")
    session.save(path)
    write(silent_studio, "Five.")
    session.save(path)
    session.save(tmp_path / "copy.retake")
    session.save(tmp_path / "copy.retake")
    silent_studio.until_idle()
    assert failed == []
    assert not session.unsaved
    assert (lock_of(path).exists(), lock_of(tmp_path / "copy.retake").exists()) == (False, True)
    session.close()
    silent_studio.until_idle()
    assert not lock_of(tmp_path / "copy.retake").exists()


def test_a_project_that_is_being_saved_can_be_opened_and_left(silent_studio: Studio, tmp_path: Path) -> None:
    session, path, failed = silent_studio.session, tmp_path / "play.retake", failures(silent_studio)
    session.start(project("One two."))
    write(silent_studio, "One.")
    session.save(path)
    session.open(path)
    silent_studio.until_idle()
    assert failed == []
    assert (session.path, session.unsaved) == (path, False)
    assert lock_of(path).exists()
    write(silent_studio, "Two.")
    session.save(path)
    session.close()
    silent_studio.until_idle()
    assert failed == []
    assert not lock_of(path).exists()


def test_starting_over_is_work_that_is_not_saved(silent_studio: Studio) -> None:
    session = silent_studio.session
    session.start(project("One two."))
    assert not session.unsaved
    write(silent_studio, "One.")
    session.start_over(session.project)
    assert not session.history.can_undo
    assert session.unsaved
    session.start()
    assert not session.unsaved


def test_starting_over_while_it_is_saved_is_still_the_same_project(silent_studio: Studio, tmp_path: Path) -> None:
    session, path, failed = silent_studio.session, tmp_path / "play.retake", failures(silent_studio)
    begun: list[str] = []
    session.begun.connect(lambda: begun.append(session.project.title))
    session.start(project("One two.", "Three four."))
    write(silent_studio, "One.")
    session.choose_text("line1", 0, 5)
    chosen = session.selection
    session.save(path)
    session.start_over(session.project)
    assert begun == ["Play"]
    assert (session.chosen, session.selection) == ("line1", chosen)
    silent_studio.until_idle()
    assert session.path == path
    assert session.unsaved, "undo ends elsewhere now than in the file"
    assert lock_of(path).exists()
    session.save(path)
    silent_studio.until_idle()
    assert failed == []
    assert not session.unsaved
    assert [step.label for step in session.history.steps] == ["Empty bin"]


def test_starting_over_frees_all_takes_that_no_line_has(studio: Studio) -> None:
    session = studio.session
    session.start(project("One two.", frames=8))
    studio.performing.generate(studio.ids(), takes=3)
    studio.until_idle()
    line = studio.line(1)
    first, *_ = line.takes
    assert first == line.kept
    scene = replace(session.project.scenes[0], lines=(replace(line, takes=(first,)),))
    session.start_over(replace(session.project, scenes=(scene,)))
    assert [take.id for take in session.store] == [first]
    assert session.print_of(first) is not None
    assert set(session._prints) == {first}


def saved_elsewhere(studio: Studio, path: Path) -> None:
    """A project lies at `path`, and another is open."""
    studio.session.start(project("In the file."))
    studio.session.save(path)
    studio.until_idle()
    studio.session.start(project("One two."))
    studio.until_idle()


@pytest.mark.parametrize("may_leave", [True, False])
def test_what_is_written_while_another_project_is_read_is_not_lost_unasked(
    silent_studio: Studio, tmp_path: Path, may_leave: bool
) -> None:
    session, path, asked = silent_studio.session, tmp_path / "play.retake", []
    saved_elsewhere(silent_studio, path)

    def ask(before: Project) -> bool:
        asked.append(session.project is before)
        return may_leave

    session.may_leave = ask
    session.open(path)
    write(silent_studio, "Written meanwhile.")
    silent_studio.until_idle()
    assert asked == [False]
    assert silent_studio.line(1).text == ("In the file." if may_leave else "Written meanwhile.")
    assert (session.path, lock_of(path).exists()) == ((path, True) if may_leave else (None, False))


def test_who_goes_on_with_what_is_open_keeps_its_lock(silent_studio: Studio, tmp_path: Path) -> None:
    session, path, failed = silent_studio.session, tmp_path / "play.retake", failures(silent_studio)
    session.start(project("One two."))
    session.save(path)
    silent_studio.until_idle()
    session.may_leave = lambda before: session.project is before
    session.open(path)
    write(silent_studio, "Written meanwhile.")
    silent_studio.until_idle()
    assert silent_studio.line(1).text == "Written meanwhile."
    assert lock_of(path).exists()
    session.save(path)
    silent_studio.until_idle()
    assert (failed, session.unsaved) == ([], False)


def test_what_was_saved_while_it_was_read_is_read_again(silent_studio: Studio, tmp_path: Path) -> None:
    session, path, failed = silent_studio.session, tmp_path / "play.retake", failures(silent_studio)
    session.start(project("One two."))
    session.save(path)
    silent_studio.until_idle()

    def save_first(_: Project) -> bool:
        if session.unsaved:
            session.save(path)
            silent_studio.files.settle()
        return True

    session.may_leave = save_first
    session.open(path)
    write(silent_studio, "Written meanwhile.")
    silent_studio.until_idle()
    assert (silent_studio.line(1).text, session.unsaved) == ("Written meanwhile.", False)
    write(silent_studio, "Written after.")
    session.save(path)
    silent_studio.until_idle()
    assert (failed, session.unsaved) == ([], False)


def test_a_project_is_open_at_a_path_that_stays_the_same_wherever_the_program_is(
    silent_studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved_elsewhere(silent_studio, tmp_path / "play.retake")
    monkeypatch.chdir(tmp_path)
    silent_studio.session.open(Path("play.retake"))
    silent_studio.until_idle()
    assert silent_studio.session.path == tmp_path / "play.retake"
