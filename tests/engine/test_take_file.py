"""Takes as files: all comes back, shared things are stored once, and no damage gets past as anything but its error."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import TakeFileError
from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Turn, Voice
from engine.take_file import pack_takes, read_take, unpack_takes, write_take


def codes(frames: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1024, (3, frames)).astype(np.int16)


def take(frames: int = 7, seed: int = 5, **changes: Any) -> Take:
    rng = np.random.default_rng(seed)
    prompt = Prompt(
        (Part(0, "Come in, [softly] 日本 “please”."), Part(None, "")),
        (Voice("heart", (Reference("They carried.", codes(9, 1)), Reference("I sang.", codes(5, 2)))), Voice("nobody")),
        (Turn((Part(1, "Before."),), codes(4, 3)),),
    )
    origin = Origin(
        prompt,
        "c0ffee",
        seed,
        Settings(temperature=1, top_p=0.8, most_frames=99),
        How.SPLICED,
        22_050,
        1024,
        "0123456789abcdef",
        (2, 5),
        "c0dec",
    )
    parts = 2 + seed % 2  # with margin, or without as in older files
    data = FrameData(*rng.normal(size=(parts, 2, frames)).astype(np.float32))
    return dataclasses.replace(Take(codes(frames, seed), origin, data, True), **changes)


def assert_equal(one: Take, other: Take) -> None:
    assert one.id == other.id
    assert one.capped == other.capped
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.frame_data.log_p, other.frame_data.log_p)
    np.testing.assert_array_equal(one.frame_data.entropy, other.frame_data.entropy)
    np.testing.assert_array_equal(one.frame_data.margin, other.frame_data.margin)
    plain = [dataclasses.replace(t.origin, prompt=Prompt(t.origin.prompt.parts)) for t in (one, other)]
    assert plain[0] == plain[1]
    for mine, theirs in zip(one.origin.prompt.voices, other.origin.prompt.voices, strict=True):
        assert mine.name == theirs.name
        for a, b in zip(mine.references, theirs.references, strict=True):
            assert a.transcript == b.transcript
            np.testing.assert_array_equal(a.codes, b.codes)
    for turn, other_turn in zip(one.origin.prompt.context, other.origin.prompt.context, strict=True):
        assert turn.parts == other_turn.parts
        np.testing.assert_array_equal(turn.codes, other_turn.codes)


def test_a_take_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "größe.take"
    write_take(path, take())
    back = read_take(path)
    assert_equal(back, take())
    assert not back.codes.flags.writeable
    assert list(tmp_path.iterdir()) == [path]


@given(st.text().filter(lambda text: text.isprintable()), st.integers(0, 30), st.booleans(), st.integers(0, 2**63))
def test_any_take_comes_back(text: str, frames: int, capped: bool, seed: int) -> None:
    origin = dataclasses.replace(take().origin, prompt=Prompt((Part(None, text),)), seed=seed, span=None, parent=None)
    made = take(frames, origin=origin, capped=capped)
    (back,) = unpack_takes(pack_takes((made,)))
    assert_equal(back, made)


def test_many_takes_share_their_voices() -> None:
    takes = [take(seed=seed) for seed in range(20)]
    content = pack_takes(takes)
    alone = [pack_takes((one,)) for one in takes]
    assert len(content) < sum(map(len, alone)) * 0.8
    back = unpack_takes(content)
    for one, other in zip(takes, back, strict=True):
        assert_equal(one, other)
    assert back[0].origin.prompt.voices[0] is back[19].origin.prompt.voices[0]
    assert unpack_takes(pack_takes(())) == ()


def test_one_file_holds_one_take(tmp_path: Path) -> None:
    path = tmp_path / "a.take"
    path.write_bytes(pack_takes((take(seed=1), take(seed=2))))
    with pytest.raises(TakeFileError, match="2 takes"):
        read_take(path)


def rewritten(change: Any) -> bytes:
    """A take's bytes with its document changed by a function."""
    content = pack_takes((take(),))
    size = int.from_bytes(content[:8], "little")
    document = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["retake_take"])
    document = change(document) or document
    return safetensors.numpy.save(safetensors.numpy.load(content), {"retake_take": json.dumps(document)})


def put(*path: Any, value: Any) -> Any:
    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


def test_a_take_of_before_codecs_were_told_opens() -> None:
    (back,) = unpack_takes(rewritten(lambda document: document["takes"][0].pop("codec") and None))
    assert back.origin.codec == ""
    assert back.id == take().id


def test_a_newer_version_says_what_to_do() -> None:
    with pytest.raises(TakeFileError, match="Update Retake"):
        unpack_takes(rewritten(put("version", value=2)))


@pytest.mark.parametrize(
    "change",
    [
        put("version", value="1"),
        put("takes", value={}),
        put("takes", value=[1]),
        put("takes", 0, "codes", value="nothing"),
        put("takes", 0, "codes", value=["x"]),
        put("takes", 0, "seed", value=-1),
        put("takes", 0, "seed", value=True),
        put("takes", 0, "seed", value=1.5),
        put("takes", 0, "how", value="sung"),
        put("takes", 0, "how", value=[]),
        put("takes", 0, "rate", value=0),
        put("takes", 0, "hop", value=2**40),
        put("takes", 0, "codec", value=None),
        put("takes", 0, "capped", value=1),
        put("takes", 0, "span", value=[5, 2]),
        put("takes", 0, "span", value=[0, 8]),
        put("takes", 0, "span", value=[0]),
        put("takes", 0, "parent", value=7),
        put("takes", 0, "prompt", value=None),
        put("takes", 0, "prompt", "voices", value=[2]),
        put("takes", 0, "prompt", "voices", value=None),
        put("takes", 0, "prompt", "parts", 0, "speaker", value=-1),
        put("takes", 0, "prompt", "parts", 0, "text", value="\ud800"),
        put("takes", 0, "settings", "temperature", value=1e999),
        put("takes", 0, "settings", "top_p", value=2),
        put("takes", 0, "settings", value={}),
        put("takes", 0, "settings", "repetition_window", value=2**31),
        put("takes", 0, "log_p", value=""),
        put("voices", 0, "references", 0, "codes", value=None),
        lambda document: [document],
        lambda document: put("takes", 0, "log_p", value=document["takes"][0]["codes"])(document),
    ],
)
def test_values_that_cannot_be_are_refused(change: Any) -> None:
    with pytest.raises(TakeFileError):
        unpack_takes(rewritten(change))


def test_numbers_that_are_none_are_refused() -> None:
    made = take(7, 6)
    log_p = made.frame_data.log_p.copy()
    log_p[0, 3] = np.nan
    wrong = dataclasses.replace(made, frame_data=dataclasses.replace(made.frame_data, log_p=log_p))
    with pytest.raises(TakeFileError, match="damaged"):
        unpack_takes(pack_takes((wrong,)))


@pytest.mark.parametrize(
    "content",
    [b"", b"12345678", b"\xff" * 64, bytes(100), b"\x02" + bytes(7) + b"{}", b"[" * 5000,
     (100_000).to_bytes(8, "little") + b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_take_is_refused(content: bytes) -> None:
    with pytest.raises(TakeFileError, match="not a take"):
        unpack_takes(content)


def test_another_safetensors_file_is_refused() -> None:
    with pytest.raises(TakeFileError, match="not a take"):
        unpack_takes(safetensors.numpy.save({"weight": np.zeros(3, np.float32)}))


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=8), st.integers(0, 10**6))
def test_damage_never_raises_anything_else(changes: list[tuple[int, int]], cut: int) -> None:
    content = bytearray(pack_takes((take(),)))
    for place, value in changes:
        content[place % len(content)] = value
    content = content[: len(content) - (cut if cut < 200 else 0)]
    try:
        takes = unpack_takes(bytes(content))
    except TakeFileError:
        return
    np.testing.assert_array_equal([one.codes for one in takes], [take().codes] * len(takes))


def test_damaged_numbers_are_noticed() -> None:
    content = bytearray(pack_takes((take(),)))
    content[-3] ^= 1
    with pytest.raises(TakeFileError, match="damaged"):
        unpack_takes(bytes(content))


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(TakeFileError, match="no such file"):
        read_take(tmp_path / "gone.take")
    with pytest.raises(TakeFileError, match="no such file or folder"):
        write_take(tmp_path / "gone" / "a.take", take())
    with pytest.raises(TakeFileError, match="cannot be read"):
        read_take(tmp_path)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.take"
    with path.open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(TakeFileError, match="larger than a take"):
        read_take(path)
