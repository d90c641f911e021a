"""A voice's way: it comes in from a recording, is cut, gets its words, is cast and heard, and outlives its library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox

from engine.audio import read
from engine.request import Speakers
from studio.microphone import InputDevice
from studio.panels.voice_editor import VoiceEditor
from tests.journeys.hands import CONTROL, Hands, Travel

SENTENCE = "I remembered an old song."


@pytest.fixture
def recording(embedded: Path, tmp_path: Path) -> Path:
    """Somebody says two sentences, with silence around them; in stereo."""
    first, rate = read(embedded / "voices" / "heart-2.flac")
    rest = np.zeros(rate, np.float32)
    samples = np.concatenate([rest, first, rest[: rate // 4], first, rest])
    soundfile.write(tmp_path / "old song.wav", np.stack([samples, samples], axis=1), rate)
    return tmp_path / "old song.wav"


def editor_of(hands: Hands) -> VoiceEditor:
    hands.until(lambda: hands.window.voices.editing.editor is not None)
    editor = hands.window.voices.editing.editor
    assert editor is not None
    hands.until(lambda: editor.play.isEnabled())
    return editor


def menu_entry(hands: Hands, name: str, text: str) -> QAction:
    """What the menu of a voice offers."""
    hands.window.voices.open_menu(name, QPoint(0, 0))
    menu = next(each for each in hands.window.findChildren(QMenu, "voice menu") if each.isVisible())
    return next(action for action in menu.actions() if action.text().startswith(text))


def choose(hands: Hands, name: str, text: str) -> None:
    action = menu_entry(hands, name, text)
    assert action.isEnabled()
    action.trigger()
    for menu in hands.window.findChildren(QMenu, "voice menu"):
        menu.close()


def test_from_a_recording_to_a_line_that_is_heard(travel: Travel, recording: Path) -> None:
    def journey(hands: Hands) -> None:
        hands.until_loaded()
        desk = hands.window.voices
        desk.panel.files_dropped.emit([str(recording)])
        editor = editor_of(hands)  # its words are not known: it opens at once
        assert editor.clip is not None
        assert editor.clip.seconds < 4.2  # the silence at both ends is gone
        stop = (editor.clip.samples - 1.0 * editor.clip.rate) / editor.clip.rate
        editor.wave.trim_set.emit(1.0, stop - 1.75)  # the first sentence alone
        editor.words.field.setFocus()
        QTest.keyClicks(editor.words.field, SENTENCE)
        hands.until(lambda: editor.details.quality.advice)
        hands.until(lambda: not [each for each in editor.details.quality.advice if each.about == "transcript"
                                 and not each.good])  # fmt: skip
        hands.until(lambda: editor.clip in desk.editing._aligned)  # the engine found when its words are said
        editor.try_.click()
        hands.until(lambda: "the voice in the editor" in desk.trying.prints)
        QTest.keyClick(editor, Qt.Key.Key_S, CONTROL)
        hands.until(lambda: any(voice.name == "old song" for voice in hands.session.library))
        choose(hands, "old song", "Give it to Mira")
        assert hands.session.project.cast[0].voice == "old song"
        hands.performing.generate((hands.line(1).id,), audible=True)
        hands.until_idle()
        (voice,) = hands.take(1).origin.prompt.voices
        assert (voice.name, voice.references[0].transcript) == ("old song", SENTENCE)

        hands.answer = QMessageBox.StandardButton.Discard
        desk.panel.delete_wanted.emit("old song")
        hands.until(lambda: not desk.voicing.voices)
        assert hands.session.project.voice("old song") is not None
        assert hands.state(1).kind.name == "READY"

    travel(journey)


def test_a_consent_is_spoken_kept_and_heard(travel: Travel, recording: Path) -> None:
    recording.with_suffix(".txt").write_text(f"{SENTENCE} {SENTENCE}", encoding="utf-8")

    def journey(hands: Hands) -> None:
        hands.until_loaded()
        desk = hands.window.voices
        desk.open_input = Throat
        desk.find_inputs = lambda: (InputDevice("Desk", "ALSA"),)
        desk.add_files([str(recording)])
        hands.until(lambda: any(voice.name == "old song" for voice in hands.session.library))
        choose(hands, "old song", "Edit")
        editor = editor_of(hands)
        permission = editor.details.permission
        permission.setCurrentText("Spoken")
        permission.activated.emit(permission.currentIndex())
        editor.details.spoken.record.click()
        recorder = desk.recorder
        assert recorder is not None
        assert "I allow that my voice is recorded" in recorder.words.toPlainText()
        recorder.record.click()
        hands.until(lambda: recorder._blocks is not None and len(recorder._blocks) > 3)
        recorder.record.click()
        recorder.words.setPlainText("I allow it.")
        recorder.use.click()
        hands.until(lambda: editor.voice.spoken_consent is not None)
        editor.details.spoken.play.click()
        hands.until(lambda: editor.details.spoken.play.accessibleName() == "Stop")
        assert editor.wave.playhead is None
        editor.details.spoken.play.click()
        hands.until(lambda: editor.details.spoken.play.accessibleName() != "Stop")
        QTest.keyClick(editor, Qt.Key.Key_S, CONTROL)

        def kept() -> bool:
            voice = desk.voicing.named("old song")
            return voice is not None and voice.spoken_consent is not None

        hands.until(kept)
        assert "consent on record" in desk.credits(frozenset({"old song"}))
        choose(hands, "old song", "Hear the spoken consent")
        hands.until(lambda: hands.playback.playing)

    travel(journey)


def test_a_second_speaker_is_told_of(travel: Travel, recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the network is there that knows speakers."""

    class Ear:
        def speakers(self, samples: np.ndarray, rate: int) -> Speakers:
            who = np.eye(2, 256, dtype=np.float32)[[0] * 6 + [1] * 3]
            return Speakers(who, 0.4 * np.arange(9), 0.4 * np.arange(9) + 1.6)

    monkeypatch.setattr("engine.speaker.SpeakerEncoder.find", Ear)
    recording.with_suffix(".txt").write_text(f"{SENTENCE} {SENTENCE}", encoding="utf-8")

    def journey(hands: Hands) -> None:
        hands.until_loaded()
        desk = hands.window.voices
        desk.add_files([str(recording)])
        hands.until(lambda: any(voice.name == "old song" for voice in hands.session.library))
        choose(hands, "old song", "Edit")
        editor = editor_of(hands)
        hands.until(lambda: [each for each in editor.details.quality.advice if each.about == "speakers"])
        (advice,) = [each for each in editor.details.quality.advice if each.about == "speakers"]
        assert advice.fact.startswith("Another speaker from ")
        editor.reject()

    travel(journey)


def test_shared_and_taken_in_again(
    travel: Travel, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording.with_suffix(".txt").write_text(f"{SENTENCE} {SENTENCE}", encoding="utf-8")

    def journey(hands: Hands) -> None:
        hands.until_loaded()
        desk = hands.window.voices
        desk.add_files([str(recording)])
        hands.until(lambda: any(voice.name == "old song" for voice in hands.session.library))
        hands.choose_file(tmp_path / "given")
        choose(hands, "old song", "Share")
        hands.until(lambda: (tmp_path / "given.voice").exists())
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(tmp_path / "given.voice")], ""))
        hands.window.do("add_voice")
        hands.until(lambda: desk.card is not None and desk.card.isVisible())
        assert desk.card is not None
        desk.card.play.click()
        hands.until(lambda: hands.playback.playing)
        desk.card.take_in.click()
        hands.until(lambda: any(voice.name == "old song 2" for voice in hands.session.library))
        hands.until(lambda: [row.name for row in desk.panel._voices][-2:] == ["old song", "old song 2"])

    travel(journey)


def test_a_take_becomes_a_voice(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.window.do("voice_of_take")  # there is no take yet: that is said
        assert "becomes a voice" in hands.shown.jobs._message
        hands.performing.generate((hands.line(1).id,), audible=True)
        hands.until_idle()
        hands.session.choose_line(hands.line(1).id)
        hands.window.do("voice_of_take")
        hands.until(lambda: hands.session.library)
        (voice,) = hands.session.library
        assert voice.name == "Mira, line 1"
        np.testing.assert_array_equal(voice.references[0].codes, hands.take(1).codes)
        choose(hands, "Mira, line 1", "Say")
        hands.until(lambda: "Mira, line 1" in hands.window.voices.trying.prints)

    travel(journey)


def test_voices_are_compared_on_one_sentence(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        hands.until_loaded()
        hands.until(lambda: len(hands.session.voices()) == 4)
        desk = hands.window.voices
        choose(hands, "joe", "Compare")
        comparison = desk.comparison
        assert comparison is not None
        assert [choice.currentText() for choice in comparison.voices] == ["joe", "heart", "rms", "slt"]
        comparison.sentence.setText("Where are you going?")
        comparison.speak.click()
        hands.until(lambda: all(play.isEnabled() for play in comparison.plays))
        comparison.plays[1].click()
        hands.until(lambda: hands.playback.playing)
        assert hands.playback.seconds == 0  # the playhead stays where it is
        comparison.gives[0].click()
        assert hands.session.project.cast[0].voice == "joe"
        comparison.reject()

    travel(journey)


class Throat:
    """A microphone in front of somebody who speaks loudly."""

    rate = 22_050

    def __init__(self, device: InputDevice | None) -> None:
        self.closed = False

    def heard(self) -> np.ndarray:
        return (0.3 * np.sin(np.arange(self.rate // 2) / 9)).astype(np.float32)

    def close(self) -> None:
        self.closed = True


def test_a_voice_is_recorded(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        hands.until_loaded()
        desk = hands.window.voices
        desk.open_input = Throat
        desk.find_inputs = lambda: (InputDevice("Desk", "ALSA"),)
        hands.window.do("record_voice")
        recorder = desk.recorder
        assert recorder is not None
        recorder.record.click()
        hands.until(lambda: recorder._blocks is not None and len(recorder._blocks) > 3)
        recorder.record.click()
        recorder.words.setPlainText(SENTENCE)
        recorder.use.click()
        hands.until(lambda: hands.session.library)
        assert hands.session.library[0].name.startswith("Recording 20")
        assert hands.session.library[0].references[0].transcript == SENTENCE

    travel(journey)
