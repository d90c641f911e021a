"""Scripts as plain text: read into scenes and lines, and written so that reading gives the same again.

    # Heading                 a new scene
    NAME: text                a line of that character
    more text                 goes on with the line above, after a space
    + NAME: text              another part of the line above, spoken in the same breath
    : text                    a line of nobody
    <|speaker:1|>text         a line of "Speaker 1"
    \\text                     a new row of the text above, taken as it stands (also right after `NAME:`)

An empty row ends a line. What follows it without a name is spoken by who spoke before, in the beginning by "Narrator".
"""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from engine.request import Voice
from engine.text import clean, cut, turns
from studio.document.project import Character, Line, LinePart, Project, Scene

NARRATOR = "Narrator"
COLOURS = 8

_HEADING = re.compile(r"#{1,3}(?:[ \t]+(?P<title>.*))?")
_LABEL = re.compile(r"(?P<name>[^\W\d_][^:：\[\]<>|\n]{0,29})(?::(?=\s|\Z)|：)")
_MOST_WORDS_OF_A_NAME = 3
# What stands before a colon in prose: nobody's name, unless it is written in capitals or somebody is called so.
_PROSE = frozenset({
    "note", "notes", "ps", "nb", "example", "warning", "caution", "tip", "hint", "summary", "remember", "look",
    "listen", "wait", "well", "so", "but", "and", "yes", "no", "oh", "then", "now", "still", "first", "second", "third",
    "finally", "question", "answer", "fact", "result", "problem",
})  # fmt: skip
_BEFORE_TIMES = frozenset({"at", "by", "on", "in", "until", "from", "since", "around", "about"})


def empty_project() -> Project:
    """A project with one empty line to write in."""
    return Project(scenes=(Scene("", (Line(new_line_id(), (LinePart("", ""),)),)),))


def new_line_id() -> str:
    return uuid.uuid4().hex[:12]


@dataclass(frozen=True)
class ParsedScript:
    """What a script says: its scenes, and the names in them in the order of their appearance."""

    scenes: tuple[Scene, ...]
    names: tuple[str, ...]


def parse(text: str, known_names: Iterable[str] = (), new_id: Callable[[], str] = new_line_id) -> ParsedScript:
    """The scenes of a script. Besides `known_names` a label counts as a name where it is written in capitals, or like a
    name and either more than once or in a script whose paragraphs all begin so: times and remarks in prose stay text.
    """
    rows = clean(text).split("\n")
    return _Reader(_names_in(rows, tuple(known_names)), new_id).read(rows)


def to_text(project: Project) -> str:
    """The script of the project. Read with the names of its cast it gives the same titles, names and texts."""
    blocks: list[str] = []
    for at, scene in enumerate(project.scenes):
        if at or scene.title or not scene.lines:
            blocks.append(f"# {scene.title}".rstrip())
        blocks.extend(_written(line) for line in scene.lines)
    return "\n\n".join(blocks) + "\n"


def project_from_script(text: str, voices: Iterable[Voice], title: str = "Untitled") -> Project:
    """A new project that speaks the script: characters in the order of their appearance, each with the next voice."""
    voices = tuple(voices)
    script = parse(text)
    cast = tuple(
        Character(name, number % COLOURS, voices[number % len(voices)].name if voices else None)
        for number, name in enumerate(script.names)
    )
    return Project(title, script.scenes, cast, voices)


def spoken_like(line: Line, line_id: str, part: LinePart) -> Line:
    """A new line of one part that is to be spoken as `line` is."""
    new = Line(line_id, (part,), settings=line.settings, direction=line.direction)
    return replace(new, gain=line.gain, as_written=line.as_written)


def split_long(line: Line, most_characters: int, new_id: Callable[[], str] = new_line_id) -> tuple[Line, ...]:
    """The line as lines of at most so many characters; a line that fits is left alone.

    The first keeps id, takes and the rest (so its kept take becomes stale), but for a target length, which was that of
    all of it; the pause stands after the last.
    """
    if len(line.text) <= most_characters:
        return (line,)
    pieces = [
        LinePart(part.character, piece.strip()) for part in line.parts for piece in cut(part.text, most_characters)
    ]
    lines = [
        replace(line, parts=(piece,), target=None) if number == 0 else spoken_like(line, new_id(), piece)
        for number, piece in enumerate(pieces)
    ]
    within = [replace(each, pause=0) for each in lines[:-1]]
    return (*within, replace(lines[-1], pause=line.pause))


@dataclass
class _Reader:
    """Goes through the rows once; `parts` is the line being read, empty between lines."""

    names: dict[str, str]
    new_id: Callable[[], str]
    scenes: list[Scene] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    parts: list[LinePart] = field(default_factory=list)
    title: str | None = None
    speaking: str = field(init=False)

    def __post_init__(self) -> None:
        self.speaking = self._called(NARRATOR)

    def read(self, rows: Iterable[str]) -> ParsedScript:
        for row in rows:
            self._row(row)
        self._end_scene()
        named = (part.character for scene in self.scenes for line in scene.lines for part in line.parts)
        return ParsedScript(tuple(self.scenes), tuple(name for name in dict.fromkeys(named) if name))

    def _row(self, row: str) -> None:
        bare = row.strip()
        if row.startswith("\\"):
            self._add_text("\n", row[1:])
        elif not bare:
            self._end_line()
        elif heading := _HEADING.fullmatch(bare):
            self._end_scene()
            self.title = (heading["title"] or "").strip()
            self.speaking = self._called(NARRATOR)
        elif self.parts and bare.startswith("+ ") and (label := _label(row.lstrip()[2:], self.names)):
            self._speak(*label)
        elif label := _label(row.lstrip(), self.names):
            self._end_line()
            self._speak(*label)
        else:
            self._turns(bare)

    def _called(self, name: str) -> str:
        """The name as the script itself writes it, where it does."""
        return self.names.get(name.casefold(), name)

    def _turns(self, row: str) -> None:
        """A row without a label: more of the line, or turns of numbered speakers, each a line of its own."""
        for turn in turns(row):
            if turn.speaker is None:
                self._add_text(" ", turn.text.strip())
            else:
                self._end_line()
                self._speak(self._called(f"Speaker {turn.speaker}"), turn.text)

    def _speak(self, name: str, rest: str) -> None:
        self.speaking = name
        verbatim = rest.removeprefix(" ")
        self.parts.append(LinePart(name, verbatim[1:] if verbatim.startswith("\\") else rest.strip()))

    def _add_text(self, between: str, text: str) -> None:
        if self.parts:
            last = self.parts[-1]
            between = between if last.text or between == "\n" else ""
            self.parts[-1] = replace(last, text=last.text + between + text)
        else:
            self.parts.append(LinePart(self.speaking, text))

    def _end_line(self) -> None:
        if self.parts:
            self.lines.append(Line(self.new_id(), tuple(self.parts)))
            self.parts = []

    def _end_scene(self) -> None:
        self._end_line()
        if self.lines or self.title is not None:
            self.scenes.append(Scene(self.title or "", tuple(self.lines)))
        self.lines = []


def _label(row: str, names: dict[str, str]) -> tuple[str, str] | None:
    """The name at the beginning of a row, as the cast writes it ("" for nobody), and what follows its colon."""
    if row.startswith(": ") or row.strip() == ":":
        return "", row[1:]
    for colon in (":", "："):
        before, found, rest = row.partition(colon)
        if found and (name := names.get(before.strip()) or names.get(before.strip().casefold())):
            return name, rest
    return None


def _names_in(rows: list[str], known: tuple[str, ...]) -> dict[str, str]:
    """From what may stand before a colon to the name it means; names also go by their small letters."""
    labels = [label for row in rows if (label := possible_name(row.strip()))]
    all_begin_so = all(possible_name(paragraph) or paragraph.startswith("#") for paragraph in _paragraphs(rows))
    names: dict[str, str] = {}
    for name in known:
        names[name] = name
        names.setdefault(name.casefold(), name)
    return names_among(labels, all_begin_so) | names


def names_among(labels: Sequence[str], all_begin_so: bool) -> dict[str, str]:
    """Which of the possible names at the beginnings of rows are names, by their small letters; `all_begin_so`: in a
    text that has one in every place for it."""
    counts = Counter(label.casefold() for label in labels)
    names: dict[str, str] = {}
    for label in labels:
        small = label.casefold()
        if label.isupper() or (like_a_name(label) and (counts[small] > 1 or all_begin_so)):
            names.setdefault(small, label)
    return names


def possible_name(row: str) -> str | None:
    """What stands before a colon at the beginning of a row, where it is short enough for a name."""
    found = _LABEL.match(row.removeprefix("+ "))
    name = found["name"].strip() if found else ""
    return name if name and len(name.split()) <= _MOST_WORDS_OF_A_NAME else None


def like_a_name(label: str) -> bool:
    """Few words, the first and last without a small initial, and nothing that prose puts before a colon."""
    words = label.split()
    if len(words) > _MOST_WORDS_OF_A_NAME or label.casefold() in _PROSE or words[0].casefold() in _BEFORE_TIMES:
        return False
    return not words[0][0].islower() and not words[-1][0].islower()


def _paragraphs(rows: list[str]) -> Iterator[str]:
    """The first row of each paragraph."""
    before = ""
    for row in rows:
        if row.strip() and not before.strip():
            yield row.strip()
        before = row


def _written(line: Line) -> str:
    """The line as rows: a part each, and one for each further row of its text."""
    rows: list[str] = []
    for number, part in enumerate(line.parts):
        first, *others = part.text.split("\n")
        label = f"{'+ ' if number else ''}{part.character}:"
        rows.append(f"{label} {_escaped(first)}" if first else label)
        rows.extend("\\" + other for other in others)
    return "\n".join(rows)


def _escaped(row: str) -> str:
    return "\\" + row if row != row.strip() or row.startswith("\\") else row
