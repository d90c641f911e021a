"""Tables of who says what, and subtitles."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import pysubs2

from studio.document.importers_limits import ImportFailedError
from studio.document.manuscript import Manuscript, Row, Speech, many
from studio.document.names import legal_name
from studio.document.script import NARRATOR, names_among, possible_name
from studio.document.timing import MOST_PAUSE

_SPEAKER_NAMES = {"speaker", "character", "name", "who", "role", "sprecher", "figur", "personnage"}
_LINE_NAMES = {"line", "text", "dialogue", "dialog", "says", "speech", "words", "zeile", "réplique"}
_SEPARATORS = ";,\t|"
_NONE = "\x1f"  # separates nothing in a text
_TOLD = re.compile(r"sep=([;,\t|])\r?\n", re.IGNORECASE)  # as Excel writes and reads it
_COLON = re.compile("[:：]")
_VOICE = re.compile(r"<v(?:\.[^ \t>]*)?[ \t]+([^>\n]{1,60})>")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>\n]*>|\{\\[^{}\n]*\}")


def table(text: str, title: str, separator: str | None = None) -> Manuscript:
    """A column of names and one of lines, between whose cells `separator` stands, or what seems to; cells in quotes may
    hold it too. ImportFailedError where it is no table."""
    if told := _TOLD.match(text):
        separator, text = told[1], text[told.end() :]
    try:
        separator = separator or _separator(text)
        speeches, others = speeches_in(list(_cells(text, separator)), separator)
    except csv.Error as error:
        raise ImportFailedError(f"This is no table: {error}.") from error
    notices = (f"Left out: {many(others, 'column')} beside the names and the lines.",) if others else ()
    return Manuscript(title, tuple(speeches), notices)


def tabbed(text: str, title: str) -> Manuscript:
    """A table with tabs between its cells."""
    return table(text, title, "\t")


def is_heading(row: Sequence[str]) -> bool:
    """Does a row say which column holds the names, and which the lines?"""
    return any(cell.strip().casefold() in _SPEAKER_NAMES | _LINE_NAMES for cell in row)


def speeches_in(rows: Sequence[Sequence[str]], separator: str) -> tuple[list[Speech], int]:
    """What the rows say, and how many other columns hold something. Names and lines go by their headings, else they are
    the first two columns; a single one is all lines. Cells beyond the last column are more of its text, and a cell that
    is alone in its row is a line."""
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    heads = [cell.strip().casefold() for cell in rows[0]] if rows else []
    who = next((n for n, head in enumerate(heads) if head in _SPEAKER_NAMES), None)
    said = next((n for n, head in enumerate(heads) if head in _LINE_NAMES), None)
    wide, _ = _usual(rows)
    if who is not None or said is not None:
        wide, rows = len(heads), rows[1:]
    who = who if who is not None else 0 if wide > 1 and said != 0 else None
    said = said if said is not None else 1 if wide > 1 and who == 0 else 0
    speeches: list[Speech] = []
    others: set[int] = set()
    for row in rows:
        filled = max(n for n, cell in enumerate(row, 1) if cell.strip())
        cells = [cell.strip() for cell in (*row[: wide - 1], separator.join(row[wide - 1 : max(wide, filled)]))]
        name = cells[who] if who is not None and who < len(cells) and len(row) > 1 else ""
        text = cells[0] if len(row) == 1 else cells[said] if said < len(cells) else ""
        if text:
            speeches.append(Speech(name, text))
        others |= {n for n, cell in enumerate(cells) if cell and n not in (who, said)}
    return speeches, len(others)


def _cells(text: str, separator: str) -> Iterator[list[str]]:
    """The rows that have cells. The quote sign is always the same: in prose any other is an apostrophe. One that is
    not closed before a separator or the end is a sign like any other, or the rows that follow would be one cell."""
    lines = list(io.StringIO(text, newline=""))
    while lines:
        read, begun = csv.reader(lines, delimiter=separator), 0
        for row in read:
            of_row = lines[begun : read.line_num]
            if (len(of_row) > 1 or read.line_num == len(lines)) and not _is_closed(of_row, separator):
                yield of_row[0].rstrip("\r\n").split(separator)
                begun += 1
                break
            if row:
                yield row
            begun = read.line_num
        lines = lines[begun:]


def _is_closed(lines: list[str], separator: str) -> bool:
    """Is there an end to every cell in quotes of these lines?"""
    try:
        return bool(list(csv.reader(lines, delimiter=separator, strict=True)))
    except csv.Error:
        return False


def _usual(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many cells most of the rows with several have, and how many rows those are; (1, 0) where none has."""
    counted = Counter(len(row) for row in rows if len(row) > 1)
    return counted.most_common(1)[0] if counted else (1, 0)


def _separator(text: str) -> str:
    """What makes a heading of the first row, or else gives most rows the same number of cells; of several such, what
    comes first in the rows, for names are short. What no separator divides so is one column."""
    if is_heading(next(_cells(text, _NONE), ())):
        return _NONE
    best, found = (False, 0.5, 0), _NONE
    for separator in _SEPARATORS:
        try:
            rows = list(_cells(text, separator))
        except csv.Error:
            continue
        if rows:
            _, alike = _usual(rows)
            rated = (is_heading(rows[0]), alike / len(rows), -sum(len(row[0]) for row in rows))
            if rated > best:
                best, found = rated, separator
    return found


def subtitles(text: str, title: str) -> Manuscript:
    """Subtitles: each is a line with its length as a target and the gap to the next as its pause."""
    kind = "vtt" if text.lstrip("\ufeff \n").startswith("WEBVTT") else "srt"
    try:
        held = pysubs2.SSAFile.from_string(text, format_=kind, keep_html_tags=True, keep_unknown_html_tags=True)
    except (pysubs2.exceptions.Pysubs2Error, ValueError) as error:
        raise ImportFailedError("These are no subtitles.") from error
    events = sorted((each for each in held.events if not each.is_comment), key=lambda each: each.start)
    cues = [(cue, _VOICE.search(cue.text), _bare(cue.text)) for cue in events]
    told = [legal_name(voice[1] if voice else cue.name) for cue, voice, _ in cues]
    labels = [label for _, voice, bare in cues if not voice and bare and (label := possible_name(bare))]
    known = {name.casefold(): name for name in told if name}
    shouted = "".join(bare for _, _, bare in cues).isupper()  # where all is in capitals, they make no name
    names = names_among([label.title() if shouted else label for label in labels], len(labels) == len(cues))
    names |= {small: label for label in reversed(labels) if (small := label.casefold()) in names} | known
    rows: list[Row] = []
    speaking = NARRATOR
    for number, (cue, _, said) in enumerate(cues):
        bare, label = said, possible_name(said)
        if told[number]:
            speaking = told[number]
        elif label and label.casefold() in names:
            speaking, bare = names[label.casefold()], _COLON.split(said, 1)[1].strip()
        if not bare:
            continue
        gap = events[number + 1].start - cue.end if number + 1 < len(events) else None
        pause = min(max(gap, 0), MOST_PAUSE) if gap is not None else None
        rows.append(Speech(speaking, bare, seconds=max(0, cue.end - cue.start) / 1000, pause=pause))
    return Manuscript(title, tuple(rows))


def _bare(written: str) -> str:
    """The words of a cue, in one row."""
    rows = written.replace("\\N", "\n").replace("\\n", "\n")
    return " ".join(_MARKUP.sub("", rows).split()).removeprefix("- ")
