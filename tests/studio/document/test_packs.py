"""What the model thought of frames lies in a pack as it was, also of takes that know less of it."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import safetensors.numpy

from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.document.packs import ENTRY, pack, unpack


def take(seed: int, frames: int, margin: bool) -> Take:
    chance = np.random.default_rng(seed)
    origin = Origin(Prompt((Part(0, "Hello."),)), "digest", seed, Settings(), How.GENERATED, 44_100, 2_048)
    data = FrameData(*chance.random((3 if margin else 2, 2, frames), np.float32))
    return Take(chance.integers(0, 1024, (10, frames)).astype(np.int16), origin, data)


def assert_same(one: Take, other: Take) -> None:
    for name in ("log_p", "entropy", "margin"):
        np.testing.assert_array_equal(getattr(one.frame_data, name), getattr(other.frame_data, name))


def test_margins_come_back_where_they_are_known() -> None:
    takes = [take(1, 5, True), take(2, 3, False), take(3, 0, True), take(4, 7, True)]
    for one, other in zip(takes, unpack(pack(takes).content).takes, strict=True):
        assert_same(one, other)


def test_a_pack_of_before_there_were_margins_opens() -> None:
    takes = [take(1, 5, False), take(2, 3, False)]
    content = pack(takes).content
    tensors = safetensors.numpy.load(content)
    del tensors["margin"]
    with_names = safetensors.numpy.save(tensors, {ENTRY: _tables(content)})
    for one, other in zip(takes, unpack(with_names).takes, strict=True):
        assert_same(one, other)


def test_the_codec_comes_back_where_it_is_known_and_an_older_pack_opens() -> None:
    known, unknown = (take(seed, 5, True) for seed in (1, 2))
    known = replace(known, origin=replace(known.origin, codec="c0dec"))
    unknown = replace(unknown, origin=replace(unknown.origin, checkpoint="another"))
    content = pack([known, unknown]).content
    assert [each.origin.codec for each in unpack(content).takes] == ["c0dec", ""]
    older = safetensors.numpy.save(safetensors.numpy.load(content), {ENTRY: _tables(content)})
    assert [each.origin.codec for each in unpack(older).takes] == ["", ""]
    assert [each.id for each in unpack(older).takes] == [known.id, unknown.id]


def _tables(content: bytes) -> str:
    size = int.from_bytes(content[:8], "little")
    return str(json.loads(content[8 : 8 + size])["__metadata__"][ENTRY])
