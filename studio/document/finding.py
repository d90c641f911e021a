"""Finding and replacing in the text of a script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import regex

from engine.text import clean
from studio.document.edits import ReplaceLines
from studio.document.project import Line, Project

_MOST_SECONDS = 2.0  # for a pattern that goes astray


class PatternError(ValueError):
    """What is looked for is no regular expression. The message says why, for the user."""


@dataclass(frozen=True)
class Query:
    """What is looked for, and how."""

    text: str
    case: bool = False
    words: bool = False
    pattern: bool = False


@dataclass(frozen=True)
class Match:
    """Characters [start, stop) of a line's text."""

    line_id: str
    start: int
    stop: int


def find(project: Project, query: Query) -> tuple[Match, ...]:
    """All matches in the order of the script; none goes over the end of a part. PatternError as `compiled`."""
    if not query.text:
        return ()
    looked_for = compiled(query)
    return tuple(
        Match(line.id, start, stop) for line in project.lines() for start, stop, _ in _matches(line, looked_for)
    )


def replaced(project: Project, query: Query, text: str, only: Match | None = None) -> tuple[ReplaceLines, ...]:
    """What replaces all matches, or only one of them, as an edit for each line. In a pattern's `text` \\1 and the like
    stand for what its groups found. PatternError where they do not fit."""
    looked_for = compiled(query)
    label = "Replace" if only else "Replace all"
    edits = []
    for at, scene in enumerate(project.scenes):
        for place, line in enumerate(scene.lines):
            if only is None or line.id == only.line_id:
                changed = _replaced(line, looked_for, text, query.pattern, only)
                if changed != line:
                    edits.append(ReplaceLines(at, place, place + 1, (changed,), label))
    return tuple(edits)


@lru_cache(maxsize=8)
def compiled(query: Query) -> regex.Pattern[str]:
    """The query as a pattern; PatternError where it is none."""
    text = query.text if query.pattern else regex.escape(query.text)
    if query.words:
        text = rf"(?<![\p{{L}}\p{{N}}_])(?:{text})(?![\p{{L}}\p{{N}}_])"
    try:
        return regex.compile(text, 0 if query.case else regex.I)
    except regex.error as error:
        raise PatternError(f"That is no pattern: {error}.") from error


def _matches(line: Line, looked_for: regex.Pattern[str]) -> Iterator[tuple[int, int, regex.Match[str]]]:
    begin = 0
    for part in line.parts:
        try:
            for match in looked_for.finditer(part.text, timeout=_MOST_SECONDS):
                if match.end() > match.start():
                    yield begin + match.start(), begin + match.end(), match
        except TimeoutError as error:
            raise PatternError("That pattern takes too long.") from error
        begin += len(part.text) + 1


def _replaced(line: Line, looked_for: regex.Pattern[str], text: str, groups: bool, only: Match | None) -> Line:
    whole = line.text
    found = [each for each in _matches(line, looked_for) if only is None or each[:2] == (only.start, only.stop)]
    if not found:
        return line
    try:
        said = [_in_one_row(match.expand(text) if groups else text) for _, _, match in found]
    except (regex.error, IndexError) as error:
        raise PatternError(f"That cannot be put in its place: {error}.") from error
    parts = []
    begin = 0
    for part in line.parts:
        stop = begin + len(part.text)
        out, last = [], begin
        for (a, b, _), words in zip(found, said, strict=True):
            if begin <= a and b <= stop:
                out += [whole[last:a], words]
                last = b
        parts.append(replace(part, text="".join(out) + whole[last:stop]))
        begin = stop + 1
    return replace(line, parts=tuple(parts))


def _in_one_row(text: str) -> str:
    """What a pattern may have asked for, such as \\n, as it may stand in a line."""
    return clean(text).replace("\n", " ").replace("\t", " ")
