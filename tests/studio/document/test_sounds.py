"""The sound of the kept takes lies in the file where that is wanted, is copied from save to save, and is read alone."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
import soundfile

from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Voice
from studio.document import sounds
from studio.document.compare import codes_digest
from studio.document.edits import SetKeepsSound, SetTitle
from studio.document.file import load, save
from studio.document.history import History
from studio.document.project import Line, LinePart, Mark, Project, Scene
from studio.document.sounds import read_clip, read_sound, wanted_sounds
from studio.samples import Peaks, Print

RATE, HOP = 22_050, 1_024


def take(seed: int, frames: int = 6) -> Take:
    codes = np.random.default_rng(seed).integers(0, 1024, (10, frames)).astype(np.int16)
    origin = Origin(Prompt((Part(0, "Hello."),)), "digest", seed, Settings(), How.GENERATED, RATE, HOP)
    data = np.ones((2, frames), np.float32)
    return Take(codes, origin, FrameData(data, data))


KEPT, OTHER, STARRED = (take(seed) for seed in range(3))
IDS = tuple(each.id for each in (KEPT, OTHER, STARRED))
PROJECT = Project(
    "Play",
    (Scene("One", (Line("a", (LinePart("Ada", "Hello."),), IDS, IDS[0]), Line("b", (LinePart("Ada", "Bye."),)))),),
    marks=MappingProxyType({IDS[2]: Mark(star=True), IDS[1]: Mark(note="no")}),
    keeps_sound=True,
)


def print_of(take_id: str) -> Print | None:
    samples = np.sin(np.arange(6 * HOP) / (5 + len(take_id) + IDS.index(take_id))).astype(np.float32)
    return Print(RATE, samples, Peaks(samples))


def unheard(_: str) -> Print | None:
    return None


def names(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return [name for name in archive.namelist() if name.startswith("sound/")]


def test_the_kept_and_the_starred_are_wanted_where_the_project_says_so() -> None:
    assert wanted_sounds(PROJECT) == (IDS[0], IDS[2])
    assert wanted_sounds(replace(PROJECT, keeps_sound=False)) == ()


def test_it_is_written_once_copied_and_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, elsewhere = tmp_path / "楚心.retake", tmp_path / "copy.retake"
    history, takes = History.start(PROJECT), (KEPT, OTHER, STARRED)
    first = save(path, history, takes, print_of=print_of)
    assert first.sounds == {IDS[0], IDS[2]}
    heard = read_sound(path, KEPT)
    real = print_of(IDS[0])
    assert heard is not None
    assert real is not None
    assert not heard.exact
    assert np.abs(heard.samples - real.samples).max() < 1e-4
    assert read_sound(path, OTHER) is None

    def encode(*_: object, **__: object) -> None:
        raise AssertionError("encoded again")

    monkeypatch.setattr(sounds.soundfile, "write", encode)
    loaded = load(path)
    assert loaded.written.sounds == first.sounds
    second = save(path, loaded.history.do(SetTitle("Second")), loaded.takes, loaded.written, print_of=print_of)
    third = save(elsewhere, history, takes, second, print_of=print_of)
    assert third.sounds == first.sounds
    assert names(elsewhere) == names(path)


def test_it_goes_when_it_is_not_wanted_any_more(tmp_path: Path) -> None:
    path, history = tmp_path / "play.retake", History.start(PROJECT)
    first = save(path, history, (KEPT,), print_of=print_of)
    assert save(path, history.do(SetKeepsSound(False)), (KEPT,), first, print_of=print_of).sounds == frozenset()
    assert names(path) == []


def test_what_nobody_can_hear_now_is_left_out_and_comes_later(tmp_path: Path) -> None:
    path, history = tmp_path / "play.retake", History.start(PROJECT)
    first = save(path, history, (KEPT, STARRED), print_of=unheard)
    assert first.sounds == frozenset()
    assert save(path, history, (KEPT, STARRED), first, print_of=print_of).sounds == {IDS[0], IDS[2]}


@pytest.mark.parametrize("gone", [True, False])
def test_where_the_file_before_is_gone_or_broken_it_is_encoded_again(tmp_path: Path, gone: bool) -> None:
    path, history = tmp_path / "play.retake", History.start(PROJECT)
    first = save(path, history, (KEPT,), print_of=print_of)
    if gone:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:2_000])
    assert save(tmp_path / "new.retake", history, (KEPT,), first, print_of=print_of).sounds == {IDS[0], IDS[2]}


def test_too_much_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History.start(PROJECT)
    size = zipfile_sizes(tmp_path, history)
    monkeypatch.setattr(sounds, "_MOST_OF_ALL", size)
    assert save(tmp_path / "play.retake", history, (KEPT,), print_of=print_of).sounds == {IDS[0]}


def zipfile_sizes(folder: Path, history: History) -> int:
    save(folder / "size.retake", history, (KEPT,), print_of=print_of)
    with zipfile.ZipFile(folder / "size.retake") as archive:
        return archive.getinfo(f"sound/{IDS[0]}.flac").file_size


def test_clips_of_voices_lie_in_every_project(tmp_path: Path) -> None:
    """Where the recordings are known when it is saved, or were when it was saved before."""
    references = tuple(Reference(words, KEPT.codes[:, :count]) for words, count in (("One.", 3), ("Two.", 4)))
    voice = Voice("heart", references)
    history = History.start(replace(PROJECT, voices=(voice,), keeps_sound=False))
    known = {codes_digest(references[0]): Print(16_000, *wave(8_000)), codes_digest(references[1]): None}
    first = save(tmp_path / "play.retake", history, (KEPT,), clip_of=known.get)
    assert first.clips == {codes_digest(references[0])}
    assert first.sounds == frozenset()
    second = save(tmp_path / "other.retake", history, (KEPT,), first)
    assert second.clips == first.clips
    heard = [read_clip(tmp_path / "other.retake", each) for each in references]
    assert heard[1] is None
    assert heard[0] is not None
    assert (heard[0].rate, len(heard[0].samples)) == (16_000, 8_000)


def wave(count: int) -> tuple[np.ndarray, Peaks]:
    samples = np.sin(np.arange(count) / 7).astype(np.float32)
    return samples, Peaks(samples)


def flac(samples: np.ndarray, rate: int = RATE, kind: str = "FLAC") -> bytes:
    made = io.BytesIO()
    soundfile.write(made, samples, rate, "PCM_16", format=kind)
    return made.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"fLaC" + b"\xff" * 100,
        flac(np.zeros(100, np.float32), 44_100),
        flac(np.zeros((100, 2), np.float32)),
        flac(np.zeros(6 * HOP + 1, np.float32)),
        flac(np.zeros(100, np.float32), kind="WAV"),
    ],
    ids=["empty", "noise", "rate", "stereo", "long", "kind"],
)
def test_another_sound_is_none(tmp_path: Path, content: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "play.retake", "w") as archive:
        archive.writestr(f"sound/{KEPT.id}.flac", content)
    assert read_sound(tmp_path / "play.retake", KEPT) is None


def test_no_more_is_read_than_a_sound_may_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "play.retake"
    save(path, History.start(PROJECT), (KEPT,), print_of=print_of)
    monkeypatch.setattr(sounds, "MOST_BYTES", 100)
    assert read_sound(path, KEPT) is None
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:  # a bomb would be packed
        archive.writestr(f"sound/{KEPT.id}.flac", flac(np.zeros(100, np.float32)))
    monkeypatch.undo()
    assert read_sound(path, KEPT) is None
    assert read_sound(tmp_path / "gone.retake", KEPT) is None
