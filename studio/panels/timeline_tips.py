"""What the timeline says: its tooltips, the pointer's shape, and what a screen reader is told."""

from __future__ import annotations

from PySide6.QtCore import Qt

from studio.controls import percent
from studio.panels.timeline_layout import OnClip, OnGap, OnHandle, OnLoop, OnRibbon, OnRuler, OnTake, Shown, hit
from studio.panels.timeline_values import TimelineClip
from studio.panels.timeline_view import clock

EMPTY = "Nothing to hear yet."
HINT = "Write a line and press Ctrl+Enter: it appears here as it is spoken."


def tip_at(shown: Shown, x: float, y: float) -> str:
    """The tooltip at a point of the canvas, "" where there is none."""
    match hit(shown, x, y):
        case OnHandle():
            return "Drag to move this edge (, and . by one frame, with Shift by ten)"
        case OnLoop(None):
            return "Click to clear the loop"
        case OnLoop():
            return "Drag to move this end of the loop"
        case OnRuler():
            for clip in shown.clips:
                for at, name in clip.markers:
                    if abs(shown.view.x(clip.start + at) - x) <= 5:
                        return f"Marker {name}".strip()
            return "Click to play from here, drag to loop"
        case OnTake(take):
            if take.kept:
                return f"Take {take.number}, kept"
            made = f", {take.origin}" if take.origin else ""
            return f"Take {take.number}{made}: a click keeps it, a drag takes a stretch of it into the kept take"
        case OnRibbon(clip, frame):
            assert clip.ribbon is not None
            for start, stop, words in clip.flags:
                middle = shown.view.x(clip.start + (start + stop) / 2)
                if abs(middle - x) <= 6:
                    return f"{words}. A click selects it"
            told = f"How unsure the model was: {percent(clip.ribbon[frame])}."
            if clip.drift is not None and frame < len(clip.drift):
                told += f" How much it is of its voice: {percent(1 - clip.drift[frame])}."
            return f"{told} A click selects the words"
        case OnGap(before, after, _):
            return f"A pause of {after.start - before.stop:.2f} s: drag to change it"
        case OnClip(clip, _):
            return _clip_tip(shown, clip, x)
    return ""


def _clip_tip(shown: Shown, clip: TimelineClip, x: float) -> str:
    for seconds, score in clip.joins:
        if abs(shown.view.x(clip.start + seconds) - x) <= 4:
            return "Join" if score is None else f"Join {score:.2f}"
    for number, what in clip.misread:
        _, start, stop = clip.words[number]
        if shown.view.x(clip.start + start) <= x < shown.view.x(clip.start + stop):
            return f"{clip.words[number][0]}: {what}"
    return "Stale: its text, voice or checkpoint changed since it was spoken" if clip.stale else ""


def pointer_at(shown: Shown, x: float, y: float) -> Qt.CursorShape:
    match hit(shown, x, y):
        case OnHandle() | OnLoop("start" | "stop") | OnGap():
            return Qt.CursorShape.SplitHCursor
        case OnRuler() | OnLoop() | OnTake() | OnRibbon():
            return Qt.CursorShape.PointingHandCursor
        case OnClip():
            return Qt.CursorShape.IBeamCursor
    return Qt.CursorShape.ArrowCursor


def description(shown: Shown) -> str:
    """What there is and what is chosen, for a screen reader."""
    said = [f"{len(shown.clips)} lines, {clock(shown.length)} in all." if shown.clips else EMPTY]
    clip = shown.clip(shown.chosen)
    if clip is not None:
        said.append(f"Line {clip.number}, {clip.character or 'nobody'}, {clip.seconds:.1f} seconds.")
    if shown.span is not None:
        said.append(f"Frames {shown.span.start} to {shown.span.stop} chosen.")
    if shown.edge is not None:
        said.append("The start has focus." if shown.edge == "start" else "The stop has focus.")
    return " ".join(said)
