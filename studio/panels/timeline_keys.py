"""The keys that the timeline takes for itself while it has focus; all others belong to the window."""

from __future__ import annotations

import enum

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputEvent, QKeyEvent


class Press(enum.Enum):
    EARLIER = enum.auto()
    LATER = enum.auto()
    EDGE_EARLIER = enum.auto()
    EDGE_LATER = enum.auto()
    CLOSER = enum.auto()
    FARTHER = enum.auto()
    FIT = enum.auto()
    TO_SELECTION = enum.auto()
    TOGGLE_ZOOM = enum.auto()
    FIRST = enum.auto()
    LAST = enum.auto()
    CANCEL = enum.auto()


_Key = Qt.Key
_PLAIN = {
    _Key.Key_Left: Press.EARLIER,
    _Key.Key_Right: Press.LATER,
    _Key.Key_Comma: Press.EDGE_EARLIER,
    _Key.Key_Period: Press.EDGE_LATER,
    _Key.Key_Plus: Press.CLOSER,
    _Key.Key_Equal: Press.CLOSER,
    _Key.Key_Minus: Press.FARTHER,
    _Key.Key_Home: Press.FIRST,
    _Key.Key_End: Press.LAST,
    _Key.Key_Escape: Press.CANCEL,
}
_SHIFT = {  # what Shift makes of comma and period differs from keyboard to keyboard
    _Key.Key_Left: Press.EARLIER,
    _Key.Key_Right: Press.LATER,
    _Key.Key_Comma: Press.EDGE_EARLIER,
    _Key.Key_Less: Press.EDGE_EARLIER,
    _Key.Key_Semicolon: Press.EDGE_EARLIER,
    _Key.Key_Period: Press.EDGE_LATER,
    _Key.Key_Greater: Press.EDGE_LATER,
    _Key.Key_Colon: Press.EDGE_LATER,
    _Key.Key_Plus: Press.CLOSER,
    _Key.Key_Z: Press.TOGGLE_ZOOM,
}
_CONTROL = {_Key.Key_0: Press.FIT, _Key.Key_E: Press.TO_SELECTION}
_TABLES = {
    Qt.KeyboardModifier.NoModifier: _PLAIN,
    Qt.KeyboardModifier.ShiftModifier: _SHIFT,
    Qt.KeyboardModifier.ControlModifier: _CONTROL,
}


def action(event: QKeyEvent) -> Press | None:
    """What a key asks of the timeline; None where it is not one of its keys."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return _TABLES.get(modifiers, {}).get(Qt.Key(event.key()))


def shift_held(event: QInputEvent) -> bool:
    return bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)


def alt_held(event: QInputEvent) -> bool:
    return bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
