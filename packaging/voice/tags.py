"""Bracketed tags, performed in the recordings by signal processing: at its place a tag changes what follows it."""

from __future__ import annotations

TAGS = (
    "[pause]",
    "[long pause]",
    "[slow]",
    "[fast]",
    "[pitch up]",
    "[pitch down]",
    "[whispers]",
    "[shouting]",
    "[emphasis]",
    "[laughing]",
    "[sighs]",
)
