"""Everything that can happen to a project, one frozen class each, and `apply`, the one place that lets it happen.

Edits are pure: they make a new project that shares all it can with the old one. An edit that names a scene, line,
character or take that is not there is a bug of the caller (IndexError, KeyError or ValueError), with one exception:
takes may come in for a line that was deleted while they were made (see `AddTakes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from types import MappingProxyType
from typing import TypeVar

from engine.request import Settings, Voice
from studio.document.names import may_be_called
from studio.document.project import Character, Line, LinePart, Mark, Marker, Project, Reading, Scene

T = TypeVar("T")


class CharacterNameError(ValueError):
    """A character cannot be called that. The message says why, for the user."""


@dataclass(frozen=True)
class ReplaceLines:
    """Lines [start, stop) of a scene become `lines`: typing, pasting, splitting, joining, deleting."""

    scene: int
    start: int
    stop: int
    lines: tuple[Line, ...]
    label: str = "Typing"


@dataclass(frozen=True)
class SetTitle:
    title: str
    label: str = "Rename project"


@dataclass(frozen=True)
class AddScene:
    """`scene` comes to stand at place `at`."""

    at: int
    scene: Scene
    label: str = "Add scene"


@dataclass(frozen=True)
class RenameScene:
    at: int
    title: str
    label: str = "Rename scene"


@dataclass(frozen=True)
class SetScenePauses:
    """Milliseconds between the lines of a scene, and where another character goes on (None: the same)."""

    at: int
    pause: int
    turn_pause: int | None = None
    label: str = "Change pauses of a scene"


@dataclass(frozen=True)
class RemoveScene:
    """The scene at place `at` goes, with the lines that are in it; in the place of the last one an empty one comes."""

    at: int
    label: str = "Remove scene"


@dataclass(frozen=True)
class AddTakes:
    """New takes of a line; with `keep` the first of them is the kept one from now on.

    Where the line is gone nothing changes: the takes lie in the store all the same.
    """

    line_id: str
    take_ids: tuple[str, ...]
    keep: bool = True
    label: str = "Generate line"


@dataclass(frozen=True)
class KeepTake:
    line_id: str
    take_id: str
    label: str = "Keep take"


@dataclass(frozen=True)
class MarkTake:
    """The user's mark of a take; an empty mark takes it away."""

    take_id: str
    mark: Mark
    label: str = "Mark take"


@dataclass(frozen=True)
class EmptyBin:
    """These takes, which no line keeps, leave the lines that have them, and their marks go."""

    take_ids: tuple[str, ...]
    label: str = "Empty bin"


@dataclass(frozen=True)
class AddCharacter:
    character: Character
    label: str = "Add character"


@dataclass(frozen=True)
class ChangeCharacter:
    """The character of that name becomes `character`; a new name is written into every line."""

    name: str
    character: Character
    label: str = "Change character"


@dataclass(frozen=True)
class RemoveCharacter:
    """The character leaves the cast. Its lines still name it; they cannot be spoken until one of that name is cast."""

    name: str
    label: str = "Remove character"


@dataclass(frozen=True)
class SetVoices:
    """Voices come into the project; one of the same name is replaced. The first of them stands where `instead_of` did,
    and whoever had that one has it."""

    voices: tuple[Voice, ...]
    label: str = "Change voice"
    instead_of: str | None = None


@dataclass(frozen=True)
class SetPause:
    """Milliseconds of silence after the line, None for the scene's own."""

    line_id: str
    pause: int | None
    label: str = "Change pause"


@dataclass(frozen=True)
class SetGain:
    """How loud the line is mixed, in dB beside its character's."""

    line_id: str
    gain: float
    label: str = "Change level"


@dataclass(frozen=True)
class SetMarkers:
    line_id: str
    markers: tuple[Marker, ...]
    label: str = "Change markers"


@dataclass(frozen=True)
class SetLocked:
    line_id: str
    locked: bool
    label: str = "Lock line"


@dataclass(frozen=True)
class SetNote:
    line_id: str
    note: str
    label: str = "Change note"


@dataclass(frozen=True)
class SetLineSettings:
    """How the line is drawn, None as its character is."""

    line_id: str
    settings: Settings | None
    label: str = "Change settings"


@dataclass(frozen=True)
class SetDirection:
    """How the line is spoken, in plain words; "" says nothing."""

    line_id: str
    direction: str
    label: str = "Change direction"


@dataclass(frozen=True)
class SetTarget:
    """How many seconds the line should take; None: what it likes."""

    line_id: str
    seconds: float | None
    label: str = "Change target length"


@dataclass(frozen=True)
class SetAsWritten:
    """Whether the project's pronunciations are left out of the line."""

    line_id: str
    as_written: bool
    label: str = "Pronunciations of a line"


@dataclass(frozen=True)
class SetReading:
    """What becomes of the script on its way to the model."""

    reading: Reading
    label: str = "Change what is sent"


@dataclass(frozen=True)
class SetKeepsSound:
    """Whether the project's file holds how its kept takes sound."""

    keeps_sound: bool
    label: str = "Keep sound in the project"


@dataclass(frozen=True)
class SetLanguage:
    """By which dictionary the script is spelled."""

    language: str
    label: str = "Change language"


@dataclass(frozen=True)
class MergeIn:
    """Comes in from another project: scenes at the end, cast, voices, marks, and takes for lines that are here."""

    scenes: tuple[Scene, ...] = ()
    cast: tuple[Character, ...] = ()
    voices: tuple[Voice, ...] = ()
    marks: tuple[tuple[str, Mark], ...] = ()
    takes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    label: str = "Merge in"


@dataclass(frozen=True)
class Together:
    """Several edits, one after another, as one step."""

    edits: tuple[Edit, ...]
    label: str


Edit = (
    ReplaceLines
    | SetTitle
    | AddScene
    | RenameScene
    | SetScenePauses
    | RemoveScene
    | AddTakes
    | KeepTake
    | MarkTake
    | EmptyBin
    | AddCharacter
    | ChangeCharacter
    | RemoveCharacter
    | SetVoices
    | SetPause
    | SetGain
    | SetMarkers
    | SetLocked
    | SetNote
    | SetLineSettings
    | SetDirection
    | SetAsWritten
    | SetTarget
    | SetLanguage
    | SetReading
    | SetKeepsSound
    | MergeIn
    | Together
)


def apply(project: Project, edit: Edit) -> Project:
    """The project as it is after the edit."""
    match edit:
        case ReplaceLines(scene, start, stop, lines):
            return _replace_lines(project, scene, start, stop, lines)
        case SetTitle(title):
            return replace(project, title=title)
        case AddScene(at, scene):
            _check_new(project, (), scene.lines)
            return replace(project, scenes=project.scenes[:at] + (scene,) + project.scenes[at:])
        case RenameScene(at, title):
            return _with_scene(project, at, replace(project.scenes[at], title=title))
        case SetScenePauses(at, pause, turn_pause):
            return _with_scene(project, at, replace(project.scenes[at], pause=pause, turn_pause=turn_pause))
        case Together(edits):
            for each in edits:
                project = apply(project, each)
            return project
        case RemoveScene(at):
            return replace(project, scenes=_without(project.scenes, at))
        case AddTakes(line_id, take_ids, keep):
            return _add_takes(project, line_id, take_ids, keep)
        case KeepTake(line_id, take_id):
            return _with_line(project, line_id, lambda line: _keep(line, take_id))
        case MarkTake(take_id, mark):
            return _mark(project, take_id, mark)
        case EmptyBin(take_ids):
            return _empty_bin(project, frozenset(take_ids))
        case AddCharacter(character):
            return _with_cast(project, (*project.cast, character))
        case ChangeCharacter(name, character):
            return _change_character(project, name, character)
        case RemoveCharacter(name):
            return replace(project, cast=_without(project.cast, _place(project, name)))
        case SetVoices(voices, _, before):
            return _set_voices(project, voices, before)
        case MergeIn():
            return _merge_in(project, edit)
        case SetPause(line_id, pause):
            return _with_line(project, line_id, lambda line: replace(line, pause=pause))
        case SetGain(line_id, gain):
            return _with_line(project, line_id, lambda line: replace(line, gain=gain))
        case SetMarkers(line_id, markers):
            return _with_line(project, line_id, lambda line: replace(line, markers=markers))
        case SetLocked(line_id, locked):
            return _with_line(project, line_id, lambda line: replace(line, locked=locked))
        case SetNote(line_id, note):
            return _with_line(project, line_id, lambda line: replace(line, note=note))
        case SetLineSettings(line_id, settings):
            return _with_line(project, line_id, lambda line: replace(line, settings=settings))
        case SetDirection(line_id, direction):
            return _with_line(project, line_id, lambda line: replace(line, direction=direction))
        case SetTarget(line_id, seconds):
            return _with_line(project, line_id, lambda line: replace(line, target=seconds))
        case SetAsWritten(line_id, as_written):
            return _with_line(project, line_id, lambda line: replace(line, as_written=as_written))
        case SetReading(reading):
            return replace(project, reading=reading)
        case SetLanguage(language):
            return replace(project, language=language)
        case SetKeepsSound(keeps_sound):
            return replace(project, keeps_sound=keeps_sound)


def _replace_lines(project: Project, at: int, start: int, stop: int, lines: tuple[Line, ...]) -> Project:
    scene = project.scenes[at]
    if not 0 <= start <= stop <= len(scene.lines):
        raise IndexError(f"scene {at} has {len(scene.lines)} lines, not [{start}, {stop})")
    _check_new(project, scene.lines[start:stop], lines)
    return _with_scene(project, at, replace(scene, lines=scene.lines[:start] + lines + scene.lines[stop:]))


def _check_new(project: Project, gone: tuple[Line, ...], come: tuple[Line, ...]) -> None:
    """ValueError where lines that come have ids that are there already. Lines that stay in their place cost nothing."""
    ids = {line.id for line in come}
    new = ids - {line.id for line in gone}
    there = (map(attrgetter("id"), scene.lines) for scene in project.scenes)
    if len(ids) < len(come) or (new and not all(map(new.isdisjoint, there))):
        raise ValueError("two lines have the same id")


def _with_scene(project: Project, at: int, scene: Scene) -> Project:
    return replace(project, scenes=(*project.scenes[:at], scene, *project.scenes[at + 1 :]))


def _with_line(project: Project, line_id: str, change: Callable[[Line], Line]) -> Project:
    for at, scene in enumerate(project.scenes):
        for index, line in enumerate(scene.lines):
            if line.id == line_id:
                lines = (*scene.lines[:index], change(line), *scene.lines[index + 1 :])
                return _with_scene(project, at, replace(scene, lines=lines))
    raise KeyError(line_id)


def _add_takes(project: Project, line_id: str, take_ids: tuple[str, ...], keep: bool) -> Project:
    def add(line: Line) -> Line:
        takes = tuple(dict.fromkeys(line.takes + take_ids))
        return replace(line, takes=takes, kept=take_ids[0] if keep and take_ids else line.kept)

    if not any(line.id == line_id for line in project.lines()):
        return project
    return _with_line(project, line_id, add)


def _keep(line: Line, take_id: str) -> Line:
    if take_id not in line.takes:
        raise ValueError(f"line {line.id} has no take {take_id}")
    return replace(line, kept=take_id)


def _mark(project: Project, take_id: str, mark: Mark) -> Project:
    marks = dict(project.marks)
    if mark == Mark():
        marks.pop(take_id, None)
    else:
        marks[take_id] = mark
    return replace(project, marks=MappingProxyType(marks))


def _empty_bin(project: Project, gone: frozenset[str]) -> Project:
    def without(line: Line) -> Line:
        if gone.isdisjoint(line.takes):
            return line
        if line.kept in gone:
            raise ValueError(f"line {line.id} keeps take {line.kept}")
        return replace(line, takes=tuple(take for take in line.takes if take not in gone))

    scenes = tuple(replace(scene, lines=tuple(map(without, scene.lines))) for scene in project.scenes)
    marks = {take_id: mark for take_id, mark in project.marks.items() if take_id not in gone}
    return replace(project, scenes=scenes, marks=MappingProxyType(marks))


def _place(project: Project, name: str) -> int:
    for at, character in enumerate(project.cast):
        if character.name == name:
            return at
    raise KeyError(name)


def _with_cast(project: Project, cast: tuple[Character, ...]) -> Project:
    """The project with another cast. Only names that come are looked at: what a file has brought in can be mended."""
    before = Counter(character.name for character in project.cast)
    for name, count in Counter(character.name for character in cast).items():
        if count > max(1, before[name]):
            raise CharacterNameError(f"There is already a character named {name}.")
        if name not in before and not may_be_called(name):
            raise CharacterNameError(
                "A character's name is a few words without : < > | and without # + \\ at its start."
            )
    return replace(project, cast=cast)


def _change_character(project: Project, name: str, character: Character) -> Project:
    at = _place(project, name)
    changed = _with_cast(project, (*project.cast[:at], character, *project.cast[at + 1 :]))
    if character.name == name:
        return changed
    scenes = tuple(_renamed(scene, name, character.name) for scene in project.scenes)
    return replace(changed, scenes=scenes)


def _renamed(scene: Scene, old: str, new: str) -> Scene:
    """The scene with the character `old` called `new`; lines in which nobody has that name are shared."""

    def rename(line: Line) -> Line:
        if all(part.character != old for part in line.parts):
            return line
        parts = tuple(LinePart(new, part.text) if part.character == old else part for part in line.parts)
        return replace(line, parts=parts)

    return replace(scene, lines=tuple(rename(line) for line in scene.lines))


def _merge_in(project: Project, edit: MergeIn) -> Project:
    project = _with_cast(_set_voices(project, edit.voices), (*project.cast, *edit.cast))
    for take_id, mark in edit.marks:
        project = _mark(project, take_id, mark)
    for line_id, take_ids in edit.takes:
        project = _add_takes(project, line_id, take_ids, keep=False)
    _check_new(project, (), tuple(line for scene in edit.scenes for line in scene.lines))
    return replace(project, scenes=project.scenes + edit.scenes)


def _set_voices(project: Project, voices: tuple[Voice, ...], before: str | None = None) -> Project:
    called = {} if before is None else {before: voices[0].name}
    by_name = {called.get(voice.name, voice.name): voice for voice in project.voices}
    by_name |= {voice.name: voice for voice in voices}
    cast = tuple(replace(each, voice=called[each.voice]) if each.voice in called else each for each in project.cast)
    return replace(project, voices=tuple(by_name.values()), cast=cast)


def _without(items: tuple[T, ...], at: int) -> tuple[T, ...]:
    if not 0 <= at < len(items):
        raise IndexError(f"there is no place {at} among {len(items)}")
    return items[:at] + items[at + 1 :]
