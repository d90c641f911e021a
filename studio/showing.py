"""From the session's values to the panels': what a clip, a row, a chip looks like. Pure functions."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import numpy as np

from engine.request import How, Likeness, Score, Take
from engine.text import words
from studio.controls import percent
from studio.document.listened import share_heard
from studio.document.project import Line, Mark, Project
from studio.document.sending import sent
from studio.document.state import Kind
from studio.document.thumbnails import Thumbnail
from studio.document.timing import Placed
from studio.engine_thread import Opened
from studio.panels.candidates import CandidateChip
from studio.panels.jobs import JobView
from studio.panels.takes import TakeRow
from studio.panels.timeline_values import Lane, TakeLane, TimelineClip
from studio.samples import Print
from studio.session import CandidatesView, Performing, Playback, Session
from studio.session.comping import joins
from studio.session.doubt import doubt
from studio.session.jobs import Performed
from studio.session.selection import words_on_frames

THUMBNAIL = 120  # columns
HOW = {How.GENERATED: "generated", How.SPLICED: "span", How.COMPED: "comp", How.IMPORTED: "imported"}

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
                        drift=_drift(session, take), mute=_mute(session, take))  # fmt: skip


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
    known = session.likeness.get(take.id)
    return None if known is None or known.frames is None else _turned(take.id, known.frames.tobytes())


@lru_cache(maxsize=4096)
def _turned(take_id: str, likeness: bytes) -> np.ndarray:
    return 1 - np.frombuffer(likeness, np.float32)


def _joins(session: Session, take: Take) -> tuple[tuple[float, float | None], ...]:
    """Where new meets old, in seconds, with the score of what was kept after it."""
    seconds = take.origin.hop / take.origin.rate
    return tuple((frame * seconds, score) for frame, score in joins(take, session.store).items())


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
                    _flags(session, take) + _heard(session, take), details(session, line, take_id))
        )  # fmt: skip
    return tuple(rows)


def _mute(session: Session, take: Take) -> str:
    """Why a take cannot be heard."""
    return "made with another voice model" if take.id in session.foreign else ""


def _flags(session: Session, take: Take) -> tuple[str, ...]:
    """What is probably wrong with a take, and when."""
    why = _mute(session, take)
    found = (f"{words} at {start:.1f} s" for start, _, words in _flagged(session, take))
    return (why, *found) if why else tuple(found)


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
    return (f"heard {percent(share_heard(text, found))}", *wrong)


def _flagged(session: Session, take: Take) -> tuple[tuple[float, float, str], ...]:
    """The same where they are, in seconds."""
    seconds = take.origin.hop / take.origin.rate
    found = session.flags.get(take.id, ())
    return tuple((flag.span[0] * seconds, flag.span[1] * seconds, flag.words) for flag in found)


def _origin(take: Take, numbers: dict[str, int]) -> str:
    made = HOW[take.origin.how]
    if take.origin.how in (How.SPLICED, How.COMPED):
        parent = numbers.get(take.origin.parent or "")
        return f"{made} of take {parent}" if parent else f"{made} of an earlier take"
    return made


def thumbnail(held: Print | Thumbnail | None) -> np.ndarray | None:
    """The whole wave in a few columns, float [column, 2]."""
    if held is None:
        return None
    low, high, _ = held.peaks.view(0, round(held.seconds * held.rate), THUMBNAIL)
    return np.stack([low, high], axis=1)


def take_lanes(session: Session, line: Line) -> tuple[TakeLane, ...]:
    """The line's takes but the kept one, newest first, for the lanes under the timeline."""
    numbers = {take_id: number for number, take_id in enumerate(line.takes, 1)}
    lanes = []
    for take_id, number in reversed(numbers.items()):
        if take_id != line.kept and take_id in session.store:
            take, wave = session.store.get(take_id), session.wave_of(take_id)
            joins_there, origin = tuple(seconds for seconds, _ in _joins(session, take)), _origin(take, numbers)
            lanes.append(TakeLane(number, take_id, take.seconds, wave, joins=joins_there, origin=origin))
    return tuple(lanes)


def details(session: Session, line: Line, take_id: str | None) -> tuple[tuple[str, str], ...]:
    """What made a take of a line, as names and values; its text where the line's is another by now."""
    if take_id is None or take_id not in session.store:
        return ()
    take = session.store.get(take_id)
    settings, prompt, span = take.origin.settings, take.origin.prompt, take.origin.span
    made = _origin(take, {each: number for number, each in enumerate(line.takes, 1)})
    known = [
        ("Temperature, top-p, top-k", f"{settings.temperature:g} · {settings.top_p:g} · {settings.top_k}"),
        ("Seed", str(take.origin.seed)),
        ("Length", f"{take.frames} frames · {take.seconds:.2f} s"),
        ("Made", made if span is None else f"{made} · {span[0]}–{span[1]}"),
        ("Voice", ", ".join(voice.name for voice in prompt.voices) or "none"),
        ("Model", _model(session, take)),
    ]
    likeness = session.likeness.get(take_id, Likeness())
    for name, found in (("its sound", likeness.by_sound), ("its codes", likeness.by_codes)):
        if found is not None:
            known.append((f"Like its voice, by {name}", percent(found.mean())))
    if prompt.text != sent(session.project, line).text:
        known.append(("Text", prompt.text))
    return tuple(known)


def _model(session: Session, take: Take) -> str:
    """The checkpoint of a take: by its name where it is the one that is loaded."""
    opened, digest = session.engine, take.origin.checkpoint
    if opened is None:
        return digest[:8]
    return model_name(opened) if opened.checkpoint == digest else f"another, {digest[:8]}"


def chips(view: CandidatesView | None, count: int) -> tuple[CandidateChip, ...]:
    """The candidates by letter; while they are being made, as many as were asked for."""
    if view is None:
        return ()
    if view.share is not None:
        return tuple(CandidateChip(letter(place)) for place in range(count))
    return tuple(
        CandidateChip(letter(place), score.rank[0] if score.join is None else score.join, facts(score),
                      score.join is not None)
        for place, score in enumerate(view.scores)
    )  # fmt: skip


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
    left = job.to_come / rate if rate else None
    return JobView(words, _share(job), rate, left, performing.waiting)


def _share(job: Performed) -> float | None:
    return job.share if job.frames else None


def model_name(opened: Opened) -> str:
    return "embedded voice" if opened.folder.name == "voice" else opened.folder.name


def engine_words(opened: Opened | None) -> str:
    """What the engine runs on, for the lower right corner."""
    if opened is None:
        return "No voice model"
    name = model_name(opened)
    size = opened.weights_bytes / 1e9
    memory = f"{size:.1f} GB" if size >= 0.1 else f"{size * 1000:.0f} MB"
    compiled = f" · compiled layers: {opened.compiled}" if opened.compiled else ""
    return f"{opened.device} · {opened.precision} · {name} · {memory}{compiled}"
