"""From the session's values to the panels': what a clip, a row, a chip looks like. Pure functions."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import numpy as np

from engine.request import How, Score, Take
from engine.text import words
from studio.document.listened import share_heard
from studio.document.project import Line, Mark, Project
from studio.document.state import Kind
from studio.document.thumbnails import Thumbnail
from studio.document.timing import Placed
from studio.engine_thread import Opened
from studio.panels.candidates import CandidateChip
from studio.panels.jobs import JobView
from studio.panels.takes import TakeRow
from studio.panels.timeline_values import Lane, TakeLane, TimelineClip, Wave
from studio.samples import Print
from studio.session import CandidatesView, Performing, Playback, Session
from studio.session.comping import right_join
from studio.session.doubt import doubt
from studio.session.jobs import Performed
from studio.session.selection import words_on_frames

THUMBNAIL = 120  # columns
HOW = {How.GENERATED: "generated", How.SPLICED: "span", How.COMPED: "comped", How.IMPORTED: "imported"}

_words_of = lru_cache(maxsize=4096)(words_on_frames)


def lanes(project: Project, speaking: Collection[str], playback: Playback) -> tuple[Lane, ...]:
    """A lane for each of those who speak, in the order of the cast; the uncast after them."""
    cast = [character for character in project.cast if character.name in speaking]
    unknown = [name for name in speaking if project.character(name) is None]
    of_cast = [(each.name, each.colour, each.gain) for each in cast] + [(name, 7, 0.0) for name in unknown]
    return tuple(
        Lane(name, colour, name in playback.solo, name in playback.mute, gain) for name, colour, gain in of_cast
    )


def clip(session: Session, performing: Performing, placed: Placed) -> TimelineClip | None:
    """How a line looks on the timeline, None where it has nothing to show."""
    line = session.find(placed.line_id)
    if line is None or not (line.text.strip() or line.kept):
        return None
    return _clip(session, performing, placed, line)


def _clip(session: Session, performing: Performing, placed: Placed, line: Line) -> TimelineClip:
    take = session.kept(line)
    job = performing.performing(line.id)
    live = job is not None and job.place is None and job.wave is not None
    colour = colour_of(session.project, placed.character)
    stale = session.state(line).kind is Kind.STALE
    number = session.number(line.id)
    if live and job is not None and job.wave is not None and take is None:
        seconds = max(placed.seconds, job.wave.seconds)
        share = job.wave.seconds / seconds
        return TimelineClip(
            line.id, number, placed.character, colour, placed.start_seconds, seconds, job.wave,
            frame_seconds=frame_seconds(session.engine), estimated=True, generating_share=share,
        )  # fmt: skip
    if take is None:
        return TimelineClip(line.id, number, placed.character, colour, placed.start_seconds, placed.seconds,
                            frame_seconds=frame_seconds(session.engine), estimated=True)  # fmt: skip
    return TimelineClip(line.id, number, placed.character, colour, placed.start_seconds, placed.seconds,
                        session.wave_of(take.id), _words_of(take, session.alignment_of(take.id)), _ribbon_of(take),
                        _joins(session, take), take.origin.hop / take.origin.rate, stale=stale, gain=placed.gain,
                        markers=tuple((each.seconds, each.name) for each in line.markers),
                        flags=_flagged(session, take), misread=_misread(session, take),
                        drift=_drift(session, take))  # fmt: skip


def frame_seconds(opened: Opened | None) -> float:
    return opened.hop / opened.rate if opened else 2048 / 44100


def colour_of(project: Project, name: str) -> int:
    """The character's colour; somebody who is not cast is slate."""
    character = project.character(name)
    return character.colour if character else 7


@lru_cache(maxsize=4096)
def _ribbon_of(take: Take) -> np.ndarray:
    """How unsure the model was of each frame, 0 to 1."""
    return doubt(take)


def _drift(session: Session, take: Take) -> np.ndarray | None:
    """How far each frame is from the take's voice, 0 to 1; the same array as long as what is known is the same."""
    likeness = session.likeness.get(take.id)
    return None if likeness is None else _turned(take.id, likeness.tobytes())


@lru_cache(maxsize=4096)
def _turned(take_id: str, likeness: bytes) -> np.ndarray:
    return 1 - np.frombuffer(likeness, np.float32)


def _joins(session: Session, take: Take) -> tuple[tuple[float, float | None], ...]:
    """Where new meets old, in seconds, with the score of what was kept after it."""
    if take.origin.span is None or take.origin.how not in (How.SPLICED, How.COMPED):
        return ()
    seconds = take.origin.hop / take.origin.rate
    parent = take.origin.parent
    score = right_join(take, session.store.get(parent)) if parent in session.store and parent is not None else None
    scores = (None, score)
    return tuple(
        (frame * seconds, each)
        for frame, each in zip(take.origin.span, scores, strict=True)
        if 0 < frame < take.frames
    )


def take_rows(session: Session, line: Line) -> tuple[TakeRow, ...]:
    """The line's takes, newest first."""
    numbers = {take_id: number for number, take_id in enumerate(line.takes, 1)}
    rows = []
    for take_id, number in reversed(numbers.items()):
        if take_id not in session.store:
            continue
        take, mark = session.store.get(take_id), session.project.marks.get(take_id, Mark())
        rows.append(
            TakeRow(take_id, number, thumbnail(session.wave_of(take_id)), take.seconds, take_id == line.kept,
                    mark.star, _origin(take, numbers), take.capped, mark.binned, mark.name, mark.note, mark.colour,
                    _flags(session, take) + _heard(session, take))
        )  # fmt: skip
    return tuple(rows)


def _flags(session: Session, take: Take) -> tuple[str, ...]:
    """What is probably wrong with a take, and when."""
    return tuple(f"{words} at {start:.1f} s" for start, _, words in _flagged(session, take))


def _misread(session: Session, take: Take) -> tuple[tuple[int, str], ...]:
    """Which of the take's words were not heard as they should be, and what was heard; a tag's are at the next word."""
    found = session.misread.get(take.id, ())
    places = words(take.origin.prompt.text) if found else []
    marked: dict[int, str] = {}
    for each in found:
        touched = [number for number, place in enumerate(places) if place[0] < each.stop and each.start < place[1]]
        after = [number for number, place in enumerate(places) if place[0] >= each.start] or [len(places) - 1]
        for number in touched or after[:1]:
            marked.setdefault(number, each.words)
    return tuple(sorted(marked.items()))


def _heard(session: Session, take: Take) -> tuple[str, ...]:
    """What a recogniser has to say of a take, nothing where none listened."""
    found = session.misread.get(take.id)
    if found is None:
        return ()
    text = take.origin.prompt.text
    wrong = (f"“{text[each.start : each.stop]}” {each.words}" for each in found)
    return (f"heard {share_heard(text, found):.0%}", *wrong)


def _flagged(session: Session, take: Take) -> tuple[tuple[float, float, str], ...]:
    """The same where they are, in seconds."""
    seconds = take.origin.hop / take.origin.rate
    found = session.flags.get(take.id, ())
    return tuple((flag.span[0] * seconds, flag.span[1] * seconds, flag.words) for flag in found)


def _origin(take: Take, numbers: dict[str, int]) -> str:
    if take.origin.how is How.SPLICED:
        parent = numbers.get(take.origin.parent or "")
        return f"span of take {parent}" if parent else "span of an earlier take"
    return HOW[take.origin.how]


def thumbnail(held: Print | Thumbnail | None) -> np.ndarray | None:
    """The whole wave in a few columns, float [column, 2]."""
    if held is None:
        return None
    low, high, _ = held.peaks.view(0, round(held.seconds * held.rate), THUMBNAIL)
    return np.stack([low, high], axis=1)


def take_lanes(session: Session, line: Line) -> tuple[TakeLane, ...]:
    """The line's takes but the kept one, oldest first, for the lanes under the timeline."""
    return tuple(
        TakeLane(number, take_id, session.store.get(take_id).seconds, _wave(session, take_id))
        for number, take_id in enumerate(line.takes, 1)
        if take_id != line.kept and take_id in session.store
    )


def _wave(session: Session, take_id: str) -> Wave | None:
    return session.wave_of(take_id)


def details(take: Take | None, likeness: np.ndarray | None = None) -> tuple[tuple[str, str], ...]:
    """What made a take, as names and values; how much it is of its voice, where that is known."""
    if take is None:
        return ()
    settings = take.origin.settings
    return (
        ("Temperature, top-p, top-k", f"{settings.temperature:g} · {settings.top_p:g} · {settings.top_k}"),
        ("Seed", str(take.origin.seed)),
        ("Length", f"{take.frames} frames · {take.seconds:.2f} s"),
        ("Made", HOW[take.origin.how]),
        *([("Likeness to its voice", f"{likeness.mean():.0%}")] if likeness is not None else []),
    )


def chips(view: CandidatesView | None, count: int) -> tuple[CandidateChip, ...]:
    """The candidates by letter; while they are being made, as many as were asked for."""
    if view is None:
        return ()
    if view.share is not None:
        return tuple(CandidateChip(letter(place)) for place in range(count))
    return tuple(CandidateChip(letter(place), score.join, facts(score)) for place, score in enumerate(view.scores))


def facts(score: Score) -> str:
    """What a candidate is ranked by besides its join."""
    known = (("voice", score.voice), ("length", score.length))
    return ", ".join(f"{name} {value:.2f}" for name, value in known if value is not None)


def letter(place: int) -> str:
    return chr(ord("A") + place)


def job_view(performing: Performing, session: Session) -> JobView | None:
    """The running job as the bar at the bottom tells of it."""
    job = performing.job
    if job is None:
        return None
    where = f"line {session.number(job.line_id)}" if session.find(job.line_id) else "a line that is gone"
    words = f"Regenerating in {where}" if job.place else f"Generating {where}"
    rate = job.rate()
    left = max(0, job.expected - job.frames) / rate if rate else None
    return JobView(words, _share(job), rate, left, performing.waiting)


def _share(job: Performed) -> float | None:
    return job.share if job.frames else None


def engine_words(opened: Opened | None) -> str:
    """What the engine runs on, for the lower right corner."""
    if opened is None:
        return "No voice model"
    name = "embedded voice" if opened.folder.name == "voice" else opened.folder.name
    size = opened.weights_bytes / 1e9
    memory = f"{size:.1f} GB" if size >= 0.1 else f"{size * 1000:.0f} MB"
    return f"{opened.device} · {opened.precision} · {name} · {memory}"
