"""A script as it comes out of a foreign file, before it is decided what becomes of its stage directions."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby

from engine.text import clean
from studio.document.names import legal_name
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.document.script import COLOURS, NARRATOR, names_among, new_line_id, parse, possible_name


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
    known = _named_in(manuscript.rows)

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
                for number, scene in enumerate(parse(row.text, known, new_id).scenes):
                    if number or scene.title:
                        end_scene()
                        title = scene.title
                    lines.extend(line for line in scene.lines if line.text.strip())  # a name may stand alone
    end_scene()
    return Project(manuscript.title, tuple(scenes), _cast(scenes))


def written(text: str, heading: bool) -> list[Row]:
    """A paragraph as a row, none where nothing is in it."""
    bare = text.strip()
    return [Heading(bare) if heading else Prose(bare)] if bare else []


def gathered(rows: list[Row]) -> tuple[Row, ...]:
    """The rows with what is prose between others in one, so that names are seen together."""
    made: list[Row] = []
    for is_prose, group in groupby(rows, key=lambda row: isinstance(row, Prose)):
        if is_prose:
            made.append(Prose("\n\n".join(row.text for row in group if isinstance(row, Prose))))
        else:
            made += group
    return tuple(made)


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


def _named_in(rows: tuple[Row, ...]) -> tuple[str, ...]:
    """Who is named in the rows together: a heading or a table between them makes nobody unknown."""
    prose = (text for row in rows if isinstance(row, Prose) for text in row.text.split("\n"))
    often = names_among([label for text in prose if (label := possible_name(text.strip()))], False).values()
    spoken = (legal_name(row.character) for row in rows if isinstance(row, Speech))
    return tuple(name for name in dict.fromkeys((*spoken, *often)) if name)


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
