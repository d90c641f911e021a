"""The values of the library: a voice, its clips, and who allowed it. Frozen; nothing here reads or writes a file."""

from __future__ import annotations

import datetime
import enum
import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.request import Codes, Reference, Voice

Trim = tuple[int, int]
"""A half-open range of samples of the original recording."""

FADE = 0.01  # seconds: so that a cut makes no click


class Consent(enum.Enum):
    """How it was allowed to use a voice; the value is what is said on screen."""

    NOT_STATED = "Not stated"
    OWN = "My own voice"
    SYNTHETIC = "A synthetic voice"
    WRITTEN = "Written"
    SPOKEN = "Spoken"
    LICENCE = "By licence"


@dataclass(frozen=True)
class Permission:
    """Who allowed what, when and until when. Dates are as ISO 8601 writes them, "" where there is none."""

    consent: Consent = Consent.NOT_STATED
    who: str = ""
    given: str = ""
    until: str = ""
    licence: str = ""

    def expired(self, today: datetime.date) -> bool:
        return bool(self.until) and today.isoformat() > self.until

    @property
    def words(self) -> str:
        """In a few words: "Written, until 2027-06-30"."""
        return f"{self.consent.value}, until {self.until}" if self.until else self.consent.value


@dataclass(frozen=True)
class Clip:
    """A recording as it came, and what of it is the reference.

    `audio` is the digest of the file, `name` what it was called; `rate` and `samples` (a channel) are its own. `gain`
    in dB and the fades in seconds are laid on what is left by `trim`: `fade` at its beginning, `fade_out` at its end,
    as long as the other where it is None. `thumbnail` holds the peaks of equal stretches of the whole recording, 0 to
    100.
    """

    audio: str
    name: str
    rate: int
    channels: int
    samples: int
    kind: str
    trim: Trim
    transcript: str = ""
    gain: float = 0.0
    fade: float = FADE
    thumbnail: tuple[int, ...] = ()
    fade_out: float | None = None

    @property
    def fades(self) -> tuple[float, float]:
        """The seconds of both fades."""
        return self.fade, self.fade if self.fade_out is None else self.fade_out

    @property
    def suffix(self) -> str:
        place = self.name.rfind(".")
        return self.name[place:].lower() if place > 0 else ""

    @property
    def file(self) -> str:
        """What the recording is called in the voice's folder."""
        return self.audio + self.suffix

    @property
    def seconds(self) -> float:
        """How long the reference is."""
        return (self.trim[1] - self.trim[0]) / self.rate

    @property
    def whole_seconds(self) -> float:
        return self.samples / self.rate


@dataclass(frozen=True)
class LibraryVoice:
    """A voice of the library. `id` never changes and names its folder; names are unique in a library.

    `colour` counts the theme's eight; `folder` is a heading to find it under; `projects` are the files that cast it;
    `spoken_consent` is a recording in which the use of the voice is allowed, whole, as it came.
    """

    id: str
    name: str
    clips: tuple[Clip, ...] = ()
    language: str = ""
    note: str = ""
    folder: str = ""
    colour: int | None = None
    favourite: bool = False
    permission: Permission = Permission()
    projects: tuple[str, ...] = ()
    spoken_consent: Clip | None = None

    @property
    def seconds(self) -> float:
        return sum(clip.seconds for clip in self.clips)

    @property
    def recordings(self) -> tuple[Clip, ...]:
        """All that lies in its folder: the clips, and the spoken consent."""
        return self.clips if self.spoken_consent is None else (*self.clips, self.spoken_consent)


def new_voice_id() -> str:
    return secrets.token_hex(8)


def codes_key(clip: Clip, codec: str) -> str:
    """Names the codes of a clip: audio, what of it is heard, and codec. The transcript is no part of it."""
    fades = dict.fromkeys(round(fade, 4) for fade in clip.fades)  # one number where both are alike
    made = repr((clip.audio, clip.trim, round(clip.gain, 3), *fades, codec))
    return hashlib.sha256(made.encode()).hexdigest()[:32]


def as_cast(voice: LibraryVoice, codes: dict[str, Codes], codec: str) -> Voice | None:
    """The voice as the engine reads it; None while a clip lacks its words or its codes (by key)."""
    references = []
    for clip in voice.clips:
        held = codes.get(codes_key(clip, codec))
        if held is None or not clip.transcript.strip():
            return None
        references.append(Reference(clip.transcript.strip(), held))
    return Voice(voice.name, tuple(references), codec) if references else None


def credits_of(voices: Iterable[LibraryVoice]) -> str:
    """Who allowed the use of voices, as files are told: "Ada: Written, until 2027-06-30; Ada L., 2026-01-02; CC0."."""
    told = []
    for voice in voices:
        permission = voice.permission
        given = ", ".join(each for each in (permission.who, permission.given) if each)
        recorded = "consent on record" if voice.spoken_consent is not None else ""
        facts = "; ".join(each for each in (permission.words, given, permission.licence, recorded) if each)
        told.append(f"{voice.name}: {facts}.")
    return " ".join(told)


def free_name(name: str, taken: set[str]) -> str:
    """The name, numbered where it is taken."""
    name = " ".join(name.split()) or "Voice"
    number = 2
    free = name
    while free in taken:
        free = f"{name} {number}"
        number += 1
    return free


def with_clip(voice: LibraryVoice, place: int, clip: Clip) -> LibraryVoice:
    """The voice with another clip at a place."""
    return replace(voice, clips=(*voice.clips[:place], clip, *voice.clips[place + 1 :]))
