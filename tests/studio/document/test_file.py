"""A project comes back from its file as it was, undo and all; whatever else a file holds is refused in plain words."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import whole_file
from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Turn, Voice
from studio.document import file as project_file
from studio.document import packs
from studio.document.edits import (
    AddCharacter,
    AddScene,
    AddTakes,
    ChangeCharacter,
    Edit,
    MarkTake,
    RemoveScene,
    ReplaceLines,
    SetLanguage,
    SetNote,
    SetTarget,
    SetTitle,
    SetVoices,
)
from studio.document.file import (
    MIMETYPE,
    ChangedUnderneathError,
    NewerProjectError,
    ProjectFileError,
    check_unchanged,
    load,
    save,
)
from studio.document.history import History
from studio.document.members import VERSION
from studio.document.packs import pack
from studio.document.project import Character, Line, LinePart, Mark, Project, Scene
from studio.document.thumbnails import Thumbnail
from studio.samples import Peaks, Print


def codes(seed: int, frames: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1024, (10, frames)).astype(np.int16)


def take(seed: int, frames: int = 6) -> Take:
    prompt = Prompt((Part(0, "楚心: hello."),), (HEART,), (Turn((Part(None, "Before."),), codes(seed + 1)),))
    origin = Origin(prompt, "digest", seed, Settings(0.5), How.SPLICED, 22_050, 1_024, "parent", (1, 3))
    data = np.full((2, frames), seed, np.float32)
    return Take(codes(seed, frames), origin, FrameData(data, data), capped=True)


HEART = Voice("heart", (Reference("As I said.", codes(100)), Reference("And so on.", codes(101))))
JOE = Voice("joe", (Reference("Well.", codes(102)),))
TAKES = (take(1), take(2))
IDS = tuple(each.id for each in TAKES)
LINE = Line(
    "a", (LinePart("楚心", "Hello."), LinePart("", "Bye.\n[sighs]")), IDS, IDS[1], Settings(top_k=3), "low", True, 0
)
PROJECT = Project(
    "Play",
    (Scene("One", (LINE, Line("b", (LinePart("楚心", "x"),)))), Scene("Two", pause=0)),
    (Character("楚心", 2, "heart", Settings(0.1)), Character("Bob", 1)),
    (HEART, JOE),
    MappingProxyType({IDS[0]: Mark("best", True, 3, "so", True)}),
)


def typed(text: str) -> Edit:
    return ReplaceLines(0, 1, 2, (Line("b", (LinePart("Bob", text),)), Line(f"c{text}", (LinePart("", text),))))


def same(one: Any, other: Any) -> bool:
    """Equal with the voices' codes compared by their numbers."""

    def told(project: Project) -> object:
        voices = [
            (voice.name, [(reference.transcript, reference.codes.tolist()) for reference in voice.references])
            for voice in project.voices
        ]
        return replace(project, voices=()), voices

    return bool(told(one) == told(other))


def assert_same(history: History, loaded: History) -> None:
    assert [step.label for step in loaded.steps] == [step.label for step in history.steps]
    assert all(same(one.project, other.project) for one, other in zip(history.steps, loaded.steps, strict=True))
    assert [step.before for step in loaded.steps] == [step.before for step in history.steps]
    assert (loaded.at, loaded.tip) == (history.at, history.tip)
    assert loaded.clean


def test_everything_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "楚心.retake"
    history = History.start(PROJECT)
    save(path, history, TAKES)
    loaded = load(path)
    assert_same(history, loaded.history)
    assert [each.id for each in loaded.takes] == list(IDS)
    assert loaded.takes[0].origin.settings == TAKES[0].origin.settings
    assert path.read_bytes()[30:58] == b"mimetype" + MIMETYPE


def test_targets_and_the_language_come_back_with_every_step(tmp_path: Path) -> None:
    history = History.start(PROJECT).do(SetTarget("a", 2.5)).do(SetLanguage("de_DE")).do(SetTarget("a", None))
    path = tmp_path / "Play.retake"
    save(path, history, TAKES)
    loaded = load(path).history
    assert_same(history, loaded)
    assert [step.project.language for step in loaded.steps] == ["en_US", "en_US", "de_DE", "de_DE"]
    assert loaded.steps[1].project.line("a").target == 2.5


edits: st.SearchStrategy[Edit] = st.one_of(
    st.sampled_from(["x", "y"]).map(typed),
    st.sampled_from(["x", "y"]).map(SetTitle),
    st.sampled_from(["x", "y"]).map(lambda note: SetNote("a", note)),
    st.sampled_from(IDS).map(lambda each: AddTakes("b", (each,))),
    st.sampled_from(IDS).map(lambda each: MarkTake(each, Mark(note="n"))),
    st.sampled_from([HEART, JOE, Voice("heart"), Voice("eve", JOE.references)]).map(lambda voice: SetVoices((voice,))),
    st.sampled_from(["Eve", "Bob"]).map(lambda name: AddCharacter(Character(name))),
    st.just(ChangeCharacter("楚心", Character("楚心", 7))),
    st.integers(0, 2).map(lambda at: AddScene(at, Scene("Added", (Line(f"s{at}", (LinePart("", ""),)),)))),
    st.integers(0, 2).map(RemoveScene),
)


@given(st.lists(edits, max_size=8), st.data())
def test_undo_comes_back_with_all_its_steps(
    tmp_path_factory: pytest.TempPathFactory, some: list[Edit], data: Any
) -> None:
    history = History.start(PROJECT)
    for edit in some:
        try:
            history = history.do(edit)
        except (ValueError, IndexError, KeyError):
            continue  # an edit that does not fit here
    history = history.jump(data.draw(st.integers(0, len(history.steps) - 1)))
    path = tmp_path_factory.mktemp("project") / "play.retake"
    save(path, history, TAKES)
    loaded = load(path).history
    assert_same(history, loaded)
    lines = {id(line) for step in loaded.steps for line in step.project.lines()}
    assert len(lines) <= len({id(line) for step in history.steps for line in step.project.lines()})


def test_a_save_that_fails_leaves_the_file_whole_wherever_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call that reaches the disk fails once, in each way a disk has; after each the old file is whole."""
    path = tmp_path / "play.retake"
    first = save(path, History.start(replace(PROJECT, keeps_sound=True)), TAKES, print_of=heard)
    before = path.read_bytes()
    changed = History.start(replace(PROJECT, title="Second", keeps_sound=True))
    for name in ("open", "write", "flush", "fsync", "replace"):
        for number in (errno.ENOSPC, errno.EIO, errno.EACCES):
            for after in (0, 1, 3, 20) if name in ("write", "flush") else (0,):
                faults = Faults(name, number, after)
                with monkeypatch.context() as patch:
                    faults.put_in(patch)
                    with contextlib.suppress(OSError):
                        save(path, changed, TAKES, first, THUMBNAILS)
                assert (path.read_bytes() == before) == faults.failed
                path.write_bytes(before)
                assert [each.name for each in tmp_path.iterdir()] == ["play.retake"]


class Faults:
    """The call `name` of the system fails with `number`, the first `after` times it does not; a write is a short one
    before it fails."""

    def __init__(self, name: str, number: int, after: int) -> None:
        self.name, self.number, self.after = name, number, after
        self.failed = False

    def put_in(self, patch: pytest.MonkeyPatch) -> None:
        fdopen, system_open, sync, swap = os.fdopen, os.open, os.fsync, Path.replace
        patch.setattr(whole_file.os, "open", lambda *some: self.call("open", system_open, *some))
        patch.setattr(whole_file.os, "fsync", lambda number: self.call("fsync", sync, number))
        patch.setattr(whole_file.Path, "replace", lambda path, other: self.call("replace", swap, path, other))
        patch.setattr(whole_file.os, "fdopen", lambda number, mode: FaultyFile(fdopen(number, mode), self))

    def call(self, name: str, real: Callable[..., Any], *some: Any) -> Any:
        if name == self.name:
            if self.after == 0:
                self.failed = True
                raise OSError(self.number, os.strerror(self.number))
            self.after -= 1
        return real(*some)


class FaultyFile:
    """A file whose writes and flushes may fail."""

    def __init__(self, file: BinaryIO, faults: Faults) -> None:
        self._file, self._faults = file, faults

    def __enter__(self) -> FaultyFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, data: bytes) -> int:
        if self._faults.name == "write" and self._faults.after == 0:
            self._file.write(bytes(data)[: len(data) // 2])
        return int(self._faults.call("write", self._file.write, data))

    def flush(self) -> None:
        self._faults.call("flush", self._file.flush)


def test_a_program_ended_while_it_wrote_is_cleaned_up_after(tmp_path: Path) -> None:
    file = whole_file.WholeFile(tmp_path / "play.retake")
    file.setup().write(b"half")
    file.part_file.close()
    (left,) = tmp_path.iterdir()
    left.rename(left.with_name(left.name.replace(str(os.getpid()), "999999999")))
    save(tmp_path / "play.retake", History.start(PROJECT), TAKES)
    assert [each.name for each in tmp_path.iterdir()] == ["play.retake"]


def test_names_of_any_length_and_script_and_links(tmp_path: Path) -> None:
    deep = tmp_path / ("楚心" * 20) / ("נועה" * 15)
    deep.mkdir(parents=True)
    for name in ("a" * 248, "ü" * 120, "楚" * 80, "two\nrows", " .hidden "):
        path = deep / f"{name}.retake"
        save(path, History.start(PROJECT), TAKES)
        assert load(path).history.project.title == "Play"
    link = tmp_path / "link.retake"
    link.symlink_to(path)
    save(link, History.start(replace(PROJECT, title="Through")), TAKES)
    assert link.is_symlink()
    assert load(path).history.project.title == "Through"


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "play.retake"
    save(path, History.start(PROJECT), TAKES)
    path.chmod(0o640)
    save(path, History.start(PROJECT), TAKES)
    assert path.stat().st_mode & 0o777 == 0o640


def test_full_packs_are_copied_and_the_rest_is_packed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    takes = [take(seed) for seed in range(20)]
    monkeypatch.setattr(packs, "_MOST_NEW_BYTES", 3_000)
    monkeypatch.setattr(packs, "_FULL_BYTES", len(pack(takes[:3]).content) + 1)
    history = History.start(PROJECT)
    path = tmp_path / "play.retake"
    first = save(path, history, takes[:15])
    assert [len(each.takes) for each in first.packs] == [4, 4, 4, 3]
    second = save(path, history.do(SetTitle("x")), takes, first)
    assert all(new is old for new, old in zip(second.packs, first.packs[:-1], strict=False))
    assert second.rows[0] is first.rows[0]
    loaded = load(path)
    assert [each.id for each in loaded.takes] == [each.id for each in takes]
    again = save(tmp_path / "again.retake", loaded.history, loaded.takes, loaded.written)
    assert [new is old for new, old in zip(again.packs, loaded.written.packs, strict=False)][:-1]
    assert [each.id for each in load(tmp_path / "again.retake").takes] == [each.id for each in takes]


def test_a_file_changed_by_another_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "play.retake"
    mine = save(path, History.start(PROJECT), TAKES)
    check_unchanged(path, mine)
    os.utime(path, (1, 1))  # touched only, as folders that are synchronised do
    check_unchanged(path, mine)
    save(path, History.start(replace(PROJECT, title="Theirs")), TAKES)
    with pytest.raises(ChangedUnderneathError, match="another program"):
        check_unchanged(path, mine)
    path.write_bytes(b"no zip")
    with pytest.raises(ChangedUnderneathError):
        check_unchanged(path, mine)
    path.unlink()
    check_unchanged(path, mine)


def test_a_project_changed_by_hand_is_one_step_more(tmp_path: Path, members: dict[str, bytes]) -> None:
    said = json.loads(members["project.json"])
    said["project"]["title"] = "By hand"
    members["project.json"] = json.dumps(said).encode()
    history = opened(tmp_path, zipped(members)).history
    assert (history.project.title, history.undo_label) == ("By hand", "Changed outside of Retake")
    assert history.undo().project.title == "x"


FILES = Path(__file__).parent / "files"


def test_every_version_has_a_file_to_show_that_it_opens() -> None:
    assert {each.name for each in FILES.iterdir()} == {f"version_{number}.retake" for number in range(1, VERSION + 1)}


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_files_of_every_version_open(tmp_path: Path, version: int) -> None:
    loaded = load(FILES / f"version_{version}.retake")
    steps = History.start(replace(PROJECT, keeps_sound=version >= 3))
    steps = steps.do(SetNote("a", "softer")).do(typed("y")).do(SetTitle("Second"))
    steps = steps.do(AddTakes("b", (IDS[0],))).undo().undo()
    assert_same(steps, loaded.history)
    assert [each.id for each in loaded.takes] == list(IDS)
    save(tmp_path / "new.retake", loaded.history, loaded.takes, loaded.written)
    assert_same(steps, load(tmp_path / "new.retake").history)
    assert load(tmp_path / "new.retake").written.sounds == ({IDS[0], IDS[1]} if version >= 3 else frozenset())
    assert set(loaded.thumbnails) == (set(IDS) if version >= 3 else set())


def heard(_: str) -> Print:
    """How a take of six frames sounds."""
    samples = np.sin(np.arange(6 * 1_024) / 9).astype(np.float32)
    return Print(22_050, samples, Peaks(samples))


THUMBNAILS = {each: Thumbnail.of(heard(each)) for each in IDS}


def test_thumbnails_come_back_with_the_takes_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "play.retake"
    save(path, History.start(PROJECT), TAKES[:1], thumbnails=THUMBNAILS)
    (one,) = load(path).thumbnails.items()
    assert one[0] == IDS[0]
    assert (one[1].columns == THUMBNAILS[IDS[0]].columns).all()
    data = bytearray(path.read_bytes())
    at = data.index(one[1].columns.tobytes())
    data[at] ^= 1
    path.write_bytes(data)
    assert load(path).thumbnails == {}, "damaged ones are made anew"


@pytest.fixture
def members(tmp_path: Path) -> dict[str, bytes]:
    save(tmp_path / "play.retake", History.start(PROJECT).do(typed("y")).do(SetTitle("x")), TAKES)
    with zipfile.ZipFile(tmp_path / "play.retake") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def opened(folder: Path, content: bytes) -> project_file.Loaded:
    path = folder / "other.retake"
    path.write_bytes(content)
    return load(path)


def test_a_newer_version_is_refused_with_what_to_do(tmp_path: Path, members: dict[str, bytes]) -> None:
    members["project.json"] = json.dumps({"version": VERSION + 1, "anything": "else"}).encode()
    with pytest.raises(NewerProjectError, match="newer Retake"):
        opened(tmp_path, zipped(members))


def change(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda project: project.update({key: value})


@pytest.mark.parametrize(
    "wrong",
    [
        change("title", 3),
        change("strange", 1),
        change("scenes", {}),
        change("cast", [{"name": "Bob"}, {"name": "Bob"}]),
        change("voices", [{"name": "heart", "references": [{"transcript": "x", "codes": "gone"}]}]),
        lambda project: project["scenes"][0]["lines"].append(project["scenes"][0]["lines"][0]),
        lambda project: project["scenes"][0]["lines"][0].update(kept="elsewhere"),
        lambda project: project["scenes"][0]["lines"][0].update(takes=["../../x"], kept=None),
        lambda project: project["scenes"][0]["lines"][0].update(pause=True),
        lambda project: project["scenes"][0]["lines"][0]["settings"].update(top_p="high"),
    ],
)
def test_a_project_that_makes_no_sense_is_damaged(
    tmp_path: Path, members: dict[str, bytes], wrong: Callable[[dict[str, Any]], None]
) -> None:
    said = json.loads(members["project.json"])
    wrong(said["project"])
    members["project.json"] = json.dumps(said).encode()
    with pytest.raises(ProjectFileError, match="damaged"):
        opened(tmp_path, zipped(members))


def test_what_is_no_project_is_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    whole = zipped(members)
    for content in (b"", b"RIFF1234WAVE", whole[:-30], zipped({"a": b"b"}), zipped({**members, "mimetype": b"other"})):
        with pytest.raises(ProjectFileError):
            opened(tmp_path, content)
    for name in members.keys() - {"takes/0.safetensors"}:
        with pytest.raises(ProjectFileError):
            opened(tmp_path, zipped({other: content for other, content in members.items() if other != name}))
    with pytest.raises(ProjectFileError):
        opened(tmp_path, zipped({**members, "history.jsonl": b"[" * 100_000}))


def test_a_zip_bomb_is_refused_unread(
    tmp_path: Path, members: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(project_file.MOST_BYTES, "history.jsonl", 1_000)
    with pytest.raises(ProjectFileError, match="damaged"):
        opened(tmp_path, zipped({**members, "history.jsonl": b" " * 2_000}))
    monkeypatch.setattr(project_file, "_MOST_FILE_BYTES", 100)
    with pytest.raises(ProjectFileError, match="larger"):
        opened(tmp_path, zipped(members))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_are_packed_in_other_ways_are_damage(
    tmp_path: Path, members: dict[str, bytes], method: int
) -> None:
    """What unpacks those has errors of its own, and they are never written."""
    data = bytearray(zipped(members, zipfile.ZIP_STORED))
    for place in [at for at in range(len(data)) if data.startswith((b"PK\x01\x02", b"PK\x03\x04"), at)]:
        at = place + (10 if data[place + 2] == 1 else 8)
        data[at : at + 2] = method.to_bytes(2, "little")
    with pytest.raises(ProjectFileError, match="damaged"):
        opened(tmp_path, bytes(data))


def test_values_without_end_are_a_bomb_as_well(
    tmp_path: Path, members: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    many = b'{"version": 3, "project": [' + b"[]," * 50_000 + b"0]}"
    monkeypatch.setattr("studio.document.encoding.MOST_VALUES", 40_000)
    opened(tmp_path, zipped(members))
    with pytest.raises(ProjectFileError, match="damaged") as refused:
        opened(tmp_path, zipped({**members, "project.json": many}))
    assert "too many values" in str(refused.value.__cause__)
    with pytest.raises(ProjectFileError, match="damaged"):
        opened(tmp_path, zipped({**members, "takes/0.safetensors": len(many).to_bytes(8, "little") + many}))
    monkeypatch.setattr("studio.document.members.MOST_STEPS", 2)
    with pytest.raises(ProjectFileError, match="damaged") as refused:
        opened(tmp_path, zipped(members))
    assert "too many steps" in str(refused.value.__cause__)


def test_a_history_that_is_too_long_for_a_file_loses_its_oldest_steps_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History.start(PROJECT)
    for number in range(300):
        history = history.do(SetNote("a", f"{number}"))
    monkeypatch.setitem(project_file.MOST_BYTES, "history.jsonl", 100_000)
    written = save(tmp_path / "play.retake", history, TAKES)
    loaded = load(tmp_path / "play.retake").history
    assert same(loaded.project, history.project)
    assert 50 < len(loaded.steps) < 300
    assert loaded.undo().project.lines()[0].note == "298"
    monkeypatch.undo()
    monkeypatch.setattr(project_file, "MOST_STEPS", 100)
    assert len(save(tmp_path / "many.retake", history, TAKES).steps) == 49
    save(tmp_path / "play.retake", history.do(SetNote("a", "more")), TAKES, written)
    assert load(tmp_path / "play.retake").history.undo().project.lines()[0].note == "299"


def test_many_members_together_are_a_bomb_too(
    tmp_path: Path, members: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(project_file, "_MOST_READ_BYTES", sum(map(len, members.values())) - 1)
        with pytest.raises(ProjectFileError, match="damaged"):
            opened(tmp_path, zipped(members))
    monkeypatch.setattr(project_file, "_MOST_LIST_BYTES", 5_000)
    opened(tmp_path, zipped(members))
    with pytest.raises(ProjectFileError, match="damaged"):
        opened(tmp_path, zipped({**members, **{f"{number:0100d}": b"" for number in range(50)}}))
    end = zipped(members)
    with pytest.raises(ProjectFileError, match="damaged"):
        opened(tmp_path, end[:-22] + b"PK\x06\x07" + bytes(16) + end[-22:])


def test_a_file_that_is_not_there_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "gone.retake")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_mutation_does_worse_than_a_clear_refusal(tmp_path: Path, members: dict[str, bytes], data: Any) -> None:
    """Bytes of the file, or of a member inside a sound zip, are changed, taken out or put in."""
    inside = data.draw(st.booleans())
    name = data.draw(st.sampled_from(sorted(members)))
    whole = zipped(members, zipfile.ZIP_STORED)
    content = bytearray(members[name] if inside else whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, max(0, len(content) - 1)))
        length = data.draw(st.integers(0, 4))
        content[place : place + length] = data.draw(st.binary(max_size=4))
    mutated = zipped({**members, name: bytes(content)}, zipfile.ZIP_STORED) if inside else bytes(content)
    with contextlib.suppress(ProjectFileError):
        assert opened(tmp_path, mutated).history.steps
