"""A script as it comes out of a foreign file, before it is decided what becomes of its stage directions."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.text import clean
from studio.document.names import legal_name
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.document.script import COLOURS, NARRATOR, new_line_id, parse


@dataclass(frozen=True)
class Heading:
    title: str


@dataclass(frozen=True)
class Speech:
    """What a character says, who is called as the file does; "" is the narrator. `remarks` stand before characters of
    `text`, as (place, words). `seconds` is how long it lasts where the file says so, `pause` the silence after it in
    milliseconds."""

    character: str
    text: str
    remarks: tuple[tuple[int, str], ...] = ()
    seconds: float | None = None
    pause: int | None = None


@dataclass(frozen=True)
class Action:
    """What is seen, not said."""

    text: str


@dataclass(frozen=True)
class Prose:
    """Plain text that is still to be read as a script."""

    text: str


Row = Heading | Speech | Action | Prose


@dataclass(frozen=True)
class Manuscript:
    """`notices` tell what was left out or guessed."""

    title: str
    rows: tuple[Row, ...]
    notices: tuple[str, ...] = ()


class Remarks(enum.Enum):
    """What becomes of remarks in parentheses."""

    TAGS = "tags"
    DIRECTIONS = "directions"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Choices:
    """How a manuscript becomes a script; `action` has what is seen told by the narrator."""

    remarks: Remarks = Remarks.TAGS
    action: bool = False


def arranged(
    manuscript: Manuscript, choices: Choices | None = None, new_id: Callable[[], str] = new_line_id
) -> Project:
    """The manuscript as a project of its own, its cast without voices."""
    wanted = choices or Choices()
    scenes: list[Scene] = []
    lines: list[Line] = []
    title = ""

    def end_scene() -> None:
        if lines or title:
            scenes.append(Scene(title, tuple(lines)))
        lines.clear()

    for row in manuscript.rows:
        match row:
            case Heading():
                end_scene()
                title = " ".join(clean(row.title).split())
            case Speech():
                lines.extend(_spoken(row, wanted.remarks, new_id))
            case Action() if wanted.action and row.text.strip():
                lines.append(Line(new_id(), (LinePart(NARRATOR, " ".join(clean(row.text).split())),)))
            case Prose():
                for number, scene in enumerate(parse(row.text, new_id=new_id).scenes):
                    if number or scene.title:
                        end_scene()
                        title = scene.title
                    lines.extend(line for line in scene.lines if line.text.strip())  # a name may stand alone
    end_scene()
    return Project(manuscript.title, tuple(scenes), _cast(scenes))


def known_by(project: Project, cast: tuple[Character, ...]) -> Project:
    """The project with the names of a cast where they differ in capitals only: MIRA is Mira, who is there already."""
    known = {character.name.casefold(): character.name for character in cast}

    def named(name: str) -> str:
        return known.get(name.casefold(), name)

    scenes = tuple(
        replace(
            scene,
            lines=tuple(
                replace(line, parts=tuple(replace(part, character=named(part.character)) for part in line.parts))
                for line in scene.lines
            ),
        )
        for scene in project.scenes
    )
    return replace(project, scenes=scenes, cast=_cast(list(scenes)))


def _spoken(speech: Speech, remarks: Remarks, new_id: Callable[[], str]) -> list[Line]:
    text, last, pieces = speech.text, 0, []
    said = [(place, " ".join(words.split())) for place, words in speech.remarks]
    for place, words in said if remarks is Remarks.TAGS else ():
        pieces += [text[last:place].strip(), f"[{words}]"]
        last = place
    pieces.append(text[last:].strip())
    spoken = clean(" ".join(piece for piece in pieces if piece))
    if not spoken.strip():
        return []
    direction = ", ".join(words for _, words in said) if remarks is Remarks.DIRECTIONS else ""
    part = LinePart(legal_name(speech.character) or NARRATOR, spoken)
    return [Line(new_id(), (part,), direction=clean(direction), pause=speech.pause, target=speech.seconds)]


def _cast(scenes: list[Scene]) -> tuple[Character, ...]:
    named = (part.character for scene in scenes for line in scene.lines for part in line.parts)
    names = [name for name in dict.fromkeys(named) if name]
    return tuple(Character(name, number % COLOURS) for number, name in enumerate(names))


def many(count: int, word: str) -> str:
    """A number of things, in words."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
