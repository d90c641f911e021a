"""What the user wishes of the cast, as edits."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from engine.request import Voice
from studio.document.edits import AddCharacter, ChangeCharacter, RemoveCharacter, SetVoices
from studio.document.project import Character, Project
from studio.document.script import COLOURS
from studio.session import Session


class Casting:
    """Adds, changes and removes characters, and gives them voices of the project, library or checkpoint."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, name: str, gesture: Hashable = None) -> None:
        """A new character, with the first voice that nobody has; where all are taken the user has to choose."""
        gesture = gesture or ("cast", name)
        project = self._session.project
        if project.character(name) is not None:
            return
        taken = {character.voice for character in project.cast}
        free = next((voice for voice in self._session.voices() if voice.name not in taken), None)
        if free is not None and project.voice(free.name) is None:
            self._session.do(SetVoices((free,), f"Add {name}"), gesture=gesture)
        colour = _free_colour(project)
        character = Character(name, colour, free.name if free else None)
        self._session.do(AddCharacter(character, f"Add {name}"), gesture=gesture)

    def rename(self, old: str, new: str) -> None:
        self._change(old, lambda character: replace(character, name=new), f"Rename {old}")

    def remove(self, name: str) -> None:
        self._session.do(RemoveCharacter(name, f"Remove {name}"))

    def recolour(self, name: str, colour: int) -> None:
        self._change(name, lambda character: replace(character, colour=colour), f"Colour of {name}")

    def give_voice(self, name: str, voice_name: str) -> None:
        """Cast a voice; the project carries it from then on."""
        project = self._session.project
        voice = next((voice for voice in self._session.voices() if voice.name == voice_name), None)
        if voice is None or project.character(name) is None:
            return
        gesture = ("voice", name, voice_name)
        if project.voice(voice_name) is None:
            self._session.do(SetVoices((voice,), f"Voice of {name}"), gesture=gesture)
        self._change(name, lambda character: replace(character, voice=voice_name), f"Voice of {name}", gesture)

    def _change(
        self, name: str, change: Callable[[Character], Character], label: str, gesture: Hashable = None
    ) -> None:
        character = self._session.project.character(name)
        if character is not None:
            self._session.do(ChangeCharacter(name, change(character), label), gesture=gesture)


def _free_colour(project: Project) -> int:
    used = [character.colour for character in project.cast]
    return min(range(COLOURS), key=used.count)


def cast_in_turn(project: Project, voices: tuple[Voice, ...]) -> Project:
    """The project with voices for its characters, in turn."""
    cast = tuple(
        replace(each, voice=voices[number % len(voices)].name if voices else None)
        for number, each in enumerate(project.cast)
    )
    return replace(project, cast=cast, voices=voices)
