from __future__ import annotations

import io
import json
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import soundfile

from studio.library import share as sharing
from studio.library.share import SharedVoice, VoiceFileError, look_into, share
from studio.library.store import Library
from studio.library.voices import Clip, Consent, LibraryVoice, Permission, codes_key, new_voice_id

CODEC = "0123456789abcdef"
RATE = 22_050


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A voice file of two clips: a stereo WAV and a mono FLAC, the first with codes; and a spoken consent."""
    noise = np.random.default_rng(0)
    clips, audio = [], {}
    for place, (suffix, channels) in enumerate(((".wav", 2), (".flac", 1), (".wav", 1))):
        path = tmp_path / f"clip{place}{suffix}"
        soundfile.write(path, noise.normal(0, 0.1, (RATE // 2, channels)), RATE, "PCM_16")
        clip = Clip(f"{place:032x}", path.name, RATE, channels, RATE // 2, "WAV", (100, 9_000), f"Clip {place}.", -1.5)
        clips.append(clip)
        audio[clip.file] = path
    permission = Permission(Consent.LICENCE, "Ada", licence="CC0")
    *clips, consent = clips
    voice = LibraryVoice(new_voice_id(), "Ada", tuple(clips), "English", "warm", "Play", 3, True, permission, ("/x",),
                         consent)  # fmt: skip
    codes = {codes_key(clips[0], CODEC): np.arange(60, dtype=np.int16).reshape(10, 6)}
    share(tmp_path / "Ada.voice", voice, audio, codes, CODEC)
    return tmp_path / "Ada.voice"


def members(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(file: Path, held: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in held.items():
            archive.writestr(name, data)
    return file


def refused(file: Path) -> VoiceFileError:
    with pytest.raises(VoiceFileError) as raised:
        look_into(file)
    assert "\n" not in str(raised.value)
    assert raised.value.path == file
    return raised.value


def changed(file: Path, change: object) -> Path:
    """The file with fields of its voice changed."""
    held = members(file)
    said = json.loads(held["voice.json"])
    change(said)  # type: ignore[operator]
    return written(file, held | {"voice.json": json.dumps(said).encode()})


def test_what_was_shared_comes_back(file: Path) -> None:
    shared = look_into(file)
    voice = shared.voice
    assert (voice.name, voice.language, voice.note, voice.colour) == ("Ada", "English", "warm", 3)
    assert voice.permission == Permission(Consent.LICENCE, "Ada", licence="CC0")
    assert (voice.favourite, voice.folder, voice.projects) == (False, "", ())  # those are the giver's own
    assert [clip.transcript for clip in voice.clips] == ["Clip 0.", "Clip 1."]
    assert [(clip.kind, clip.suffix, clip.trim, clip.gain) for clip in voice.clips] == [
        ("FLAC", ".flac", (100, 9_000), -1.5)
    ] * 2
    assert (shared.first.channels, shared.first.rate, len(shared.first.samples)) == (2, RATE, RATE // 2)
    consent = voice.spoken_consent
    assert consent is not None
    assert (consent.transcript, consent.suffix) == ("Clip 2.", ".flac")
    assert shared.consent is not None
    assert (shared.consent.rate, len(shared.consent.samples)) == (RATE, RATE // 2)
    assert set(shared.recordings) == {clip.file for clip in voice.recordings}
    assert shared.codec == CODEC
    assert list(shared.codes) == [codes_key(voice.clips[0], CODEC)]


def test_the_sound_is_the_same_to_the_bit(file: Path, tmp_path: Path) -> None:
    shared = look_into(file)
    data, _ = soundfile.read(io.BytesIO(shared.recordings[shared.voice.clips[0].file]), dtype="float32")
    np.testing.assert_array_equal(data, soundfile.read(tmp_path / "clip0.wav", dtype="float32")[0])


def a_voice(folder: Path, trims: list[tuple[int, int]], channels: int = 1) -> tuple[LibraryVoice, dict[str, Path]]:
    """Clips of half a second of noise, and where their recordings lie."""
    noise, clips, audio = np.random.default_rng(1), [], {}
    for place, trim in enumerate(trims):
        path = folder / f"long{place}.wav"
        soundfile.write(path, noise.normal(0, 0.1, (RATE // 2, channels)), RATE, "PCM_16")
        clip = Clip(f"{place:032x}", path.name, RATE, channels, RATE // 2, "WAV", trim, "Said.")
        clips.append(replace(clip, thumbnail=tuple(range(10))))
        audio[clip.file] = path
    return LibraryVoice(new_voice_id(), "Ada", tuple(clips)), audio


def test_of_recordings_that_are_too_long_only_the_reference_is_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice, audio = a_voice(tmp_path, [(1_000, 6_000), (0, 3_000)], 2)
    monkeypatch.setattr(sharing, "MOST_SAMPLES", 10_000)
    codes = {codes_key(voice.clips[1], CODEC): np.arange(20, dtype=np.int16).reshape(10, 2)}
    share(tmp_path / "Ada.voice", voice, audio, codes, CODEC)
    shared = look_into(tmp_path / "Ada.voice")
    assert [(clip.trim, clip.samples) for clip in shared.voice.clips] == [((0, 5_000), 5_000), ((0, 3_000), 3_000)]
    assert [clip.thumbnail for clip in shared.voice.clips] == [(1, 2, 3, 4), (0, 1, 2)]
    data, _ = soundfile.read(io.BytesIO(shared.recordings[shared.voice.clips[0].file]), dtype="float32")
    np.testing.assert_array_equal(data, soundfile.read(tmp_path / "long0.wav", dtype="float32")[0][1_000:6_000])
    assert list(shared.codes) == [codes_key(shared.voice.clips[1], CODEC)]


@pytest.mark.parametrize(("most", "clips"), [(1_000, 1), (10**9, sharing.MOST_CLIPS + 1)])
def test_what_no_retake_would_open_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, clips: int
) -> None:
    voice, audio = a_voice(tmp_path, [(0, 3_000)] * clips)
    monkeypatch.setattr(sharing, "MOST_SAMPLES", most)
    with pytest.raises(VoiceFileError):
        share(tmp_path / "Ada.voice", voice, audio, {}, CODEC)
    assert not (tmp_path / "Ada.voice").exists()


def test_it_comes_into_a_library(file: Path, tmp_path: Path) -> None:
    shared = look_into(file)
    library = Library(tmp_path / "voices")
    paths = {}
    for name, data in shared.recordings.items():
        (tmp_path / name).write_bytes(data)
        paths[name] = tmp_path / name
    voice = library.add(shared.voice, paths)
    assert library.voices() == (voice,)
    library.close()


def test_a_pickle_is_nothing_to_it(file: Path) -> None:
    bomb = pickle.dumps({"0": np.zeros((10, 3), np.int16)})
    for name in ("codes.safetensors", "voice.json", "clips/0.flac", "consent.flac", "mimetype"):
        good = file.read_bytes()
        refused(written(file, members(file) | {name: bomb}))
        file.write_bytes(good)
    refused(written(file, members(file) | {"codes.pkl": bomb}))
    file.write_bytes(bomb)
    refused(file)


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/evil", "C:\\evil", "clips/../../evil", "clips/99.flac", "consent.wav", "readme"]
)
def test_names_that_lead_elsewhere(file: Path, tmp_path: Path, name: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    error = refused(written(file, members(file) | {name: b"x"}))
    assert "holds what no voice file holds" in str(error)
    assert sorted(tmp_path.rglob("*")) == before


def test_members_that_swell(file: Path) -> None:
    good = file.read_bytes()
    for name, size in (("voice.json", 2_000_000), ("codes.safetensors", 9_000_000), ("mimetype", 101)):
        refused(written(file, members(file) | {name: bytes(size)}, zipfile.ZIP_DEFLATED))
        file.write_bytes(good)


def test_a_member_that_is_larger_than_it_says(file: Path) -> None:
    written(file, members(file) | {"mimetype": sharing.MIMETYPE + bytes(5_000)})
    data = file.read_bytes()
    place = data.index(b"PK\x01\x02")
    file.write_bytes(data[: place + 24] + (20).to_bytes(4, "little") + data[place + 28 :])
    refused(file)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_are_packed_in_other_ways(file: Path, method: int) -> None:
    good = file.read_bytes()
    refused(written(file, members(file), method))
    data = bytearray(good)
    for place in [place for place in range(len(data)) if data.startswith((b"PK\x01\x02", b"PK\x03\x04"), place)]:
        at = place + (10 if data[place + 2] == 1 else 8)
        data[at : at + 2] = method.to_bytes(2, "little")  # the lists say so, the data is as it was
    file.write_bytes(data)
    refused(file)


def test_more_members_than_memory(file: Path) -> None:
    refused(written(file, members(file) | {f"clips/{number}.flac": b"" for number in range(300)}))


def test_twice_the_same_name(file: Path) -> None:
    held = members(file)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(file, "a") as archive:
        archive.writestr("voice.json", held["voice.json"])
    refused(file)


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said.update(version="1"),
        lambda said: said.update(version=0),
        lambda said: said["voice"].update(name=""),
        lambda said: said["voice"].update(strange=1),
        lambda said: said["voice"].update(clips=[]),
        lambda said: said["voice"]["clips"].pop(),
        lambda said: said["voice"]["clips"].reverse(),
        lambda said: said["voice"]["clips"][0].update(samples=10**12),
        lambda said: said["voice"]["clips"][0].update(samples=9_500),
        lambda said: said["voice"]["clips"][0].update(trim=[0, 10**9]),
        lambda said: said["voice"]["clips"][0].update(rate=8_000),
        lambda said: said["voice"]["clips"][0].update(channels=1),
        lambda said: said["voice"]["clips"][0].update(name="a.wav"),
        lambda said: said["voice"]["clips"][0].update(audio="../../x"),
        lambda said: said["voice"]["clips"][0].update(gain="loud"),
        lambda said: said["voice"]["clips"][0].update(gain=float("inf")),
        lambda said: said["voice"].pop("spoken_consent"),
        lambda said: said["voice"]["spoken_consent"].update(samples=10**12),
        lambda said: said["voice"]["spoken_consent"].update(samples=9_500),
        lambda said: said["voice"]["spoken_consent"].update(trim=[5, 5]),
        lambda said: said["voice"]["spoken_consent"].update(name="a.wav"),
        lambda said: said["voice"]["spoken_consent"].update(audio="../../x"),
        lambda said: said["voice"]["spoken_consent"].update(said["voice"]["clips"][0]),
    ],
)
def test_a_record_that_lies(file: Path, change: object) -> None:
    refused(changed(file, change))


def test_a_file_of_the_version_before_consents(file: Path) -> None:
    held = members(file)
    del held["consent.flac"]
    said = json.loads(held["voice.json"])
    del said["voice"]["spoken_consent"]
    shared = look_into(written(file, held | {"voice.json": json.dumps(said | {"version": 1}).encode()}))
    assert shared.consent is None
    assert shared.voice.recordings == shared.voice.clips


def test_a_newer_file_says_so(file: Path) -> None:
    assert "newer" in str(refused(changed(file, lambda said: said.update(version=3))))


@pytest.mark.parametrize(
    "codes",
    [
        {"0": np.zeros((10, 3), np.int32)},
        {"0": np.zeros(10, np.int16)},
        {"0": np.zeros((10, 0), np.int16)},
        {"0": np.full((10, 3), -1, np.int16)},
        {"7": np.zeros((10, 3), np.int16)},
        {"../0": np.zeros((10, 3), np.int16)},
    ],
)
def test_codes_that_are_none(file: Path, codes: dict[str, np.ndarray]) -> None:
    held = members(file)
    refused(written(file, held | {"codes.safetensors": safetensors.numpy.save(codes, {"codec": CODEC})}))


def test_a_recording_that_is_another(file: Path, tmp_path: Path) -> None:
    held = members(file)
    good = file.read_bytes()
    for data in (held["clips/1.flac"], held["clips/0.flac"][:-300], (tmp_path / "clip0.wav").read_bytes(), b""):
        for name in ("clips/0.flac", "consent.flac"):
            refused(written(file, held | {name: data}))
            file.write_bytes(good)


def test_a_flac_whose_header_promises_more(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its digest and the record go along with the lie; the sound does not."""
    held = members(file)
    said = json.loads(held["voice.json"])
    data = bytearray(held["clips/0.flac"])
    data[21:26] = bytes([data[21] & 0xF0]) + (50_000_000).to_bytes(4, "big")  # samples in STREAMINFO
    said["voice"]["clips"][0] |= {"samples": 50_000_000, "audio": sharing._digest(bytes(data))}
    refused(written(file, held | {"clips/0.flac": bytes(data), "voice.json": json.dumps(said).encode()}))


def test_what_is_there_stays_where_sharing_fails(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    clip = look_into(file).voice.clips[0]
    voice = LibraryVoice(new_voice_id(), "Ada", (clip,))
    with pytest.raises(OSError, match="none"):
        share(file, voice, {clip.file: tmp_path / "none.flac"}, {}, CODEC)
    assert file.read_bytes() == before
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".part"]


def test_other_files(tmp_path: Path) -> None:
    for name, data in (("a", b""), ("b", b"PK\x05\x06"), ("c", b"PK\x05\x06" + bytes(18)), ("d", bytes(10_000))):
        (tmp_path / name).write_bytes(data)
        refused(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        look_into(tmp_path / "none")


def test_trims_are_kept_where_a_format_holds_fewer_samples_than_it_said(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.zeros(1_000), RATE)
    clip = Clip("0" * 32, "a.wav", RATE, 1, 1_010, "MP3", (0, 1_010), "x")
    share(tmp_path / "a.voice", LibraryVoice("1", "A", (clip,)), {clip.file: path}, {}, CODEC)
    shared: SharedVoice = look_into(tmp_path / "a.voice")
    assert shared.voice.clips[0].trim == (0, 1_000)
    assert replace(shared.voice.clips[0], name="").samples == 1_000
