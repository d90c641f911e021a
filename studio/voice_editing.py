"""A voice in the editor: what the editor wishes is read, measured, played, spoken and saved here."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from engine.request import Samples
from studio.library.levels import Levels
from studio.library.quality import Report
from studio.library.recordings import Recording, readable
from studio.library.voices import Clip, LibraryVoice
from studio.panels.voice_editor import VoiceEditor
from studio.samples import Peaks, Print
from studio.session import Playback, Session
from studio.trying import Trying, sentence_in
from studio.voice_codes import NO_WORDS, READY
from studio.voicing import BroughtIn, Voicing

TICK = 33  # ms between two looks at what is played
MOST_SCRIPT = 2_000  # characters of the script that a clip's writing is compared with
_KEY = "the voice in the editor"


class VoiceEditing(QObject):
    """One voice at a time. `window` is what the editor stands over."""

    record_wanted = Signal()

    def __init__(
        self, window: QWidget, session: Session, voicing: Voicing, playback: Playback, trying: Trying
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._voicing = window, session, voicing
        self._playback, self._trying = playback, trying
        self.editor: VoiceEditor | None = None
        self._paths: dict[str, Path] = {}  # recordings that are new in the editor, by Clip.file
        self._heard: dict[str, tuple[Recording, Levels]] = {}  # what the editor shows, by Clip.file
        self._asked: set[str] = set()  # recordings that are being read
        self._begins = 0.0  # where in its recording what is played begins
        self._plays = False
        self._tries = False  # the sentence waits for codes, or is being spoken
        self._tick = QTimer(self, interval=TICK)
        self._tick.timeout.connect(self._look_at_player)
        voicing.changed.connect(self._follow)
        trying.changed.connect(self._show_trying)

    def edit(self, name: str) -> None:
        """Open a voice of the library."""
        voice = self._voicing.named(name)
        if voice is None or self.editor is not None:
            return
        self._paths, self._heard, self._asked = {}, {}, set()
        self._plays = self._tries = False
        editor = self.editor = VoiceEditor(voice, sentence_in(voice.language), self._window)
        editor.report_wanted.connect(self._measure)
        editor.play_wanted.connect(self._play)
        editor.stop_wanted.connect(self._stop)
        editor.try_wanted.connect(self._try)
        editor.save_wanted.connect(self._save)
        editor.add_clips_wanted.connect(self._choose_clips)
        editor.record_wanted.connect(self.record_wanted)
        editor.files_dropped.connect(self.add_clips)
        editor.finished.connect(self._close)
        if self._voicing.read_only:
            editor.show_read_only()
        for clip in voice.clips:
            self._listen(clip)
        self._follow()
        editor.open()

    @Slot()
    def _close(self) -> None:
        editor, self.editor = self.editor, None
        self._tick.stop()
        if self._tries:
            self._trying.stop()
        if editor is not None:
            editor.deleteLater()

    # Recordings

    def _path(self, clip: Clip) -> Path:
        """Where the recording of a clip lies: in the library, or where it came from."""
        assert self.editor is not None
        return self._paths.get(clip.file) or self._voicing.audio(self.editor.voice, clip)

    def _listen(self, clip: Clip) -> None:
        if clip.file in self._asked:
            return
        self._asked.add(clip.file)
        editor = self.editor

        def show(found: tuple[Recording, Levels]) -> None:
            if editor is not None and self.editor is editor:
                self._heard[clip.file] = found
                editor.show_recording(clip.file, *found)

        self._voicing.listen(self._path(clip), show)

    @Slot(object)
    def _measure(self, clip: Clip) -> None:
        editor, held = self.editor, self._heard.get(clip.file)
        if held is None:
            return

        def show(found: Report) -> None:
            if editor is not None and self.editor is editor:
                editor.show_report(clip, found)

        script = " ".join(line.text for line in self._session.project.lines())[:MOST_SCRIPT]
        self._voicing.measure(clip, *held, script, show)

    @Slot()
    def _choose_clips(self) -> None:
        sounds = " ".join(f"*{suffix}" for suffix in readable())
        paths, _ = QFileDialog.getOpenFileNames(self.editor, "Add clips", str(Path.home()), f"Recordings ({sounds})")
        self.add_clips(paths)

    @Slot(list)
    def add_clips(self, paths: list[str]) -> None:
        self._voicing.bring_in([Path(path) for path in paths], partial(self._add, self.editor))

    @Slot(object, int, str)
    def add_recording(self, samples: Samples, rate: int, words: str) -> None:
        """What was just recorded becomes a clip of the voice."""
        self._voicing.bring_in_sound("Recording", samples, rate, words, partial(self._add, self.editor))

    def _add(self, editor: VoiceEditor | None, made: BroughtIn) -> None:
        if editor is None or self.editor is not editor:
            return
        if all(clip.audio != made.clip.audio for clip in editor.voice.clips):
            self._paths[made.clip.file] = made.path
            editor.add_clip(made.clip)
            self._listen(made.clip)

    # Hearing

    @Slot(object, int, float, bool)
    def _play(self, samples: Samples, rate: int, begins: float, again: bool) -> None:
        self._begins = begins
        self._plays = True
        self._playback.play_aside(Print(rate, samples, Peaks(samples)), again)
        self._tick.start()

    @Slot()
    def _stop(self) -> None:
        if self._plays:
            self._playback.stop()

    @Slot()
    def _look_at_player(self) -> None:
        seconds = self._playback.aside_seconds if self._plays else None
        if seconds is None:
            self._tick.stop()
            self._plays = False
        if self.editor is not None:
            self.editor.show_playhead(None if seconds is None else self._begins + seconds)

    @Slot(object)
    def _try(self, voice: LibraryVoice) -> None:
        """Speak the sentence, once the codes are there."""
        if not all(clip.transcript.strip() for clip in voice.clips):
            self._say("Write the words first: without them a clip is not cloned")
            return
        self._stop()
        self._tries = True
        self._voicing.codes.want(voice, self._path, first=True)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        """How far the codes are; where the sentence waits for them and they are there, it is spoken."""
        editor = self.editor
        if editor is None:
            return
        voice, codes = editor.voice, self._voicing.codes
        cast = codes.cast(voice)
        if self._tries and not self._trying.speaking(_KEY):
            if cast is not None:
                self._trying.speak(_KEY, cast, sentence_in(voice.language))
            elif codes.state(voice) not in _ON_THE_WAY and not codes.state(voice).startswith("making"):
                self._tries = False
        editor.show_trying(self._tries)
        if self._voicing.read_only:
            return
        state = codes.state(voice)
        if state == READY:
            self._say("Codes ready · prompt memory made on first use")
        elif state == NO_WORDS:
            self._say("Codes ready · the words are missing")
        else:
            self._say("Codes are made when you try or save it" if state == "waiting" else state.capitalize() + "…")

    @Slot(str)
    def _show_trying(self, key: str) -> None:
        if key == _KEY and not self._trying.speaking(_KEY):
            self._tries = False
            if self.editor is not None:
                self.editor.show_trying(False)

    def _say(self, words: str) -> None:
        if self.editor is not None:
            self.editor.show_state(words)

    @Slot(object)
    def _save(self, voice: LibraryVoice) -> None:
        new = {clip.file: self._paths[clip.file] for clip in voice.clips if clip.file in self._paths}
        self._voicing.save(voice, new)


_ON_THE_WAY = ("waiting",)
