"""How much a prompt matters: nothing where it is the same, and only from where it differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.request import Finished, Generate, Part, Prompt, Settings, Take
from engine.speech import Engine
from tests.tiny import write_tiny

PROMPT = Prompt((Part(0, "[sighs] The boat is late this evening."),))
BARE = Prompt((Part(0, "The boat is late this evening."),))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine.open(write_tiny(tmp_path_factory.mktemp("tiny")), "cpu", "fp32")


@pytest.fixture(scope="module")
def take(engine: Engine) -> Take:
    for seed in range(20):
        *_, last = engine.generate(Generate(PROMPT, (seed,), Settings(1.0, 0.95, 20)))
        assert isinstance(last, Finished)
        if last.takes[0].frames > 3:
            return last.takes[0]
    raise AssertionError("no take of some length")


def test_the_same_prompt_makes_no_difference(engine: Engine, take: Take) -> None:
    nats = engine.divergence(take, PROMPT)
    assert nats.shape == (take.frames,)
    assert np.allclose(nats, 0, atol=1e-5)


def test_another_prompt_does(engine: Engine, take: Take) -> None:
    nats = engine.divergence(take, BARE)
    assert (nats >= 0).all()
    assert nats.max() > 1e-4
    assert not nats.flags.writeable


def test_a_take_of_no_frames_has_no_difference(engine: Engine, take: Take) -> None:
    assert engine.divergence(replace(take, codes=take.codes[:, :0]), BARE).shape == (0,)
