"""A voice in the editor: what the editor wishes is read, measured, played, spoken and saved here."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from engine.audio import resample
from engine.request import Failed, FrameData, How, Origin, Part, Prompt, Samples, Speakers, Take, frozen
from studio.confirming import may_drop
from studio.engine_thread import Aligned, EngineThread, WhoSpeaks
from studio.library.clips import heard
from studio.library.coverage import Word, aligned_words
from studio.library.incoming import BroughtIn
from studio.library.levels import Levels
from studio.library.quality import Report
from studio.library.recordings import Recording, readable
from studio.library.speakers import Company, company
from studio.library.voices import Clip, LibraryVoice, codes_key
from studio.panels.voice_editor import VoiceEditor
from studio.recogniser_thread import RecogniserThread
from studio.recognising import Recognising
from studio.remembering import Remembering
from studio.samples import Peaks, Print
from studio.session import Playback, Session
from studio.trying import Trying, sentence_in
from studio.voice_codes import CODING, NO_WORDS, READY, WAITING
from studio.voicing import Voicing

TICK = 33  # ms between two looks at what is played
MOST_SCRIPT = 2_000  # characters of the script that a clip's writing is compared with
SURE = 0.6  # how sure an alignment is at least, on the whole, that words are played by
_KEY = "the voice in the editor"


class VoiceEditing(QObject):
    """One voice at a time. `window` is what the editor stands over."""

    record_wanted = Signal()
    record_consent_wanted = Signal()
    problem = Signal(object, str)

    def __init__(
        self,
        window: QWidget,
        session: Session,
        voicing: Voicing,
        playback: Playback,
        trying: Trying,
        engine: EngineThread,
        remembering: Remembering,
        recogniser: RecogniserThread,
    ) -> None:
        super().__init__(window)
        self._engine, self._remembering = engine, remembering
        remembering.changed.connect(self._follow)
        self._aligning: dict[int, Clip] = {}  # by job of the engine
        self._aligned: dict[Clip, tuple[Word, ...]] = {}
        self._asked_who: dict[int, Clip] = {}  # clips without their words, by job of the engine
        self._speakers: dict[Clip, Speakers | None] = {}  # who speaks in them
        engine.answered.connect(self._hear)
        self._window, self._session, self._voicing = window, session, voicing
        self._playback, self._trying = playback, trying
        self.recognising = Recognising(recogniser)
        self._recognised: Clip | None = None  # the clip whose words are being recognised
        self.recognising.progressed.connect(self._show_recognising)
        self.recognising.done.connect(self._write)
        self.recognising.failed.connect(self._recognised_not)
        self.editor: VoiceEditor | None = None
        self._paths: dict[str, Path] = {}  # recordings that are new in the editor, by Clip.file
        self._heard: dict[str, tuple[Recording, Levels]] = {}  # what the editor shows, by Clip.file
        self._asked: set[str] = set()  # recordings that are being read
        self._begins = 0.0  # where in its recording what is played begins
        self._plays = False
        self._plays_consent = False  # what is played is the spoken consent
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
        self._paths, self._heard, self._asked, self._aligned, self._speakers = {}, {}, set(), {}, {}
        self._plays = self._plays_consent = self._tries = False
        editor = self.editor = VoiceEditor(voice, sentence_in(voice.language), self._window)
        question = f"Leave “{voice.name}” as it was?"
        editor.may_drop = partial(may_drop, editor, question, "What you have changed of it is lost.")
        editor.report_wanted.connect(self._measure)
        editor.play_wanted.connect(self._play)
        editor.stop_wanted.connect(self._stop)
        editor.recognise_wanted.connect(self._recognise)
        editor.try_wanted.connect(self._try)
        editor.save_wanted.connect(self._save)
        editor.add_clips_wanted.connect(self._choose_clips)
        editor.record_wanted.connect(self.record_wanted)
        editor.files_dropped.connect(self.add_clips)
        spoken = editor.details.spoken
        spoken.record_wanted.connect(self.record_consent_wanted)
        spoken.choose_wanted.connect(self._choose_consent)
        spoken.play_wanted.connect(self._play_consent)
        editor.finished.connect(self._close)
        if not self._voicing.may_change(voice):
            own = self._voicing.is_own(voice)
            copy = "To change it, copy it into your library"
            editor.show_read_only("The library can only be read now" if own else copy)
        for clip in voice.clips:
            self._listen(clip)
        self._follow()
        editor.open()

    @Slot()
    def _close(self) -> None:
        editor, self.editor = self.editor, None
        self.recognising.stop()
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
        self._voicing.measure(clip, held, script, self._aligned.get(clip, ()), self._company(clip), show)
        if editor is not None:  # what was cut meanwhile needs other codes than those that wait to be made
            self._voicing.codes.forget(editor.voice.id)
            self._voicing.codes.want(editor.voice, self._path)
        self._align(clip)
        self._ask_who_speaks(clip)

    def _ask_who_speaks(self, clip: Clip) -> None:
        """Find what the voice in a clip is like; its words are no part of that."""
        sound, held = replace(clip, transcript=""), self._heard.get(clip.file)
        if self._session.engine is None or held is None or sound in {*self._speakers, *self._asked_who.values()}:
            return
        self._asked_who[self._engine.who_speaks(heard(clip, held[0].samples), clip.rate)] = sound

    def _company(self, clip: Clip) -> Company | None:
        """Who speaks in a clip, as far as it is known."""
        assert self.editor is not None
        first, sound = (replace(each, transcript="") for each in (self.editor.voice.clips[0], clip))
        speakers = self._speakers.get(sound)
        return company(speakers, None if sound == first else self._speakers.get(first)) if speakers else None

    def _align(self, clip: Clip) -> None:
        """Find when the words of a clip are said, once its codes are there: read as if it were a take of them."""
        opened, codes = self._session.engine, self._voicing.codes
        held, heard_there = codes.codes.get(codes_key(clip, codes.codec)), self._heard.get(clip.file)
        if opened is None or held is None or heard_there is None or not clip.transcript.strip():
            return
        if clip in self._aligned or clip in self._aligning.values():
            return
        samples = np.zeros(held.shape[1] * opened.hop, np.float32)  # as long as a print of the codes
        sound = resample(heard(clip, heard_there[0].samples), clip.rate, opened.rate)[: len(samples)]
        samples[: len(sound)] = sound
        prompt = Prompt((Part(None, clip.transcript),))
        drawn = opened.checkpoint, 0, opened.settings, How.IMPORTED, opened.rate, opened.hop
        origin = Origin(prompt, *drawn, codec=opened.codec)
        unknown = frozen(np.zeros((2, held.shape[1]), np.float32))
        self._aligning[self._engine.align(Take(held, origin, FrameData(unknown, unknown)), frozen(samples))] = clip

    @Slot(int, object)
    def _hear(self, number: int, event: object) -> None:
        if (sound := self._asked_who.pop(number, None)) is not None:
            self._hear_who(sound, event)
        clip = self._aligning.pop(number, None)
        if clip is not None and isinstance(event, Failed):
            self.problem.emit(event.error, "find the words of a clip")
        opened, editor = self._session.engine, self.editor
        if clip is None or opened is None or editor is None or not isinstance(event, Aligned):
            return
        begins = [float(frame) * opened.hop / opened.rate for frame in event.alignment.begins]
        self._aligned[clip] = aligned_words(clip.transcript, begins)
        if float(event.alignment.sure.mean()) >= SURE:  # else the letters' share of the speech is nearer
            editor.show_alignment(clip, self._aligned[clip])
        if clip == editor.clip:
            self._measure(clip)

    def _hear_who(self, sound: Clip, event: object) -> None:
        if isinstance(event, WhoSpeaks):
            self._speakers[sound] = event.speakers
            clip = self.editor.clip if self.editor is not None else None
            if clip is not None and event.speakers is not None and replace(clip, transcript="") == sound:
                self._measure(clip)

    # Recognising

    @Slot(object)
    def _recognise(self, clip: Clip) -> None:
        """Have the words of a clip recognised as it is cut now; where that goes on, stop it."""
        editor, held = self.editor, self._heard.get(clip.file)
        if editor is None or held is None:
            return
        if self.recognising.busy:
            self.recognising.stop()
            editor.words.show_recognising(None)
            return
        self._recognised = clip
        editor.words.show_recognising(0.0)
        self.recognising.hear(heard(clip, held[0].samples), clip.rate, editor.voice.language)

    @Slot(float)
    def _show_recognising(self, share: float) -> None:
        if self.editor is not None:
            self.editor.words.show_recognising(share)

    @Slot(str)
    def _write(self, words: str) -> None:
        if self.editor is None or self._recognised is None:
            return
        self.editor.words.show_recognising(None)
        self.editor.write_words(self._recognised, words)
        if not words:
            self._say("No words were heard")

    @Slot(object)
    def _recognised_not(self, error: Exception) -> None:
        """What keeps it from listening is said in the editor as well, which lies over the window."""
        if self.editor is not None:
            self.editor.words.show_recognising(None)
            self._say(str(error))
        self.problem.emit(error, "recognise the words")

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

    # The spoken consent

    @Slot()
    def _choose_consent(self) -> None:
        sounds = " ".join(f"*{suffix}" for suffix in readable())
        path, _ = QFileDialog.getOpenFileName(
            self.editor, "Keep a spoken consent", str(Path.home()), f"Recordings ({sounds})"
        )
        if path:
            self._voicing.bring_in([Path(path)], partial(self._keep_consent, self.editor), whole=True)

    @Slot(object, int, str)
    def add_consent(self, samples: Samples, rate: int, words: str) -> None:
        """What was just said to allow the use of the voice is kept with it."""
        keep = partial(self._keep_consent, self.editor)
        self._voicing.bring_in_sound("Spoken consent", samples, rate, words, keep, whole=True)

    def _keep_consent(self, editor: VoiceEditor | None, made: BroughtIn) -> None:
        if editor is not None and self.editor is editor:
            self._paths[made.clip.file] = made.path
            editor.keep_consent(made.clip)

    @Slot()
    def _play_consent(self) -> None:
        """From its beginning; where it plays, stop it."""
        editor = self.editor
        clip = editor.voice.spoken_consent if editor is not None else None
        if editor is None or clip is None:
            return
        if self._plays_consent:
            self._playback.stop()
            return

        def play(found: tuple[Recording, Levels]) -> None:
            if self.editor is editor:
                self._play(heard(clip, found[0].samples), clip.rate, 0.0, False)
                self._plays_consent = True

        self._voicing.listen(self._path(clip), play)

    # Hearing

    @Slot(object, int, float, bool)
    def _play(self, samples: Samples, rate: int, begins: float, again: bool) -> None:
        self._begins = begins
        self._plays, self._plays_consent = True, False
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
            self._plays = self._plays_consent = False
        if self.editor is not None:
            self.editor.details.spoken.show_playing(self._plays_consent)
            unseen = seconds is None or self._plays_consent
            self.editor.show_playhead(None if unseen else self._begins + (seconds or 0.0))

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
        if editor.clip is not None:
            self._align(editor.clip)
        cast = codes.cast(voice)
        if self._tries and not self._trying.speaking(_KEY):
            if cast is not None:
                self._trying.speak(_KEY, cast, sentence_in(voice.language))
            elif codes.state(voice) != WAITING and not codes.state(voice).startswith(CODING):
                self._tries = False
        editor.show_trying(self._tries)
        if not self._voicing.may_change(voice):
            return
        state = codes.state(voice)
        if state == READY:
            there = cast is not None and self._remembering.has(cast)
            self._say(f"Codes ready · prompt memory {'on disk' if there else 'made on first use'}")
        elif state == NO_WORDS:
            self._say("Codes ready · the words are missing")
        else:
            self._say(f"{state.capitalize()}…")

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
        new = {clip.file: self._paths[clip.file] for clip in voice.recordings if clip.file in self._paths}
        editor = self.editor

        def ended(well: bool) -> None:
            if editor is not None and self.editor is editor:
                editor.show_saved(well)

        self._voicing.save(voice, new, ended)
