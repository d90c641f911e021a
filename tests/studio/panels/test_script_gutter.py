from __future__ import annotations

from studio.document.state import Kind, LineState
from studio.panels.script_gutter import edge_tip, edge_words, said


def test_the_edge_tells_how_a_take_stands_to_its_target() -> None:
    free = LineState(Kind.READY, seconds=2.5)
    assert edge_words(free) == "2.5 s"
    over = LineState(Kind.READY, seconds=2.5, target=2.0)
    assert edge_words(over) == "2.5 / 2.0 s"
    assert edge_tip(over) == "The kept take is 0.5 s longer than its target, 2.0 s."
    assert said(1, "Mira", over).endswith("2.5 seconds, 0.5 s longer than its target, 2.0 s")
    assert "shorter" in edge_tip(LineState(Kind.READY, seconds=1.5, target=2.0))
    assert "as long as" in edge_tip(LineState(Kind.READY, seconds=2.02, target=2.0))
