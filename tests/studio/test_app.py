"""The program as a whole: what is done while the voice model is on its way, and where none comes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.request import Reference, Settings, Voice
from studio.app import App
from studio.engine_thread import Opened
from tests.tiny import CODEBOOKS

VOICE = Voice("heart", (Reference("As I said.", np.ones((CODEBOOKS, 4), np.int16)),))
OPENED = Opened(Path("voice"), "digest", Settings(), (VOICE,), 400, 44_100, 2_048, "cpu", "fp32", 1)


def test_a_script_is_cast_when_the_voices_are_there(app: App) -> None:
    app.engine.opened.emit(OPENED)
    assert [each.voice for each in app.session.project.cast] == ["heart"]
    assert not app.session.history.can_undo
