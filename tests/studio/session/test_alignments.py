"""What the engine finds of a take that can be heard comes to the session, and to what shows it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal

from engine.request import (
    Alignment,
    Failed,
    FrameData,
    How,
    Likeness,
    Origin,
    Part,
    Prompt,
    Samples,
    Settings,
    Take,
)
from studio import showing
from studio.engine_thread import Aligned, Opened
from studio.session.alignments import Alignments
from tests.studio.session.stage import Studio

RATE, HOP, FRAMES = 8_000, 400, 40
TEXT = "Where to?"


class Teller(QObject):
    """Stands for the engine thread."""

    answered = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Take, Samples]] = []

    def align(self, take: Take, samples: Samples) -> int:
        self.asked.append((take, samples))
        return len(self.asked)


def a_take(checkpoint: str = "c", seed: int = 1) -> Take:
    origin = Origin(Prompt((Part(0, TEXT),)), checkpoint, seed, Settings(), How.GENERATED, RATE, HOP)
    nothing = np.zeros((2, FRAMES), np.float32)
    return Take(np.full((3, FRAMES), seed, np.int16), origin, FrameData(nothing, nothing))


def alignment() -> Alignment:
    return Alignment(np.linspace(0, FRAMES, len(TEXT) + 1).astype(np.int64), np.ones(2, np.float32))


def asking(studio: Studio) -> tuple[Alignments, Teller, list[tuple[Exception, str]]]:
    teller, told = Teller(), list[tuple[Exception, str]]()
    studio.session.engine = Opened(Path("voice"), "c", Settings(), (), 300, RATE, HOP, "CPU", "fp32", 1)
    asking = Alignments(studio.session, teller)  # type: ignore[arg-type]
    asking.problem.connect(lambda error, doing: told.append((error, doing)))
    return asking, teller, told


def test_words_and_drift_come_to_the_session_and_are_shown(silent_studio: Studio) -> None:
    session = silent_studio.session
    _asker, teller, _ = asking(silent_studio)
    take = a_take()
    session.add_takes(silent_studio.ids()[0], (take,), "Generate line")
    session.put_print(take.id, RATE, np.zeros(FRAMES * HOP, np.float32))
    silent_studio.until(lambda: [each.id for each, _ in teller.asked] == [take.id])
    drifting = np.linspace(1, 0.5, FRAMES).astype(np.float32)
    teller.answered.emit(1, Aligned(take.id, alignment(), Likeness(drifting)))
    assert session.alignment_of(take.id) is not None
    line = silent_studio.line(1)
    placed = next(each for each in session.placed() if each.line_id == line.id)
    clip = showing.clip(session, silent_studio.performing, placed)
    assert clip is not None
    assert clip.drift is not None
    np.testing.assert_allclose(clip.drift, 1 - drifting)
    assert ("Like its voice, by its codes", "75 %") in showing.details(session, line, take.id)
    again = showing.clip(session, silent_studio.performing, placed)
    assert again is not None
    assert again.drift is clip.drift, "nothing is painted anew for it"


def test_how_it_sounds_tells_more_than_its_codes(silent_studio: Studio) -> None:
    session = silent_studio.session
    _asker, teller, _ = asking(silent_studio)
    take = a_take()
    session.add_takes(silent_studio.ids()[0], (take,), "Generate line")
    session.put_print(take.id, RATE, np.zeros(FRAMES * HOP, np.float32))
    silent_studio.until(lambda: teller.asked)
    by_codes, by_sound = np.full(FRAMES, 0.5, np.float32), np.full(FRAMES, 0.875, np.float32)
    teller.answered.emit(1, Aligned(take.id, alignment(), Likeness(by_codes, by_sound)))
    placed = session.placed()[0]
    clip = showing.clip(session, silent_studio.performing, placed)
    assert clip is not None
    assert clip.drift is not None
    assert float(clip.drift[0]) == 0.125
    told = dict(showing.details(session, silent_studio.line(1), take.id))
    assert (told["Like its voice, by its sound"], told["Like its voice, by its codes"]) == ("88 %", "50 %")


def test_what_cannot_be_told_is_not_shown(silent_studio: Studio) -> None:
    session = silent_studio.session
    _asker, teller, told = asking(silent_studio)
    take, other = a_take(), a_take("another checkpoint", 2)
    session.add_takes(silent_studio.ids()[0], (take, other), "Generate line")
    for each in (take, other):
        session.put_print(each.id, RATE, np.zeros(FRAMES * HOP, np.float32))
    silent_studio.until(lambda: session.print_of(other.id) is not None)
    assert [each.id for each, _ in teller.asked] == [take.id], "only its own checkpoint knows where words stand"
    teller.answered.emit(1, Aligned(take.id, alignment(), Likeness()))
    assert showing.details(session, silent_studio.line(1), take.id)
    assert not [name for name, _ in showing.details(session, silent_studio.line(1), take.id) if "voice, by" in name]
    session.put_print(a_take(seed=3).id, RATE, np.zeros(FRAMES * HOP, np.float32))
    assert len(teller.asked) == 1, "it is in no line"
    assert told == []


def test_a_failure_is_told(silent_studio: Studio) -> None:
    session = silent_studio.session
    _asker, teller, told = asking(silent_studio)
    take = a_take()
    session.add_takes(silent_studio.ids()[0], (take,), "Generate line")
    session.put_print(take.id, RATE, np.zeros(FRAMES * HOP, np.float32))
    silent_studio.until(lambda: teller.asked)
    teller.answered.emit(1, Failed(RuntimeError("out of memory")))
    assert [doing for _, doing in told] == ["find the words of a take"]
