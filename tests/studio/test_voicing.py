"""The library at work: files come in, codes are made once, projects follow, a disk that refuses changes nothing."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from engine.errors import AudioError
from engine.request import Failed, Reference, Settings, Stopped, Voice
from studio.casting import Casting
from studio.document.compare import voice_digest
from studio.document.edits import AddCharacter, SetVoices
from studio.document.project import Character
from studio.engine_thread import Encoded, Opened, Urgency
from studio.file_thread import FileThread
from studio.library import store
from studio.library.share import SharedVoice
from studio.library.store import Library
from studio.library.voices import LibraryVoice
from studio.samples import Peaks, Print, PrintCache
from studio.session import Session
from studio.voice_codes import CODING, NO_WORDS, READY, WAITING
from studio.voicing import BroughtIn, Voicing

RATE = 8_000
CODEC = "0123456789abcdef"


class Encoder(QObject):
    """Stands for the engine thread: it answers when the test says so."""

    opened = Signal(object)
    answered = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[np.ndarray] = []

    def encode(self, samples: np.ndarray, rate: int, urgency: Urgency) -> int:
        self.asked.append(samples)
        return len(self.asked)

    def answer(self, codec: str = CODEC) -> None:
        number = len(self.asked)
        self.answered.emit(number, Encoded(np.full((4, 9), number, np.int16), codec))


def opened(codec: str = CODEC) -> Opened:
    return Opened(Path(), "c", Settings(), (), 300, RATE, 256, "CPU", "fp32", 1, codec, (0.5, 6.0))


class World:
    """A session, a library in a folder, and an encoder."""

    def __init__(self, folder: Path, qtbot: QtBot) -> None:
        self.folder, self._qtbot = folder, qtbot
        self.files = FileThread()
        self.encoder = Encoder()
        self.session = Session(self.files, PrintCache(folder / "prints"))
        self.voicing = Voicing(self.session, self.files, self.encoder)  # type: ignore[arg-type]
        self.problems: list[tuple[Exception, str]] = []
        self.voicing.problem.connect(lambda error, doing: self.problems.append((error, doing)))
        self.voicing.open(folder / "voices")

    def settle(self) -> None:
        self.files.settle()

    def recording(self, name: str, words: str | None = None, seconds: float = 2.0) -> Path:
        path = self.folder / name
        time = np.arange(round(seconds * RATE)) / RATE
        soundfile.write(path, 0.3 * np.sin(2 * np.pi * (200 + len(name)) * time) * (time % 1 > 0.2), RATE)
        if words is not None:
            path.with_suffix(".txt").write_text(words, encoding="utf-8")
        return path

    def state(self, name: str) -> str:
        voice = self.voicing.named(name)
        assert voice is not None
        return self.voicing.codes.state(voice)

    def ready(self, name: str, words: str = "Good evening.") -> LibraryVoice:
        """A voice of that name with words and codes."""
        self.voicing.bring_in([self.recording(f"{name}.wav", words)])
        self.settle()
        self.settle()
        self.encoder.answer()
        self.settle()
        voice = self.voicing.named(name)
        assert voice is not None
        assert self.state(name) == READY
        return voice


@pytest.fixture
def world(tmp_path: Path, qtbot: QtBot) -> Iterator[World]:
    made = World(tmp_path, qtbot)
    made.settle()
    made.encoder.opened.emit(opened())
    made.settle()
    yield made
    made.voicing.close()
    made.files.close()


def test_a_recording_becomes_a_voice_with_codes(world: World) -> None:
    came: list[LibraryVoice] = []
    world.voicing.came.connect(came.append)
    world.voicing.bring_in([world.recording("ada.wav", " Good evening. \n")])
    assert world.voicing.reading == ("ada",)
    world.settle()
    world.settle()
    assert world.voicing.reading == ()
    assert [voice.name for voice in came] == ["ada"]
    assert world.state("ada") == CODING
    assert world.session.library == ()
    world.encoder.answer()
    assert world.state("ada") == READY
    (cast,) = world.session.library
    assert cast.references[0].transcript == "Good evening."
    world.settle()
    clip = came[0].clips[0]
    assert world.voicing.audio(came[0], clip).read_bytes() == (world.folder / "ada.wav").read_bytes()


def test_codes_are_made_one_after_another_and_kept(world: World) -> None:
    world.voicing.bring_in([world.recording(f"{name}.wav", "Good evening.") for name in ("ada", "robert")])
    world.settle()
    world.settle()
    assert len(world.encoder.asked) == 1
    assert {world.state("ada"), world.state("robert")} == {CODING, WAITING}
    world.encoder.answer()
    world.settle()
    world.settle()
    world.encoder.answer()
    world.settle()
    again = World(world.folder, None)  # type: ignore[arg-type]  # a second copy, which only reads
    again.settle()
    again.encoder.opened.emit(opened())
    again.settle()
    assert again.voicing.read_only
    assert [again.state(name) for name in ("ada", "robert")] == [READY, READY]
    assert again.encoder.asked == []
    again.voicing.bring_in([world.recording("late.wav", "Good morning.")])
    again.settle()
    assert [(str(error), doing) for error, doing in again.problems] == [
        ("The voice library can only be read now: another copy of Retake has it open.", "add the recording late")
    ]
    assert again.voicing.reading == ()
    assert len(again.voicing.voices) == 2
    again.voicing.close()
    again.files.close()


def test_without_words_it_waits_for_them_and_encodes_nothing_again(world: World) -> None:
    world.voicing.bring_in([world.recording("ada.wav")])
    world.settle()
    world.settle()
    world.encoder.answer()
    assert world.state("ada") == NO_WORDS
    voice = world.voicing.named("ada")
    assert voice is not None
    clip = replace(voice.clips[0], transcript="Good evening.")
    world.voicing.save(replace(voice, clips=(clip,)))
    world.settle()
    assert world.state("ada") == READY
    assert len(world.encoder.asked) == 1


def test_a_corrected_transcript_reaches_the_project_and_nothing_is_encoded_again(world: World) -> None:
    voice = world.ready("ada")
    world.session.do(AddCharacter(Character("Mira")))
    Casting(world.session).give_voice("Mira", "ada")
    before = world.session.project.voice("ada")
    clip = replace(voice.clips[0], transcript="Good evening, you are late.")
    world.voicing.save(replace(voice, clips=(clip,)))
    world.settle()
    after = world.session.project.voice("ada")
    assert before is not None
    assert after is not None
    assert after.references[0].transcript == "Good evening, you are late."
    assert after.references[0].codes is before.references[0].codes
    assert voice_digest(before) != voice_digest(after)
    assert len(world.encoder.asked) == 1
    world.session.undo()
    assert world.session.project.voice("ada") == before


def test_another_trim_is_encoded_and_then_reaches_the_project(world: World) -> None:
    voice = world.ready("ada")
    world.session.do(AddCharacter(Character("Mira")))
    Casting(world.session).give_voice("Mira", "ada")
    before = world.session.project.voice("ada")
    clip = replace(voice.clips[0], trim=(2_000, 10_000))
    world.voicing.save(replace(voice, clips=(clip,)))
    world.settle()
    world.settle()
    assert len(world.encoder.asked[-1]) == 8_000
    assert world.session.project.voice("ada") == before
    world.encoder.answer()
    after = world.session.project.voice("ada")
    assert after is not None
    assert after.references[0].codes[0, 0] == 2


def test_another_name_reaches_the_project_and_is_undone(world: World) -> None:
    voice = world.ready("ada")
    for name in ("Mira", "Tom"):
        world.session.do(AddCharacter(Character(name)))
        Casting(world.session).give_voice(name, "ada")
    before = world.session.project
    steps = len(world.session.history.steps)
    world.voicing.save(replace(voice, name="Ada, warm"))
    world.settle()
    project = world.session.project
    assert [each.name for each in project.voices] == ["Ada, warm"]
    assert [each.voice for each in project.cast] == ["Ada, warm", "Ada, warm"]
    assert project.voices[0].references[0].codes is before.voices[0].references[0].codes
    assert len(world.session.history.steps) == steps + 1
    assert world.voicing.following.known_as(world.voicing.voices) == {}
    world.session.undo()
    assert world.session.project == before
    assert world.voicing.following.known_as(world.voicing.voices) == {"ada": "Ada, warm"}


def test_a_name_that_is_another_voices_in_the_project_is_not_taken(world: World) -> None:
    voice = world.ready("ada")
    world.session.do(AddCharacter(Character("Mira")))
    Casting(world.session).give_voice("Mira", "ada")
    world.session.do(SetVoices((Voice("Bea"),)))
    clip = replace(voice.clips[0], transcript="Other words.")
    world.voicing.save(replace(voice, name="Bea", clips=(clip,)))
    world.settle()
    project = world.session.project
    assert project.cast[0].voice == "ada"
    carried = project.voice("ada")
    assert carried is not None
    assert carried.references[0].transcript == "Other words."
    assert project.voice("Bea") == Voice("Bea")


def test_what_is_shown_while_a_change_is_being_written_is_not_taken_for_it(world: World) -> None:
    voice = world.ready("ada")
    world.session.do(AddCharacter(Character("Mira")))
    Casting(world.session).give_voice("Mira", "ada")
    world.voicing.save(replace(voice, name="Ada, warm"))
    world.voicing.codes.changed.emit()  # of another voice, say
    world.settle()
    assert world.session.project.cast[0].voice == "Ada, warm"


def test_what_a_project_changed_or_never_cast_is_left_alone(world: World) -> None:
    voice = world.ready("ada")
    steps = len(world.session.history.steps)
    world.voicing.save(replace(voice, clips=(replace(voice.clips[0], transcript="Other words."),)))
    world.settle()
    assert len(world.session.history.steps) == steps


def test_a_project_that_carries_another_version_is_renewed_when_asked(world: World) -> None:
    voice = world.ready("ada")
    world.session.do(AddCharacter(Character("Mira")))
    Casting(world.session).give_voice("Mira", "ada")
    assert not world.voicing.following.differs(voice)
    world.session.do(SetVoices((Voice("ada"),)))  # as an older project carries it
    assert world.voicing.following.differs(voice)
    world.voicing.save(replace(voice, note="warm"))
    world.settle()
    assert world.session.project.voice("ada") == Voice("ada")
    world.voicing.following.renew(voice)
    assert not world.voicing.following.differs(voice)
    world.session.undo()
    assert world.session.project.voice("ada") == Voice("ada")


def test_a_deleted_voice_stays_in_the_project(world: World) -> None:
    voice = world.ready("ada")
    world.session.do(AddCharacter(Character("Mira")))
    Casting(world.session).give_voice("Mira", "ada")
    world.voicing.remove(voice)
    world.settle()
    assert world.voicing.voices == ()
    assert world.session.library == ()
    assert world.session.project.voice("ada") is not None
    assert "ada" in {each.name for each in world.session.voices()}


def test_a_voice_that_cannot_be_deleted_is_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = world.ready("ada")

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "not allowed")

    monkeypatch.setattr(Path, "replace", refuse)
    world.voicing.remove(voice)
    assert world.voicing.voices == ()  # nobody can open it meanwhile
    world.settle()
    assert world.voicing.voices == (voice,)
    assert world.state("ada") == READY
    assert [doing for _, doing in world.problems] == ["delete the voice ada"]


def test_another_codec_has_its_own_codes_and_the_old_ones_stay(world: World) -> None:
    world.ready("ada")
    world.encoder.opened.emit(opened("fedcba"))
    world.settle()
    world.settle()
    assert world.state("ada") == CODING
    world.encoder.answer("fedcba")
    world.settle()
    assert world.state("ada") == READY
    world.encoder.opened.emit(opened())
    world.settle()
    assert world.state("ada") == READY
    assert len(world.encoder.asked) == 2


def test_codes_of_a_codec_that_has_gone_meanwhile_are_not_taken(world: World) -> None:
    world.voicing.bring_in([world.recording("ada.wav", "Good evening.")])
    world.settle()
    world.settle()
    number = len(world.encoder.asked)
    world.encoder.answered.emit(number, Stopped())
    world.encoder.opened.emit(opened("fedcba"))
    world.settle()
    world.settle()
    assert len(world.encoder.asked) == 2
    world.encoder.answer()  # by a codec that is not in use
    assert world.state("ada") != READY


def test_where_codes_cannot_be_made_it_says_so_and_goes_on(world: World) -> None:
    world.voicing.bring_in([world.recording(f"{name}.wav", "Good evening.") for name in ("ada", "robert")])
    world.settle()
    world.settle()
    world.encoder.answered.emit(1, Failed(RuntimeError("out of memory")))
    world.settle()
    world.settle()
    assert {world.state("ada"), world.state("robert")} == {"no codes", CODING}
    assert [doing for _, doing in world.problems] == ["make the codes of a voice"]
    world.encoder.answer()
    assert world.state("robert") == READY


def test_a_recording_that_is_gone_is_told_to_those_who_ask(world: World) -> None:
    voice = world.ready("ada")
    world.voicing.audio(voice, voice.clips[0]).unlink()
    world.encoder.opened.emit(opened("fedcba"))
    world.settle()
    world.settle()
    assert world.state("ada") == "recording missing"
    assert world.problems == []
    world.voicing.codes.want(voice, lambda clip: world.voicing.audio(voice, clip), first=True)
    world.settle()
    assert [doing for _, doing in world.problems] == ["read the recording of a voice"]
    world.encoder.opened.emit(opened())
    world.settle()
    assert world.state("ada") == READY  # its codes for this codec are there


def test_what_is_no_recording_is_told_and_leaves_nothing(world: World) -> None:
    path = world.folder / "letter.wav"
    path.write_text("Dear Ada,")
    world.voicing.bring_in([path, world.folder / "gone.wav", world.recording("good.wav", "Good evening.")])
    world.settle()
    world.settle()
    assert [type(error) for error, _ in world.problems] == [AudioError, AudioError]
    assert world.voicing.reading == ()
    assert [voice.name for voice in world.voicing.voices] == ["good"]


def test_a_full_disk_is_told_and_the_library_is_as_it_was(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = world.ready("ada")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store.shutil, "copyfileobj", full)
    world.voicing.bring_in([world.recording("robert.wav", "Good evening.")])
    world.settle()
    assert [error.errno for error, _ in world.problems if isinstance(error, OSError)] == [errno.ENOSPC]
    assert world.voicing.voices == (voice,)
    assert {path.name for path in (world.folder / "voices").iterdir()} == {voice.id, "lock"}


def test_a_clip_comes_into_the_editors_hand(world: World) -> None:
    hand: list[BroughtIn] = []
    world.voicing.bring_in([world.recording("two.wav", "Two.")], hand.append)
    world.settle()
    assert [made.clip.transcript for made in hand] == ["Two."]
    assert world.voicing.voices == ()
    world.voicing.bring_in_sound("Recording", np.zeros(RATE, np.float32), RATE, "Nothing.", hand.append)
    world.settle()
    world.settle()
    assert hand[1].path.exists()
    assert hand[1].clip.transcript == "Nothing."


def test_a_take_becomes_a_voice_with_its_own_codes(world: World) -> None:
    codes = np.arange(36, dtype=np.int16).reshape(4, 9)
    samples = np.sin(np.arange(RATE) / 7).astype(np.float32)
    voice = Voice("Mira, line 3", (Reference("[sighs] Good evening.", codes),))
    world.voicing.bring_in_voice(voice, [Print(RATE, samples, Peaks(samples))])
    world.settle()
    (cast,) = world.session.library
    assert cast.name == "Mira, line 3"
    assert cast.references[0].codes is codes
    assert cast.references[0].transcript == "Good evening."
    assert world.encoder.asked == []


def test_sharing_and_taking_in(world: World) -> None:
    voice = world.ready("ada")
    path = world.folder / "ada.voice"
    world.voicing.share(voice, path)
    world.settle()
    found: list[SharedVoice] = []
    world.voicing.look_into(path, found.append)
    world.settle()
    world.voicing.take_in(found[0])
    world.settle()
    assert [each.name for each in world.voicing.voices] == ["ada", "ada 2"]
    assert world.state("ada 2") == READY  # its codes came along
    assert len(world.encoder.asked) == 1
    path.write_bytes(path.read_bytes()[:500])
    world.voicing.look_into(path, found.append)
    world.settle()
    assert len(found) == 1
    assert [doing for _, doing in world.problems] == ["open ada.voice"]


def test_a_spoken_consent_is_kept_whole_and_travels(world: World) -> None:
    voice = world.ready("ada")
    hand: list[BroughtIn] = []
    world.voicing.bring_in([world.recording("said.wav", "I allow it.")], hand.append, whole=True)
    world.settle()
    (made,) = hand
    assert made.clip.trim == (0, made.clip.samples), "not even its silence is cut off"
    assert world.voicing.bring_in_sound("said", np.zeros(RATE, np.float32), RATE, "I do.", hand.append, True) is None
    world.settle()
    world.settle()
    assert hand[1].clip.whole_seconds == 1
    world.voicing.save(replace(voice, spoken_consent=made.clip), {made.clip.file: made.path})
    world.settle()
    assert len(world.encoder.asked) == 1, "nothing of it is encoded"
    kept = world.voicing.named("ada")
    assert kept is not None
    heard: list[Print] = []
    assert kept.spoken_consent is not None
    world.voicing.hear(kept, kept.spoken_consent, heard.append)
    world.voicing.share(kept, world.folder / "ada.voice")
    world.settle()
    assert heard[0].seconds == 2
    found: list[SharedVoice] = []
    world.voicing.look_into(world.folder / "ada.voice", found.append)
    world.settle()
    world.voicing.take_in(found[0])
    world.settle()
    copy = world.voicing.named("ada 2")
    assert copy is not None
    assert copy.spoken_consent is not None
    assert world.voicing.audio(copy, copy.spoken_consent).exists()


def test_a_saved_project_is_noted(world: World) -> None:
    world.ready("ada")
    world.session.do(AddCharacter(Character("Mira")))
    Casting(world.session).give_voice("Mira", "ada")
    for _ in range(2):
        world.session.save(world.folder / "play.retake")
        world.settle()
        world.settle()
    voice = world.voicing.named("ada")
    assert voice is not None
    assert voice.projects == (str(world.folder / "play.retake"),)


def test_a_project_takes_the_clips_of_its_voices_along(world: World, tmp_path: Path) -> None:
    """To another machine, where they come into the library of it."""
    session, path = world.session, tmp_path / "play.retake"
    voice = world.ready("ada")
    cast = world.voicing.cast(voice)
    assert cast is not None
    session.do(SetVoices((cast,)))
    session.save(path)
    world.settle()
    assert len(session.in_file.written.clips) == 1
    world.voicing.remove(voice)
    session.start()
    session.open(path)
    world.settle()
    found: list[Print | None] = []
    session.look_up_clips(session.project.voices[0], found.extend)
    session.look_up_clips(Voice("other", (Reference("No.", np.zeros((4, 9), np.int16)),)), found.extend)
    world.settle()
    clip, other = found
    assert other is None
    assert clip is not None
    assert (clip.rate, round(clip.seconds, 1)) == (RATE, round(voice.seconds, 1))
    world.voicing.bring_in_voice(session.project.voices[0], [clip])
    world.settle()
    back = world.voicing.named("ada")
    assert back is not None
    assert back.clips[0].transcript == "Good evening."
    assert world.state("ada") == READY
    session.save(path)
    world.settle()
    assert len(session.in_file.written.clips) == 1, "copied from the file before"


def test_a_recording_that_is_gone_costs_no_save(world: World, tmp_path: Path) -> None:
    voice = world.ready("ada")
    cast = world.voicing.cast(voice)
    assert cast is not None
    world.session.do(SetVoices((cast,)))
    world.voicing.audio(voice, voice.clips[0]).unlink()
    world.session.save(tmp_path / "play.retake")
    world.settle()
    assert world.session.in_file.written.clips == frozenset()
    assert world.problems == []


def test_a_second_library_is_read_cast_from_and_copied(world: World, tmp_path: Path) -> None:
    theirs = world.ready("ada")
    second = tmp_path / "second"
    shutil.copytree(tmp_path / "voices", second)
    before = {path: path.read_bytes() for path in second.rglob("*") if path.is_file()}
    world.voicing.remove(theirs)
    own = world.ready("bob", "Good morning.")
    world.voicing.open_second(second)
    world.settle()
    world.settle()
    guest = world.voicing.named("ada")
    assert guest is not None
    assert world.state("ada") == READY, "its codes are read from there"
    assert not world.voicing.is_own(guest)
    assert not world.voicing.may_change(guest)
    assert world.voicing.may_change(own)
    assert world.voicing.audio(guest, guest.clips[0]).is_relative_to(second)
    world.voicing.copy_in(guest)
    world.settle()
    world.settle()
    assert [voice.name for voice in world.voicing.voices] == ["ada", "ada 2", "bob"]
    copy = world.voicing.named("ada")
    assert copy is not None
    assert world.voicing.may_change(copy)
    assert world.state("ada") == READY, "no audio is encoded again"
    assert {path: path.read_bytes() for path in second.rglob("*") if path.is_file()} == before
    world.voicing.open_second(None)
    world.settle()
    assert [voice.name for voice in world.voicing.voices] == ["ada", "bob"]
    assert world.problems == []


OTHER = "fedcba9876543210"


def carried(world: World, name: str, words: str) -> Voice:
    """A voice that the project carries, as another voice model's codec told it."""
    voice = Voice(name, (Reference(words, np.ones((4, 9), np.int16)),), OTHER)
    world.session.do(SetVoices((voice,)))
    return voice


def test_a_project_made_with_another_voice_model_gets_the_librarys_voices_for_this_one(world: World) -> None:
    world.ready("ada")
    old = carried(world, "ada", "Good evening.")
    said: list[str] = []
    world.voicing.said.connect(said.append)
    world.session.opened.emit(Path("play.retake"))
    new = world.session.project.voice("ada")
    assert new is not None
    assert new.codec == CODEC
    assert len(said) == 1
    world.session.undo()
    assert world.session.project.voice("ada") is old


def test_a_project_gets_the_voices_of_the_voice_model_that_is_opened(world: World) -> None:
    carried(world, "heart", "Hello there.")
    stranger = carried(world, "zoe", "Hello there.")
    own = Voice("heart", (Reference("Good day.", np.zeros((4, 9), np.int16)),), CODEC)
    world.encoder.opened.emit(replace(opened(), voices=(own,)))
    world.voicing.changed.emit()
    world.session.opened.emit(Path("play.retake"))
    assert world.session.project.voice("heart") is own
    assert world.session.project.voice("zoe") is stranger


def test_a_voice_of_the_same_name_that_says_something_else_is_another_one(world: World) -> None:
    world.ready("ada")
    old = carried(world, "ada", "Something else.")
    world.session.opened.emit(Path("play.retake"))
    assert world.session.project.voice("ada") is old


def test_voices_that_come_with_scenes_of_another_project_are_suited_too(world: World) -> None:
    world.ready("ada")
    voice = Voice("ada", (Reference("Good evening.", np.ones((4, 9), np.int16)),), OTHER)
    world.session.bring_in(SetVoices((voice,)), ())
    new = world.session.project.voice("ada")
    assert new is not None
    assert new.codec == CODEC


def test_a_voice_whose_codec_is_not_known_stays(world: World) -> None:
    world.ready("ada")
    world.session.do(SetVoices((replace(carried(world, "ada", "Good evening."), codec=""),)))
    old = world.session.project.voice("ada")
    world.session.opened.emit(Path("play.retake"))
    assert world.session.project.voice("ada") is old


def test_each_change_is_made_to_the_voice_as_it_is_by_then(world: World) -> None:
    """Even where the disk has not answered yet."""
    anna = world.ready("anna")
    world.voicing.save(replace(anna, favourite=True))
    starred = world.voicing.voice(anna.id)
    assert starred is not None
    world.voicing.save(replace(starred, colour=3))
    world.settle()
    kept = world.voicing.voice(anna.id)
    assert kept is not None
    assert (kept.favourite, kept.colour) == (True, 3)
    assert Library(world.folder / "voices", may_write=False).voices() == (kept,)


def test_a_voice_that_is_deleted_while_it_is_written_stays_deleted(world: World) -> None:
    anna = world.ready("anna")
    world.voicing.save(replace(anna, favourite=True))
    world.voicing.remove(anna)
    world.settle()
    assert world.voicing.voices == ()
    assert not world.problems
