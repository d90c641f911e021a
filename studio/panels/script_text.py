"""Brings the text of a document to other rows, touching only what differs, so that cursors elsewhere stay."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QTextCursor, QTextDocument

from studio.document.difference import same_ends
from studio.panels.script_lines import Change, Row, row_text, units

_Keep = QTextCursor.MoveMode.KeepAnchor


def put_rows(document: QTextDocument, old: Sequence[Row], new: Sequence[Row], found: Sequence[Change]) -> None:
    """`found` are the changes from `old`, which the document holds, to `new`."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for a, b, c, d in reversed(found):
        texts = [row_text(row) for row in new[c:d]]
        if b - a == d - c:
            for n, text in reversed(list(enumerate(texts))):
                _put_text(cursor, a + n, row_text(old[a + n]), text)
        else:
            _put_blocks(cursor, a, b, texts)
    cursor.endEditBlock()


def put_all(document: QTextDocument, rows: Sequence[Row]) -> None:
    """The whole text anew, whatever the document holds."""
    document.setPlainText("\n".join(row_text(row) for row in rows))


def _put_text(cursor: QTextCursor, block_number: int, old: str, text: str) -> None:
    if old == text:
        return
    start, after = same_ends(old, text)
    begin = cursor.document().findBlockByNumber(block_number).position()
    cursor.setPosition(begin + units(old, start))
    cursor.setPosition(begin + units(old, len(old) - after), _Keep)
    cursor.insertText(text[start : len(text) - after])


def _put_blocks(cursor: QTextCursor, a: int, b: int, texts: Sequence[str]) -> None:
    """Blocks [a, b) become blocks of `texts`; one block at least is left."""
    document = cursor.document()
    if a < b and texts:
        cursor.setPosition(document.findBlockByNumber(a).position())
        _select_to_end_of(cursor, b - 1)
        cursor.insertText("\n".join(texts))
    elif a < b:
        # The row before stays: the first row is a heading and never goes.
        before = document.findBlockByNumber(a - 1)
        cursor.setPosition(before.position() + before.length() - 1)
        _select_to_end_of(cursor, b - 1)
        cursor.removeSelectedText()
    else:
        before = document.findBlockByNumber(a - 1)
        cursor.setPosition(before.position() + before.length() - 1)
        cursor.insertText("".join("\n" + text for text in texts))


def _select_to_end_of(cursor: QTextCursor, block_number: int) -> None:
    block = cursor.document().findBlockByNumber(block_number)
    cursor.setPosition(block.position() + block.length() - 1, _Keep)
