"""What stands left and right of the script's text: number and name, state and length; and how both are said aloud."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from studio import theme
from studio.controls import percent
from studio.document.state import Kind, LineState
from studio.panels.script_layout import EDGE_WIDTH, LINE_HEIGHT, NAME_RIGHT, NUMBER_RIGHT

NAME_LEFT = NUMBER_RIGHT + 4
_ICON = 13
_GAP = 6
_BAR = 56.0
_RING = 9.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def edge_words(state: LineState) -> str:
    """The few words at the right edge."""
    match state.kind:
        case Kind.STALE if state.changed_words:
            return "1 word" if state.changed_words == 1 else f"{state.changed_words} words"
        case Kind.GENERATING:
            return percent(state.share)
        case Kind.READY if state.seconds is not None:
            return f"{state.seconds:.1f} s" if state.target is None else f"{state.seconds:.1f} / {state.target:.1f} s"
        case Kind.EMPTY:
            return ""
        case _:
            return state.kind.value


def said(number: int, names: str, state: LineState | None) -> str:
    """The line's gutters in words, for those who hear the screen."""
    return ", ".join([f"Line {number}", names or "nobody named", *(_facts(state) if state else ())])


def edge_tip(state: LineState) -> str:
    """What the right edge means and what can be done about it."""
    match state.kind:
        case Kind.STALE if state.changed_words:
            tip = f"{edge_words(state)} that the kept take does not speak. Alt+Enter regenerates just that."
        case Kind.STALE:
            tip = "The kept take was made with another voice or checkpoint. Ctrl+Enter generates the line again."
        case Kind.NO_VOICE:
            tip = "Choose a voice for this character in the cast."
        case Kind.NO_TAKE:
            tip = "Nothing is spoken yet. Ctrl+Enter generates the line."
        case Kind.FAILED:
            tip = state.problem or "The line could not be generated."
        case Kind.READY:
            tip = "The length of the kept take." if state.target is None else f"The kept take is {target_words(state)}."
        case Kind.QUEUED:
            tip = "Waiting for its turn."
        case _:
            tip = ""
    if state.capped:
        tip += " The take was cut off before its end."
    if state.locked:
        tip += " Locked: it is not generated again."
    return tip.strip()


def target_words(state: LineState) -> str:
    """How the take's length stands to its target."""
    if not state.beyond:
        return f"as long as its target, {state.target:.1f} s"
    than = "longer" if state.beyond > 0 else "shorter"
    return f"{abs(state.beyond):.1f} s {than} than its target, {state.target:.1f} s"


def _facts(state: LineState) -> Iterator[str]:
    match state.kind:
        case Kind.STALE if state.changed_words:
            yield f"stale, {edge_words(state)} changed"
        case Kind.GENERATING:
            yield f"generating, {edge_words(state)}"
        case Kind.READY if state.seconds is not None:
            yield f"{state.seconds:.1f} seconds"
            if state.target is not None:
                yield target_words(state)
        case _:
            yield state.kind.value
    if state.kind is Kind.FAILED and state.problem:
        yield state.problem
    if state.capped:
        yield "capped"
    if state.locked:
        yield "locked"


# Painting


def paint_number(painter: QPainter, top: float, number: int, chosen: bool) -> None:
    painter.setFont(_font(11.5, 400, True))
    painter.setPen(QColor(_faint(chosen)))
    painter.drawText(QRectF(0, top, NUMBER_RIGHT, LINE_HEIGHT), _RIGHT, str(number))


def paint_name(painter: QPainter, top: float, name: str, colour: QColor) -> None:
    font = _name_font()
    room = QRectF(NAME_LEFT, top, NAME_RIGHT - NAME_LEFT, LINE_HEIGHT)
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(room, _RIGHT, QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, room.width()))


def paint_edge(painter: QPainter, right: float, top: float, state: LineState, chosen: bool) -> None:
    """State and length, ending at `right`."""
    palette = theme.current()
    words = edge_words(state)
    font = _font(12, 400, True)
    faint = state.kind in (Kind.NO_VOICE, Kind.NO_TAKE, Kind.QUEUED)
    painter.setFont(font)
    off = state.kind is Kind.READY and state.beyond
    tone = palette.danger if state.kind is Kind.FAILED else _faint(chosen) if faint else palette.muted
    tone = palette.warning if off else tone
    painter.setPen(QColor(tone))
    painter.drawText(QRectF(right - EDGE_WIDTH, top, EDGE_WIDTH, LINE_HEIGHT), _RIGHT, words)
    place = right - (QFontMetricsF(font).horizontalAdvance(words) + _GAP if words else 0)
    middle = top + LINE_HEIGHT / 2
    match state.kind:
        case Kind.STALE:
            _paint_ring(painter, QPointF(place - _RING / 2, middle))
            place -= _RING + _GAP
        case Kind.GENERATING:
            _paint_bar(painter, QRectF(place - _BAR, middle - 1, _BAR, 2), state.share)
            place -= _BAR + _GAP
        case Kind.FAILED:
            place = _paint_icon(painter, "warning", palette.danger, place, middle)
    if state.capped:
        place = _paint_icon(painter, "scissors", palette.warning, place, middle)
    if state.locked:
        _paint_icon(painter, "lock", palette.muted, place, middle)


def _faint(chosen: bool) -> str:
    """Faint is too faint on the ground of a chosen line."""
    return theme.current().muted if chosen else theme.current().faint


def _paint_ring(painter: QPainter, centre: QPointF) -> None:
    painter.setPen(QPen(QColor(theme.current().warning), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(centre, (_RING - 1.5) / 2, (_RING - 1.5) / 2)


def _paint_bar(painter: QPainter, bar: QRectF, share: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    for width, colour in ((bar.width(), theme.current().line), (bar.width() * share, theme.current().accent)):
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(QRectF(bar.x(), bar.y(), width, bar.height()), 1, 1)


def _paint_icon(painter: QPainter, name: str, colour: str, right: float, middle: float) -> float:
    """Returns where the next thing to its left ends."""
    pixmap = theme.pixmap(name, colour, _ICON, painter.device().devicePixelRatioF())
    painter.drawPixmap(QPointF(round(right - _ICON), round(middle - _ICON / 2)), pixmap)
    return right - _ICON - _GAP


@lru_cache(maxsize=8)
def _font(size: float, weight: int, tabular: bool) -> QFont:
    return theme.font(size, weight, tabular)


@lru_cache(maxsize=1)
def _name_font() -> QFont:
    font = theme.font(12, 600)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 102)
    return font
