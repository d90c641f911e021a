"""Project files of older versions, brought up to date one version at a time: its members become those of the next."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from engine.take_file import unpack_takes
from studio.document.members import VERSION, as_json, parsed
from studio.document.packs import pack
from studio.document.record import spliced, stretch

Members = dict[str, bytes]
Json = dict[str, Any]


def upgraded(members: Members, version: int) -> Members:
    """The members as this Retake reads them. ValueError, KeyError or IndexError where they do not fit together."""
    for each in range(version, VERSION):
        members = _STEPS[each](members)
    return members


def _from_1(members: Members) -> Members:
    """Version 1 had its steps in history.json as they differ from their neighbours outwards from the step of now, and
    each take by itself in its packs."""
    project = parsed(members["project.json"])["project"]
    history = parsed(members["history.json"])
    table: list[Json] = history.get("lines", [])
    before = _outwards_1(project, history.get("before", []), table)
    after = _outwards_1(project, history.get("after", []), table)
    steps = [*reversed(before), (history["label"], project), *after]
    at = len(before)
    rows = [as_json({"label": steps[0][0], "project": steps[0][1]})]
    rows += [as_json(_row_2(old, label, new)) for (_, old), (label, new) in itertools.pairwise(steps)]
    where = as_json({"at": at, "tip": len(steps) - 1})
    packs = {
        name: pack(unpack_takes(content)).content for name, content in members.items() if name.startswith("takes/")
    }
    return {
        "mimetype": members["mimetype"],
        "project.json": as_json({"version": 2, "project": project}),
        "history.jsonl": b"\n".join((where, *rows)),
        "voices.safetensors": members["voices.safetensors"],
        **packs,
    }


def _outwards_1(project: Json, records: list[Json], table: list[Json]) -> list[tuple[str, Json]]:
    """Labels and projects of the steps away from `project`."""
    steps = []
    for record in records:
        changed: Json = {key: record[key] for key in ("title", "cast", "voices", "marks") if key in record}
        if "scenes" in record:
            scenes = project.get("scenes", [])
            new = tuple(_scene_1(scenes, each, table) for each in record["scenes"])
            changed["scenes"] = list(spliced(tuple(scenes), record.get("start", 0), record.get("stop", 0), new))
        project = {**project, **changed}
        steps.append((record["label"], project))
    return steps


def _scene_1(scenes: list[Json], record: Json, table: list[Json]) -> Json:
    lines = scenes[record["like"]].get("lines", []) if "like" in record else []
    new = tuple(table[place] for place in record.get("lines", []))
    lines = list(spliced(tuple(lines), record.get("start", 0), record.get("stop", 0), new))
    return {"title": record["title"], "pause": record["pause"], "lines": lines}


def _row_2(old: Json, label: str, new: Json) -> Json:
    row: Json = {"label": label}
    row |= {key: new.get(key, []) for key in ("title", "cast", "voices") if old.get(key, []) != new.get(key, [])}
    old_marks, marks = old.get("marks", {}), new.get("marks", {})
    row["marks"] = {key: mark for key, mark in marks.items() if old_marks.get(key) != mark}
    row["unmarked"] = [key for key in old_marks if key not in marks]
    before, after = old.get("scenes", []), new.get("scenes", [])
    if before != after:
        start, stop, new_stop = stretch(before, after)
        row["scenes"] = [_scene_2(before, at if at < stop else None, after[at]) for at in range(start, new_stop)]
        row |= {"start": start, "stop": stop}
    return row


def _scene_2(scenes: list[Json], like: int | None, scene: Json) -> Json:
    lines = scene.get("lines", [])
    start, stop, new_stop = stretch(scenes[like].get("lines", []) if like is not None else [], lines)
    made = {"title": scene["title"], "pause": scene.get("pause", 350), "lines": lines[start:new_stop]}
    return made if like is None else {**made, "like": like, "start": start, "stop": stop}


def _from_2(members: Members) -> Members:
    """Version 2 had no thumbnails, kept no sound and did not know whether it should."""
    return {**members, "project.json": as_json({**parsed(members["project.json"]), "version": 3})}


_STEPS: dict[int, Callable[[Members], Members]] = {1: _from_1, 2: _from_2}
