"""The voice desk: everything about voices that ends in a dialog or a menu. What they wish, `Voicing` does."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu, QWidget

from engine.request import Reference, Samples, Voice
from studio import showing, theme
from studio.casting import Casting
from studio.confirming import may_delete, may_drop, path_to_save
from studio.engine_thread import EngineThread
from studio.file_thread import FileThread
from studio.library.recordings import readable
from studio.library.share import SUFFIX, SharedVoice
from studio.library.voices import LibraryVoice, credits_of
from studio.microphone import Input, InputDevice, MicrophoneError, SoundInput, find_inputs
from studio.panels.recorder import PASSAGE, Recorder, consent_passage
from studio.panels.voice_card import VoiceCard
from studio.panels.voice_comparison import VoiceComparison
from studio.panels.voices import VoiceRow, VoicesPanel
from studio.recogniser_thread import RecogniserThread
from studio.remembering import Remembering
from studio.samples import Peaks, Print
from studio.session import Performing, Playback, Session
from studio.settings import Preferences
from studio.trying import Trying, sentence_in
from studio.voice_editing import VoiceEditing
from studio.voice_rows import voice_rows
from studio.voicing import Voicing

SOON = 40  # ms that changes of many voices are gathered for
_COMPARED = "compared "  # begins the keys of sentences that are compared


class VoiceDesk(QObject):
    """Connects the voices' panel with the library; `window` is what the dialogs stand over."""

    problem = Signal(object, str)
    said = Signal(str)

    def __init__(
        self,
        window: QWidget,
        session: Session,
        casting: Casting,
        performing: Performing,
        playback: Playback,
        files: FileThread,
        engine: EngineThread,
        recogniser: RecogniserThread,
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._casting = window, session, casting
        self._performing, self._playback = performing, playback
        self.panel = VoicesPanel()
        self.voicing = Voicing(session, files, engine)
        self.remembering = Remembering(engine)
        self.trying = Trying(session, playback, engine)
        self.editing = VoiceEditing(
            window, session, self.voicing, playback, self.trying, engine, self.remembering, recogniser
        )
        self.open_input: Callable[[InputDevice | None], Input] = SoundInput
        self.find_inputs: Callable[[], tuple[InputDevice, ...]] = find_inputs
        self.recorder: Recorder | None = None
        self.card: VoiceCard | None = None
        self.comparison: VoiceComparison | None = None
        self._carried = session.project.voices
        self._soon = QTimer(self, interval=SOON, singleShot=True)
        self._opens_next = False  # the editor, for a voice that comes in without words
        self._edits = ""  # the voice that is copied into the library to be edited
        self._connect()
        self.show()

    def _connect(self) -> None:
        for source in (self.voicing, self.trying, self.editing):
            source.problem.connect(self.problem)
        self.voicing.said.connect(self.said)
        self.voicing.came.connect(self._came)
        self.trying.changed.connect(self._show_compared)
        self.editing.record_wanted.connect(self._record_clip)
        self.editing.record_consent_wanted.connect(self._record_consent)
        self._soon.timeout.connect(self.show)
        self.voicing.changed.connect(self._soon.start)
        self.remembering.changed.connect(self._soon.start)
        self._performing.voices_changed.connect(self._soon.start)
        self._session.project_changed.connect(self._follow_project)
        panel = self.panel
        panel.audition_wanted.connect(self.audition)
        panel.edit_wanted.connect(self.edit)
        panel.delete_wanted.connect(self.delete)
        panel.favourite_wanted.connect(self.set_favourite)
        panel.menu_wanted.connect(self.open_menu)
        panel.add_voice_wanted.connect(self.add)
        panel.record_wanted.connect(self.record)
        panel.files_dropped.connect(self.add_files)

    @Slot()
    def _follow_project(self) -> None:
        """What the project carries of them may have changed; typing changes nothing of it."""
        if self._session.project.voices is not self._carried:
            self._carried = self._session.project.voices
            self._soon.start()

    def show_preferences(self, preferences: Preferences) -> None:
        self.voicing.open_second(Path(preferences.second_library) if preferences.second_library else None)

    def credits(self, names: frozenset[str]) -> str:
        """Who allowed the use of the library's voices of these names."""
        return credits_of(voice for voice in self.voicing.voices if voice.name in names)

    def close(self) -> None:
        """Let the library go."""
        self.voicing.close()

    @Slot()
    def show(self) -> None:
        """All voices as they are now."""
        self.panel.show_voices(self.rows())
        self.panel.show_may_add(not self.voicing.read_only)

    def rows(self) -> tuple[VoiceRow, ...]:
        """All voices as the panel lists them."""
        session, voicing = self._session, self.voicing
        thumbnails = {name: showing.thumbnail(held) for name, held in self._performing.voice_prints.items()}
        return voice_rows(session.project, session.voices(), voicing.voices, voicing.codes.state, thumbnails,
                          voicing.reading, datetime.date.today(), voicing.is_own, self._remembered,
                          voicing.following.known_as(voicing.voices))  # fmt: skip

    def _remembered(self, voice: LibraryVoice) -> bool:
        cast = self.voicing.cast(voice)
        return cast is not None and self.remembering.has(cast)

    # Coming in

    @Slot()
    def add(self) -> None:
        sounds = " ".join(f"*{suffix}" for suffix in readable())
        kinds = f"Recordings and voices ({sounds} *{SUFFIX});;Recordings ({sounds});;Voice files (*{SUFFIX})"
        paths, _ = QFileDialog.getOpenFileNames(self._window, "Add voices", str(Path.home()), kinds)
        self.add_files(paths)

    @Slot(list)
    def add_files(self, paths: list[str]) -> None:
        """Recordings become voices; a voice file is shown before it comes in. A single recording whose words are not
        known is opened at once, for they must be written."""
        found = [Path(path) for path in paths]
        sounds = [path for path in found if path.suffix.lower() != SUFFIX]
        self._opens_next = len(sounds) == 1
        self.voicing.bring_in(sounds)
        for path in found:
            if path.suffix.lower() == SUFFIX:
                self.voicing.look_into(path, self._show_card)

    @Slot(object)
    def _came(self, voice: LibraryVoice) -> None:
        wordless = self._opens_next and not all(clip.transcript for clip in voice.clips)
        if wordless or voice.name == self._edits:
            self.editing.edit(voice.name)
        self._opens_next, self._edits = False, ""

    def _show_card(self, shared: SharedVoice) -> None:
        """What is in a voice file, before it comes in."""
        self.card = VoiceCard(shared, self._window)
        self.card.take_in_wanted.connect(self.voicing.take_in)
        self.card.play_wanted.connect(self._play)
        self.card.finished.connect(self._playback.stop)
        self.card.open()

    @Slot()
    def record(self) -> None:
        """Record a voice."""
        if self._open_recorder(self._window) and self.recorder is not None:
            self.recorder.recorded.connect(self._keep_recording)

    @Slot()
    def _record_clip(self) -> None:
        """Record a clip for the voice that is being edited."""
        if self._open_recorder(self.editing.editor or self._window) and self.recorder is not None:
            self.recorder.recorded.connect(self.editing.add_recording)

    @Slot()
    def _record_consent(self) -> None:
        """Record what somebody says to allow the use of the voice that is being edited."""
        editor = self.editing.editor
        who = editor.voice.permission.who if editor is not None else ""
        passage = consent_passage(who, datetime.date.today())
        if self._open_recorder(editor or self._window, passage) and self.recorder is not None:
            self.recorder.recorded.connect(self.editing.add_consent)

    def _open_recorder(self, over: QWidget, passage: str = PASSAGE) -> bool:
        self._playback.stop()
        self._playback.look_for_devices()
        try:
            devices = self.find_inputs()
        except MicrophoneError as error:
            self.problem.emit(error, "record")
            return False
        self.recorder = Recorder(devices, self.open_input, over, passage)
        meaning = "What you have recorded is not used anywhere yet, and is lost."
        self.recorder.may_drop = partial(may_drop, self.recorder, "Leave without a recording?", meaning)
        self.recorder.play_wanted.connect(self._play)
        self.recorder.stop_wanted.connect(self._playback.stop)
        self.recorder.finished.connect(self.recorder.deleteLater)
        self.recorder.open()
        return True

    @Slot(object, int, str)
    def _keep_recording(self, samples: Samples, rate: int, words: str) -> None:
        self.voicing.bring_in_sound(f"Recording {datetime.datetime.now():%Y-%m-%d %H.%M}", samples, rate, words)

    def bring_in_take(self) -> None:
        """Make the kept take of the chosen line a voice."""
        line = self._session.line
        take = self._session.kept(line) if line is not None else None
        held = self._session.print_of(take.id) if take is not None else None
        if line is None or take is None or held is None:
            self.said.emit("Choose a line whose take can be heard: that take becomes a voice")
            return
        name = f"{line.character or 'Voice'}, line {self._session.number(line.id)}"
        spoken_here = Reference(take.origin.prompt.text, take.codes)
        self.voicing.bring_in_voice(Voice(name, (spoken_here,), take.origin.codec), (held,))

    @Slot(str)
    def edit(self, name: str) -> None:
        """A voice of the library is opened; any other is copied there first, and opened as soon as it is there."""
        if self.voicing.named(name) is not None:
            self.editing.edit(name)
        else:
            self._edits = name
            self.copy(name)

    def copy(self, name: str) -> None:
        """A voice of the project's, or one that came with the checkpoint, comes into the library: with the clips that
        are in the project's file, else with the first one as its codes sound."""
        voice = next((each for each in self._session.voices() if each.name == name), None)
        if voice is not None:
            self._session.look_up_clips(voice, partial(self._copy, voice))

    def _copy(self, voice: Voice, clips: tuple[Print | None, ...]) -> None:
        first = self._performing.voice_prints.get(voice.name)
        known = [clips[0] or first, *clips[1:]] if clips else []
        if not known or known[0] is None:
            self.said.emit(f"{voice.name} is not there yet: try again in a moment")
            return
        there = [(each, held) for each, held in zip(voice.references, known, strict=True) if held is not None]
        self.voicing.bring_in_voice(replace(voice, references=tuple(each for each, _ in there)), [h for _, h in there])

    # Hearing

    @Slot(str)
    def audition(self, name: str) -> None:
        """The first clip of a voice, as it was recorded; of others, as its codes sound."""
        voice = self.voicing.named(name)
        if voice is None:
            self._performing.audition_voice(name)
        elif voice.clips:
            self.voicing.hear(voice, voice.clips[0], self._playback.play_aside)

    def compare(self, name: str) -> None:
        """The same sentence with up to six voices."""
        kept = self.voicing.named(name)
        sentence = sentence_in(kept.language if kept is not None else "")
        names = [voice.name for voice in self._session.voices()]
        self.comparison = VoiceComparison(names, name, sentence, self._window)
        self.comparison.speak_wanted.connect(self._speak_to_compare)
        self.comparison.play_wanted.connect(self._play_compared)
        self.comparison.give_wanted.connect(self._give)
        self.comparison.finished.connect(self._playback.stop)
        self.comparison.open()

    @Slot(int, str, str)
    def _speak_to_compare(self, row: int, name: str, sentence: str) -> None:
        voice = next((each for each in self._session.voices() if each.name == name), None)
        if voice is not None:
            self.trying.speak(f"{_COMPARED}{row}", voice, sentence, aloud=False)

    @Slot(str)
    def _show_compared(self, key: str) -> None:
        if self.comparison is not None and key.startswith(_COMPARED):
            wave = showing.thumbnail(self.trying.prints.get(key))
            self.comparison.show_row(int(key.removeprefix(_COMPARED)), wave, self.trying.speaking(key))

    @Slot(int)
    def _play_compared(self, row: int) -> None:
        if (held := self.trying.prints.get(f"{_COMPARED}{row}")) is not None:
            self._playback.play_aside(held)

    @Slot(str)
    def _give(self, name: str) -> None:
        """Give a voice to the character of the chosen line."""
        if (line := self._session.line) is not None:
            self._casting.give_voice(line.character, name)

    def speak(self, name: str) -> None:
        """The sentence that voices are tried with, spoken by one of them."""
        kept = self.voicing.named(name)
        voice = next((each for each in self._session.voices() if each.name == name), None)
        if voice is not None:
            self.trying.speak(name, voice, sentence_in(kept.language if kept is not None else ""))

    @Slot(object, int)
    def _play(self, samples: Samples, rate: int) -> None:
        self._playback.play_aside(Print(rate, samples, Peaks(samples)))

    # The menu of a voice

    @Slot(str, QPoint)
    def open_menu(self, name: str, place: QPoint) -> None:
        menu = QMenu(self._window)
        menu.setObjectName("voice menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.triggered.connect(self._act)
        voice, ready = self.voicing.named(name), any(each.name == name for each in self._session.voices())
        _entry(menu, "Play\tSpace", partial(self.audition, name))
        sentence = sentence_in(voice.language if voice is not None else "")
        _entry(menu, f"Say “{sentence}”", partial(self.speak, name), ready)
        if voice is not None and voice.spoken_consent is not None:
            hear = partial(self.voicing.hear, voice, voice.spoken_consent, self._playback.play_aside)
            _entry(menu, "Hear the spoken consent", hear)
        _entry(menu, "Compare with others…", partial(self.compare, name), ready)
        line = self._session.line
        if line is not None and self._session.project.character(line.character) is not None:
            _entry(menu, f"Give it to {line.character}", partial(self._give, name), ready)
        menu.addSeparator()
        if voice is None:
            _entry(menu, "Copy to the library", partial(self.copy, name), not self.voicing.read_only)
        else:
            self._library_entries(menu, voice)
        menu.popup(place)

    def _library_entries(self, menu: QMenu, voice: LibraryVoice) -> None:
        if not self.voicing.is_own(voice):
            _entry(menu, "Look at it…\tE", partial(self.editing.edit, voice.name))
            copy = partial(self.voicing.copy_in, voice)
            _entry(menu, "Copy into my library", copy, not self.voicing.read_only)
            _entry(menu, "Share…", partial(self.share, voice.name))
            return
        may = not self.voicing.read_only
        if self.voicing.following.differs(voice):
            _entry(menu, "Take it into the project as it is here", partial(self.voicing.following.renew, voice))
        _entry(menu, "Edit…\tE", partial(self.editing.edit, voice.name))
        star = "Take from the favourites" if voice.favourite else "Make a favourite"
        _entry(menu, star, partial(self.set_favourite, voice.name, not voice.favourite), may)
        folders = menu.addMenu("Folder")
        folders.setEnabled(may)
        for folder in ("", *sorted({each.folder for each in self.voicing.voices if each.folder}, key=str.casefold)):
            action = _entry(folders, folder or "None", partial(self._change, voice.id, folder=folder))
            action.setCheckable(True)
            action.setChecked(voice.folder == folder)
        folders.addSeparator()
        _entry(folders, "New folder…", partial(self._ask_folder, voice.id))
        colours = menu.addMenu("Colour")
        colours.setEnabled(may)
        for colour, named in ((None, "None"), *enumerate(theme.CHARACTER_COLOURS)):
            action = _entry(colours, named, partial(self._change, voice.id, colour=colour))
            action.setCheckable(True)
            action.setChecked(voice.colour == colour)
        menu.addSeparator()
        _entry(menu, "Share…", partial(self.share, voice.name))
        _entry(menu, "Delete…\tDel", partial(self.delete, voice.name), may)

    @Slot(QAction)
    def _act(self, action: QAction) -> None:
        if (verb := action.data()) is not None:
            verb()

    def _change(self, voice_id: str, **fields: object) -> None:
        voice = self.voicing.voice(voice_id)
        if voice is not None and self.voicing.may_change(voice):
            self.voicing.save(replace(voice, **fields))  # type: ignore[arg-type]

    @Slot(str, bool)
    def set_favourite(self, name: str, favourite: bool) -> None:
        voice = self.voicing.named(name)
        if voice is not None:
            self._change(voice.id, favourite=favourite)

    def _ask_folder(self, voice_id: str) -> None:
        folder, told = QInputDialog.getText(self._window, "New folder", "Name of the folder:")
        if told and folder.strip():
            self._change(voice_id, folder=folder.strip())

    def share(self, name: str) -> None:
        voice = self.voicing.named(name)
        if voice is None:
            return
        plain = "".join(letter if letter.isalnum() or letter in " -,." else "_" for letter in name).strip(" .")
        suggested = Path.home() / f"{plain or 'voice'}{SUFFIX}"
        path = path_to_save(self._window, "Share the voice", suggested, f"Voice (*{SUFFIX})", SUFFIX)
        if path is not None:
            self.voicing.share(voice, path)

    @Slot(str)
    def delete(self, name: str) -> None:
        voice = self.voicing.named(name)
        if voice is None or not self.voicing.may_change(voice):
            return
        meaning = "Its recordings go for good. Projects that cast it carry what they need of it."
        if may_delete(self._window, f"Delete the voice “{name}” from the library?", meaning):
            self.voicing.remove(voice)


def _entry(menu: QMenu, text: str, verb: Callable[[], object], able: bool = True) -> QAction:
    action = menu.addAction(text.replace("&", "&&"))
    action.setData(verb)
    action.setEnabled(able)
    return action
