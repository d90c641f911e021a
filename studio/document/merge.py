"""Bringing lines, takes and voices of another project into this one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.request import Voice
from studio.document.compare import voice_digest
from studio.document.edits import MergeIn
from studio.document.project import Character, Line, Project, Scene
from studio.document.script import new_line_id


@dataclass(frozen=True)
class Wanted:
    """What of the other project: scenes by their places, but for the lines that are left out, by their ids; with their
    takes or without; voices by their names; and the takes of lines that both have, as two copies of one project do."""

    scenes: tuple[int, ...] = ()
    takes: bool = True
    voices: tuple[str, ...] = ()
    shared_takes: bool = False
    left_out: frozenset[str] = frozenset()


def merge(project: Project, other: Project, wanted: Wanted, new_id: Callable[[], str] = new_line_id) -> MergeIn:
    """The edit that brings it in. Nothing that is here changes: scenes come last, a character of a name that is here is
    that character, and a voice that sounds otherwise than the one of its name here gets another name."""
    here = {line.id for line in project.lines()}
    scenes = tuple(_scene(other.scenes[place], here, wanted, new_id) for place in wanted.scenes)
    names = {part.character for scene in scenes for line in scene.lines for part in line.parts}
    come = [each for each in other.cast if each.name in names and project.character(each.name) is None]
    needed = dict.fromkeys((*wanted.voices, *(each.voice for each in come if each.voice is not None)))
    renamed = _named(project.voices, [voice for voice in other.voices if voice.name in needed])
    shared = _shared_takes(project, other) if wanted.shared_takes else ()
    takes = {take for scene in scenes for line in scene.lines for take in line.takes}
    takes |= {take for _, ids in shared for take in ids}
    return MergeIn(
        scenes,
        tuple(_cast(each, renamed) for each in come),
        tuple(voice for voice in renamed.values() if voice not in project.voices),
        tuple((take, mark) for take, mark in other.marks.items() if take in takes and take not in project.marks),
        shared,
    )


def shared_lines(project: Project, other: Project) -> int:
    """How many lines both have of which the other one has takes that are not here."""
    return len(_shared_takes(project, other))


def _scene(scene: Scene, here: set[str], wanted: Wanted, new_id: Callable[[], str]) -> Scene:
    lines = (line for line in scene.lines if line.id not in wanted.left_out)
    return replace(scene, lines=tuple(_line(line, here, wanted.takes, new_id) for line in lines))


def _line(line: Line, here: set[str], takes: bool, new_id: Callable[[], str]) -> Line:
    line = line if takes else replace(line, takes=(), kept=None)
    return replace(line, id=new_id()) if line.id in here else line


def _named(here: Sequence[Voice], voices: Sequence[Voice]) -> dict[str, Voice]:
    """The voices by the names that they have in the other project; those that are here already are those."""
    taken = {voice.name: voice for voice in here}
    named: dict[str, Voice] = {}
    for voice in voices:
        name, number = voice.name, 2
        while name in taken and voice_digest(taken[name]) != voice_digest(voice):
            name, number = f"{voice.name} {number}", number + 1
        named[voice.name] = taken.setdefault(name, replace(voice, name=name))
    return named


def _cast(character: Character, renamed: dict[str, Voice]) -> Character:
    return replace(character, voice=renamed[character.voice].name) if character.voice in renamed else character


def _shared_takes(project: Project, other: Project) -> tuple[tuple[str, tuple[str, ...]], ...]:
    theirs = {line.id: line.takes for line in other.lines()}
    found = ((line.id, tuple(t for t in theirs.get(line.id, ()) if t not in line.takes)) for line in project.lines())
    return tuple((line_id, takes) for line_id, takes in found if takes)
