"""A project follows what is changed of its voices in the library: words, cuts, names. Each time is a step of undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.request import Voice
from studio.document.compare import voice_digest
from studio.document.edits import SetVoices
from studio.library.voices import LibraryVoice
from studio.session import Session


class VoiceFollowing:
    """`cast` gives a voice as the engine reads it, None while it is not ready."""

    def __init__(self, session: Session, cast: Callable[[LibraryVoice], Voice | None]) -> None:
        self._session, self._cast = session, cast
        # Voices of the project's as they were before a change, in the library and in the project, by id.
        self._carried: dict[str, tuple[LibraryVoice, Voice]] = {}
        session.begun.connect(self._carried.clear)

    def note(self, before: LibraryVoice) -> None:
        """A voice is about to be changed: a project that carries it as it is now will follow."""
        carried = self._session.project.voice(before.name)
        old = self._cast(before)
        if carried is not None and old is not None and _same(carried, old):
            self._carried.setdefault(before.id, (before, carried))

    def follow(self, voices: Sequence[LibraryVoice]) -> None:
        """What was changed and is ready now comes into the project that carried it."""
        for voice in voices:
            before, carried = self._carried.get(voice.id, (None, None))
            cast = self._cast(voice) if before not in (None, voice) else None
            if carried is not None and cast is not None:
                del self._carried[voice.id]
                self._bring(carried, cast)

    def _bring(self, before: Voice, cast: Voice) -> None:
        """The project's voice becomes `cast`, unless it is not what it was before any more; under its name, unless that
        is another voice's there."""
        project, name = self._session.project, before.name
        carried = project.voice(name)
        if carried is None or not _same(carried, before):
            return
        if cast.name != name and project.voice(cast.name) is None:
            self._session.do(SetVoices((cast,), f"Rename the voice {name} to {cast.name}", instead_of=name))
        elif not _same(carried, cast):
            self._session.do(SetVoices((replace(cast, name=name),), f"Change the voice {name}"))

    def suit(self, codec: str, embedded: Sequence[Voice], voices: Sequence[LibraryVoice]) -> bool:
        """Voices of the project's whose codes are of another codec than the one in use are taken anew, where they can
        be: with the same words from the library, or those of the same name that came with the checkpoint."""
        strange = {voice.name: voice for voice in self._session.project.voices if not voice.fits(codec)}
        if not strange:
            return False
        found = {voice.name: voice for voice in embedded if voice.name in strange and voice.fits(codec)}
        for own in voices:
            cast = self._cast(own) if own.name in strange else None
            if cast is not None and _same_words(cast, strange[own.name]):
                found[cast.name] = cast
        if found:
            self._session.do(SetVoices(tuple(found.values()), "Voices for another voice model"))
        return bool(found)

    def differs(self, voice: LibraryVoice) -> bool:
        """The project carries a voice of that name that sounds or reads another way."""
        cast, carried = self._cast(voice), self._session.project.voice(voice.name)
        return cast is not None and carried is not None and not _same(cast, carried)

    def renew(self, voice: LibraryVoice) -> None:
        """The project carries the voice as it is in the library from now on."""
        if (cast := self._cast(voice)) is not None:
            self._session.do(SetVoices((cast,), f"Change the voice {voice.name}"))

    def known_as(self, voices: Sequence[LibraryVoice]) -> dict[str, str]:
        """What the library calls the voices that the project carries under names that are not in it."""
        names = {voice.name for voice in voices}
        strange = [voice for voice in self._session.project.voices if voice.name not in names]
        if not strange:
            return {}
        ready = [cast for voice in voices if (cast := self._cast(voice)) is not None]
        return {each.name: cast.name for each in strange for cast in ready if _same(each, cast)}


def _same(one: Voice, other: Voice) -> bool:
    """They read and sound alike, whatever they are called."""
    return _same_words(one, other) and voice_digest(one) == voice_digest(other)


def _same_words(one: Voice, other: Voice) -> bool:
    words = [[each.transcript for each in voice.references] for voice in (one, other)]
    return words[0] == words[1]
