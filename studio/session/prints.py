"""How takes sound and what their waves look like, looked up and kept. All of it is done on the file thread."""

from __future__ import annotations

from collections.abc import Mapping

from engine.request import Samples, Take, Voice
from studio.document.compare import codes_digest
from studio.document.file import Written
from studio.document.sounds import PrintOf, read_clip, read_sound
from studio.document.thumbnails import Thumbnail
from studio.samples import Print, PrintCache

Seen = tuple[Print, Thumbnail]
"""How a take sounds, and what its wave looks like where there is little room."""


def keep(cache: PrintCache, take_id: str, rate: int, samples: Samples) -> Seen:
    """Put a decoded take into the cache; OSError where that cannot be written."""
    held = cache.put(take_id, rate, samples)
    return held, Thumbnail.of(held)


def look_up(cache: PrintCache, take: Take, written: Written) -> Seen | None:
    """A take's print: from the cache, else from what the project's file keeps. None where it has to be decoded."""
    held = cache.get(take.id)
    if held is None and written.path is not None and take.id in written.sounds:
        held = read_sound(written.path, take)
    return (held, Thumbnail.of(held)) if held is not None else None


def look_up_clips(voice: Voice, written: Written) -> tuple[Print | None, ...]:
    """How the clips of a voice sound, as far as the project's file keeps that."""
    path = written.path
    return tuple(
        read_clip(path, each) if path is not None and codes_digest(each) in written.clips else None
        for each in voice.references
    )


def print_source(prints: Mapping[str, Print], cache: PrintCache) -> PrintOf:
    """Where a save has the sound of takes from: what is known now, else the cache."""
    return lambda take_id: prints.get(take_id) or cache.get(take_id)
