"""What a line would be spoken from now, and how that compares with what its kept take was spoken from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from engine.errors import ScriptError
from engine.request import Codes, Part, Prompt, Reference, Settings, Take, Turn, Voice
from engine.text import Change, changed, changed_words, has_words
from studio.document.project import Line, LinePart, Project
from studio.document.sending import sent
from studio.document.state import Kind, LineState
from studio.document.store import Store


@dataclass(frozen=True, eq=False)
class SpokenTurn:
    """An earlier turn: who spoke which text, and the codes that were spoken for it."""

    parts: tuple[LinePart, ...]
    codes: Codes


def prompt_for(project: Project, line: Line, turns: tuple[SpokenTurn, ...] = ()) -> Prompt:
    """What is sent of the line as the model reads it after earlier `turns`. Voices are numbered from 0 in the order of
    the cast, those of the characters who speak in any of it.

    ScriptError where there is nothing to speak, or somebody speaks who has no voice: nobody else stands in.
    """
    parts = _speaking_parts(sent(project, line).parts)
    if not any(has_words(part.text) for part in parts):
        raise ScriptError("There is nothing to speak in this line.")
    if missing := missing_voices(project, line):
        raise ScriptError(f"{missing[0] or 'Nobody'} has no voice. Choose one in the cast.")
    names = {part.character for each in (parts, *(turn.parts for turn in turns)) for part in each}
    speakers = [character for character in project.cast if character.name in names]
    numbers = {character.name: number for number, character in enumerate(speakers)}
    voices = tuple(voice for character in speakers if (voice := project.voice(character.voice)))
    context = tuple(Turn(_numbered(turn.parts, numbers), turn.codes) for turn in turns)
    return Prompt(_numbered(parts, numbers), voices, context)


def _numbered(parts: tuple[LinePart, ...], numbers: dict[str, int]) -> tuple[Part, ...]:
    return tuple(Part(numbers[part.character], part.text) for part in parts)


def missing_voices(project: Project, line: Line) -> tuple[str, ...]:
    """The names in the line, in order, of those who are not cast or have no voice in the project."""
    names = dict.fromkeys(part.character for part in _speaking_parts(line.parts))
    return tuple(name for name in names if _voice_of(project, name) is None)


def settings_for(project: Project, line: Line) -> Settings | None:
    """The line's own settings, else its first character's; None follows the checkpoint."""
    if line.settings is not None:
        return line.settings
    character = project.character(line.character)
    return character.settings if character else None


def seeds_for(project: Project, line: Line, count: int, any_seed: Callable[[], int]) -> tuple[int, ...]:
    """A seed for each of `count` takes: from the character's own on where it has one."""
    character = project.character(line.character)
    if character is None or character.seed is None:
        return tuple(any_seed() for _ in range(count))
    return tuple(character.seed + number for number in range(count))


def line_state(project: Project, store: Store, line: Line, checkpoint: str | None) -> LineState:
    """Where the line stands by itself, whatever jobs there are. `checkpoint` is the digest of the one in use, None
    where none is loaded: then takes of any are good."""
    take = kept_take(store, line)
    if not has_words(line.text):
        return _state(Kind.EMPTY, line, take)
    if missing_voices(project, line):
        return _state(Kind.NO_VOICE, line, take)
    if take is None:
        return _state(Kind.NO_TAKE, line, take)
    now = sent(project, line)
    changes = unspoken(take, now.text)
    stale = bool(changes) or _other_voices(project, line, take) or checkpoint not in (None, take.origin.checkpoint)
    state = _state(Kind.STALE if stale else Kind.READY, line, take)
    places = (now.to_written(change.new_start, change.new_stop) for change in changes)
    return replace(state, changed=tuple(dict.fromkeys(places)), changed_words=changed_words(changes, now.text))


def kept_take(store: Store, line: Line) -> Take | None:
    return store.get(line.kept) if line.kept is not None and line.kept in store else None


def with_takes_of(store: Store, line: Line) -> Line:
    """The line with those of its takes that are in the store."""
    takes = tuple(each for each in line.takes if each in store)
    return replace(line, takes=takes, kept=line.kept if line.kept in store else None)


def unspoken(take: Take, new: str) -> tuple[Change, ...]:
    """Where what is sent of a line differs from what the take speaks, apart from spaces, which nobody hears."""
    old = take.origin.prompt.text
    changes = changed(old, new)
    return tuple(
        each for each in changes if (old[each.old_start : each.old_stop] + new[each.new_start : each.new_stop]).strip()
    )


@lru_cache(maxsize=512)
def codes_digest(reference: Reference) -> str:
    """Names the codes of a reference, whatever is said to be spoken in it."""
    return hashlib.sha256(repr(reference.codes.shape).encode() + reference.codes.tobytes()).hexdigest()


@lru_cache(maxsize=512)
def voice_digest(voice: Voice) -> str:
    """Names what the model hears of a voice, transcripts and codes, whatever the voice is called."""
    digest = hashlib.sha256()
    for reference in voice.references:
        transcript = reference.transcript.encode("utf-8", "surrogatepass")
        digest.update(codes_digest(reference).encode() + repr(len(transcript)).encode() + transcript)
    return digest.hexdigest()


def _state(kind: Kind, line: Line, take: Take | None) -> LineState:
    return LineState(
        kind,
        seconds=take.seconds if take else None,
        target=line.target,
        capped=take is not None and take.capped,
        locked=line.locked,
    )


def _speaking_parts(parts: tuple[LinePart, ...]) -> tuple[LinePart, ...]:
    return tuple(part for part in parts if part.text.strip())


def _voice_of(project: Project, name: str) -> Voice | None:
    character = project.character(name)
    return project.voice(character.voice) if character else None


def _other_voices(project: Project, line: Line, take: Take) -> bool:
    return voices_in_turn(prompt_for(project, line)) != voices_in_turn(take.origin.prompt)


def voices_in_turn(prompt: Prompt) -> list[str]:
    """The digests of the voices as they are heard one after another; "" where the prompt gives a speaker none."""
    digests = [voice_digest(voice) for voice in prompt.voices]
    heard = (digests[part.speaker or 0] if (part.speaker or 0) < len(digests) else "" for part in prompt.parts)
    return [digest for digest, _ in groupby(heard)]
