"""The script editor: what hands do to the text. Typing, splitting, pasting, cutting, dropping, tags and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragLeaveEvent,
    QDropEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QMenu, QWidget

from engine.text import clean
from studio import theme
from studio.document.lint import Finding
from studio.document.phrases import Offer
from studio.document.project import Line, LinePart
from studio.fixes import add_fixes
from studio.panels import script_gutter as gutter
from studio.panels import script_keys as keys
from studio.panels.script_layout import NAME_RIGHT, TEXT_LEFT, slot, tags_of
from studio.panels.script_lines import (
    Heading,
    by_text,
    edited,
    lines_from_text,
    part_starts,
    shown,
    speaker_typed,
    text_from_rows,
    units,
)
from studio.panels.script_rows import ScriptRows
from studio.panels.script_tags import TagCompletion
from studio.panels.script_view import place_in_text

_Keep = QTextCursor.MoveMode.KeepAnchor


class ScriptEditor(ScriptRows):
    """The panel; its signals are told in ScriptRows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._completion = TagCompletion(self)
        self._completion.picked.connect(self._complete_tag)

    # Tags

    def show_offers(self, offers: Sequence[Offer]) -> None:
        """What the list offers that `[` opens."""
        self._completion.show_offers(offers)

    def insert_tag(self, phrase: str) -> None:
        """Puts a tag where the cursor stands, before what is selected, with a space where words would touch it."""
        cursor = self.textCursor()
        cursor.setPosition(cursor.selectionStart())
        if isinstance(self._row(cursor.block()), Heading):
            return
        text, place = cursor.block().text(), place_in_text(cursor.block(), cursor.position())
        before = " " if text[:place] and not text[place - 1].isspace() else ""
        after = "" if text[place : place + 1].isspace() else " "
        cursor.insertText(f"{before}[{phrase}]{after}")
        self.setTextCursor(cursor)
        self.flush()
        self.tag_used.emit(phrase)

    @Slot(str)
    def _complete_tag(self, phrase: str) -> None:
        """The phrase comes into the place of what is typed since the bracket, and the bracket is closed."""
        cursor = self.textCursor()
        block = cursor.block()
        text, place = block.text(), place_in_text(block, cursor.position())
        opened = text.rfind("[", 0, place)
        closed = place + text[place:].startswith("]")
        cursor.setPosition(block.position() + units(text, opened + 1))
        cursor.setPosition(block.position() + units(text, closed), _Keep)
        cursor.insertText(phrase + ("] " if text[closed : closed + 1].isalnum() else "]"))
        self.setTextCursor(cursor)
        self.flush()
        self.tag_used.emit(phrase)

    def _follow_tag(self) -> None:
        """Keeps the list of tags at what is typed since the bracket, while that is open."""
        if not self._completion.is_open:
            return
        cursor = self.textCursor()
        block = cursor.block()
        before = block.text()[: place_in_text(block, cursor.position())]
        opened = before.rfind("[")
        if opened < 0 or "]" in before[opened:]:
            self._completion.close()
            return
        at_bracket = QTextCursor(cursor)
        at_bracket.setPosition(block.position() + units(before, opened))
        self._completion.show_for(before[opened + 1 :], self.cursorRect(at_bracket))

    def _wrap_in_brackets(self) -> bool:
        """`[` typed over words puts them between brackets. Whether it was so."""
        selected = self._cursor_place()
        cursor = self.textCursor()
        if selected is None or selected[1] == selected[2] or len(self._rows_selected()) > 1:
            return False
        cursor.insertText(f"[{cursor.selectedText()}]")
        self.setTextCursor(cursor)
        return True

    # Keys

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and not self._keeps(event):
            event.ignore()
            return False
        return super().event(event)

    def _keeps(self, event: QKeyEvent) -> bool:
        return keys.belongs_to_editor(event) or (event.key() == Qt.Key.Key_Escape and self._completion.is_open)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keeps(event):
            event.ignore()
        elif event.key() == Qt.Key.Key_Escape:
            self._completion.close()
        elif self._completion.is_shown and (keys.is_enter(event) or event.key() == Qt.Key.Key_Tab):
            event.ignore()  # the list takes it
        else:
            self._edit(event)
            self._after_typing(event.text())

    def _edit(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Cut):
            self.cut()
        elif keys.is_enter(event):
            self._split()
        elif keys.deletes(event):
            if not self._remove_across() and not self._would_join_heading(keys.deletes_backward(event)):
                super().keyPressEvent(event)
        elif event.text() != "[" or not self._wrap_in_brackets():
            if keys.writes(event):
                self._remove_across()
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        if event.commitString() or event.preeditString():
            self._remove_across()
        super().inputMethodEvent(event)
        self._after_typing(event.commitString())

    def _after_typing(self, text: str) -> None:
        if text.endswith((" ", ":", "：", "\u3000", ">")):
            self._read_name()
        self.flush()
        if text.endswith("["):
            self._completion.open()
        self._follow_tag()

    def _split(self) -> None:
        """Enter: the rest of the line becomes a line of its own; in a heading, the way to the first line below."""
        self._remove_across()
        cursor = self.textCursor()
        cursor.removeSelectedText()
        if isinstance(self._row(cursor.block()), Heading):
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
            if not cursor.block().next().text():
                cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
                self.setTextCursor(cursor)
                return
        cursor.insertBlock()
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _read_name(self) -> None:
        """A name and a colon, just typed where a line or a part of it begins, become who speaks it."""
        cursor = self.textCursor()
        block = cursor.block()
        row = self._row(block)
        if not isinstance(row, Line) or not row.parts:
            return
        place = place_in_text(block, cursor.position())
        part, start = max((n, start) for n, start in enumerate(part_starts(row.parts)) if start <= place)
        name = speaker_typed(block.text()[start:place], tuple(self._cast))
        if name is None:
            return
        cursor.setPosition(block.position() + units(block.text(), start), _Keep)
        cursor.removeSelectedText()
        self._named.append((row.id, name))
        self.set_character(row.id, name, part)

    # Headings stay

    def _remove_across(self) -> bool:
        """Takes out what is selected where that reaches over a heading, which stays. Whether it did."""
        cursor = self.textCursor()
        start, stop = cursor.selectionStart(), cursor.selectionEnd()
        first, last = (self.document().findBlock(place).blockNumber() for place in (start, stop))
        stretches = list(self._stretches(first, last))
        if first == last or stretches == [(first, last)]:
            return False
        for begin, end in reversed(stretches):
            block = self.document().findBlockByNumber(end)
            cursor.setPosition(max(start, self.document().findBlockByNumber(begin).position()))
            cursor.setPosition(min(stop, block.position() + block.length() - 1), _Keep)
            cursor.removeSelectedText()
        cursor.setPosition(start)
        if isinstance(self._row(cursor.block()), Heading):
            cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
        self.setTextCursor(cursor)
        return True

    def _stretches(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The rows from `first` to `last` without their headings, as first and last of each stretch."""
        begin = first
        for number in range(first, last + 1):
            if isinstance(self._rows[number], Heading):
                if begin < number:
                    yield begin, number - 1
                begin = number + 1
        if begin <= last:
            yield begin, last

    def _would_join_heading(self, backward: bool) -> bool:
        """Would deleting at the cursor join a line with a heading?"""
        cursor = self.textCursor()
        if cursor.hasSelection() or not (cursor.atBlockStart() if backward else cursor.atBlockEnd()):
            return False
        number = cursor.blockNumber()
        upper = number - 1 if backward else number
        return any(isinstance(row, Heading) for row in self._rows[max(upper, 0) : upper + 2])

    # Clipboard and dragging

    def cut(self) -> None:
        """Out of the script and into the clipboard."""
        self.copy()
        if not self._remove_across():
            self.textCursor().removeSelectedText()
        self.flush()

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor = self.textCursor()
        start, stop = cursor.selectionStart(), cursor.selectionEnd()
        first, last = self.document().findBlock(start), self.document().findBlock(stop)
        rows = self._rows[first.blockNumber() : last.blockNumber() + 1]
        begin, end = place_in_text(first, start), place_in_text(last, stop)
        whole = rows[begin > 0 : len(rows) - (end < len(last.text()))]
        self._cut = by_text(whole)
        # Qt's own object, for the clipboard may outlive Python, which is called where one of ours is let go of. It
        # puts in what is selected when it is first asked; only then can something else be put in its place.
        made = super().createMimeDataFromSelection()
        made.text()
        made.clear()
        made.setText(text_from_rows(rows, begin, end))
        return made

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text; files come with their addresses as text, which nobody means to be spoken."""
        return source.hasText() and not any(url.isLocalFile() for url in source.urls())

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Each row of pasted text becomes a line, named where it begins with a name; a single one joins the line or the
        heading that the cursor is in."""
        if not self.canInsertFromMimeData(source):
            return
        text = clean(source.text())
        self._remove_across()
        cursor = self.textCursor()
        cursor.removeSelectedText()
        read = lines_from_text(text, tuple(self._cast))
        if len(read) > 1 or (read and read[0][0] is not None):
            if isinstance(self._row(cursor.block()), Heading):
                cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
            self._insert_lines(cursor, read)
        else:
            cursor.insertText(text.strip("\n").replace("\n", " "))
        self.setTextCursor(cursor)
        self.flush()
        self.ensureCursorVisible()

    def _insert_lines(self, cursor: QTextCursor, read: Sequence[tuple[str | None, Line]]) -> None:
        """What says who speaks it begins a line of its own; at the start of a line all goes in above it."""
        inside = cursor.positionInBlock() > 0
        before = "\n" if inside and read[0][0] is not None else ""
        after = "\n" if not inside and cursor.block().text() else ""
        first = cursor.blockNumber() + len(before)
        cursor.insertText(before + "\n".join(shown(line.text) for _, line in read) + after)
        if after:
            cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        joined = inside and not before
        for number, (name, line) in enumerate(read[joined:], first + joined):
            unnamed = (LinePart(self._speaker_above(number), line.text),)
            self._name_pasted(number, unnamed if name is None else line.parts)

    def _name_pasted(self, number: int, parts: tuple[LinePart, ...]) -> None:
        row = self._rows[number]
        assert isinstance(row, Line)
        text = self.document().findBlockByNumber(number).text()
        self._rows[number] = edited(replace(row, parts=parts), text)
        told = {name for _, name in self._named}
        for name in dict.fromkeys(part.character for part in parts):
            if name and name not in self._cast and name not in told:
                self._named.append((row.id, name))

    def dropEvent(self, event: QDropEvent) -> None:
        """Moved text leaves its place first and then comes in as if pasted, so that lines keep their takes."""
        if not self.canInsertFromMimeData(event.mimeData()):
            event.ignore()
            return
        target = self.cursorForPosition(self._in_text(event.position()).toPoint())
        moved = event.source() in (self, self.viewport()) and event.dropAction() == Qt.DropAction.MoveAction
        cursor = self.textCursor()
        onto_itself = moved and cursor.selectionStart() <= target.position() <= cursor.selectionEnd()
        if not onto_itself:
            if moved and not self._remove_across():
                cursor.removeSelectedText()
            self.setTextCursor(target)
            self.insertFromMimeData(event.mimeData())
        event.acceptProposedAction()
        super().dragLeaveEvent(QDragLeaveEvent())  # takes away the mark that shows where it would drop

    # Mouse and menus

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._completion.close()
        in_gutter = event.button() == Qt.MouseButton.LeftButton and event.position().x() < TEXT_LEFT - 2
        if not in_gutter or not self._press_gutter(event.position()):
            super().mousePressEvent(self._snapped(event))

    def _press_gutter(self, point: QPointF) -> bool:
        """A press on a number selects its line, one on a name opens the cast. Whether there was a line."""
        found = self._at(point)
        row = self._row(found[0]) if found else None
        if not found or not isinstance(row, Line) or (point.x() >= NAME_RIGHT and row.id not in self._found):
            return False
        block, rect = found
        if point.x() < gutter.NAME_LEFT:
            self._select_block(block.position(), block.length() - 1)
        elif point.x() >= NAME_RIGHT:
            self.fix_menu(self._found.get(row.id, ())).popup(self.viewport().mapToGlobal(point.toPoint()))
        else:
            part = self._part_at(row, block.blockNumber(), point.y() - rect.top())
            below = self.name_rect(row.id, part).bottomLeft()
            self.cast_menu(row.id, part).popup(self.viewport().mapToGlobal(below))
        return True

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(self._snapped(event))
        x = event.position().x()
        if event.buttons() == Qt.MouseButton.NoButton:
            on_name = gutter.NAME_LEFT <= x < NAME_RIGHT or self._on_mark(event.position())
            shape = Qt.CursorShape
            beside = shape.PointingHandCursor if on_name else shape.ArrowCursor
            self.viewport().setCursor(beside if x < TEXT_LEFT - 2 else shape.IBeamCursor)

    def _on_mark(self, point: QPointF) -> bool:
        found = self._at(point) if NAME_RIGHT <= point.x() < TEXT_LEFT - 2 else None
        row = self._row(found[0]) if found else None
        return isinstance(row, Line) and row.id in self._found

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(self._snapped(event))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(self._snapped(event))
        self._select_tag()

    def _select_tag(self) -> None:
        """A double click in a tag selects all of it, brackets too, to be dragged elsewhere or typed over."""
        cursor = self.textCursor()
        block = cursor.block()
        place = place_in_text(block, cursor.selectionStart())
        tag = next((tag for tag in tags_of(block.text()) if tag.start <= place < tag.stop), None)
        if tag is not None:
            start, stop = (units(block.text(), each) for each in (tag.start, tag.stop))
            self._select_block(block.position() + start, stop - start)

    def _snapped(self, event: QMouseEvent) -> QMouseEvent:
        """The event moved from the air around a line of text onto it."""
        return QMouseEvent(
            event.type(), self._in_text(event.position()), event.globalPosition(), event.button(), event.buttons(),
            event.modifiers(), event.pointingDevice(),
        )

    def _in_text(self, point: QPointF) -> QPointF:
        found = self._at(point)
        if not found:
            return point
        layout, top = found[0].layout(), found[1].top()
        lines = [layout.lineAt(n) for n in range(layout.lineCount())]
        line = next((line for line in lines if point.y() < top + slot(line).bottom()), lines[-1])
        highest, lowest = top + line.y() + 1, top + line.y() + line.height() - 1
        return QPointF(point.x(), min(max(point.y(), highest), lowest))

    def _part_at(self, row: Line, number: int, height: float) -> int:
        places = self._name_places(self.document().findBlockByNumber(number), row)
        return max((n for n, (_, top) in enumerate(places) if top <= height), default=0)

    def _select_block(self, position: int, length: int) -> None:
        cursor = self.textCursor()
        cursor.setPosition(position)
        cursor.setPosition(position + length, _Keep)
        self.setTextCursor(cursor)

    def open_cast(self) -> None:
        """The cast for the part of the line that the cursor is in."""
        place = self._cursor_place()
        row = self._row(self.textCursor().block())
        if place is not None and isinstance(row, Line):
            part = max((n for n, start in enumerate(part_starts(row.parts)) if start <= place[1]), default=0)
            below = self.name_rect(row.id, part).bottomLeft()
            menu = self.cast_menu(row.id, part)
            menu.popup(self.viewport().mapToGlobal(below))
            menu.setActiveAction(next((each for each in menu.actions() if each.isChecked()), menu.actions()[0]))

    def cast_menu(self, line_id: str, part: int = 0) -> QMenu:
        """The cast, to choose who speaks a part of a line; it deletes itself when closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        row = self._rows[self._row_number(line_id)]
        speaking = row.parts[part].character if isinstance(row, Line) and row.parts else ""
        for name in [*self._cast, ""]:
            action = menu.addAction(name or "Nobody")
            action.setCheckable(True)
            action.setChecked(name == speaking)
            if name:
                action.setIcon(theme.dot(self._name_colour(name)))
            action.triggered.connect(lambda _checked=False, name=name: self.set_character(line_id, name, part))
        return menu

    def fix_menu(self, found: tuple[Finding, ...]) -> QMenu:
        """What can be done about findings; it deletes itself when closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_fixes(menu, found, self.fix_wanted.emit, self.quiet_wanted.emit)
        return menu

    def open_fixes(self) -> None:
        """The fixes at the cursor, or all those of its line."""
        place = self.line_selected()
        found = (self.findings_at(place[0], place[1]) or self._found.get(place[0], ())) if place else ()
        if found:
            self.fix_menu(found).popup(self.viewport().mapToGlobal(self.cursorRect().bottomLeft()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        cursor = self.cursorForPosition(event.pos())
        row = self._row(cursor.block())
        place = place_in_text(cursor.block(), cursor.position())
        menu = self.fix_menu(self.findings_at(row.id, place) if isinstance(row, Line) else ())
        if not menu.isEmpty():
            menu.addSeparator()
        selected = self.textCursor().hasSelection()
        for words, standard, act, possible in (
            ("Cut", QKeySequence.StandardKey.Cut, self.cut, selected),
            ("Copy", QKeySequence.StandardKey.Copy, self.copy, selected),
            ("Paste", QKeySequence.StandardKey.Paste, self.paste, self.canPaste()),
            ("Select all", QKeySequence.StandardKey.SelectAll, self.selectAll, True),
        ):
            action = menu.addAction(words)
            action.setShortcut(QKeySequence(standard))
            action.setEnabled(possible)
            action.triggered.connect(act)
        menu.popup(event.globalPos())
