"""The one place that knows tags, speaker tags, control look-alikes, and how long text is cut.

Pure functions over strings. A range is half-open and counts characters (code points); a span counts frames.
"""

from engine.text.cutting import cut
from engine.text.difference import Change, changed, changed_words, moved, places_to_speak, tag_reach
from engine.text.length import expected_seconds, frame_cap, pace, proportional_span, words_in_span
from engine.text.writing import (
    Tag,
    clean,
    control_lookalikes,
    has_words,
    pack,
    spoken,
    tags,
    turns,
    words,
    written,
)

__all__ = [
    "Change",
    "Tag",
    "changed",
    "changed_words",
    "clean",
    "control_lookalikes",
    "cut",
    "expected_seconds",
    "frame_cap",
    "has_words",
    "moved",
    "pace",
    "pack",
    "places_to_speak",
    "proportional_span",
    "spoken",
    "tag_reach",
    "tags",
    "turns",
    "words",
    "words_in_span",
    "written",
]
