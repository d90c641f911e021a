"""What is performed: takes come to their lines, candidates take one another's place, prints are made once."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from engine.errors import ScriptError
from engine.request import Alignment, Exactly, Finished, How, Report
from studio.document.edits import KeepTake, ReplaceLines, SetLocked, SetReading, SetTarget, SetVoices
from studio.document.project import LinePart, Reading
from studio.document.state import Kind
from studio.exporting import material
from studio.samples import PrintCache
from studio.session import Session
from studio.session.prompting import prompt_of
from tests.studio.session.stage import PATIENCE, Studio, project
from tests.tiny import write_tiny


def rewrite(studio: Studio, number: int, text: str) -> None:
    line = studio.line(number)
    parts = (LinePart(line.character, text),)
    studio.session.do(ReplaceLines(0, number - 1, number, (replace(line, parts=parts),)))


def generated(studio: Studio, *texts: str) -> None:
    """The lines of a project, each with a take."""
    studio.session.start(project(*texts))
    studio.performing.generate(studio.ids())
    studio.until_idle()


def test_every_line_gets_a_take_but_the_locked_ones(studio: Studio) -> None:
    studio.session.start(project("One two.", "Three four.", "Five six."))
    studio.session.do(SetLocked("line1", True))
    assert studio.performing.wanting() == ("line0", "line2")
    studio.performing.generate(studio.ids())
    assert [studio.performing.state(line).kind for line in studio.session.project.lines()] == [
        Kind.GENERATING, Kind.NO_TAKE, Kind.QUEUED,
    ]  # fmt: skip
    assert studio.performing.wanting() == ()
    studio.until_idle()
    assert [len(line.takes) for line in studio.session.project.lines()] == [1, 0, 1]
    assert studio.session.store.get(studio.line(1).takes[0]).origin.prompt.text == "One two."
    assert studio.session.print_of(studio.line(1).kept) is not None
    assert studio.told == []


def test_what_is_waited_for_goes_before_the_queue(studio: Studio) -> None:
    studio.session.start(project("One two.", "Three four.", "Five six.", frames=60))
    order: list[str] = []
    studio.session.printed.connect(lambda take_id: order.append(studio.session.store.get(take_id).origin.prompt.text))
    studio.performing.generate(("line0", "line1"))
    studio.performing.generate(("line2",), audible=True)
    job = studio.performing.job
    assert job is not None
    assert job.line_id == "line2"
    studio.until_idle()
    steps = [step.project for step in studio.session.history.steps]
    first = next(each for each in steps if any(line.takes for line in each.lines()))
    assert [bool(line.takes) for line in first.lines()] == [False, False, True]


def test_it_sounds_before_it_is_finished(studio: Studio) -> None:
    studio.session.start(project("One two.", frames=60))
    sounding: list[float] = []
    grown: list[float] = []
    studio.performing.sounding.connect(lambda job: sounding.append(job.wave.seconds))
    studio.performing.grew.connect(lambda _: grown.append(studio.performing.performing("line0").wave.seconds))  # type: ignore[union-attr]
    studio.performing.generate(studio.ids(), audible=True)
    studio.until_idle()
    assert len(sounding) == 1
    assert sounding[0] == grown[0] <= grown[-1]  # a machine that is busy waits until playing cannot run out
    assert grown == sorted(grown)


def test_a_cancel_leaves_nothing(studio: Studio) -> None:
    studio.session.start(project("One two three four. " * 4, "Five six. " * 4, frames=300))
    before = studio.session.project
    with studio.qtbot.waitSignal(studio.performing.progressed):
        studio.performing.generate(studio.ids(), audible=True)
    studio.performing.cancel()
    studio.until(lambda: studio.performing.performing("line0") is None)
    assert studio.performing.waiting == 0
    studio.performing.cancel()
    studio.until_idle()
    assert studio.session.project is before
    assert len(studio.session.store) == 0


def test_the_job_of_a_deleted_line_is_given_up(studio: Studio) -> None:
    studio.session.start(project("One two.", "Three four.", frames=400))
    studio.performing.generate(("line0",))
    studio.session.do(ReplaceLines(0, 0, 1, ()))
    studio.until_idle()
    assert len(studio.session.store) == 0
    assert studio.told == []


def test_who_cannot_be_spoken_is_said(studio: Studio) -> None:
    studio.session.start(project("[sighs]", "Three four."))
    studio.performing.generate(studio.ids())
    assert [(type(error), doing) for error, doing in studio.told] == [(ScriptError, "generate line 1")]
    assert studio.performing.state(studio.line(1)).kind is Kind.FAILED
    studio.until_idle()
    assert studio.performing.state(studio.line(2)).kind is Kind.READY


def test_candidates_take_one_anothers_place_in_one_step(studio: Studio) -> None:
    generated(studio, "One two three four five six.")
    before, old = studio.session.project, studio.session.kept(studio.line(1))
    assert old is not None
    studio.session.choose_span("line0", (3, 6))
    studio.performing.regenerate()
    assert studio.performing.candidates.view is not None
    assert studio.performing.candidates.view.share == 0
    studio.until_idle()
    view, steps = studio.performing.candidates.view, len(studio.session.history.steps)
    assert view is not None
    assert len(view.takes) == 6
    for take in view.takes:
        assert (take.origin.how, take.origin.parent) == (How.SPLICED, old.id)
        assert np.array_equal(take.codes[:, :3], old.codes[:, :3])
        assert np.array_equal(take.codes[:, take.frames - old.frames + 6 :], old.codes[:, 6:])
    assert studio.line(1).kept == view.takes[0].id
    shorter = next(place for place, take in enumerate(view.takes) if take.origin.span != view.span)
    studio.performing.candidates.choose(shorter)
    assert studio.performing.candidates.view.span == view.takes[shorter].origin.span == studio.session.selection.span
    studio.performing.candidates.choose(0)
    studio.performing.step(1)
    studio.performing.step(1)
    assert studio.line(1).kept == view.takes[2].id
    assert studio.line(1).takes == (old.id, view.takes[2].id)
    studio.performing.step(-3)
    assert studio.line(1).kept == view.takes[5].id
    assert len(studio.session.history.steps) == steps
    studio.until_idle()
    studio.session.undo()
    assert studio.session.project == before
    assert studio.performing.candidates.view is None
    studio.session.redo()
    assert studio.performing.candidates.view.take is view.takes[5]
    studio.session.do(KeepTake("line0", old.id))
    assert studio.performing.candidates.view is None
    studio.session.do(KeepTake("line0", view.takes[5].id))
    assert studio.performing.candidates.view.chosen == 5


def test_words_that_are_spoken_anew_stay_chosen(studio: Studio) -> None:
    """Whatever is told of where they stand, and whichever candidate is the take."""
    generated(studio, "One two three four five six.")
    rewrite(studio, 1, "One two drei four five six.")
    studio.performing.regenerate()
    studio.until_idle()
    view, text = studio.performing.candidates.view, studio.line(1).text

    def chosen() -> tuple[str, object]:
        selection = studio.session.selection
        return text[slice(*selection.text)], selection.span

    assert chosen() == ("drei", view.span)
    take = view.take
    late = Alignment(np.linspace(0, 3, len(text) + 1).astype(np.int64), np.ones(6, np.float32))
    studio.session.put_alignment(take.id, late)
    assert chosen() == ("drei", view.span)
    studio.performing.step(1)
    assert chosen() == ("drei", studio.performing.candidates.view.span)


def test_frames_that_are_chosen_take_their_words_from_the_alignment(studio: Studio) -> None:
    """Also where it comes after they were chosen."""
    generated(studio, "One two three four five six.")
    line, text = studio.line(1), studio.line(1).text
    studio.session.choose_span(line.id, (0, 3))
    assert text[slice(*studio.session.selection.text)] == "One two"
    early = Alignment(np.linspace(0, 3, len(text) + 1).round().astype(np.int64), np.ones(6, np.float32))
    studio.session.put_alignment(line.kept, early)
    assert text[slice(*studio.session.selection.text)] == "One two three four five six"
    assert studio.session.selection.span == (0, 3)


def test_a_candidate_is_printed_once(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    generated(studio, "One two three four five six.")
    asked: list[str] = []
    printing = studio.engine.print_take
    monkeypatch.setattr(
        studio.engine, "print_take", lambda take, *rest: (asked.append(take.id), printing(take, *rest))[1]
    )
    studio.session.project_changed.connect(lambda: studio.performing.need_print(studio.line(1).kept))
    studio.session.choose_span("line0", (3, 6))
    studio.performing.regenerate()
    studio.until_idle()
    assert asked == [studio.line(1).kept]
    studio.performing.step(1)
    studio.performing.step(-1)
    studio.until_idle()
    assert len(asked) == len(set(asked)) == 2


def with_model(studio: Studio, folder: Path) -> None:
    with studio.qtbot.waitSignal(studio.engine.opened, timeout=PATIENCE) as signal:
        studio.engine.open(folder)
    studio.session.engine = signal.args[0]


def test_a_take_of_another_voice_model_is_silent_until_that_is_there(
    studio: Studio, tiny: Path, tmp_path: Path
) -> None:
    session = studio.session
    generated(studio, "One two three.")
    kept = studio.line(1).kept
    assert kept is not None
    sound, take = session.print_of(kept), session.store.get(kept)
    assert sound is not None
    assert session.engine is not None
    assert take.origin.codec == session.engine.codec
    session._cache = PrintCache(tmp_path / "elsewhere")
    with_model(studio, write_tiny(tmp_path / "other", seed=1))
    session.start(session.project)
    session.store.add(take)
    studio.performing.need_print(kept)
    studio.until(lambda: session.foreign)
    studio.performing.need_print(kept)
    studio.until_idle()
    assert session.foreign == {kept}
    assert session.print_of(kept) is None
    assert (material(session, 0).foreign, material(session, 0).undecoded) == ((1,), ())
    assert session.cache.get(kept) is None
    with_model(studio, tiny)
    studio.until(lambda: session.print_of(kept))
    studio.until_idle()
    made = session.print_of(kept)
    assert made is not None
    assert (made.samples == sound.samples).all()
    assert session.foreign == set()
    assert studio.told == []


def test_a_take_that_does_not_tell_its_codec_is_heard_and_kept_nowhere_until_its_own_model_is_there(
    studio: Studio, tiny: Path, tmp_path: Path
) -> None:
    session, path = studio.session, tmp_path / "play.retake"
    generated(studio, "One two three.")
    kept = studio.line(1).kept
    assert kept is not None
    sound, take = session.print_of(kept), session.store.get(kept)
    assert sound is not None
    session._cache = PrintCache(tmp_path / "elsewhere")
    with_model(studio, write_tiny(tmp_path / "other", seed=1))
    session.start(replace(session.project, keeps_sound=True))
    session.store.add(replace(take, origin=replace(take.origin, codec="")))
    studio.performing.need_print(kept)
    studio.until(lambda: session.print_of(kept))
    session.save(path)
    studio.until_idle()
    assert session.cache.get(kept) is None
    assert session.in_file.written.sounds == frozenset()
    with_model(studio, tiny)
    studio.until(lambda: (made := session.print_of(kept)) is not None and made.exact)
    made = session.print_of(kept)
    assert made is not None
    assert (made.samples == sound.samples).all()
    session.save(path)
    studio.until_idle()
    assert session.cache.get(kept) is not None
    assert session.in_file.written.sounds == {kept}


def test_turns_of_another_voice_model_are_not_read_before_a_line(studio: Studio, tmp_path: Path) -> None:
    session = studio.session
    generated(studio, "One two three.", "Four five.")
    session.do(SetReading(Reading(context=None)))
    assert len(prompt_of(session, studio.line(2)).context) == 1
    with_model(studio, write_tiny(tmp_path / "other", seed=1))
    studio.performing.generate(("line1",))
    studio.until_idle()
    new = session.kept(studio.line(2))
    assert new is not None
    assert session.engine is not None
    assert (new.origin.checkpoint, new.origin.prompt.context) == (session.engine.checkpoint, ())


def test_a_voice_of_another_voice_model_is_not_read(studio: Studio) -> None:
    """Its codes would be noise to this one, and the take would sound like it."""
    session = studio.session
    generated(studio, "One two three.")
    assert session.engine is not None
    (voice,) = prompt_of(session, studio.line(1)).voices
    session.do(SetVoices((replace(voice, codec=session.engine.codec),)))
    assert len(prompt_of(session, studio.line(1)).voices) == 1
    session.do(SetVoices((replace(voice, codec="another"),)))
    with pytest.raises(ScriptError, match="another voice model"):
        prompt_of(session, studio.line(1))


def test_what_was_being_decoded_while_another_model_came_is_decoded_by_that(studio: Studio, tiny: Path) -> None:
    session = studio.session
    generated(studio, "One two three.")
    kept = studio.line(1).kept
    assert kept is not None
    session._cache, session._prints = PrintCache(session._cache._folder / "elsewhere"), {}
    studio.performing.generate(("line0",), audible=True)  # which the engine is at, so that the print waits
    studio.performing.need_print(kept)
    studio.until(lambda: kept in studio.performing._prints.values())
    with_model(studio, tiny)
    studio.until(lambda: session.print_of(kept))
    studio.until_idle()


def test_a_regenerate_that_is_cancelled_leaves_the_candidates_before_it(studio: Studio) -> None:
    generated(studio, "One two three four five six.")
    studio.session.choose_span("line0", (3, 6))
    studio.performing.regenerate()
    studio.until_idle()
    view = studio.performing.candidates.view
    held = studio.hold_engine()
    studio.performing.regenerate()
    assert studio.performing.candidates.view.take is None
    studio.performing.cancel()
    held.set()
    studio.until_idle()
    assert studio.performing.candidates.view is view
    studio.performing.step(1)
    assert studio.line(1).kept == view.takes[1].id


def busy(studio: Studio) -> list[int]:
    return sorted(studio.performing._jobs)


def two_regenerates(studio: Studio) -> tuple[tuple[int, int], tuple[threading.Event, threading.Event]]:
    """Both lines have candidates to come: the numbers of their jobs, and what each of them waits for."""
    generated(studio, "One two three four five six.", "One two three four five six.")
    held = []
    for line in ("line0", "line1"):
        held.append(studio.hold_engine())
        studio.session.choose_span(line, (3, 6))
        studio.performing.regenerate()
    first, second = busy(studio)
    return (first, second), (held[0], held[1])


def test_cancelling_a_regenerate_leaves_what_came_for_another_line(studio: Studio) -> None:
    (_, second), held = two_regenerates(studio)
    held[0].set()
    studio.until(lambda: busy(studio) == [second])
    view = studio.performing.candidates.view
    assert view is not None
    assert (view.line_id, len(view.takes)) == ("line0", 6)
    studio.performing.cancel_line("line1")
    held[1].set()
    studio.until_idle()
    assert studio.performing.candidates.view is view
    studio.performing.candidates.choose(1)
    assert studio.line(1).kept == view.takes[1].id


def test_cancelling_a_regenerate_leaves_the_wait_for_another_line(studio: Studio) -> None:
    (first, _), held = two_regenerates(studio)
    studio.performing.cancel_line("line0")
    held[0].set()
    studio.until(lambda: first not in studio.performing._jobs)
    view = studio.performing.candidates.view
    assert view is not None
    assert (view.line_id, view.takes) == ("line1", ())
    held[1].set()
    studio.until_idle()
    view = studio.performing.candidates.view
    assert view is not None
    assert (view.line_id, len(view.takes)) == ("line1", 6)


def test_how_far_candidates_are_is_told_of_their_own_line(studio: Studio) -> None:
    (first, _), held = two_regenerates(studio)
    for each in held:
        each.set()
    shares: list[float] = []

    def note() -> None:
        view = studio.performing.candidates.view
        if first in studio.performing._jobs and view is not None and view.share is not None:
            shares.append(view.share)

    studio.performing.progressed.connect(note)
    studio.until(lambda: first not in studio.performing._jobs)
    assert set(shares) <= {0.0}
    studio.until_idle()


def test_candidates_of_a_line_that_is_gone_are_waited_for_no_more(studio: Studio) -> None:
    generated(studio, "One two three four five six.", "Seven.")
    studio.session.choose_span("line0", (3, 6))
    studio.performing.regenerate()
    (number,) = busy(studio)
    take = studio.session.kept(studio.line(1))
    studio.performing._engine.cancel(number)
    studio.session._stand(studio.session.history.do(ReplaceLines(0, 0, 1, ())))
    studio.performing._hear(number, Finished((take,), (), Report(1, None, 6, 1, 0)))
    studio.session.undo()
    assert studio.performing.candidates.view is None
    studio.until_idle()


def test_a_candidate_kept_is_a_take_like_others(studio: Studio) -> None:
    generated(studio, "One two three four five six.")
    first = studio.line(1).kept
    studio.session.choose_span("line0", (3, 6))
    studio.performing.regenerate()
    studio.until_idle()
    studio.performing.candidates.drop()
    studio.performing.step(1)
    assert studio.line(1).kept == first
    studio.session.do(KeepTake("line0", studio.line(1).takes[1]))
    studio.performing.step(1)
    assert studio.line(1).kept == first


def test_words_changed_in_several_places_are_spoken_in_one_step(studio: Studio) -> None:
    generated(studio, "One two three four five six seven eight.")
    rewrite(studio, 1, "One zwei three four five six sieben eight.")
    before = studio.session.project
    assert studio.performing.state(studio.line(1)).changed_words == 2
    studio.performing.regenerate()
    studio.until_idle()
    take = studio.session.kept(studio.line(1))
    assert take is not None
    assert take.origin.prompt.text == studio.line(1).text
    assert studio.performing.state(studio.line(1)).kind is Kind.READY
    studio.session.undo()
    assert studio.session.project == before


def test_exactly_as_long_brings_a_line_to_its_target(studio: Studio) -> None:
    generated(studio, "One two three four five six.")
    old = studio.session.kept(studio.line(1))
    assert old is not None
    seconds = old.seconds + 2.4 * old.origin.hop / old.origin.rate
    studio.session.do(SetTarget("line0", seconds))
    assert studio.performing.state(studio.line(1)).target == seconds
    studio.session.choose_span("line0", (3, 6))
    studio.performing.options = replace(studio.performing.options, length=Exactly)
    studio.performing.regenerate()
    studio.until_idle()
    take = studio.session.kept(studio.line(1))
    assert take is not None
    assert take.frames == old.frames + 2


def test_where_nothing_is_to_be_made_anew_that_is_said(studio: Studio, qtbot: QtBot) -> None:
    generated(studio, "One two three.")
    with qtbot.waitSignal(studio.performing.said) as said:
        studio.performing.regenerate()
    assert "speaks every word" in said.args[0]
    assert not studio.told


def test_prints_are_found_again(studio: Studio, silent_studio: Studio) -> None:
    generated(studio, "One two three.")
    take_id = studio.line(1).kept
    assert take_id is not None
    printed = studio.session.print_of(take_id)
    assert printed is not None
    other = Session(studio.files, PrintCache(studio.session._cache._folder))
    other.start(studio.session.project)
    other.store.add(studio.session.store.get(take_id))
    missing: list[str] = []
    with studio.qtbot.waitSignal(other.printed, timeout=5000):
        other.look_up_print(take_id, missing.append)
    found = other.print_of(take_id)
    assert found is not None
    assert np.array_equal(found.samples, printed.samples)
    assert missing == []


def test_another_project_ends_what_was_made_for_the_one_before(studio: Studio) -> None:
    studio.session.start(project("One two.", frames=400))
    studio.performing.generate(studio.ids())
    studio.session.start()
    studio.until_idle()
    assert len(studio.session.store) == 0
    assert not studio.session.unsaved


def test_takes_of_the_project_before_do_not_come_to_lines_of_the_same_ids(studio: Studio) -> None:
    """As those of a backup of it have."""
    before = project("One two.", "Three four.", "Five six.")
    studio.session.start(before)
    studio.performing.generate(studio.ids())
    studio.performing.generate(("line1",), audible=True)
    studio.session.start(replace(before, title="Backup"))
    assert (studio.performing.job, studio.performing.waiting) == (None, 0)
    assert studio.performing.state(studio.line(1)).kind is Kind.NO_TAKE
    studio.performing.generate(("line2",))
    studio.until_idle()
    assert [len(line.takes) for line in studio.session.project.lines()] == [0, 0, 1]
    assert len(studio.session.store) == 1
