from __future__ import annotations

import errno
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.library.store import Library, LibraryError
from studio.library.voices import Clip, Consent, LibraryVoice, Permission, codes_key, new_voice_id

CODES = np.arange(400, dtype=np.int16).reshape(10, 40)


def a_voice(name: str = "Ada", audio: str = "a" * 32) -> LibraryVoice:
    clip = Clip(audio, "ada studio.wav", 48_000, 2, 480_000, "WAV", (4_800, 470_000), "The harbour was quiet.")
    permission = Permission(Consent.WRITTEN, "Ada Lovelace", "2026-01-02", "2027-06-30", "for this play")
    return LibraryVoice(new_voice_id(), name, (clip,), "English", "warm", "Play", 3, True, permission, ("/x.retake",))


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "came.wav"
    path.write_bytes(b"RIFF" + bytes(range(256)) * 100)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "voices"


def files(folder: Path) -> dict[str, bytes]:
    """All that lies in a library, but its lock."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_what_is_added_is_there_again(folder: Path, recording: Path) -> None:
    library = Library(folder)
    voice = library.add(a_voice(), {a_voice().clips[0].file: recording})
    key = codes_key(voice.clips[0], "codec")
    library.put_codes(voice.id, key, CODES)
    library.close()
    again = Library(folder)
    assert again.voices() == (voice,)
    assert again.audio(voice, voice.clips[0]).read_bytes() == recording.read_bytes()
    np.testing.assert_array_equal(again.codes(voice, "codec")[key], CODES)
    assert again.codes(voice, "another") == {}
    again.close()


def test_names_are_unique(folder: Path, recording: Path) -> None:
    library = Library(folder)
    first, second = (library.add(a_voice(), {a_voice().clips[0].file: recording}) for _ in range(2))
    assert (first.name, second.name) == ("Ada", "Ada 2")
    assert library.put(replace(second, name="Ada")).name == "Ada 2"
    assert library.put(replace(first, name="Bea")).name == "Bea"
    assert [voice.name for voice in library.voices()] == ["Ada 2", "Bea"]
    library.close()


def test_a_changed_clip_list_takes_its_recordings_along(folder: Path, recording: Path) -> None:
    library = Library(folder)
    voice = library.add(a_voice(), {a_voice().clips[0].file: recording})
    second = replace(voice.clips[0], audio="b" * 32, name="two.flac")
    both = library.put(replace(voice, clips=(*voice.clips, second)), {second.file: recording})
    assert library.audio(both, second).exists()
    only = library.put(replace(both, clips=(second,)))
    assert not library.audio(voice, voice.clips[0]).exists()
    assert library.voices() == (only,)
    library.close()


def test_a_spoken_consent_lies_beside_the_clips(folder: Path, recording: Path, tmp_path: Path) -> None:
    library = Library(folder)
    voice = library.add(a_voice(), {a_voice().clips[0].file: recording})
    said = tmp_path / "said.wav"
    said.write_bytes(b"RIFF, I allow it")
    consent = Clip("c" * 32, "said.wav", 48_000, 1, 96_000, "WAV", (0, 96_000), "I allow it.")
    kept = library.put(replace(voice, spoken_consent=consent), {consent.file: said})
    assert library.voices() == (kept,)
    assert library.audio(kept, consent).read_bytes() == said.read_bytes()
    assert library.codes(kept, "codec") == {}, "it is never encoded"
    assert library.put(replace(kept, note="warm")).spoken_consent == consent
    assert library.audio(kept, consent).exists()
    library.put(replace(kept, spoken_consent=None))
    assert not library.audio(kept, consent).exists()
    library.close()


def test_removed_voices_leave_nothing(folder: Path, recording: Path) -> None:
    library = Library(folder)
    voice = library.add(a_voice(), {a_voice().clips[0].file: recording})
    library.remove(voice.id)
    assert library.voices() == ()
    assert files(folder) == {}
    library.put_codes(voice.id, "k", CODES)  # of a job that was on its way
    assert files(folder) == {}
    library.close()


def test_a_second_copy_only_reads(folder: Path, recording: Path) -> None:
    library = Library(folder)
    voice = library.add(a_voice(), {a_voice().clips[0].file: recording})
    second = Library(folder)
    assert (library.read_only, second.read_only) == (False, True)
    assert second.voices() == (voice,)
    before = files(folder)
    for wish in (lambda: second.add(a_voice(), {}), lambda: second.put(voice), lambda: second.remove(voice.id)):
        with pytest.raises(LibraryError, match="another copy"):
            wish()
    second.put_codes(voice.id, "key", CODES)
    assert files(folder) == before
    library.close()
    third = Library(folder)
    assert not third.read_only
    third.close()
    second.close()


def test_a_folder_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    library = Library(tmp_path / "file" / "voices")
    assert library.read_only
    assert library.voices() == ()
    with pytest.raises(LibraryError, match="not a directory"):
        library.remove("x")


def test_a_second_folder_is_opened_for_reading(folder: Path) -> None:
    assert Library(folder, may_write=False).read_only
    assert not folder.exists()
    assert Library(folder, may_write=False).voices() == ()


def said_of(**clip: object) -> str:
    """A record with one clip that is as it should be but for what is given."""
    plain = {"audio": "ab", "name": "a.wav", "rate": 1, "channels": 1, "samples": 9, "kind": "WAV", "trim": [0, 9]}
    return json.dumps({"version": 1, "id": "ID", "name": "n", "clips": [plain | clip]})


@pytest.mark.parametrize(
    "said",
    [
        "",
        "[]",
        "{}",
        "null",
        "[" * 100_000,
        '{"version": 2, "id": "ID", "name": "n"}',
        '{"version": 1, "id": "ID"}',
        '{"version": 1, "id": "../ID", "name": "n"}',
        '{"version": 1, "id": "other", "name": "n"}',
        '{"version": 1, "id": "ID", "name": " "}',
        '{"version": 1, "id": "ID", "name": "n", "strange": 1}',
        said_of(audio="../../etc"),
        said_of(name="a./../b"),
        said_of(name="noending"),
        said_of(trim=[5, 99]),
        said_of(trim=[5, 5]),
        said_of(trim=[1, 2, 3]),
        said_of(rate=0),
        said_of(samples="many"),
    ],
)
def test_a_strange_record_is_left_out_and_left_alone(folder: Path, said: str) -> None:
    (folder / "ID").mkdir(parents=True)
    (folder / "ID" / "voice.json").write_text(said)
    library = Library(folder)
    assert library.voices() == ()
    library.close()
    assert (folder / "ID" / "voice.json").read_text() == said


@pytest.mark.parametrize("data", [b"", b"RTKCODE1", b"RTKCODE1" + bytes(8), b"RTKCODE1" + b"\xff" * 8, b"x" * 900])
def test_strange_codes_are_as_if_not_there(folder: Path, recording: Path, data: bytes) -> None:
    library = Library(folder)
    voice = library.add(a_voice(), {a_voice().clips[0].file: recording})
    (folder / voice.id / f"{codes_key(voice.clips[0], 'codec')}.codes").write_bytes(data)
    assert library.codes(voice, "codec") == {}
    library.close()


def faulty(monkeypatch: pytest.MonkeyPatch, at: int) -> list[int]:
    """From now on the `at`th step that reaches the disk fails as a full one does."""
    count = [0]

    def step(real):
        def call(*args, **kwargs):
            count[0] += 1
            if count[0] == at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*args, **kwargs)

        return call

    steps = ((os, "fsync"), (os, "open"), (Path, "replace"), (Path, "mkdir"), (shutil, "copyfileobj"))
    for owner, name in steps:
        monkeypatch.setattr(owner, name, step(getattr(owner, name)))
    return count


@pytest.mark.parametrize("wish", ["add", "put", "remove"])
def test_a_full_disk_at_any_moment_leaves_the_library_as_it_was(
    tmp_path: Path, recording: Path, monkeypatch: pytest.MonkeyPatch, wish: str
) -> None:
    refused = 0
    for at in range(1, 60):
        library = Library(tmp_path / str(at))
        held = library.add(a_voice("Bea", "b" * 32), {a_voice("", "b" * 32).clips[0].file: recording})
        new = replace(held.clips[0], audio="c" * 32)
        before = files(library.folder)
        with monkeypatch.context() as patch:
            steps = faulty(patch, at)
            try:
                if wish == "add":
                    library.add(a_voice(), {a_voice().clips[0].file: recording})
                elif wish == "put":
                    library.put(replace(held, clips=(*held.clips, new)), {new.file: recording})
                else:
                    library.remove(held.id)
            except OSError:
                refused += 1
                assert library.voices() == (held,)
                assert files(library.folder) == before
            else:
                assert library.voices() != (held,)
        library.close()
        if steps[0] < at:
            break
    assert refused >= {"add": 8, "put": 6, "remove": 1}[wish]


def test_what_a_crash_left_half_way_is_swept_away(folder: Path, recording: Path) -> None:
    library = Library(folder)
    voice = library.add(a_voice(), {a_voice().clips[0].file: recording})
    library.close()
    shutil.copytree(folder / voice.id, folder / ".new-0123")
    shutil.copytree(folder / voice.id, folder / ".gone-4567")
    (folder / voice.id / ".0123.9999999.part").write_text("{")
    again = Library(folder)
    assert again.voices() == (voice,)
    assert {path.name for path in folder.iterdir()} == {voice.id, "lock"}
    assert not (folder / voice.id / ".0123.9999999.part").exists()
    again.close()


def test_five_hundred_voices_are_listed_at_once(folder: Path, recording: Path) -> None:
    library = Library(folder)
    for number in range(500):
        voice = a_voice(f"Voice {number}")
        (folder / voice.id).mkdir()
        said = json.dumps({"version": 1, "id": voice.id, "name": voice.name})
        (folder / voice.id / "voice.json").write_text(said)
    assert len(library.voices()) == 500
    library.close()
