"""How far takes keep to their voice, with the voices that come with Retake."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine import assets
from engine.codec_file import load_codec
from engine.drift import likeness, likeness_by_sound
from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Speakers, Take, Voice, frozen
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


def test_by_its_sound_as_by_its_codes() -> None:
    """Half of the take is of its voice, half of another; windows are 1.6 s, 0.4 s apart."""
    own, other = np.eye(2, 256, dtype=np.float32)
    begins = 0.4 * np.arange(20)
    reference = Speakers(np.stack([own, own]), begins[:2], begins[:2] + 1.6)
    heard = Speakers(np.stack([own] * 10 + [other] * 10), begins, begins + 1.6)
    codes = frozen(np.zeros((10, round(9.2 * 22_050 / 1_024)), np.int16))
    found = likeness_by_sound(take(codes), heard, reference)
    assert found.shape == (codes.shape[1],)
    assert found.dtype == np.float32
    edge = round((9.5 * 0.4 + 0.8) * 22_050 / 1_024)
    assert (found[: edge - 5] == 1).all()
    assert (found[edge + 5 :] == 0).all()


def test_the_engine_tells_both_where_it_knows_speakers(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.speech import Engine, SpeakerEncoder

    class Ear:
        """Hears one voice in all that is longer than a second."""

        def __init__(self) -> None:
            self.heard = 0

        def speakers(self, samples: np.ndarray, rate: int) -> Speakers | None:
            self.heard += 1
            one = np.eye(1, 256, dtype=np.float32)
            return Speakers(one, np.zeros(1), np.full(1, len(samples) / rate)) if len(samples) > rate else None

    ear, found = Ear(), list[object]()

    def find() -> object:
        found.append(ear)
        return ear if len(found) > 1 else None

    monkeypatch.setattr(SpeakerEncoder, "find", find)
    name = NAMES[0]
    made = take(LATER[name], VOICES[name])
    engine = Engine.open(FOLDER, "cpu", "fp32")
    sound = engine.decode(made.codes)
    assert engine.likeness(made, sound).by_sound is None
    assert engine.likeness(made, sound).by_sound is None
    assert len(found) == 1, "it is looked for once"
    engine = Engine.open(FOLDER, "cpu", "fp32")
    both = engine.likeness(made, sound)
    assert both.by_codes is not None
    assert both.by_sound is not None
    assert (both.by_sound == 1).all()
    assert both.frames is both.by_sound
    engine.likeness(made, sound)
    assert ear.heard == 3, "the voice's clips are listened to once"
    assert engine.likeness(made, sound[:1_000]).by_sound is None
    assert engine.likeness(take(LATER[name]), sound).frames is None
