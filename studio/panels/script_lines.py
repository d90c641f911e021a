"""The script as a column of rows, and how an edit of the text becomes new lines. No Qt.

The editor's document has one block per row: a heading for each scene, then its lines. A line's block holds its text
with newlines shown as U+2028, so places in the block are places in `Line.text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import count

from engine.text import clean
from studio.document.difference import same_ends
from studio.document.project import Line, LinePart, Project, Scene
from studio.document.script import NARRATOR, like_a_name, new_line_id, parse, to_text

SOFT_BREAK = "\u2028"
_SHOWN = {ord("\n"): SOFT_BREAK, ord("\r"): SOFT_BREAK, 0x2029: SOFT_BREAK, 0xFDD0: "\ufffd", 0xFDD1: "\ufffd"}
_MOST_MATCHED = 2000


@dataclass(frozen=True)
class Heading:
    """The row above a scene's lines."""

    title: str


Row = Heading | Line
Change = tuple[int, int, int, int]
"""Old rows [a, b) become new rows [c, d)."""


class HeadingLostError(ValueError):
    """An edit of the text would have taken a scene's heading with it."""


def shown(text: str) -> str:
    """`text` as a block holds it: of the same length, without what would end the block."""
    return text.translate(_SHOWN)


def row_text(row: Row) -> str:
    return shown(row.title if isinstance(row, Heading) else row.text)


def by_text(rows: Iterable[Row]) -> dict[str, list[Line]]:
    """The lines that say something, by what they say, in their order."""
    found: dict[str, list[Line]] = {}
    for row in rows:
        if isinstance(row, Line) and row.text:
            found.setdefault(row_text(row), []).append(row)
    return found


def is_blank(line: Line) -> bool:
    """Nothing was said of the line yet: so looks the one that stands in a scene without lines."""
    return line == Line(line.id, (LinePart("", ""),))


def rows_of(project: Project, shown_rows: Sequence[Row] = ()) -> list[Row]:
    """The rows that show `project`. Where a scene has no line, a blank one stands to type in, that of `shown_rows` if
    there is one."""
    rows: list[Row] = []
    for scene in project.scenes:
        rows.append(Heading(scene.title))
        rows.extend(scene.lines or (_blank_at(len(rows), shown_rows, project),))
    return rows


def _blank_at(place: int, shown_rows: Sequence[Row], project: Project) -> Line:
    row = shown_rows[place] if place < len(shown_rows) else None
    if isinstance(row, Line) and is_blank(row) and all(line.id != row.id for line in project.lines()):
        return row
    return _new_line("")


# What differs


def changes(old: Sequence[Row], new: Sequence[Row]) -> list[Change]:
    """What turns `old` into `new`, in order; rows of the same line stay paired as [n, n + 1) with [m, m + 1)."""
    start, stop = same_ends(old, new)
    middle_old, middle_new = old[start : len(old) - stop], new[start : len(new) - stop]
    if not middle_old and not middle_new:
        return []
    if len(middle_old) + len(middle_new) > _MOST_MATCHED:
        return [(start, start + len(middle_old), start, start + len(middle_new))]
    matcher = SequenceMatcher(None, _keys(middle_old), _keys(middle_new), autojunk=False)
    found: list[Change] = []
    for verb, a, b, c, d in matcher.get_opcodes():
        if verb != "equal":
            found.append((start + a, start + b, start + c, start + d))
            continue
        pairs = ((start + a + n, start + c + n) for n in range(b - a) if middle_old[a + n] != middle_new[c + n])
        found.extend((n, n + 1, m, m + 1) for n, m in pairs)
    return found


def _keys(rows: Sequence[Row]) -> list[str | int]:
    """What a row is recognised by: lines by id, headings by their number."""
    headings = count()
    return [next(headings) if isinstance(row, Heading) else row.id for row in rows]


# What an edit makes


def edited(line: Line, text: str) -> Line:
    """`line` with `text` (of a block), its id and takes kept. In a line of several parts those that the edit touches
    become the first of them; the others stay."""
    old = shown(line.text)
    if text == old:
        return line
    start, after = same_ends(old, text)
    put_in = text[start : len(text) - after].replace(SOFT_BREAK, "\n")
    return replace(line, parts=_parts_with(line.parts, start, len(old) - after, put_in))


def _parts_with(parts: tuple[LinePart, ...], start: int, stop: int, put_in: str) -> tuple[LinePart, ...]:
    """`parts` with the characters [start, stop) of their joined text replaced."""
    if not parts:
        return (LinePart("", put_in),)
    begins = part_starts(parts)
    first = max(n for n, begin in enumerate(begins) if begin <= start)
    last = max(n for n, begin in enumerate(begins) if begin <= stop)
    head = parts[first].text[: start - begins[first]]
    tail = parts[last].text[stop - begins[last] :]
    return parts[:first] + (LinePart(parts[first].character, head + put_in + tail),) + parts[last + 1 :]


def part_starts(parts: Sequence[LinePart]) -> list[int]:
    """Where each part begins in the line's text."""
    starts, place = [], 0
    for part in parts:
        starts.append(place)
        place += len(part.text) + 1
    return starts


def rows_after(
    old: Sequence[Row], texts: Sequence[str], character: str, revive: Callable[[str], Line | None]
) -> list[Row]:
    """The rows for blocks `texts` that an edit put in the place of `old`.

    Lines whose text is whole keep it with their id and takes, wherever among these it now stands; of the rest the first
    stays the first and the last the last. `revive` may give back a line that was cut out; a new line is spoken by who
    speaks above it, at the top by `character`. Raises HeadingLostError.
    """
    start, stop = same_ends([row_text(row) for row in old], texts)
    between, left = old[start : len(old) - stop], texts[start : len(texts) - stop]
    if len(between) == len(left) == 1 and isinstance(between[0], Heading):
        return [*old[:start], Heading(left[0]), *old[len(old) - stop :]]
    lines = [row for row in between if isinstance(row, Line)]
    if len(lines) != len(between):
        raise HeadingLostError
    rows = list(old[:start])
    if rows and isinstance(rows[-1], Line):
        character = rows[-1].parts[-1].character if rows[-1].parts else ""
    for owner, text in zip(_owners(lines, left), left, strict=True):
        vacant = owner is None or not (owner.text or owner.takes)
        line = (revive(text) if vacant else None) or edited(owner or _new_line(character), text)
        character = line.parts[-1].character if line.parts else ""
        rows.append(line)
    return rows + list(old[len(old) - stop :])


def _new_line(character: str) -> Line:
    return Line(new_line_id(), (LinePart(character, ""),))


def _owners(lines: list[Line], texts: Sequence[str]) -> list[Line | None]:
    """For each of `texts` the line of `lines` that lives on in it."""
    owners: list[Line | None] = [None] * len(texts)
    unmoved = by_text(lines if len(lines) > 1 else ())
    for n, text in enumerate(texts):
        if unmoved.get(text):
            owners[n] = unmoved[text].pop(0)
    kept = {line.id for line in owners if line}
    lines = [line for line in lines if line.id not in kept]
    free = [n for n, owner in enumerate(owners) if owner is None]
    if len(lines) == len(free):
        heirs = list(zip(free, lines, strict=True))
    elif lines and free:
        heirs = [(free[0], lines[0])] + [(free[-1], lines[-1])] * (len(lines) > 1 and len(free) > 1)
    else:
        heirs = []
    for n, line in heirs:
        owners[n] = line
    return owners


# Who speaks, as it is typed

_NAME = re.compile(r"(?P<name>[^\W\d_][^:：\[\]<>|]{0,39}?)\s?(?::[ \u00a0]|：[ \u3000]?)\Z")
_SPEAKER = re.compile(r"<\|speaker:0*(?P<number>\d{1,6})\|>\Z")


def speaker_typed(text: str, names: Sequence[str]) -> str | None:
    """The name in `text`, the line up to the cursor: `Name: ` of the cast, in capitals or written like a name, or
    `<|speaker:N|>`."""
    if numbered := _SPEAKER.fullmatch(text):
        return f"Speaker {numbered['number']}"
    if not (named := _NAME.fullmatch(text)):
        return None
    name = named["name"].strip()
    known = next((known for known in names if known.casefold() == name.casefold()), None)
    return known or (name if name.isupper() or like_a_name(name) else None)


def lines_from_text(text: str, names: Sequence[str]) -> list[tuple[str | None, Line]]:
    """Pasted text as lines, one for each row with something in it; None where the row does not say who speaks."""
    text = clean(text)
    names = (*names, *parse(text, names).names)
    read = []
    for row in _whole_rows(text.split("\n")):
        made = [line for scene in parse(row, names).scenes for line in scene.lines]
        named = row.lstrip().casefold().startswith((NARRATOR.casefold(), ":"))
        for line in made or [Line(new_line_id(), (LinePart("", row.strip()),))]:
            says = named or line.character not in ("", NARRATOR)
            read.append((line.character if says else None, line))
    return read


def _whole_rows(rows: Sequence[str]) -> list[str]:
    """Rows that go on with the line above are put to it; empty ones fall out."""
    whole: list[str] = []
    for row in rows:
        if whole and row.startswith(("+ ", "\\")):
            whole[-1] += "\n" + row
        elif row.strip():
            whole.append(row)
    return whole


def text_from_rows(rows: Sequence[Row], start: int, stop: int) -> str:
    """What stands from place `start` of the first row to place `stop` of the last, as a script that pastes back."""
    if len(rows) == 1:
        return row_text(rows[0])[start:stop].replace(SOFT_BREAK, "\n")
    first, last = row_text(rows[0])[start:], rows[-1]
    lines = [row for row in rows[:-1] if isinstance(row, Line)]
    if isinstance(last, Line) and stop:
        lines.append(edited(last, row_text(last)[:stop]))
    begins_inside = start > 0 and isinstance(rows[0], Line)
    script = to_text(Project(scenes=(Scene("", tuple(lines[begins_inside:])),))).rstrip("\n")
    return first.replace(SOFT_BREAK, "\n") + "\n\n" + script if begins_inside else script


# Places


def units(text: str, place: int) -> int:
    """A place in `text` counted in the UTF-16 units that Qt counts."""
    return place if text.isascii() else len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, place: int) -> int:
    """A place in UTF-16 units counted in characters; one inside a character counts as its end."""
    if text.isascii():
        return place
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * place]
    return len(raw.decode("utf-16-le", "replace"))
