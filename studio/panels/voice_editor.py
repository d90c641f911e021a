"""The voice editor: the clips of a voice, cut and levelled, with their words; how good they are; and a sentence to try.

It changes a value and shows it; whoever opened it reads, measures, plays and saves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from studio.controls import ElidedLabel, IconButton, KeyButton, label, local_files, set_tone
from studio.layouts import separator
from studio.library.clips import faded, heard, match_loudness, moved, trim_silence
from studio.library.coverage import Word, words_in_time
from studio.library.levels import Levels
from studio.library.quality import Report
from studio.library.recordings import BY_FFMPEG, SUFFIXES, Recording
from studio.library.voices import Clip, LibraryVoice, with_clip
from studio.panels.voice_editor_details import Details, row_of
from studio.panels.voice_editor_fades import Fades
from studio.panels.voice_editor_wave import TrimWave
from studio.panels.voice_editor_words import Words
from studio.samples import Peaks

MEASURE_AFTER = 150  # ms without a change until a clip is measured
_MARGIN = 0.06  # seconds of room around words that are played


@dataclass(frozen=True, eq=False)
class _Heard:
    """A recording that was read."""

    recording: Recording
    levels: Levels
    peaks: Peaks


class VoiceEditor(QDialog):
    """Every change is a step of its own Undo; nothing is kept before Save voice."""

    report_wanted = Signal(object)  # a Clip
    play_wanted = Signal(object, int, float, bool)  # samples, their rate, the second they begin at, again and again
    stop_wanted = Signal()
    recognise_wanted = Signal(object)  # a Clip
    try_wanted = Signal(object)  # a LibraryVoice
    save_wanted = Signal(object)  # a LibraryVoice
    add_clips_wanted = Signal()
    record_wanted = Signal()
    files_dropped = Signal(list)

    def __init__(self, voice: LibraryVoice, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Voice: {voice.name}")
        self.setAcceptDrops(True)
        self.resize(980, 586)
        self._heard: dict[str, _Heard] = {}  # by Clip.file
        self._aligned: dict[Clip, tuple[Word, ...]] = {}
        self._steps: list[LibraryVoice] = [voice]
        self._at = 0
        self.may_drop: Callable[[], bool] = lambda: True  # asked before what was changed is lost
        self._gesture: Hashable = None
        self._place = 0
        self._playing = False
        self._read_only = self._saving = False
        self._sentence = sentence
        self._told = ""  # how far the codes are
        self._measure = QTimer(self, interval=MEASURE_AFTER, singleShot=True)
        self._measure.timeout.connect(self._want_report)
        self._make()
        self._lay()
        self._connect()
        self._show_all()
        (self.wave if all(clip.transcript for clip in voice.clips) else self.words.field).setFocus()

    def _make(self) -> None:
        self.source, self.used = ElidedLabel(12, tone="muted"), label("", 12, tone="muted")
        self.wave, self.words, self.details = TrimWave(), Words(), Details()
        self.before = IconButton("skip-back", "The clip before")
        self.after = IconButton("skip-forward", "The next clip")
        self.add, self.record = IconButton("plus", "Add clips…"), IconButton("microphone", "Record a clip…")
        self.remove = IconButton("trash", "Take this clip out of the voice")
        self.first = IconButton("undo", "Have the voice read this clip first")
        self.play = KeyButton("Play", "Space", tip="Play what is between the handles", icon="play")
        self.loop = IconButton("loop", "Play it again and again")
        self.loop.setCheckable(True)
        self.trim = KeyButton("Trim silence", tip="Cut off the silence at both ends")
        self.match = KeyButton("Match loudness", tip="Make it as loud as speech is read best, −20 LUFS")
        self.undo = KeyButton("Undo", tip="Take back the last change (Ctrl+Z)")
        self.fades = Fades()
        self.loudness = label("", 12, tone="muted")
        self.state = label("", 13, tone="muted")
        self.try_ = KeyButton(f"Try it: “{self._sentence}”", tip="Hear the voice say it")
        self.cancel = KeyButton("Cancel", tip="Leave the voice as it was (Esc)")
        self.save = KeyButton("Save voice", "Ctrl+S", kind="filled")

    def _lay(self) -> None:
        top = row_of(self.before, self.after)
        top.addWidget(self.source, 1)
        top.addWidget(self.loudness)
        top.addSpacing(8)
        for widget in (self.used, self.first, self.remove, self.record, self.add):
            top.addWidget(widget)
        verbs = row_of(self.play, self.loop, self.trim, self.match, self.undo)
        verbs.addStretch(1)
        verbs.addWidget(self.fades)
        left = QVBoxLayout()
        left.setContentsMargins(16, 12, 16, 16)
        left.setSpacing(8)
        left.addLayout(top)
        left.addWidget(self.wave, 3)
        left.addLayout(verbs)
        left.addSpacing(6)
        left.addWidget(self.words, 2)
        line = QFrame()
        line.setProperty("kind", "separator")
        line.setFixedWidth(1)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addLayout(left, 1)
        middle.addWidget(line)
        middle.addWidget(self.details)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 12, 16, 12)
        foot.setSpacing(8)
        foot.addWidget(self.state, 1)
        for button in (self.try_, self.cancel, self.save):
            foot.addWidget(button)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addLayout(middle, 1)
        stack.addWidget(separator())
        stack.addLayout(foot)

    def _connect(self) -> None:
        self.wave.trim_moved.connect(self._move_trim)
        self.wave.trim_set.connect(self._set_trim)
        self.wave.seek_wanted.connect(self._seek)
        self.wave.play_wanted.connect(self.toggle)
        self.fades.changed.connect(self._fade)
        self.words.changed.connect(self._write)
        self.words.play_words_wanted.connect(self._play_words)
        self.words.recognise_wanted.connect(self._recognise)
        self.words.undo_wanted.connect(self.take_back)
        self.words.redo_wanted.connect(self.do_again)
        self.details.changed.connect(self._change_details)
        for button, verb in (
            (self.before, self._to_clip_before), (self.after, self._to_next_clip), (self.remove, self._remove_clip),
            (self.first, self._put_first), (self.play, self.toggle), (self.trim, self._trim_silence),
            (self.match, self._match_loudness), (self.undo, self.take_back), (self.try_, self._try),
            (self.cancel, self.reject), (self.save, self._save), (self.add, self.add_clips_wanted),
            (self.record, self.record_wanted),
        ):  # fmt: skip
            button.clicked.connect(verb)

    # What is shown

    @property
    def voice(self) -> LibraryVoice:
        """The voice as it is now."""
        return self._steps[self._at]

    @property
    def clip(self) -> Clip | None:
        """The clip that is shown."""
        return self.voice.clips[self._place] if self.voice.clips else None

    def show_recording(self, file: str, recording: Recording, levels: Levels) -> None:
        """The recording of a clip was read."""
        self._heard[file] = _Heard(recording, levels, Peaks(recording.samples))
        if self.clip is not None and self.clip.file == file:
            self._show_all()

    def show_report(self, clip: Clip, report: Report) -> None:
        """What was measured of a clip; where it was changed meanwhile, another report is on its way."""
        if clip != self.clip:
            return
        self.details.quality.show_report(report)
        loud = f"{report.loudness:.1f} LUFS" if report.loudness > -100 else "Silence"
        self.loudness.setText(f"{loud} · peak {report.peak:.1f} dB".replace("-", "−") if report.peak > -100 else loud)
        told = report.on("transcript")
        covered = report.coverage
        marked = tuple((word.start, word.stop) for word in report.lost)
        self.words.show_fit(told.fact if told is not None and not told.good else "", told is None or told.good,
                            marked or self._last_words(clip.transcript, covered.soundless))  # fmt: skip

    def show_alignment(self, clip: Clip, words: tuple[Word, ...]) -> None:
        """When the words of a clip are said, as the engine finds them; before that they are estimated."""
        self._aligned[clip] = words

    def show_state(self, words: str) -> None:
        """How far the codes are, in the lower left corner, unless something keeps the voice from being saved."""
        self._told = words
        self._show_told()

    def _show_told(self) -> None:
        fault = self.details.faults()
        self.state.setText(fault or self._told)
        set_tone(self.state, "warning" if fault else "muted")

    def show_playhead(self, seconds: float | None) -> None:
        """Where in the recording it plays; None where nothing does."""
        self._playing = seconds is not None
        self.play.show_text("Stop" if self._playing else "Play")
        if seconds is not None:
            self.wave.show_playhead(seconds)

    def show_trying(self, trying: bool) -> None:
        self.try_.setEnabled(not trying)
        self.try_.show_text("Speaking…" if trying else f"Try it: “{self._sentence}”")

    def show_read_only(self, why: str) -> None:
        """All can be looked at and tried, and nothing saved."""
        self._read_only = True
        self.details.spoken.allow(False)
        self.show_state(why)
        self._show_all()

    def show_saved(self, well: bool) -> None:
        """What Save came to: the editor closes, or holds what could not be written."""
        self._saving = False
        if well:
            self.accept()
            return
        self._show_all()
        self.show_state("It could not be saved. All that you changed is still here.")

    def add_clip(self, clip: Clip) -> None:
        """Another clip at the end of the voice; it is shown."""
        self._do(replace(self.voice, clips=(*self.voice.clips, clip)))
        self._go(len(self.voice.clips) - 1)

    def keep_consent(self, clip: Clip) -> None:
        """What was said to allow the use of the voice; a step of its own."""
        self._do(replace(self.voice, spoken_consent=clip))

    def write_words(self, clip: Clip, words: str) -> None:
        """The words of a clip were recognised; a step of its own."""
        places = [place for place, each in enumerate(self.voice.clips) if each == clip]
        if places and words:
            self._do(with_clip(self.voice, places[0], replace(clip, transcript=words)))

    # Steps

    def _do(self, voice: LibraryVoice, gesture: Hashable = None) -> None:
        """The voice becomes another: a step of its own, or a part of the gesture that goes on."""
        if voice == self.voice:
            return
        if gesture is None or gesture != self._gesture:
            self._steps = [*self._steps[: self._at + 1], voice]
            self._at += 1
        else:
            self._steps = [*self._steps[: self._at], voice]
        self._gesture = gesture
        self._show_all()

    def _change_clip(self, change: Callable[[Clip], Clip], gesture: Hashable = None) -> None:
        if self.clip is not None:
            self._do(with_clip(self.voice, self._place, change(self.clip)), gesture)

    @Slot()
    def take_back(self) -> None:
        self._step(-1)

    @Slot()
    def do_again(self) -> None:
        self._step(1)

    def _step(self, by: int) -> None:
        if 0 <= self._at + by < len(self._steps):
            self._at += by
            self._gesture = None
            self._place = min(self._place, max(0, len(self.voice.clips) - 1))
            self._show_all()

    def _show_all(self) -> None:
        voice, clip = self.voice, self.clip
        held = self._heard.get(clip.file) if clip is not None else None
        many = len(voice.clips) > 1
        for button in (self.before, self.after, self.remove):
            button.setVisible(many)
        self.before.setEnabled(self._place > 0)
        self.after.setEnabled(self._place < len(voice.clips) - 1)
        self.first.setVisible(many and self._place > 0)
        self.undo.setEnabled(self._at > 0)
        self.save.setEnabled(not self._read_only and not self._saving)
        for widget in (self.play, self.trim, self.match, self.fades, self.words, self.try_):
            widget.setEnabled(held is not None)
        self.details.show_voice(voice)
        self._show_clip(clip, held)
        self._measure.start()

    def _show_clip(self, clip: Clip | None, held: _Heard | None) -> None:
        if clip is None:
            return
        peaks = held.peaks if held is not None else None
        if getattr(self, "_shown", None) != (clip.file, held is not None):
            self._shown = (clip.file, held is not None)
            self.wave.show_recording(peaks, clip.rate, clip.whole_seconds)
            self.details.quality.show_report(None)
            self.words.show_fit("", True)
        self.wave.show_colour(self.voice.colour or 0)
        self.wave.show_trim(clip.trim[0] / clip.rate, clip.trim[1] / clip.rate)
        self.wave.show_fades(*clip.fades)
        self.fades.show_fades(*clip.fades)
        self.words.show_words(clip.transcript)
        number = f"Clip {self._place + 1} of {len(self.voice.clips)} · " if len(self.voice.clips) > 1 else ""
        channels = "mono" if clip.channels == 1 else "stereo, mixed to mono"
        gain = f" · {clip.gain:+.1f} dB".replace("-", "−") if clip.gain else ""
        self.source.show_text(f"{number}{clip.name} · {clip.rate / 1000:g} kHz {channels}{gain}")
        self.used.setText(f"{clip.seconds:.1f} s used of {clip.whole_seconds:.1f} s")

    # Wishes

    @Slot()
    def _want_report(self) -> None:
        if self.clip is not None and self.clip.file in self._heard:
            self.report_wanted.emit(self.clip)

    @Slot(float, float)
    def _move_trim(self, start: float, stop: float) -> None:
        self._change_clip(lambda clip: moved(clip, start, stop), ("trim", self._place))

    @Slot(float, float)
    def _set_trim(self, start: float, stop: float) -> None:
        self._move_trim(start, stop)
        self._gesture = None

    @Slot(float, float)
    def _fade(self, rising: float, falling: float) -> None:
        self._change_clip(lambda clip: faded(clip, rising, falling), ("fades", self._place))

    @Slot()
    def _recognise(self) -> None:
        if self.clip is not None:
            self.recognise_wanted.emit(self.clip)

    @Slot(str)
    def _write(self, words: str) -> None:
        self._change_clip(lambda clip: replace(clip, transcript=words), ("words", self._place, len(words.split())))

    @Slot(object, str)
    def _change_details(self, voice: LibraryVoice, field: str) -> None:
        self._do(replace(voice, clips=self.voice.clips), ("details", field))
        self._show_told()

    @Slot()
    def _trim_silence(self) -> None:
        if (held := self._held()) is not None:
            self._change_clip(lambda clip: trim_silence(clip, held.levels))

    @Slot()
    def _match_loudness(self) -> None:
        if (held := self._held()) is not None:
            self._change_clip(lambda clip: match_loudness(clip, held.recording.samples))

    @Slot()
    def toggle(self) -> None:
        """Play what is between the handles, from the playhead where that is between them; or stop."""
        clip, held = self.clip, self._held()
        if self._playing:
            self.stop_wanted.emit()
        elif clip is not None and held is not None:
            start, stop = clip.trim[0] / clip.rate, clip.trim[1] / clip.rate
            at = self.wave.playhead
            begin = at if at is not None and start < at < stop - 0.05 and not self.loop.isChecked() else start
            samples = heard(clip, held.recording.samples)[round((begin - start) * clip.rate) :]
            self.play_wanted.emit(samples, clip.rate, begin, self.loop.isChecked())

    @Slot(float)
    def _seek(self, seconds: float) -> None:
        again = self._playing
        if again:
            self.stop_wanted.emit()
        self.wave.show_playhead(seconds)
        if again:
            self._playing = False
            self.toggle()

    @Slot(int, int)
    def _play_words(self, start: int, stop: int) -> None:
        """Where the engine found the words, or else where their letters' share of the speech is."""
        clip, held = self.clip, self._held()
        if clip is None or held is None:
            return
        first = clip.trim[0] / clip.rate
        inside = held.levels.cut(first, clip.trim[1] / clip.rate)
        found = self._aligned.get(clip) or words_in_time(clip.transcript, inside)
        words = [word for word in found if word.start < stop and word.stop > start]
        if words:
            begins, ends = max(0.0, words[0].begins - _MARGIN), min(clip.seconds, words[-1].ends + _MARGIN)
            samples = heard(clip, held.recording.samples)[round(begins * clip.rate) : round(ends * clip.rate)]
            self.play_wanted.emit(samples, clip.rate, first + begins, False)

    @Slot()
    def _to_clip_before(self) -> None:
        self._go(self._place - 1)

    @Slot()
    def _to_next_clip(self) -> None:
        self._go(self._place + 1)

    def _go(self, place: int) -> None:
        self.stop_wanted.emit()
        self._place = min(max(0, place), len(self.voice.clips) - 1)
        self._gesture = None
        self._show_all()

    @Slot()
    def _remove_clip(self) -> None:
        clips = self.voice.clips
        if len(clips) > 1:
            at, self._place = self._place, max(0, self._place - 1)
            self._do(replace(self.voice, clips=(*clips[:at], *clips[at + 1 :])))

    @Slot()
    def _put_first(self) -> None:
        clips, at = self.voice.clips, self._place
        self._place = 0
        self._do(replace(self.voice, clips=(clips[at], *clips[:at], *clips[at + 1 :])))

    @Slot()
    def _try(self) -> None:
        self.try_wanted.emit(self.voice)

    @Slot()
    def _save(self) -> None:
        if self.details.faults():
            self._show_told()
        elif not self._read_only:
            self._saving = True
            self.save.setEnabled(False)
            self.save_wanted.emit(self.voice)

    def _held(self) -> _Heard | None:
        return self._heard.get(self.clip.file) if self.clip is not None else None

    def _last_words(self, transcript: str, count: int) -> tuple[tuple[int, int], ...]:
        """Where the last `count` words stand: those that are left over when the sound is used up."""
        held = self._held()
        if not count or held is None or self.clip is None:
            return ()
        words = words_in_time(transcript, held.levels)
        return tuple((word.start, word.stop) for word in words[-count:])

    # Keys and files

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.toggle()
        elif event.matches(QKeySequence.StandardKey.Undo):
            self.take_back()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.do_again()
        elif event.matches(QKeySequence.StandardKey.Save):
            self._save()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _audio_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.files_dropped.emit(_audio_files(event))

    def reject(self) -> None:
        if self._at == 0 or self.may_drop():
            super().reject()

    def done(self, result: int) -> None:
        self._measure.stop()
        self.stop_wanted.emit()
        super().done(result)


def _audio_files(event: QDropEvent) -> list[str]:
    return [file for file in local_files(event) if Path(file).suffix.lower() in (*SUFFIXES, *BY_FFMPEG)]
