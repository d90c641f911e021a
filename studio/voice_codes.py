"""The codes of the library's clips: made one after another in the background, for the codec in use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from engine.request import Codes, Failed, Samples, Stopped, Voice
from studio.engine_thread import Encoded, EngineThread, Urgency
from studio.file_thread import FileThread
from studio.library.clips import heard
from studio.library.recordings import read_recording
from studio.library.voices import Clip, LibraryVoice, as_cast, codes_key

READY, NO_WORDS, WAITING, CODING = "ready", "no words", "waiting", "making codes"
_NOT_READ, _NOT_MADE = "recording missing", "no codes"


@dataclass(frozen=True)
class _Wanted:
    """A clip whose codes are to be made, and where its recording lies; `awaited`: somebody is looking at it."""

    key: str
    clip: Clip
    path: Path
    voice_id: str
    codec: str
    awaited: bool


class VoiceCodes(QObject):
    """Which codes there are, and which are being made: read on the file thread, encoded on the engine thread."""

    changed = Signal()  # how far it is
    made = Signal(str, str)  # codes are there now: the voice's id, and their key
    problem = Signal(object, str)

    def __init__(self, files: FileThread, engine: EngineThread) -> None:
        super().__init__()
        self._files, self._engine = files, engine
        self._queue: list[_Wanted] = []
        self._reading: _Wanted | None = None  # on the file thread
        self._encoding: dict[int, _Wanted] = {}  # on the engine thread, by job
        self._refused: dict[str, str] = {}  # why codes could not be made, by key
        self.codec = ""
        self.codes: dict[str, Codes] = {}
        engine.answered.connect(self._hear)

    def use(self, codec: str) -> None:
        """From now on codes are of that codec; what was being made for another is made no further."""
        if codec != self.codec:
            self.codec = codec
            self.codes, self._refused, self._queue = {}, {}, []
        self._go_on()

    def cast(self, voice: LibraryVoice) -> Voice | None:
        """A voice as the engine reads it, None while it lacks words or codes."""
        return as_cast(voice, self.codes, self.codec)

    def lacking(self, voice: LibraryVoice) -> list[str]:
        """The keys of the codes that a voice has not got yet."""
        return [key for clip in voice.clips if (key := codes_key(clip, self.codec)) not in self.codes]

    def state(self, voice: LibraryVoice) -> str:
        """How far a voice is, in words; or why it gets no further."""
        missing = self.lacking(voice)
        for key in missing:
            if key in self._refused:
                return self._refused[key]
        if not missing:
            return READY if self.cast(voice) is not None else NO_WORDS
        if not any(wanted.key in missing for wanted in self._at_work()):
            return WAITING
        count = len(voice.clips)
        return CODING if count == 1 else f"{CODING} {count - len(missing) + 1}/{count}"

    def want(self, voice: LibraryVoice, where: Callable[[Clip], Path], first: bool = False) -> None:
        """See to it that a voice gets its codes; `where` says where the recording of a clip lies. `first`: somebody
        waits for them."""
        if not self.codec:
            return
        under_way = {wanted.key for wanted in self._at_work()}
        for clip in voice.clips:
            key = codes_key(clip, self.codec)
            if key in self.codes or key in under_way:
                continue
            self._refused.pop(key, None)
            self._queue = [wanted for wanted in self._queue if wanted.key != key]
            wanted = _Wanted(key, clip, where(clip), voice.id, self.codec, first)
            self._queue.insert(0 if first else len(self._queue), wanted)
        self._go_on()

    def forget(self, voice_id: str) -> None:
        """A voice is gone: its codes need not be made any more."""
        self._queue = [wanted for wanted in self._queue if wanted.voice_id != voice_id]

    def _at_work(self) -> list[_Wanted]:
        return [*self._encoding.values(), *([self._reading] if self._reading is not None else [])]

    def _go_on(self) -> None:
        if not self._queue or self._at_work():
            return
        wanted = self._queue.pop(0)

        def work() -> tuple[Samples, int]:
            recording = read_recording(wanted.path)
            return heard(wanted.clip, recording.samples), recording.rate

        self._reading = wanted
        self._files.run(work, self._encode, self._not_read)
        self.changed.emit()

    def _encode(self, sound: tuple[Samples, int]) -> None:
        assert self._reading is not None
        self._encoding[self._engine.encode(*sound, Urgency.QUEUED)] = self._reading
        self._reading = None
        self.changed.emit()

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        wanted = self._encoding.pop(number, None)
        if wanted is None:
            return
        match event:
            case Encoded(codes, codec) if codec == wanted.codec == self.codec:
                self.codes[wanted.key] = codes
                self.made.emit(wanted.voice_id, wanted.key)
            case Failed(error):
                self._refused[wanted.key] = _NOT_MADE
                self.problem.emit(error, "make the codes of a voice")
            case Stopped():  # another checkpoint is on its way; `use` goes on from here
                if wanted.codec == self.codec:
                    self._queue.insert(0, wanted)
                return
        self.changed.emit()
        self._go_on()

    def _not_read(self, error: Exception) -> None:
        wanted, self._reading = self._reading, None
        assert wanted is not None
        self._refused[wanted.key] = _NOT_READ
        if wanted.awaited:  # of a voice that nobody asks for, the list says it
            self.problem.emit(error, "read the recording of a voice")
        self.changed.emit()
        self._go_on()
