"""What lies in a project file, as bytes: the project, the rows of its steps, the codes of its voices."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from engine.request import Codes, frozen
from studio.document.encoding import check_size, plain, read
from studio.document.history import History, Step
from studio.document.project import Project
from studio.document.record import (
    FirstRecord,
    ProjectRecord,
    Restoring,
    StepRecord,
    project_record,
    step_record,
    voice_codes,
)

VERSION = 3
MOST_STEPS = 1_000_000


def step_rows(history: History, steps: Sequence[Step], rows: Sequence[bytes]) -> tuple[bytes, ...]:
    """The row of each step; `rows` are those of `steps`, and good for as many of them as are in the history."""
    known = len(rows)
    return tuple(
        rows[place] if place < known and steps[place] is step else step_row(history, place)
        for place, step in enumerate(history.steps)
    )


def step_row(history: History, place: int) -> bytes:
    return as_json(plain(step_record(history, place)))


def restored(
    rows: Sequence[bytes], codes: Mapping[str, Codes], at: int, tip: int, now: ProjectRecord | None = None
) -> History:
    """The history in rows of steps. Where `now` is another project than it says, that is one step more.

    ValueError, KeyError or IndexError where they do not fit together.
    """
    restoring = Restoring(codes)
    for place, row in enumerate(rows):
        if place:
            restoring.next(read(StepRecord, parsed(row)))
        else:
            restoring.first(read(FirstRecord, parsed(row)))
    return restoring.history(at, tip, now)


def history_members(history: History, rows: Sequence[bytes]) -> dict[str, bytes]:
    """The history with its `rows` as members by name."""
    where = as_json({"at": history.at, "tip": history.tip})
    return {
        "project.json": project_json(history.project),
        "history.jsonl": b"\n".join((where, *rows)),
        "voices.safetensors": packed_codes(all_codes(history.steps)),
    }


def history_in(members: Mapping[str, bytes]) -> tuple[History, tuple[bytes, ...]]:
    """The history in members of this version, saved where it stands, and its rows.

    ValueError, KeyError or IndexError where they do not fit together.
    """
    codes = unpacked_codes(members["voices.safetensors"])
    if members["history.jsonl"].count(b"\n") > MOST_STEPS:
        raise ValueError("too many steps")
    first, *rows = members["history.jsonl"].split(b"\n")
    where = parsed(first)
    now = read(ProjectRecord, parsed(members["project.json"])["project"])
    history = restored(rows, codes, read(int, where["at"]), read(int, where["tip"]), now)
    return replace(history, saved=history.at), tuple(rows)


def as_json(value: Any, indent: int | None = None) -> bytes:
    separators = None if indent else (",", ":")
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return text.encode("utf-8", "surrogatepass")


def parsed(data: bytes) -> dict[str, Any]:
    """The object in the JSON, else ValueError."""
    check_size(data)
    said = json.loads(data.decode("utf-8", "surrogatepass"))
    if not isinstance(said, dict):
        raise ValueError("not an object")
    return said


def packed_codes(codes: Mapping[str, Codes]) -> bytes:
    return safetensors.numpy.save({digest: np.ascontiguousarray(each) for digest, each in codes.items()})


def unpacked_codes(data: bytes) -> dict[str, Codes]:
    """Codes by digest; ValueError where these are none."""
    try:
        codes = safetensors.numpy.load(data)
    except (SafetensorError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no codes: {error}") from error
    for digest, each in codes.items():
        if each.dtype != np.int16 or each.ndim != 2:
            raise ValueError(f"codes {digest:.20} are {each.dtype} {each.shape}")
    return {digest: frozen(each) for digest, each in codes.items()}


def all_codes(steps: Sequence[Step]) -> dict[str, Codes]:
    """The codes of all voices in all these steps, by digest."""
    codes: dict[str, Codes] = {}
    voices: object = None
    for step in steps:
        if step.project.voices is not voices:
            voices = step.project.voices
            codes |= voice_codes(step.project)
    return codes


def project_json(project: Project) -> bytes:
    return as_json({"version": VERSION, "project": plain(project_record(project))}, indent=1)
