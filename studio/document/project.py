"""The project as a value: scenes of lines, the cast, the voices, and what the user says of takes. Nothing here changes.

Takes are named by id; they themselves lie in a `Store` (store.py) beside the history and only grow.
Frames and codes are as in engine.request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from engine.request import Settings, Voice


@dataclass(frozen=True)
class Character:
    """Who speaks. `name` is unique in the cast; `colour` counts the theme's eight; `voice` names one of the project's
    voices, None where none is chosen yet; `settings` None follows the checkpoint; `seed` None is another for each take.
    `direction` says in plain words how all of it is spoken; `gain` in dB how loud it is mixed."""

    name: str
    colour: int = 0
    voice: str | None = None
    settings: Settings | None = None
    seed: int | None = None
    direction: str = ""
    gain: float = 0.0


@dataclass(frozen=True)
class Marker:
    """A place in a line that the user wants to find again, in seconds from the line's start."""

    seconds: float
    name: str = ""


@dataclass(frozen=True)
class LinePart:
    """A stretch of a line's text and the name of the character who speaks it ("" where nobody is named)."""

    character: str
    text: str


@dataclass(frozen=True)
class Line:
    """The unit that is generated and has takes. `id` never changes; `takes` are ids, oldest first; `kept` one of them.

    `pause` is the silence after the line in milliseconds, None for the scene's own; below 0 the next line begins before
    this one ends. `gain` in dB is added to its character's. `direction` says in plain words how it is
    spoken; `as_written` leaves the project's pronunciations out of it. `target` is how many seconds it should take,
    None where it may take what it likes.
    """

    id: str
    parts: tuple[LinePart, ...]
    takes: tuple[str, ...] = ()
    kept: str | None = None
    settings: Settings | None = None
    note: str = ""
    locked: bool = False
    pause: int | None = None
    direction: str = ""
    as_written: bool = False
    gain: float = 0.0
    markers: tuple[Marker, ...] = ()
    target: float | None = None

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts)

    @property
    def character(self) -> str:
        """The name of who speaks first."""
        return self.parts[0].character if self.parts else ""

    @property
    def ends_with(self) -> str:
        """The name of who speaks last."""
        return self.parts[-1].character if self.parts else ""


@dataclass(frozen=True)
class Scene:
    """A stretch of the script under one heading; `pause` in milliseconds stands between its lines, `turn_pause` where
    another character goes on, None for the same."""

    title: str
    lines: tuple[Line, ...] = ()
    pause: int = 350
    turn_pause: int | None = None

    def pause_after(self, place: int) -> int:
        """The milliseconds between a line and the next, as the line or else the scene has it."""
        own = self.lines[place].pause
        return self.own_pause(place) if own is None else own

    def own_pause(self, place: int) -> int:
        """The pause after a line that has none of its own."""
        turns = place + 1 < len(self.lines) and self.lines[place].ends_with != self.lines[place + 1].character
        return self.turn_pause if turns and self.turn_pause is not None else self.pause


NO_SCENES = (Scene(""),)


@dataclass(frozen=True)
class Mark:
    """What the user says of a take."""

    name: str = ""
    star: bool = False
    colour: int | None = None
    note: str = ""
    binned: bool = False


@dataclass(frozen=True)
class Pronunciation:
    """A word, or several, and how they are written for the model. In small letters it means any."""

    written: str
    spoken: str


@dataclass(frozen=True)
class Reading:
    """What becomes of the script on its way to the model, and nothing else does.

    `template` puts a direction to the text of a line; `context` is how many earlier turns of the scene the model hears,
    None for all of them.
    """

    template: str = "[{direction}] {text}"
    pronunciations: tuple[Pronunciation, ...] = ()
    context: int | None = 0


@dataclass(frozen=True)
class Project:
    """All of it. There is always a scene to write in: where none is given it is an empty one without a title.
    `voices` are carried along so that a project speaks where no library is; `marks` go by take id.
    `keeps_sound`: how its kept takes sound lies in the file as well. `language` names the dictionary that the script is
    spelled by."""

    title: str = "Untitled"
    scenes: tuple[Scene, ...] = NO_SCENES
    cast: tuple[Character, ...] = ()
    voices: tuple[Voice, ...] = ()
    marks: Mapping[str, Mark] = field(default_factory=lambda: MappingProxyType({}))
    reading: Reading = field(default_factory=Reading)
    keeps_sound: bool = False
    language: str = "en_US"

    def __post_init__(self) -> None:
        if not self.scenes:
            object.__setattr__(self, "scenes", NO_SCENES)

    def lines(self) -> tuple[Line, ...]:
        """All lines in the order of the script."""
        return tuple(line for scene in self.scenes for line in scene.lines)

    def line(self, line_id: str) -> Line:
        """The line of that id; KeyError where there is none."""
        for line in self.lines():
            if line.id == line_id:
                return line
        raise KeyError(line_id)

    def character(self, name: str) -> Character | None:
        return next((character for character in self.cast if character.name == name), None)

    def voice(self, name: str | None) -> Voice | None:
        return next((voice for voice in self.voices if voice.name == name), None)
