"""The voice library at work: recordings come in on the file thread, their codes are made on the engine thread, and what
is ready can be cast. No dialogs here; those are at the voice desk."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from engine.audio import write
from engine.errors import AudioError
from engine.request import Codes, Samples, Voice
from engine.text import spoken
from studio.document.compare import codes_digest
from studio.document.sounds import PrintOf
from studio.engine_thread import EngineThread, Opened
from studio.file_thread import FileThread
from studio.library.clips import heard
from studio.library.coverage import Word
from studio.library.incoming import BroughtIn, brought_in, kept_whole, words_beside
from studio.library.levels import Levels, measure_levels
from studio.library.quality import Report, report
from studio.library.recordings import Recording, read_recording
from studio.library.share import SharedVoice, look_into, share
from studio.library.speakers import Company
from studio.library.store import Library, LibraryError
from studio.library.voices import Clip, LibraryVoice, codes_key, free_name, new_voice_id
from studio.samples import Peaks, Print
from studio.session import Session
from studio.voice_codes import VoiceCodes
from studio.voice_following import VoiceFollowing

T = TypeVar("T")

Into = Callable[[BroughtIn], object]


class Voicing(QObject):
    """What is in the library, and whether it is ready. It belongs to the window's thread."""

    changed = Signal()  # the voices, or how far they are
    came = Signal(object)  # a LibraryVoice that is new in the library
    problem = Signal(object, str)  # an error, and what failed
    said = Signal(str)

    def __init__(self, session: Session, files: FileThread, engine: EngineThread) -> None:
        super().__init__()
        self._session, self._files, self._engine = session, files, engine
        self._library: Library | None = None
        self._good_seconds = (5.0, 30.0)
        self._aside: Path | None = None  # where recordings wait that were made here
        self._reading: list[str] = []  # names of files on their way in
        self.codes = VoiceCodes(files, engine)
        self.following = VoiceFollowing(session, self.cast)
        self._second: Library | None = None  # another folder whose voices are only read
        self._own: tuple[LibraryVoice, ...] = ()
        self._others: tuple[LibraryVoice, ...] = ()
        self._embedded: tuple[Voice, ...] = ()  # of the checkpoint in use
        self.voices: tuple[LibraryVoice, ...] = ()  # of both
        self.codes.changed.connect(self._show)
        self.codes.made.connect(self._keep)
        self.codes.problem.connect(self.problem)
        session.clip_source = self._clip_source
        engine.opened.connect(self._opened)
        session.saved.connect(self._note_project)
        session.opened.connect(self._suit)
        session.opened_folder.connect(self._suit)
        session.recovered.connect(self._suit)
        session.stored.connect(self._suit)  # maybe with scenes of another project

    # What there is

    @property
    def read_only(self) -> bool:
        return self._library is None or self._library.read_only

    @property
    def good_seconds(self) -> tuple[float, float]:
        """How short and how long a voice's clips may be for the checkpoint in use."""
        return self._good_seconds

    @property
    def reading(self) -> tuple[str, ...]:
        """The names of files that are on their way into the library."""
        return tuple(self._reading)

    def may_change(self, voice: LibraryVoice) -> bool:
        """Whether it is in the user's own library, and that can be written to."""
        return not self.read_only and self.is_own(voice)

    def is_own(self, voice: LibraryVoice) -> bool:
        """Whether it is in the user's own library, and not in the second one."""
        return any(each.id == voice.id for each in self._own)

    def voice(self, voice_id: str) -> LibraryVoice | None:
        return next((each for each in self.voices if each.id == voice_id), None)

    def named(self, name: str) -> LibraryVoice | None:
        return next((each for each in self.voices if each.name == name), None)

    def cast(self, voice: LibraryVoice) -> Voice | None:
        """A voice as the engine reads it, also one that is being edited; None while it is not ready."""
        return self.codes.cast(voice)

    def audio(self, voice: LibraryVoice, clip: Clip) -> Path:
        """Where the recording of a clip lies."""
        library = self._library if self.is_own(voice) or self._second is None else self._second
        assert library is not None
        return library.audio(voice, clip)

    def _clip_source(self) -> PrintOf:
        """How the clips of the project's voices sound, by the digests of their codes; asked on the file thread."""
        spoken_in = {each.transcript for voice in self._session.project.voices for each in voice.references}
        clips = {
            codes_digest(reference): (clip, self.audio(voice, clip))
            for voice in self.voices
            if (cast := self.cast(voice)) is not None
            for clip, reference in zip(voice.clips, cast.references, strict=True)
            if reference.transcript in spoken_in
        }

        def clip_of(digest: str) -> Print | None:
            with contextlib.suppress(AudioError):
                return _print_of(*clips[digest]) if digest in clips else None
            return None

        return clip_of

    # Opening

    def open(self, folder: Path) -> None:
        """Read the library in a folder."""

        def opened(found: tuple[Library, tuple[LibraryVoice, ...]]) -> None:
            self._library, self._own = found
            self._gather()
            if self._library.read_only:
                self.said.emit(f"The voice library can only be read: {self._library.why}")
            self._load_codes()

        def work() -> tuple[Library, tuple[LibraryVoice, ...]]:
            library = Library(folder)
            return library, library.voices()

        self._run(work, opened, "open the voice library")

    def open_second(self, folder: Path | None) -> None:
        """Read the voices of another folder beside the library's; None: those of no other."""
        if folder == (self._second.folder if self._second is not None else None):
            return
        second = self._second = Library(folder, may_write=False) if folder is not None else None

        def opened(found: tuple[LibraryVoice, ...]) -> None:
            if second is self._second:
                self._others = found
                self._gather()
                self._load_codes()

        self._run(lambda: second.voices() if second is not None else (), opened, "open the second voice library")

    def _gather(self) -> None:
        """The voices of both libraries; what the second one calls as one of the first is numbered."""
        own, names = {voice.id for voice in self._own}, {voice.name for voice in self._own}
        others = []
        for voice in self._others:
            if voice.id not in own:
                others.append(replace(voice, name=free_name(voice.name, names)))
                names.add(others[-1].name)
        self.voices = tuple(sorted((*self._own, *others), key=lambda each: (each.name.casefold(), each.id)))

    def close(self) -> None:
        """Let the library go, once all that was begun with it is done."""
        if self._library is not None:
            self._files.run(self._library.close)
        if self._aside is not None:
            self._files.run(partial(shutil.rmtree, self._aside, ignore_errors=True))

    @Slot(object)
    def _opened(self, opened: Opened) -> None:
        self._good_seconds = opened.reference_seconds
        self._embedded = opened.voices
        other = opened.codec != self.codes.codec
        self.codes.use(opened.codec)
        if other:
            self._load_codes()

    def _load_codes(self) -> None:
        """The codes that are on disk for the codec in use; then the missing ones are made, one after another."""
        library, second, codec = self._library, self._second, self.codes.codec
        places = [(second if not self.is_own(voice) and second else library, voice) for voice in self.voices]
        if library is None or not codec:
            self._show()
            return

        def loaded(codes: dict[str, Codes]) -> None:
            if codec == self.codes.codec:
                self.codes.codes |= codes
                for voice in self.voices:
                    self._want_codes(voice)
                self._show()

        def work() -> dict[str, Codes]:
            held = [place.codes(voice, codec) for place, voice in places if place is not None]
            return {key: codes for each in held for key, codes in each.items()}

        self._run(work, loaded, "read the codes of the voices")

    # Coming in

    def bring_in(self, paths: list[Path], into: Into | None = None, whole: bool = False) -> None:
        """Each recording becomes a voice of its name, or, `into` another hand, a clip. Its words are those in the .txt
        beside it, where there is one. `whole`: nothing of it is cut."""
        for path in paths:
            self._bring_in(path, path.stem, words_beside(path), into, whole)

    def bring_in_sound(
        self,
        name: str,
        samples: Samples,
        rate: int,
        words: str = "",
        into: Into | None = None,
        whole: bool = False,
    ) -> None:
        """A recording made here becomes a voice, or a clip."""
        path = self._kept_aside(name)

        def written(_: None) -> None:
            self._bring_in(path, name, words, into, whole)

        self._run(lambda: write(path, samples, rate), written, f"keep the recording {name}")

    def bring_in_voice(self, voice: Voice, sounds: Sequence[Print]) -> None:
        """What was spoken here, or came with the project, becomes a voice of the library; `sounds` are how its
        references sound. Its codes are kept, so that nothing is lost by encoding again."""
        paths, codec = [self._kept_aside(voice.name) for _ in sounds], voice.codec or self.codes.codec
        spoken_here = list(zip(voice.references, sounds, paths, strict=True))

        def work() -> tuple[LibraryVoice, dict[str, Codes]]:
            clips, codes = [], {}
            for reference, held, path in spoken_here:
                write(path, held.samples, held.rate)
                clip = brought_in(path, spoken(reference.transcript).strip(), self._good_seconds).clip
                clips.append(replace(clip, trim=(0, clip.samples), fade=0.0))
                codes[codes_key(clips[-1], codec)] = reference.codes
            audio = {clip.file: path for clip, path in zip(clips, paths, strict=True)}
            made = self._writable.add(LibraryVoice(new_voice_id(), voice.name, tuple(clips)), audio)
            for key, each in codes.items():
                self._writable.put_codes(made.id, key, each)
            return made, codes

        def added(found: tuple[LibraryVoice, dict[str, Codes]]) -> None:
            made, codes = found
            self.codes.codes |= codes
            self._add(made)

        self._run(work, added, f"make the voice {voice.name}")

    def _bring_in(self, path: Path, name: str, words: str, into: Into | None, whole: bool) -> None:
        good = self._good_seconds
        self._reading.append(name)
        self.changed.emit()

        def work() -> BroughtIn | LibraryVoice:
            made = kept_whole(path, words) if whole else brought_in(path, words, good)
            if into is not None:
                return made
            return self._writable.add(LibraryVoice(new_voice_id(), name, (made.clip,)), {made.clip.file: path})

        def done(found: BroughtIn | LibraryVoice) -> None:
            self._reading.remove(name)
            if isinstance(found, LibraryVoice):
                self._add(found)
            elif into is not None:
                into(found)
                self.changed.emit()

        def failed() -> None:
            self._reading.remove(name)
            self.changed.emit()

        self._run(work, done, f"add the recording {name}", failed)

    def _add(self, voice: LibraryVoice) -> None:
        self._put(voice)
        self._want_codes(voice)
        self._show()
        self.came.emit(voice)
        self.said.emit(f"Added the voice {voice.name} to the library")

    def _kept_aside(self, name: str) -> Path:
        """A path for a recording on its way in; it goes when the program ends."""
        if self._aside is None:
            self._aside = Path(tempfile.mkdtemp(prefix="retake-"))
        plain = "".join(letter if letter.isalnum() or letter in " -" else "_" for letter in name)[:60].strip()
        folder = self._aside / new_voice_id()
        folder.mkdir()
        return folder / f"{plain or 'recording'}.wav"

    # Looking and listening

    def hear(self, voice: LibraryVoice, clip: Clip, play: Callable[[Print], object]) -> None:
        """Read how a clip of the library's sounds, and `play` it."""
        self._run(partial(_print_of, clip, self.audio(voice, clip)), play, f"play {voice.name}")

    def listen(self, path: Path, show: Callable[[tuple[Recording, Levels]], object]) -> None:
        """Read a recording and its levels for the editor to `show`."""

        def work() -> tuple[Recording, Levels]:
            recording = read_recording(path)
            return recording, measure_levels(recording.samples, recording.rate)

        self._run(work, show, "read a recording")

    def measure(
        self,
        clip: Clip,
        heard: tuple[Recording, Levels],
        script: str,
        aligned: tuple[Word, ...],
        company: Company | None,
        show: Callable[[Report], object],
    ) -> None:
        """Look at a clip of a recording that was listened to, and `show` what is to be said of it."""
        good = self._good_seconds
        self._run(lambda: report(clip, *heard, good, script, aligned, company), show, "measure a clip")

    # Changing

    def save(
        self,
        voice: LibraryVoice,
        recordings: Mapping[str, Path] | None = None,
        ended: Callable[[bool], object] = lambda _: None,
    ) -> None:
        """A voice as it is now, with the recordings (by `Clip.file`) that are new in it; `ended` hears whether it is
        on the disk. A project that carries the voice as it was follows once the new one is ready."""
        if (before := self.voice(voice.id)) is not None:
            self.following.note(before)

        def saved(kept: LibraryVoice) -> None:
            if self.voice(voice.id) in (before, voice):  # neither changed once more meanwhile, nor deleted
                self._put(kept)
                self._want_codes(kept)
                self._show()
            ended(True)

        def failed() -> None:
            if before is not None and self.voice(voice.id) is voice:
                self._put(before)
                self._show()
            ended(False)

        if before is not None and not recordings:  # the next change is made to it as it is now
            self._put(voice)
            self._show()
        self._run(lambda: self._writable.put(voice, recordings), saved, f"save the voice {voice.name}", failed)

    def remove(self, voice: LibraryVoice) -> None:
        """A voice leaves the library; a project that cast it keeps what it carries. It is gone from the list at once,
        and back in it where the disk refuses."""
        self._own = tuple(each for each in self._own if each.id != voice.id)
        self._gather()
        self.codes.forget(voice.id)
        self._show()

        def removed(_: None) -> None:
            self.said.emit(f"Deleted the voice {voice.name}")

        def failed() -> None:
            self._put(voice)
            self._show()

        self._run(lambda: self._writable.remove(voice.id), removed, f"delete the voice {voice.name}", failed)

    @Slot(object)
    def _note_project(self, path: Path) -> None:
        """The voices that a saved project casts know of it."""
        project = self._session.project
        cast = {character.voice for character in project.cast}
        for voice in self.voices:
            if voice.name in cast and str(path) not in voice.projects and self.may_change(voice):
                self.save(replace(voice, projects=(*voice.projects, str(path))))

    def copy_in(self, voice: LibraryVoice) -> None:
        """A voice of the second library comes into the user's own, with the codes that are there."""
        audio = {clip.file: self.audio(voice, clip) for clip in voice.recordings}
        keys = [codes_key(clip, self.codes.codec) for clip in voice.clips]
        known = {key: self.codes.codes[key] for key in keys if key in self.codes.codes}

        def work() -> LibraryVoice:
            made = self._writable.add(replace(voice, id=new_voice_id(), projects=()), audio)
            for key, codes in known.items():
                self._writable.put_codes(made.id, key, codes)
            return made

        self._run(work, self._add, f"copy the voice {voice.name}")

    # Sharing

    def share(self, voice: LibraryVoice, path: Path) -> None:
        """Write a voice as one file."""
        audio = {clip.file: self.audio(voice, clip) for clip in voice.recordings}
        codes, codec = dict(self.codes.codes), self.codes.codec
        self._run(
            lambda: share(path, voice, audio, codes, codec),
            lambda _: self.said.emit(f"Wrote {path}"),
            f"share the voice {voice.name}",
        )

    def look_into(self, path: Path, show: Callable[[SharedVoice], object]) -> None:
        """Read a voice file, and `show` what is in it."""
        self._run(lambda: look_into(path), show, f"open {path.name}")

    def take_in(self, shared: SharedVoice) -> None:
        """A voice that was looked into comes into the library, with its codes where they are of the codec in use."""

        known = shared.codes if shared.codec == self.codes.codec else {}

        def work() -> LibraryVoice:
            with tempfile.TemporaryDirectory() as folder:
                paths = {name: Path(folder) / name for name in shared.recordings}
                for name, path in paths.items():
                    path.write_bytes(shared.recordings[name])
                voice = self._writable.add(shared.voice, paths)
            for key, codes in known.items():
                self._writable.put_codes(voice.id, key, codes)
            return voice

        def added(voice: LibraryVoice) -> None:
            self.codes.codes |= known
            self._add(voice)

        self._run(work, added, f"add the voice {shared.voice.name}")

    # What follows from it

    def _want_codes(self, voice: LibraryVoice) -> None:
        self.codes.want(voice, partial(self.audio, voice))

    @Slot(str, str)
    def _keep(self, voice_id: str, key: str) -> None:
        """Codes that were made go to the disk, if their voice is in the library."""
        voice = self.voice(voice_id)
        if voice is not None and self.may_change(voice):
            keep = partial(self._writable.put_codes, voice_id, key, self.codes.codes[key])
            self._run(keep, None, "keep the codes of a voice")

    def _put(self, voice: LibraryVoice) -> None:
        self._own = (*(each for each in self._own if each.id != voice.id), voice)
        self._gather()

    @Slot()
    def _show(self) -> None:
        """What is ready can be cast from now on, and a project follows what was changed of its voices."""
        self._session.library = tuple(cast for voice in self.voices if (cast := self.cast(voice)) is not None)
        self.following.follow(self.voices)
        self._suit()
        self.changed.emit()

    @Slot()
    def _suit(self) -> None:
        """A project that was made with another voice model has voices that the one in use can read."""
        if self.following.suit(self.codes.codec, self._embedded, self.voices):
            self.said.emit("The project's voices are those of the voice model in use now")

    # The file thread

    @property
    def _writable(self) -> Library:
        if self._library is None:
            raise LibraryError("The voice library is not open.")
        return self._library

    def _run(
        self,
        work: Callable[[], T],
        done: Callable[[T], object] | None,
        doing: str,
        failed: Callable[[], object] | None = None,
    ) -> None:
        def tell(error: Exception) -> None:
            if failed is not None:
                failed()
            self.problem.emit(error, doing)

        self._files.run(work, done, tell)


def _print_of(clip: Clip, path: Path) -> Print:
    """How a clip sounds as the model hears it."""
    samples = heard(clip, read_recording(path).samples)
    return Print(clip.rate, samples, Peaks(samples))
