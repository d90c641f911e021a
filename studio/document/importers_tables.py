"""Tables of who says what, and subtitles."""

from __future__ import annotations

import csv
import io
import re

import pysubs2

from studio.document.importers_limits import ImportFailedError
from studio.document.manuscript import Manuscript, Row, Speech
from studio.document.script import NARRATOR

_SPEAKER_NAMES = {"speaker", "character", "name", "who", "role", "sprecher", "figur", "personnage"}
_LINE_NAMES = {"line", "text", "dialogue", "dialog", "says", "speech", "words", "zeile", "réplique"}
_VOICE = re.compile(r"<v(?:\.[^ \t>]*)?[ \t]+([^>\n]{1,60})>")
_NAMED = re.compile(r"([^\W\d_][^:\n\[\]<>]{0,29}):\s+(?=\S)")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>\n]*>|\{\\[^{}\n]*\}")
_MOST_PAUSE = 20_000


def table(text: str, title: str) -> Manuscript:
    """A column of names and one of lines: by their headings, else the first two columns; a single one is all lines."""
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:8192], ",;\t|")
    except csv.Error:
        dialect = csv.excel
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text, newline=""), dialect)]
    except csv.Error as error:
        raise ImportFailedError(f"This is no table: {error}.") from error
    rows = [row for row in rows if any(row)]
    if not rows:
        return Manuscript(title, ())
    heads = [cell.casefold() for cell in rows[0]]
    who = next((n for n, head in enumerate(heads) if head in _SPEAKER_NAMES), None)
    said = next((n for n, head in enumerate(heads) if head in _LINE_NAMES), None)
    if who is not None or said is not None:
        rows = rows[1:]
    wide = max((len(row) for row in rows), default=0)
    who = who if who is not None else 0 if wide > 1 and said != 0 else None
    said = said if said is not None else 1 if wide > 1 and who == 0 else 0
    speeches: list[Row] = []
    for row in rows:
        text = row[said] if said < len(row) else ""
        name = row[who] if who is not None and who < len(row) else ""
        if text:
            speeches.append(Speech(name or NARRATOR, text))
    return Manuscript(title, tuple(speeches))


def subtitles(text: str, title: str) -> Manuscript:
    """Subtitles: each is a line with its length as a target and the gap to the next as its pause."""
    kind = "vtt" if text.lstrip("\ufeff \n").startswith("WEBVTT") else "srt"
    try:
        held = pysubs2.SSAFile.from_string(
            text, format_=kind, keep_html_tags=True, keep_unknown_html_tags=True
        )
    except (pysubs2.exceptions.Pysubs2Error, ValueError) as error:
        raise ImportFailedError("These are no subtitles.") from error
    cues = sorted((each for each in held.events if not each.is_comment), key=lambda each: each.start)
    rows: list[Row] = []
    speaking = NARRATOR
    for number, cue in enumerate(cues):
        written = cue.text.replace("\\N", "\n").replace("\\n", "\n")
        voice = _VOICE.search(written)
        bare = " ".join(_MARKUP.sub("", written).split()).removeprefix("- ")
        named = _NAMED.match(bare)
        if voice:
            speaking = voice[1].strip()
        elif named:
            speaking, bare = named[1].strip(), bare[named.end() :]
        elif cue.name:
            speaking = cue.name
        if not bare:
            continue
        gap = cues[number + 1].start - cue.end if number + 1 < len(cues) else None
        pause = min(max(gap, 0), _MOST_PAUSE) if gap is not None else None
        rows.append(Speech(speaking, bare, seconds=max(0, cue.end - cue.start) / 1000, pause=pause))
    return Manuscript(title, tuple(rows))
