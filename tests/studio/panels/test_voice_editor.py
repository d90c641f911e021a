"""The editor by itself: what it shows, what it changes, what it wishes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.library.coverage import Word
from studio.library.levels import measure_levels
from studio.library.quality import Advice, Report, report
from studio.library.recordings import Recording
from studio.library.voices import Clip, Consent, LibraryVoice
from studio.panels.voice_editor import VoiceEditor

RATE = 8_000
CLIP = Clip("a" * 32, "ada.wav", RATE, 2, 4 * RATE, "WAV", (0, 4 * RATE), "Good evening, said the pilot.")
VOICE = LibraryVoice("1", "Ada", (CLIP, replace(CLIP, audio="b" * 32, name="two.wav")), "English", "warm")


def recording() -> Recording:
    """Silence for a second, two seconds of hum in two bursts, and silence."""
    time = np.arange(4 * RATE) / RATE
    loud = ((time > 1) & (time < 1.9)) | ((time > 2.1) & (time < 3))
    samples = 0.2 * np.sin(2 * np.pi * 200 * time) * loud
    return Recording(samples.astype(np.float32), RATE, 2, "WAV")


@pytest.fixture
def editor(qtbot: QtBot) -> VoiceEditor:
    made = VoiceEditor(VOICE, "The boat is late.")
    qtbot.addWidget(made)
    made.show()
    for clip in VOICE.clips:
        made.show_recording(clip.file, recording(), measure_levels(recording().samples, RATE))
    qtbot.waitUntil(made.isActiveWindow)
    return made


def a_report(clip: Clip) -> Report:
    return report(clip, recording(), measure_levels(recording().samples, RATE), (5.0, 30.0))


def trim(editor: VoiceEditor) -> tuple[float, float]:
    assert editor.clip is not None
    return editor.clip.trim[0] / RATE, editor.clip.trim[1] / RATE


def drag(editor: VoiceEditor, qtbot: QtBot, start: float, stop: float) -> None:
    """The pointer takes what is at `start` seconds to `stop` seconds."""
    y = editor.wave.height() // 2
    places = [QPoint(round(editor.wave._x(second)), y) for second in (start, stop)]
    qtbot.mousePress(editor.wave, Qt.MouseButton.LeftButton, pos=places[0])
    qtbot.mouseMove(editor.wave, places[1])
    qtbot.mouseRelease(editor.wave, Qt.MouseButton.LeftButton, pos=places[1])


def test_facts_of_the_clip(editor: VoiceEditor) -> None:
    assert editor.windowTitle() == "Voice: Ada"
    assert editor.source._whole == "Clip 1 of 2 · ada.wav · 8 kHz stereo, mixed to mono"
    assert editor.used.text() == "4.0 s used of 4.0 s"
    editor.grab()


def test_a_handle_is_dragged_in_one_step_of_undo(editor: VoiceEditor, qtbot: QtBot) -> None:
    drag(editor, qtbot, 0.0, 0.8)
    assert trim(editor)[0] == pytest.approx(0.8, abs=0.02)
    drag(editor, qtbot, 4.0, 3.2)
    assert trim(editor)[1] == pytest.approx(3.2, abs=0.02)
    editor.undo.click()
    assert trim(editor)[1] == 4.0
    assert trim(editor)[0] == pytest.approx(0.8, abs=0.02)
    editor.undo.click()
    assert editor.voice == VOICE
    assert not editor.undo.isEnabled()
    editor.do_again()
    assert trim(editor)[0] == pytest.approx(0.8, abs=0.02)


def test_changes_are_not_thrown_away_unasked(editor: VoiceEditor, qtbot: QtBot) -> None:
    answers = [False, True]
    editor.may_drop = lambda: answers.pop(0)
    drag(editor, qtbot, 0.0, 0.8)
    for stays in (True, False):
        editor.cancel.click()
        assert editor.isVisible() is stays
    assert not answers


def test_handles_do_not_cross(editor: VoiceEditor, qtbot: QtBot) -> None:
    drag(editor, qtbot, 4.0, 1.0)
    drag(editor, qtbot, 0.0, 3.9)
    assert trim(editor)[1] - trim(editor)[0] == pytest.approx(0.1)


def test_keys_of_the_wave(editor: VoiceEditor, qtbot: QtBot) -> None:
    editor.wave.setFocus()
    with qtbot.waitSignal(editor.wave.seek_wanted) as wish:
        qtbot.mouseClick(editor.wave, Qt.MouseButton.LeftButton, pos=QPoint(round(editor.wave._x(1.5)), 60))
    assert wish.args == [pytest.approx(1.5, abs=0.01)]
    assert editor.wave.playhead == pytest.approx(1.5, abs=0.01)
    qtbot.keyClick(editor.wave, Qt.Key.Key_BracketLeft)
    assert trim(editor)[0] == pytest.approx(1.5, abs=0.01)
    qtbot.keyClick(editor.wave, Qt.Key.Key_Period)
    qtbot.keyClick(editor.wave, Qt.Key.Key_Greater, Qt.KeyboardModifier.ShiftModifier)
    assert trim(editor)[0] == pytest.approx(1.61, abs=0.01)
    qtbot.keyClick(editor.wave, Qt.Key.Key_Comma)
    assert trim(editor)[0] == pytest.approx(1.6, abs=0.01)
    qtbot.keyClick(editor.wave, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert editor.wave.playhead == pytest.approx(1.6, abs=0.01)


def test_zoom_keeps_what_is_under_the_pointer(editor: VoiceEditor, qtbot: QtBot) -> None:
    wave = editor.wave
    place = QPointF(wave.width() / 4, 80)
    before = wave._second(place.x())
    for turn in (120, 240):
        event = QWheelEvent(place, wave.mapToGlobal(place), QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton,
                            Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
        QApplication.sendEvent(wave, event)
    assert wave._second(place.x()) == pytest.approx(before)
    assert wave._stop - wave._start < 3
    wave.grab()
    wave.setFocus()
    for _ in range(60):
        qtbot.keyClick(wave, Qt.Key.Key_Plus)
    assert wave._stop - wave._start >= 0.1
    wave.grab()
    qtbot.keyClick(wave, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert (wave._start, wave._stop) == (0.0, 4.0)


def test_silence_and_loudness(editor: VoiceEditor) -> None:
    editor.trim.click()
    assert trim(editor) == (pytest.approx(0.92, abs=0.03), pytest.approx(3.14, abs=0.03))
    editor.match.click()
    assert editor.clip is not None
    assert editor.clip.gain != 0
    assert "dB" in editor.source._whole
    editor.undo.click()
    editor.undo.click()
    assert editor.voice == VOICE


def test_the_report_is_wanted_once_all_is_still(editor: VoiceEditor, qtbot: QtBot) -> None:
    with qtbot.waitSignal(editor.report_wanted) as wish:
        editor.trim.click()
        editor.match.click()
    assert wish.args == [editor.clip]
    editor.show_report(CLIP, a_report(CLIP))  # an old one
    assert editor.details.quality.advice == ()
    assert editor.clip is not None
    editor.show_report(editor.clip, a_report(editor.clip))
    facts = [advice.fact for advice in editor.details.quality.advice]
    assert "Length 2.2 s, too short" in facts
    assert facts.index("Length 2.2 s, too short") > 0  # what is amiss stands last
    assert "LUFS" in editor.loudness.text()
    editor.grab()


def test_words_without_sound_are_marked(editor: VoiceEditor, qtbot: QtBot) -> None:
    editor.words.field.setPlainText("Good evening, said the pilot, you are late. " * 6)
    assert editor.clip is not None
    editor.show_report(editor.clip, a_report(editor.clip))
    assert "have no sound" in editor.words.told.text()
    marks = editor.words.field.extraSelections()
    assert marks
    assert all(mark.cursor.selectedText().isalpha() for mark in marks)
    editor.words.field.setPlainText("Good evening, said the pilot.")
    assert editor.clip is not None
    editor.show_report(editor.clip, a_report(editor.clip))
    assert editor.words.field.extraSelections() == []


def test_typing_is_undone_word_by_word(editor: VoiceEditor, qtbot: QtBot) -> None:
    editor.words.field.setFocus()
    editor.words.field.clear()
    qtbot.keyClicks(editor.words.field, "You are late")
    assert editor.clip is not None
    assert editor.clip.transcript == "You are late"
    qtbot.keySequence(editor.words.field, QKeySequence(QKeySequence.StandardKey.Undo))
    assert editor.clip.transcript.rstrip() == "You are"
    assert editor.words.field.toPlainText().rstrip() == "You are"
    qtbot.keySequence(editor.words.field, QKeySequence(QKeySequence.StandardKey.Redo))
    assert editor.clip.transcript == "You are late"


def test_space_plays_what_is_between_the_handles(editor: VoiceEditor, qtbot: QtBot) -> None:
    editor.wave.trim_set.emit(1.0, 3.0)
    editor.wave.setFocus()
    with qtbot.waitSignal(editor.play_wanted) as wish:
        qtbot.keyClick(editor.wave, Qt.Key.Key_Space)
    samples, rate, begins, again = wish.args
    assert (len(samples), rate, begins, again) == (2 * RATE, RATE, 1.0, False)
    editor.show_playhead(1.4)
    assert editor.play.text() == "Stop"
    with qtbot.waitSignal(editor.stop_wanted):
        editor.play.click()
    editor.show_playhead(None)
    editor.loop.click()
    with qtbot.waitSignal(editor.play_wanted) as wish:
        editor.play.click()
    assert wish.args[2:] == [1.0, True]


def test_selected_words_are_played(editor: VoiceEditor, qtbot: QtBot) -> None:
    with qtbot.waitSignal(editor.play_wanted) as wish:
        editor.words.play_words_wanted.emit(23, 28)
    samples, _, begins, again = wish.args
    assert 2.0 < begins < 3.0
    assert 0 < len(samples) < RATE
    assert not again


def test_words_are_played_where_the_engine_found_them(editor: VoiceEditor, qtbot: QtBot) -> None:
    assert editor.clip is not None
    editor.show_alignment(editor.clip, (Word(0, 4, 0.5, 0.9), Word(5, 12, 0.9, 1.5)))
    with qtbot.waitSignal(editor.play_wanted) as wish:
        editor.words.play_words_wanted.emit(6, 7)
    assert wish.args[2] == pytest.approx(0.84)
    assert len(wish.args[0]) == pytest.approx(0.72 * RATE, abs=1)


def test_clips_are_walked_put_first_and_taken_out(editor: VoiceEditor) -> None:
    assert not editor.before.isEnabled()
    editor.after.click()
    assert editor.clip is not None
    assert editor.clip.name == "two.wav"
    editor.first.click()
    assert [clip.name for clip in editor.voice.clips] == ["two.wav", "ada.wav"]
    editor.remove.click()
    assert [clip.name for clip in editor.voice.clips] == ["ada.wav"]
    assert editor.remove.isHidden()
    editor.undo.click()
    editor.undo.click()
    assert editor.voice == VOICE
    editor.add_clip(replace(CLIP, audio="c" * 32, name="three.wav"))
    assert editor.clip.name == "three.wav"
    assert editor.source._whole.startswith("Clip 3 of 3")
    assert not editor.play.isEnabled()  # its recording is being read


def test_name_language_and_permission(editor: VoiceEditor, qtbot: QtBot) -> None:
    details = editor.details
    details.name.setFocus()
    details.name.selectAll()
    qtbot.keyClicks(details.name, "Ada, warm")
    details.permission.setCurrentText("Written")
    details.permission.activated.emit(details.permission.currentIndex())
    assert not details._more.isHidden()
    for field, text in ((details.who, "Ada L."), (details.until, "2027-06-30"), (details.note, "!")):
        qtbot.keyClicks(field, text)
    assert editor.voice.name == "Ada, warm"
    assert editor.voice.note == "warm!"
    permission = editor.voice.permission
    assert (permission.consent, permission.who, permission.until) == (Consent.WRITTEN, "Ada L.", "2027-06-30")
    details.language.setCurrentText("Not stated")
    details.language.activated.emit(0)
    assert editor.voice.language == ""


@pytest.mark.parametrize(("field", "text"), [("name", ""), ("until", "June"), ("given", "2027-13-01")])
def test_what_cannot_be_saved_says_why(editor: VoiceEditor, qtbot: QtBot, field: str, text: str) -> None:
    editor.details.permission.setCurrentText("Written")
    editor.details.permission.activated.emit(editor.details.permission.currentIndex())
    line = getattr(editor.details, field)
    line.setText("x")
    line.selectAll()
    qtbot.keyClick(line, Qt.Key.Key_Delete)
    qtbot.keyClicks(line, text)
    with qtbot.assertNotEmitted(editor.save_wanted):
        editor.save.click()
    assert editor.isVisible()
    assert editor.state.text()


def test_what_is_told_comes_back_once_the_fault_is_mended(editor: VoiceEditor, qtbot: QtBot) -> None:
    editor.show_state("Codes ready")
    editor.details.name.selectAll()
    qtbot.keyClick(editor.details.name, Qt.Key.Key_Delete)
    assert editor.state.text() == "The voice needs a name"
    editor.show_state("Waiting…")
    assert editor.state.text() == "The voice needs a name"
    qtbot.keyClicks(editor.details.name, "Bea")
    assert editor.state.text() == "Waiting…"


def test_saving_and_trying_carry_the_voice(editor: VoiceEditor, qtbot: QtBot) -> None:
    editor.trim.click()
    with qtbot.waitSignal(editor.try_wanted) as wish:
        editor.try_.click()
    assert wish.args == [editor.voice]
    editor.show_trying(True)
    assert not editor.try_.isEnabled()
    editor.show_trying(False)
    with qtbot.waitSignal(editor.save_wanted) as wish:
        editor.save.click()
    assert wish.args == [editor.voice]
    assert editor.isVisible()  # until it is on the disk
    assert not editor.save.isEnabled()
    editor.show_saved(True)
    assert not editor.isVisible()


def test_what_could_not_be_saved_stays(editor: VoiceEditor, qtbot: QtBot) -> None:
    editor.trim.click()
    trimmed = editor.voice
    editor.save.click()
    editor.show_saved(False)
    assert editor.isVisible()
    assert editor.state.text() == "It could not be saved. All that you changed is still here."
    with qtbot.waitSignal(editor.save_wanted) as wish:
        editor.save.click()
    assert wish.args == [trimmed]


def test_a_library_that_can_only_be_read(editor: VoiceEditor, qtbot: QtBot) -> None:
    editor.show_read_only("The library can only be read now")
    assert editor.state.text() == "The library can only be read now"
    assert not editor.save.isEnabled()
    with qtbot.assertNotEmitted(editor.save_wanted):
        qtbot.keyClick(editor, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)


def test_what_is_absent_shares_a_line(editor: VoiceEditor) -> None:
    advice = (Advice("clipping", True, "No clipping"), Advice("x", False, "Bad"), Advice("silence", True, "No pauses"))
    assert editor.clip is not None
    editor.show_report(editor.clip, replace(a_report(editor.clip), advice=advice))
    assert [each.fact for each in editor.details.quality.advice] == ["No clipping, no pauses", "Bad"]


def test_a_spoken_consent_is_wished_for_kept_and_taken_out(editor: VoiceEditor, qtbot: QtBot) -> None:
    spoken = editor.details.spoken
    assert not spoken.isVisible(), "nothing is stated yet"
    editor.details.permission.setCurrentText("Spoken")
    editor.details.permission.activated.emit(editor.details.permission.currentIndex())
    assert spoken.record.isVisibleTo(editor)
    for button, signal in ((spoken.record, spoken.record_wanted), (spoken.choose, spoken.choose_wanted)):
        with qtbot.waitSignal(signal):
            button.click()
    consent = replace(CLIP, audio="c" * 32, name="said.wav", transcript="I allow it.")
    editor.keep_consent(consent)
    assert editor.voice.spoken_consent == consent
    assert (spoken.record.isVisibleTo(editor), spoken.play.isVisibleTo(editor)) == (False, True)
    assert "I allow it." in spoken.play.toolTip()
    with qtbot.waitSignal(spoken.play_wanted):
        spoken.play.click()
    spoken.show_playing(True)
    assert spoken.play.accessibleName() == "Stop"
    editor.details.permission.setCurrentText("Not stated")
    editor.details.permission.activated.emit(0)
    assert spoken.isVisibleTo(editor), "what is kept is never hidden"
    spoken.remove.click()
    assert editor.voice.spoken_consent is None
    editor.undo.click()
    assert editor.voice.spoken_consent == consent
    editor.show_read_only("The library can only be read now")
    assert (spoken.play.isEnabled(), spoken.remove.isEnabled()) == (True, False)


def test_fades_are_set_in_their_fields_and_taken_back(editor: VoiceEditor) -> None:
    editor.fades.rising.setValue(200)
    editor.fades.falling.setValue(500)
    assert editor.clip is not None
    assert editor.clip.fades == (0.2, 0.5)
    assert editor.clip.trim == CLIP.trim
    editor.grab()
    editor.undo.click()
    assert editor.clip.fades == CLIP.fades
    assert (editor.fades.rising.value(), editor.fades.falling.value()) == (10, 10)


def test_recognised_words_are_a_step_of_undo(editor: VoiceEditor) -> None:
    wishes: list[Clip] = []
    editor.recognise_wanted.connect(wishes.append)
    editor.words.recognise.click()
    editor.words.show_recognising(0.5)
    assert "50" in editor.words.recognise.accessibleName()
    editor.write_words(wishes[0], "They carried the keys home.")
    assert editor.clip is not None
    assert editor.clip.transcript == "They carried the keys home."
    editor.undo.click()
    assert editor.voice == VOICE
    editor.write_words(replace(CLIP, name="gone.wav"), "Nothing.")
    assert editor.voice == VOICE
