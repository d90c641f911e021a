"""How far takes keep to their voice, with the voices that come with Retake."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine import assets
from engine.codec_file import load_codec
from engine.drift import likeness
from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Voice, frozen
from engine.voices import read_voices

FOLDER = assets.folder() / "voice"
NOTHING = frozen(np.zeros((10, 0), np.int16))


def no_encoder(samples: np.ndarray, rate: int) -> np.ndarray:
    raise AssertionError("their codes lie beside them")


VOICES = read_voices(FOLDER, no_encoder)
NAMES = sorted(VOICES)
LATER = {name: frozen(np.load(FOLDER / "voices" / f"{name}-2.codes.npy").astype(np.int16)) for name in NAMES}


@pytest.fixture(scope="module")
def codec() -> object:
    import torch

    return load_codec(FOLDER, torch.device("cpu"), part=("decode",))


def take(codes: np.ndarray, *voices: Voice) -> Take:
    origin = Origin(Prompt((Part(0, "Hello."),), voices), "", 0, Settings(), How.GENERATED, 22_050, 1_024)
    nothing = frozen(np.zeros((2, codes.shape[1]), np.float32))
    return Take(codes, origin, FrameData(nothing, nothing))


def test_a_voice_is_like_itself_and_unlike_another(codec) -> None:  # type: ignore[no-untyped-def]
    first, second = NAMES[:2]
    own = likeness(codec, take(LATER[first], VOICES[first]))
    other = likeness(codec, take(LATER[first], VOICES[second]))
    assert own is not None
    assert other is not None
    assert own.shape == other.shape == (LATER[first].shape[1],)
    assert own.mean() > 0.7 > 0.3 > other.mean()


def test_where_it_becomes_another_voice_is_seen(codec) -> None:  # type: ignore[no-untyped-def]
    first, second = NAMES[:2]
    both = frozen(np.concatenate([LATER[first], LATER[second]], axis=1))
    found = likeness(codec, take(both, VOICES[first]))
    assert found is not None
    edge = LATER[first].shape[1]
    assert found[: edge - 12].mean() > 2 * found[edge + 12 :].mean()


def test_what_cannot_be_told_is_left_out(codec) -> None:  # type: ignore[no-untyped-def]
    voice = VOICES[NAMES[0]]
    short = replace(voice, references=(Reference("Hi.", voice.references[0].codes[:, :5]),))
    for unknown in (
        take(LATER[NAMES[0]]),
        take(LATER[NAMES[0]], *VOICES.values()),
        take(LATER[NAMES[0]], short),
        take(NOTHING, voice),
    ):
        assert likeness(codec, unknown) is None
