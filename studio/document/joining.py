"""Lines made one, to be spoken in one pass, and one made several again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from studio.document.project import Line, LinePart
from studio.document.script import new_line_id, spoken_like


def joined(lines: tuple[Line, ...]) -> Line:
    """The lines as one, spoken in one pass: a part for each change of character. It has the first one's id and kept
    take, the takes of all of them, and the last one's pause; a target length where all have one, which is their sum."""
    if not lines:
        raise ValueError("there is nothing to join")
    parts: list[LinePart] = []
    for part in (part for line in lines for part in line.parts if part.text.strip()):
        if parts and parts[-1].character == part.character:
            parts[-1] = replace(part, text=f"{parts[-1].text.rstrip()} {part.text.lstrip()}")
        else:
            parts.append(part)
    takes = tuple(dict.fromkeys(take for line in lines for take in line.takes))
    notes = "; ".join(line.note for line in lines if line.note)
    first, targets = lines[0], [line.target for line in lines if line.target is not None]
    target = sum(targets) if len(targets) == len(lines) else None
    return replace(
        first, parts=tuple(parts) or first.parts, takes=takes, note=notes, pause=lines[-1].pause, target=target
    )


def parted(line: Line, new_id: Callable[[], str] = new_line_id) -> tuple[Line, ...]:
    """A line for each part. The first keeps id, takes and all the rest but a target length, which was that of all of
    it; the pause stands after the last."""
    parts = tuple(part for part in line.parts if part.text.strip())
    if len(parts) < 2:
        return (line,)
    first = replace(line, parts=parts[:1])
    lines = [first, *(spoken_like(line, new_id(), part) for part in parts[1:])]
    return (replace(lines[0], pause=None, target=None), *lines[1:-1], replace(lines[-1], pause=line.pause))
