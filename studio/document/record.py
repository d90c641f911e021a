"""A history as plain values for a file: the project of now in full, and every other step as what differs from its
neighbour on the way there. Lines and voices that steps share are written once, and are shared again when read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from engine.request import Codes, Reference, Voice
from studio.document.compare import codes_digest
from studio.document.history import History, Step
from studio.document.project import Character, Line, Mark, Project, Scene

T = TypeVar("T")
V = TypeVar("V")


@dataclass(frozen=True)
class ReferenceRecord:
    """A reference; `codes` is the digest under which they lie."""

    transcript: str
    codes: str


@dataclass(frozen=True)
class VoiceRecord:
    name: str
    references: tuple[ReferenceRecord, ...] = ()


@dataclass(frozen=True)
class ProjectRecord:
    """A whole project."""

    title: str
    scenes: tuple[Scene, ...] = ()
    cast: tuple[Character, ...] = ()
    voices: tuple[VoiceRecord, ...] = ()
    marks: Mapping[str, Mark] = field(default_factory=dict)


@dataclass(frozen=True)
class SceneRecord:
    """A scene: `lines`, by their place in the table, stand for lines [start, stop) of the neighbour's scene `like`;
    None where the scene is like none of them."""

    title: str
    pause: int
    lines: tuple[int, ...] = ()
    like: int | None = None
    start: int = 0
    stop: int = 0


@dataclass(frozen=True)
class StepRecord:
    """A step as it differs from its neighbour; None where it does not. `scenes` stand for its scenes [start, stop)."""

    label: str
    title: str | None = None
    cast: tuple[Character, ...] | None = None
    voices: tuple[VoiceRecord, ...] | None = None
    marks: Mapping[str, Mark] | None = None
    scenes: tuple[SceneRecord, ...] | None = None
    start: int = 0
    stop: int = 0


@dataclass(frozen=True)
class HistoryRecord:
    """`label` is that of now; `before` goes back from it, `after` forward; `lines` is the table the steps refer to."""

    label: str
    before: tuple[StepRecord, ...] = ()
    after: tuple[StepRecord, ...] = ()
    lines: tuple[Line, ...] = ()


def record(history: History) -> tuple[ProjectRecord, HistoryRecord, dict[str, Codes]]:
    """The history as records, and the codes of all its voices by digest."""
    writer = _Writer()
    steps, at = history.steps, history.at
    before = [writer.step(steps[place + 1].project, steps[place]) for place in range(at - 1, -1, -1)]
    after = [writer.step(steps[place - 1].project, steps[place]) for place in range(at + 1, len(steps))]
    now = steps[at].project
    project = ProjectRecord(now.title, now.scenes, now.cast, writer.voices(now.voices), now.marks)
    return project, HistoryRecord(steps[at].label, tuple(before), tuple(after), tuple(writer.lines)), writer.codes


def restore(project: ProjectRecord, history: HistoryRecord, codes: Mapping[str, Codes]) -> History:
    """The history that was recorded, clean. ValueError, KeyError or IndexError where records do not fit together."""
    reader = _Reader(history.lines, codes)
    now = reader.project(project)
    before, after = reader.steps(now, history.before), reader.steps(now, history.after)
    return History((*reversed(before), Step(history.label, now), *after), len(before), saved=len(before))


class _Writer:
    """Gathers what steps share."""

    def __init__(self) -> None:
        self.lines: dict[Line, int] = {}  # to its place in the table
        self.codes: dict[str, Codes] = {}

    def step(self, old: Project, step: Step) -> StepRecord:
        new = step.project
        made = StepRecord(
            step.label,
            title=_unless_same(old.title, new.title),
            cast=_unless_same(old.cast, new.cast),
            voices=self.voices(new.voices) if new.voices != old.voices else None,
            marks=_unless_same(old.marks, new.marks),
        )
        if new.scenes == old.scenes:
            return made
        start, stop, new_stop = _difference(old.scenes, new.scenes)
        scenes = tuple(
            self._scene(old.scenes, place if place < stop else None, new.scenes[place])
            for place in range(start, new_stop)
        )
        return replace(made, scenes=scenes, start=start, stop=stop)

    def voices(self, voices: tuple[Voice, ...]) -> tuple[VoiceRecord, ...]:
        return tuple(VoiceRecord(voice.name, tuple(map(self._reference, voice.references))) for voice in voices)

    def _reference(self, reference: Reference) -> ReferenceRecord:
        digest = codes_digest(reference)
        self.codes[digest] = reference.codes
        return ReferenceRecord(reference.transcript, digest)

    def _scene(self, old: tuple[Scene, ...], like: int | None, scene: Scene) -> SceneRecord:
        before = old[like].lines if like is not None else ()
        start, stop, new_stop = _difference(before, scene.lines)
        lines = tuple(self.lines.setdefault(line, len(self.lines)) for line in scene.lines[start:new_stop])
        return SceneRecord(scene.title, scene.pause, lines, like, start, stop)


class _Reader:
    """Makes steps out of records; equal lines, references and voices are made once."""

    def __init__(self, lines: tuple[Line, ...], codes: Mapping[str, Codes]) -> None:
        self._lines = tuple(map(_checked_line, lines))
        self._same = {line: line for line in lines}
        self._codes = codes
        self._references: dict[ReferenceRecord, Reference] = {}
        self._voices: dict[VoiceRecord, Voice] = {}

    def project(self, made: ProjectRecord) -> Project:
        scenes = tuple(replace(scene, lines=tuple(map(self._line, scene.lines))) for scene in made.scenes)
        return _checked(Project(made.title, scenes, made.cast, self._voices_of(made.voices), made.marks))

    def _line(self, line: Line) -> Line:
        """The line as it stands in the table, where it does."""
        return self._same.get(line) or _checked_line(line)

    def steps(self, now: Project, records: tuple[StepRecord, ...]) -> list[Step]:
        """The steps from `now` outwards."""
        steps: list[Step] = []
        for each in records:
            steps.append(Step(each.label, self._step(steps[-1].project if steps else now, each)))
        return steps

    def _step(self, old: Project, made: StepRecord) -> Project:
        scenes = old.scenes
        if made.scenes is not None:
            new = tuple(self._scene(old.scenes, each) for each in made.scenes)
            scenes = _spliced(old.scenes, made.start, made.stop, new)
        project = Project(
            old.title if made.title is None else made.title,
            scenes,
            old.cast if made.cast is None else made.cast,
            old.voices if made.voices is None else self._voices_of(made.voices),
            old.marks if made.marks is None else made.marks,
        )
        return _checked(project)

    def _scene(self, old: tuple[Scene, ...], made: SceneRecord) -> Scene:
        before = old[_within(made.like, old)].lines if made.like is not None else ()
        new = tuple(self._lines[_within(place, self._lines)] for place in made.lines)
        return Scene(made.title, _spliced(before, made.start, made.stop, new), made.pause)

    def _voices_of(self, records: tuple[VoiceRecord, ...]) -> tuple[Voice, ...]:
        return tuple(self._made(self._voices, each, self._voice) for each in records)

    def _voice(self, made: VoiceRecord) -> Voice:
        return Voice(made.name, tuple(self._made(self._references, each, self._reference) for each in made.references))

    def _reference(self, made: ReferenceRecord) -> Reference:
        return Reference(made.transcript, self._codes[made.codes])

    @staticmethod
    def _made(known: dict[T, V], each: T, make: Callable[[T], V]) -> V:
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


def _checked_line(line: Line) -> Line:
    if line.kept is not None and line.kept not in line.takes:
        raise ValueError(f"line {line.id} keeps a take that it does not have")
    if not all(take.isalnum() for take in line.takes):
        raise ValueError(f"line {line.id} names a take that cannot be one")
    return line


def _unless_same(old: T, new: T) -> T | None:
    return None if new == old else new


def _difference(old: Sequence[T], new: Sequence[T]) -> tuple[int, int, int]:
    """start, stop, new_stop: old[start:stop] has become new[start:new_stop], the rest is the same."""
    start, most = 0, min(len(old), len(new))
    while start < most and _same(old[start], new[start]):
        start += 1
    end = 0
    while end < most - start and _same(old[-1 - end], new[-1 - end]):
        end += 1
    return start, len(old) - end, len(new) - end


def _same(old: object, new: object) -> bool:
    return old is new or old == new  # steps share nearly all, and the first answer is quick


def _spliced(old: tuple[T, ...], start: int, stop: int, new: tuple[T, ...]) -> tuple[T, ...]:
    if not 0 <= start <= stop <= len(old):
        raise IndexError(f"[{start}, {stop}) of {len(old)}")
    return old[:start] + new + old[stop:]


def _within(place: int, items: Sequence[object]) -> int:
    if not 0 <= place < len(items):
        raise IndexError(f"{place} of {len(items)}")
    return place
