"""Each edit does what its name says, shares what it can, and refuses what is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.request import Settings, Voice
from studio.document.edits import (
    AddCharacter,
    AddScene,
    AddTakes,
    ChangeCharacter,
    CharacterNameError,
    KeepTake,
    MarkTake,
    MergeIn,
    RemoveCharacter,
    RemoveScene,
    RenameScene,
    ReplaceLines,
    SetLineSettings,
    SetLocked,
    SetNote,
    SetPause,
    SetTarget,
    SetTitle,
    SetVoices,
    apply,
)
from studio.document.project import Character, Line, LinePart, Mark, Project, Scene


def line(name: str, text: str = "Hello.", character: str = "Ada", takes: tuple[str, ...] = ()) -> Line:
    return Line(name, (LinePart(character, text),), takes, takes[-1] if takes else None)


@pytest.fixture
def project() -> Project:
    opening = Scene("Opening", (line("a"), line("b", character="Bob", takes=("t1", "t2")), line("c")))
    return Project("Play", (opening, Scene("End", (line("d"),))), (Character("Ada"), Character("Bob", 1)))


def ids(project: Project) -> list[str]:
    return [line.id for line in project.lines()]


def test_lines_are_replaced_and_the_others_shared(project: Project) -> None:
    typed = line("b", "Hello there.", "Bob", ("t1", "t2"))
    changed = apply(project, ReplaceLines(0, 1, 2, (typed, line("e"))))
    assert ids(changed) == ["a", "b", "e", "c", "d"]
    assert changed.line("b").text == "Hello there."
    assert changed.line("a") is project.line("a")
    assert changed.scenes[1] is project.scenes[1]
    assert ids(project) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(("start", "stop"), [(-1, 1), (2, 1), (0, 4)])
def test_lines_outside_the_scene_are_refused(project: Project, start: int, stop: int) -> None:
    with pytest.raises(IndexError):
        apply(project, ReplaceLines(0, start, stop, ()))


def test_two_lines_of_one_id_are_refused(project: Project) -> None:
    with pytest.raises(ValueError, match="same id"):
        apply(project, ReplaceLines(0, 0, 0, (line("d"),)))
    with pytest.raises(ValueError, match="same id"):
        apply(project, AddScene(0, Scene("Again", (line("d"),))))


def test_scenes_come_go_and_are_renamed(project: Project) -> None:
    added = apply(project, AddScene(1, Scene("Middle")))
    assert [scene.title for scene in added.scenes] == ["Opening", "Middle", "End"]
    assert [scene.title for scene in apply(added, RenameScene(1, "Noon")).scenes] == ["Opening", "Noon", "End"]
    assert apply(added, RemoveScene(1)) == project
    emptied = apply(apply(project, RemoveScene(1)), RemoveScene(0))
    assert emptied.scenes == (Scene(""),)  # there is always one to write in
    with pytest.raises(IndexError):
        apply(project, RemoveScene(2))


def test_takes_are_added_once_and_the_first_new_one_is_kept(project: Project) -> None:
    added = apply(project, AddTakes("b", ("t3", "t2", "t4"))).line("b")
    assert (added.takes, added.kept) == (("t1", "t2", "t3", "t4"), "t3")
    assert apply(project, AddTakes("b", ("t3",), keep=False)).line("b").kept == "t2"


def test_takes_for_a_line_that_is_gone_change_nothing(project: Project) -> None:
    assert apply(project, AddTakes("gone", ("t9",))) is project


def test_only_a_take_of_the_line_can_be_kept(project: Project) -> None:
    assert apply(project, KeepTake("b", "t1")).line("b").kept == "t1"
    with pytest.raises(ValueError, match="t9"):
        apply(project, KeepTake("b", "t9"))


@pytest.mark.parametrize("edit", [KeepTake("gone", "t1"), SetPause("gone", 1), SetNote("gone", "")])
def test_a_line_that_is_not_there_is_a_bug(project: Project, edit: KeepTake | SetPause | SetNote) -> None:
    with pytest.raises(KeyError):
        apply(project, edit)


def test_marks_are_set_and_taken_away(project: Project) -> None:
    starred = apply(project, MarkTake("t1", Mark(star=True)))
    assert starred.marks == {"t1": Mark(star=True)}
    assert apply(starred, MarkTake("t1", Mark())) == project


def test_renaming_a_character_renames_it_everywhere(project: Project) -> None:
    renamed = apply(project, ChangeCharacter("Ada", Character("Eve", 3)))
    assert [character.name for character in renamed.cast] == ["Eve", "Bob"]
    assert [line.character for line in renamed.lines()] == ["Eve", "Bob", "Eve", "Eve"]
    assert renamed.line("b") is project.line("b")


def test_changing_a_character_in_place_leaves_the_scenes(project: Project) -> None:
    changed = apply(project, ChangeCharacter("Ada", Character("Ada", 5, "heart")))
    assert changed.character("Ada") == Character("Ada", 5, "heart")
    assert changed.scenes is project.scenes


def test_a_name_belongs_to_one_character(project: Project) -> None:
    for edit in (AddCharacter(Character("Bob")), ChangeCharacter("Ada", Character("Bob"))):
        with pytest.raises(CharacterNameError, match="Bob"):
            apply(project, edit)


@pytest.mark.parametrize(
    "name", ["", " ", "Ada ", "A: B", "小：明", "# Ada", "+ Ada", "\\Ada", "<|speaker:0|>", "A\nB"]
)
def test_a_name_can_stand_in_a_script(project: Project, name: str) -> None:
    with pytest.raises(CharacterNameError):
        apply(project, AddCharacter(Character(name)))


def test_a_cast_with_a_name_that_no_script_can_write_can_be_mended(project: Project) -> None:
    bad = replace(project, cast=(*project.cast, Character("MIRA:"), Character("Bob")))
    for edit in (AddCharacter(Character("Eve")), ChangeCharacter("Ada", Character("Ada", 3)), MergeIn()):
        assert len(apply(bad, edit).cast) >= len(bad.cast)
    mended = apply(bad, ChangeCharacter("MIRA:", Character("Mira")))
    assert [character.name for character in mended.cast] == ["Ada", "Bob", "Mira", "Bob"]
    for name in ("MIRA:", "Bob", "Tom:"):
        with pytest.raises(CharacterNameError):
            apply(bad, AddCharacter(Character(name)))


def test_a_removed_character_is_still_named_by_its_lines(project: Project) -> None:
    removed = apply(project, RemoveCharacter("Bob"))
    assert removed.character("Bob") is None
    assert removed.line("b").character == "Bob"
    with pytest.raises(KeyError):
        apply(removed, RemoveCharacter("Bob"))


def test_voices_are_added_and_replaced_by_name(project: Project) -> None:
    old, new, other = Voice("heart"), Voice("heart"), Voice("joe")
    changed = apply(apply(project, SetVoices((old, other))), SetVoices((new,)))
    assert [voice.name for voice in changed.voices] == ["heart", "joe"]
    assert changed.voice("heart") is new


def test_a_voice_takes_the_place_of_another_and_its_characters(project: Project) -> None:
    project = replace(project, cast=tuple(replace(each, voice="heart") for each in project.cast))
    project = apply(project, SetVoices((Voice("heart"), Voice("joe"))))
    new = Voice("Heart, warm")
    changed = apply(project, SetVoices((new,), instead_of="heart"))
    assert [voice.name for voice in changed.voices] == ["Heart, warm", "joe"]
    assert changed.voices[0] is new
    assert {each.voice for each in changed.cast} == {"Heart, warm"}


def test_the_small_things_of_a_line(project: Project) -> None:
    for edit in (SetPause("a", 900), SetNote("a", "softer"), SetLocked("a", True), SetLineSettings("a", Settings(0.3))):
        project = apply(project, edit)
    first = project.line("a")
    assert (first.pause, first.note, first.locked, first.settings) == (900, "softer", True, Settings(0.3))
    assert apply(project, SetTitle("Film")).title == "Film"


def test_a_target_length_is_set_and_taken_back(project: Project) -> None:
    made = apply(project, SetTarget("b", 2.5))
    assert made.line("b").target == 2.5
    assert apply(made, SetTarget("b", None)) == project
