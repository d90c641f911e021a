"""Takes that can be heard are looked at, and what is wrong with them is known."""

from __future__ import annotations

import numpy as np

from engine.request import FrameData, How, Origin, Part, Prompt, Settings, Take
from studio.session.flagging import Flagging
from tests.studio.session.stage import Studio

RATE, HOP = 8_000, 400


def take(seed: int) -> Take:
    origin = Origin(Prompt((Part(0, "Where to?"),)), "none", seed, Settings(), How.GENERATED, RATE, HOP)
    nothing = np.zeros((2, 40), np.float32)
    return Take(np.arange(120).reshape(3, 40).astype(np.int16) + seed, origin, FrameData(nothing, nothing))


def test_what_is_printed_is_looked_at(silent_studio: Studio) -> None:
    session = silent_studio.session
    flagging = Flagging(session)
    fine, silent, gone = take(1), take(2), take(3)
    session.add_takes(silent_studio.ids()[0], (fine, silent), "Generate line")
    sound = np.sin(np.arange(40 * HOP)).astype(np.float32) * 0.3
    session.put_print(fine.id, RATE, sound)
    session.put_print(silent.id, RATE, sound * (np.arange(40 * HOP) < 10 * HOP))
    session.put_print(gone.id, RATE, sound)
    silent_studio.until(lambda: len(session.flags) == 2)
    assert session.flags[fine.id] == ()
    assert [flag.words for flag in session.flags[silent.id]] == ["Silent for 1.5 s"]
    assert not flagging._waiting
