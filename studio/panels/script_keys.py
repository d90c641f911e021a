"""Which keys the script editor keeps while one types; all others are the window's."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

_Standard = QKeySequence.StandardKey
_EDITING = (
    _Standard.Copy,
    _Standard.Cut,
    _Standard.Paste,
    _Standard.SelectAll,
    _Standard.DeleteStartOfWord,
    _Standard.DeleteEndOfWord,
    _Standard.MoveToNextWord,
    _Standard.MoveToPreviousWord,
    _Standard.SelectNextWord,
    _Standard.SelectPreviousWord,
    _Standard.MoveToStartOfLine,
    _Standard.MoveToEndOfLine,
    _Standard.SelectStartOfLine,
    _Standard.SelectEndOfLine,
    _Standard.MoveToStartOfDocument,
    _Standard.MoveToEndOfDocument,
    _Standard.SelectStartOfDocument,
    _Standard.SelectEndOfDocument,
)
_Modifier = Qt.KeyboardModifier
_COMMAND = _Modifier.ControlModifier | _Modifier.AltModifier | _Modifier.MetaModifier


def belongs_to_editor(event: QKeyEvent) -> bool:
    """Undo, the keys of the window's verbs, Esc and the function keys do not."""
    if event.matches(_Standard.Undo) or event.matches(_Standard.Redo):
        return False
    held = event.modifiers() & _COMMAND
    if not held:
        return event.key() != Qt.Key.Key_Escape and not Qt.Key.Key_F1 <= event.key() <= Qt.Key.Key_F35
    if any(event.matches(key) for key in _EDITING):
        return True
    # AltGr comes as Ctrl+Alt where it writes brackets.
    both = _Modifier.ControlModifier | _Modifier.AltModifier
    return held == both and event.text().isprintable() and not event.text().isspace() and event.text() != ""


def is_enter(event: QKeyEvent) -> bool:
    return event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def deletes_backward(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Backspace


def deletes(event: QKeyEvent) -> bool:
    return deletes_backward(event) or event.key() == Qt.Key.Key_Delete


def writes(event: QKeyEvent) -> bool:
    """Does the key put text in the place of what is selected? (Some systems give Copy a text, too.)"""
    return event.text() != "" and event.text().isprintable() and not any(event.matches(key) for key in _EDITING)


