from __future__ import annotations

from studio.panels.script_tags import phrases_with

PHRASES = ("whispers sweetly", "sighs", "long sigh", "Pause")


def test_phrases_that_begin_with_what_is_typed_stand_first() -> None:
    assert phrases_with("s", PHRASES) == ["sighs", "whispers sweetly", "long sigh", "Pause"]
    assert phrases_with(" SIGH", PHRASES) == ["sighs", "long sigh"]
    assert phrases_with("", PHRASES) == list(PHRASES)
    assert phrases_with("my own", PHRASES) == []
