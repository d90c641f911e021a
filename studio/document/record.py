"""A history as plain values for a file: its first project in full, and every later step as what differs from the step
before it. A step never changes, so what was written of it once is good for ever, in the project file and the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar

from engine.request import Codes, Reference, Voice
from studio.document.compare import codes_digest
from studio.document.difference import same_ends
from studio.document.history import History, Step
from studio.document.project import Character, Line, Mark, Project, Reading, Scene

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
V = TypeVar("V")


@dataclass(frozen=True)
class ReferenceRecord:
    """A reference; `codes` is the digest under which they lie."""

    transcript: str
    codes: str


@dataclass(frozen=True)
class VoiceRecord:
    """A voice; `codec` is lacking in older files, which did not tell it."""

    name: str
    references: tuple[ReferenceRecord, ...] = ()
    codec: str = ""


@dataclass(frozen=True)
class ProjectRecord:
    """A whole project."""

    title: str
    scenes: tuple[Scene, ...] = ()
    cast: tuple[Character, ...] = ()
    voices: tuple[VoiceRecord, ...] = ()
    marks: Mapping[str, Mark] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)
    keeps_sound: bool = False
    language: str = "en_US"


@dataclass(frozen=True)
class SceneRecord:
    """A scene: `lines` stand for lines [start, stop) of the scene `like` in the step before; None where the scene is
    like none of them."""

    title: str
    pause: int
    lines: tuple[Line, ...] = ()
    like: int | None = None
    start: int = 0
    stop: int = 0
    turn_pause: int | None = None


@dataclass(frozen=True)
class StepRecord:
    """A step as it differs from the step before it, which is at the place `before`, or the place before its own where
    that is None. What does not differ is None. `scenes` stand for scenes [start, stop); `marks` are those that are new
    or other, `unmarked` those that are gone."""

    label: str
    before: int | None = None
    title: str | None = None
    cast: tuple[Character, ...] | None = None
    voices: tuple[VoiceRecord, ...] | None = None
    marks: Mapping[str, Mark] = field(default_factory=dict)
    unmarked: tuple[str, ...] = ()
    scenes: tuple[SceneRecord, ...] | None = None
    start: int = 0
    stop: int = 0
    reading: Reading | None = None
    keeps_sound: bool | None = None
    language: str | None = None


@dataclass(frozen=True)
class FirstRecord:
    """The first step."""

    label: str
    project: ProjectRecord


def voice_codes(project: Project) -> dict[str, Codes]:
    """The codes of the project's voices by digest."""
    return {codes_digest(each): each.codes for voice in project.voices for each in voice.references}


def project_record(project: Project) -> ProjectRecord:
    return ProjectRecord(
        project.title,
        project.scenes,
        project.cast,
        _voices(project.voices),
        project.marks,
        project.reading,
        project.keeps_sound,
        project.language,
    )


def step_record(history: History, place: int) -> FirstRecord | StepRecord:
    """The step at that place."""
    step = history.steps[place]
    if step.before is None:
        return FirstRecord(step.label, project_record(step.project))
    old, new = history.steps[step.before].project, step.project
    made = StepRecord(
        step.label,
        before=step.before if step.before != place - 1 else None,
        title=None if new.title == old.title else new.title,
        cast=None if _same(old.cast, new.cast) else new.cast,
        voices=None if _same(old.voices, new.voices) else _voices(new.voices),
        reading=None if new.reading == old.reading else new.reading,
        keeps_sound=None if new.keeps_sound == old.keeps_sound else new.keeps_sound,
        language=None if new.language == old.language else new.language,
    )
    if old.marks is not new.marks:
        marks = {key: mark for key, mark in new.marks.items() if old.marks.get(key) != mark}
        made = replace(made, marks=marks, unmarked=tuple(key for key in old.marks if key not in new.marks))
    if _same(old.scenes, new.scenes):
        return made
    start, stop, new_stop = stretch(old.scenes, new.scenes)
    scenes = tuple(_scene(old.scenes, at if at < stop else None, new.scenes[at]) for at in range(start, new_stop))
    return replace(made, scenes=scenes, start=start, stop=stop)


def _scene(old: tuple[Scene, ...], like: int | None, scene: Scene) -> SceneRecord:
    before = old[like].lines if like is not None else ()
    start, stop, new_stop = stretch(before, scene.lines)
    return SceneRecord(scene.title, scene.pause, scene.lines[start:new_stop], like, start, stop, scene.turn_pause)


def _voices(voices: tuple[Voice, ...]) -> tuple[VoiceRecord, ...]:
    return tuple(
        VoiceRecord(
            voice.name,
            tuple(ReferenceRecord(each.transcript, codes_digest(each)) for each in voice.references),
            voice.codec,
        )
        for voice in voices
    )


class Restoring:
    """Makes steps out of records, one after another; equal references and voices are made once.

    ValueError, KeyError or IndexError where records do not fit together.
    """

    def __init__(self, codes: Mapping[str, Codes]) -> None:
        self._codes = codes
        self._references: dict[ReferenceRecord, Reference] = {}
        self._voices: dict[VoiceRecord, Voice] = {}
        self.steps: list[Step] = []

    def first(self, made: FirstRecord) -> None:
        self.steps = [Step(made.label, self.project(made.project))]

    def next(self, made: StepRecord) -> None:
        place = len(self.steps)
        before = place - 1 if made.before is None else made.before
        if not 0 <= before < place:
            raise IndexError(f"step {place} comes after step {before}")
        self.steps.append(Step(made.label, self._changed(self.steps[before].project, made), before))

    def project(self, made: ProjectRecord) -> Project:
        for scene in made.scenes:
            _check_lines(scene.lines)
        _check_marks(made.marks)
        voices = self._voices_of(made.voices)
        project = Project(
            made.title, made.scenes, made.cast, voices, made.marks, made.reading, made.keeps_sound, made.language
        )
        return _checked(project)

    def history(self, at: int, tip: int, now: ProjectRecord | None) -> History:
        """All of it, once it is known where the user stood, and which project that is."""
        if not 0 <= at < len(self.steps) or not 0 <= tip < len(self.steps):
            raise IndexError(f"step {at} or {tip} of {len(self.steps)}")
        if now is not None and (project := self.project(now)) != self.steps[at].project:
            self.steps.append(Step("Changed outside of Retake", project, at))
            at = tip = len(self.steps) - 1
        history = History(tuple(self.steps), at, tip)
        return history if at in history.branch else history.jump(at)

    def _changed(self, old: Project, made: StepRecord) -> Project:
        scenes = old.scenes
        same_lines = made.cast is None  # then nothing can be in it twice that was not before
        if made.scenes is not None:
            new = tuple(_read(old.scenes, each) for each in made.scenes)
            scenes = spliced(old.scenes, made.start, made.stop, new)
            same_lines &= made.stop - made.start == len(made.scenes) and all(
                each.like == place and _ids(old.scenes[place].lines[each.start : each.stop]) == _ids(each.lines)
                for place, each in enumerate(made.scenes, made.start)
            )
        marks = old.marks
        if made.marks or made.unmarked:
            _check_marks(made.marks)
            kept = {key: mark for key, mark in old.marks.items() if key not in made.unmarked}
            marks = MappingProxyType(kept | dict(made.marks))
        project = Project(
            old.title if made.title is None else made.title,
            scenes,
            old.cast if made.cast is None else made.cast,
            old.voices if made.voices is None else self._voices_of(made.voices),
            marks,
            old.reading if made.reading is None else made.reading,
            old.keeps_sound if made.keeps_sound is None else made.keeps_sound,
            old.language if made.language is None else made.language,
        )
        return project if same_lines else _checked(project)

    def _voices_of(self, records: tuple[VoiceRecord, ...]) -> tuple[Voice, ...]:
        return tuple(_made(self._voices, each, self._voice) for each in records)

    def _voice(self, made: VoiceRecord) -> Voice:
        references = tuple(_made(self._references, each, self._reference) for each in made.references)
        return Voice(made.name, references, made.codec)

    def _reference(self, made: ReferenceRecord) -> Reference:
        return Reference(made.transcript, self._codes[made.codes])


def _ids(lines: tuple[Line, ...]) -> list[str]:
    return [line.id for line in lines]


def _read(old: tuple[Scene, ...], made: SceneRecord) -> Scene:
    if made.like is not None and not 0 <= made.like < len(old):
        raise IndexError(f"scene {made.like} of {len(old)}")
    before = old[made.like].lines if made.like is not None else ()
    _check_lines(made.lines)
    return Scene(made.title, spliced(before, made.start, made.stop, made.lines), made.pause, made.turn_pause)


def _made(known: dict[K, V], each: K, make: Callable[[K], V]) -> V:
    if each not in known:
        known[each] = make(each)
    return known[each]


def _checked(project: Project) -> Project:
    """The project, if it is one that edits could have made; else ValueError."""
    lines = project.lines()
    if len({line.id for line in lines}) < len(lines):
        raise ValueError("two lines have the same id")
    if len({character.name for character in project.cast}) < len(project.cast):
        raise ValueError("two characters have the same name")
    return project


def _check_lines(lines: tuple[Line, ...]) -> None:
    for line in lines:
        if line.kept is not None and line.kept not in line.takes:
            raise ValueError(f"line {line.id} keeps a take that it does not have")
        if line.takes and not "".join(line.takes).isalnum():
            raise ValueError(f"line {line.id} names a take that cannot be one")


def _check_marks(marks: Mapping[str, Mark]) -> None:
    if not all(take.isalnum() for take in marks):
        raise ValueError("a mark is of a take that cannot be one")


def stretch(old: Sequence[object], new: Sequence[object]) -> tuple[int, int, int]:
    """start, stop, new_stop: old[start:stop] has become new[start:new_stop], the rest is the same."""
    start, end = same_ends(old, new)
    return start, len(old) - end, len(new) - end


def _same(old: object, new: object) -> bool:
    return old is new or old == new  # steps share nearly all, and the first answer is quick


def spliced(old: tuple[T, ...], start: int, stop: int, new: tuple[T, ...]) -> tuple[T, ...]:
    if not 0 <= start <= stop <= len(old):
        raise IndexError(f"[{start}, {stop}) of {len(old)}")
    return old[:start] + new + old[stop:]
