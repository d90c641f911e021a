"""A project collected into a folder can be read by anybody, and comes back as it was."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from engine.audio import read
from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Voice
from engine.take_file import read_take
from studio.document import collect as collecting
from studio.document.collect import Sound, collect, gather
from studio.document.edits import SetTitle
from studio.document.file import NewerProjectError, ProjectFileError
from studio.document.history import History
from studio.document.project import Character, Line, LinePart, Mark, Project, Scene

VOICE = Voice("heart", (Reference("As I said.", np.ones((10, 4), np.int16)),))


def take(seed: int) -> Take:
    codes = np.random.default_rng(seed).integers(0, 1024, (10, 6)).astype(np.int16)
    origin = Origin(Prompt((Part(0, "Hello."),), (VOICE,)), "digest", seed, Settings(), How.GENERATED, 44_100, 2_048)
    data = np.ones((2, 6), np.float32)
    return Take(codes, origin, FrameData(data, data))


TAKES = (take(1), take(2))
LINE = Line("a", (LinePart("楚心", "Hello."),), (TAKES[0].id,), TAKES[0].id)
PROJECT = Project(
    "Play",
    (Scene("One", (LINE,)),),
    (Character("楚心", 1, "heart"),),
    (VOICE,),
    MappingProxyType({TAKES[0].id: Mark("best")}),
)
HISTORY = History.start(PROJECT).do(SetTitle("Second")).undo()
SOUND = Sound("001 楚心", 44_100, np.linspace(-0.5, 0.5, 1_000, dtype=np.float32))


def test_it_is_there_to_be_read_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "Play – 楚心"
    collect(folder, HISTORY, TAKES, [SOUND])
    assert "楚心: Hello." in (folder / "script.txt").read_text("utf-8")
    assert json.loads((folder / "project.json").read_bytes())["project"]["title"] == "Play"
    assert len(read(folder / "sound" / "001 楚心.wav")[0]) == 1_000
    assert {read_take(each).id for each in (folder / "takes").iterdir()} == {each.id for each in TAKES}
    loaded = gather(folder)
    assert [step.project.title for step in loaded.history.steps] == ["Play", "Second"]
    assert loaded.history.at == 0
    assert loaded.history.project.lines() == PROJECT.lines()
    assert loaded.history.project.marks == PROJECT.marks
    assert {each.id for each in loaded.takes} == {each.id for each in TAKES}
    assert [each.name for each in tmp_path.iterdir()] == [folder.name]


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "Play").mkdir()
    (tmp_path / "Play" / "mine").write_text("keep")
    with pytest.raises(FileExistsError):
        collect(tmp_path / "Play", HISTORY, TAKES, [])
    assert [each.name for each in (tmp_path / "Play").iterdir()] == ["mine"]


def test_where_something_fails_there_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(collecting, "write_take", full)
    with pytest.raises(OSError, match="No space"):
        collect(tmp_path / "Play", HISTORY, TAKES, [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["project.json", "history.jsonl", "voices.safetensors"])
@pytest.mark.parametrize("content", [None, b"", b"\xff{", b'{"version": 2}', b"[" * 100_000])
def test_a_folder_that_is_not_whole_is_refused(tmp_path: Path, name: str, content: bytes | None) -> None:
    folder = tmp_path / "Play"
    collect(folder, HISTORY, TAKES, [])
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises((ProjectFileError, FileNotFoundError)):
        gather(folder)


def test_a_take_that_is_damaged_and_a_newer_version_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "Play"
    collect(folder, HISTORY, TAKES, [])
    (folder / "takes" / "other.take").write_bytes(b"no take")
    with pytest.raises(ProjectFileError, match="A take"):
        gather(folder)
    (folder / "project.json").write_bytes(b'{"version": 99, "project": {}}')
    with pytest.raises(NewerProjectError):
        gather(folder)
    with pytest.raises(ProjectFileError, match="not a folder"):
        gather(tmp_path)
