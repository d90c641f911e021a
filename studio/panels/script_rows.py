"""Text and project held together: rows follow each edit of the text, and the text follows the project.

`show_project` brings the text to what the project says, touching only what differs; an edit of the text brings
`lines_replaced`, which the project answers. Undo is the project's, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import cast

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QWidget

from studio.document.difference import same_ends
from studio.document.project import Line, LinePart, Project
from studio.panels.script_lines import (
    Heading,
    HeadingLostError,
    Row,
    changes,
    is_blank,
    row_text,
    rows_after,
    rows_of,
    units,
)
from studio.panels.script_text import put_all, put_rows
from studio.panels.script_view import ScriptView, place_in_text

Replacement = tuple[int, int, int, tuple[Line, ...]]


class ScriptRows(ScriptView):
    """Signals, all wishes of the user's hands; what the program shows brings none, but that another line is chosen when
    the chosen one is gone.

    lines_replaced(scene, start, stop, lines)   lines [start, stop) of a scene shall be `lines`, a tuple[Line, ...]
    scene_title_changed(scene, title)
    line_chosen(line_id)
    text_selected(line_id, start, stop)         characters of the line's text; start == stop is where the cursor stands
    character_wanted(line_id, name)             the line, already so named, was given to `name` by typing or pasting
    tag_used(phrase)                            a tag was put in from the list or from another panel
    fix_wanted(finding, fix)                    what the lint found shall be mended so
    quiet_wanted(rule)                          the lint shall not look for this
    """

    lines_replaced = Signal(int, int, int, object)
    scene_title_changed = Signal(int, str)
    line_chosen = Signal(str)
    text_selected = Signal(str, int, int)
    character_wanted = Signal(str, str)
    tag_used = Signal(str)
    fix_wanted = Signal(object, object)
    quiet_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._project = Project()
        self.together = False  # what is being told is one of several wishes of the same key or drop
        self.turn = 0  # which of such it is
        self._putting = False
        self._pending = False
        self._damaged = False
        self._telling = False
        self._asked: Project | None = None
        self._named: list[tuple[str, str]] = []
        self._place: tuple[str, int, int] | None = None
        self._cut: dict[str, list[Line]] = {}  # by what they say
        self._later = QTimer(self, interval=0, singleShot=True)
        self._later.timeout.connect(self.flush)
        self.document().contentsChange.connect(self._text_changed)
        self.cursorPositionChanged.connect(self._tell_place)
        self.selectionChanged.connect(self._tell_place)
        self.show_project(self._project)

    # What the program shows

    def show_project(self, project: Project) -> None:
        """Shows exactly `project`; cursor, scroll and what an input method composes stay where lines stay.

        What was typed and not yet told is told first; a project that comes as the answer is newer and stays.
        """
        if self._telling:
            self._asked = project
            return
        if self._pending and self._flush_answered():
            return
        rows = rows_of(project, self._rows)
        found = changes(self._rows, rows)
        recast = project.cast != self._project.cast
        self._project = project
        if found:
            self._put(rows, lambda old: put_rows(self.document(), old, rows, found))
        if recast:
            self._cast = {character.name: character for character in project.cast}
        respoken = self._words != project.reading.pronunciations
        self._words = project.reading.pronunciations
        if found or recast or respoken:
            self.viewport().update()
            self._describe()

    def choose_line(self, line_id: str) -> None:
        """Puts the cursor into the line, unless it is there, and shows it. KeyError where there is no such line."""
        block = self.document().findBlockByNumber(self._row_number(line_id))
        if self.textCursor().block() != block:
            self._set_place(block.position(), block.position())
        self._chosen, self._place = line_id, self._cursor_place()
        self.viewport().update()
        self.ensureCursorVisible()
        self._describe()

    def select(self, line_id: str, start: int, stop: int) -> None:
        """Selects characters [start, stop) of the line's text and shows them. KeyError where there is no such line."""
        block = self.document().findBlockByNumber(self._row_number(line_id))
        cursor, text = self.textCursor(), block.text()
        cursor.setPosition(block.position() + units(text, min(start, len(text))))
        cursor.setPosition(block.position() + units(text, min(stop, len(text))), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def set_character(self, line_id: str, name: str, part: int = 0) -> None:
        """Gives a part of a line to another character, as the menu at its name does."""
        number = self._row_number(line_id)
        row = self._rows[number]
        assert isinstance(row, Line)
        parts = list(row.parts or (LinePart("", ""),))
        parts[part] = replace(parts[part], character=name)
        self._rows[number] = replace(row, parts=tuple(parts))
        self._pending = True
        self.viewport().update()
        self.flush()

    def choose_scene(self, scene: int) -> None:
        """Puts the cursor into the first row of a scene, also where that is blank. IndexError where there is none."""
        cursor = self.textCursor()
        cursor.setPosition(self.document().findBlockByNumber(self._headings[scene] + 1).position())
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def scene_selected(self) -> int:
        """The scene with the cursor."""
        return self._scene_of(self.textCursor().blockNumber())

    def line_selected(self) -> tuple[str, int, int] | None:
        """The project's line with the cursor and the characters of it that are selected; None in a heading, and in a
        row that stands to type in."""
        row = self._row(self.textCursor().block())
        return self._cursor_place() if isinstance(row, Line) and self._is_told(row) else None

    def _cursor_place(self) -> tuple[str, int, int] | None:
        """The same of any row but a heading."""
        cursor = self.textCursor()
        block = cursor.block()
        row = self._row(block)
        if not isinstance(row, Line):
            return None
        begin, end = block.position(), block.position() + block.length() - 1
        start, stop = (min(max(place, begin), end) for place in (cursor.selectionStart(), cursor.selectionEnd()))
        return row.id, place_in_text(block, start), place_in_text(block, stop)

    def lines_selected(self) -> tuple[str, ...]:
        """The ids of all lines of the project that the selection touches, in order."""
        return tuple(row.id for row in self._rows_selected() if isinstance(row, Line) and self._is_told(row))

    def _rows_selected(self) -> list[Row]:
        cursor = self.textCursor()
        first = self.document().findBlock(cursor.selectionStart()).blockNumber()
        last = self.document().findBlock(cursor.selectionEnd()).blockNumber()
        return self._rows[first : last + 1]

    def _is_told(self, row: Line) -> bool:
        """Whether the project has the line: it does not just stand to type in, nor has it been typed this moment."""
        sure = not self._pending and not is_blank(row)
        return sure or any(line.id == row.id for line in self._project.lines())

    # What the user wishes

    @Slot()
    def flush(self) -> None:
        """Tells at once what was typed since the last time."""
        if self._pending:
            self._flush_answered()

    def _flush_answered(self) -> bool:
        """Whether a project came back as an answer."""
        self._later.stop()
        self._pending = False
        if self._damaged:
            self._damaged = False
            self._put(self._rows, lambda rows: put_all(self.document(), rows))
        titles = list(self._titles_changed())
        wishes = self._leaving_first(list(self._lines_changed()))
        self._project = self._with(wishes, titles)
        names, self._named = self._named, []
        self.turn += len(wishes) > 1
        self.together = len(wishes) > 1
        self._telling = True
        try:
            for scene, title in titles:
                self.scene_title_changed.emit(scene, title)
            for wish in wishes:
                self.lines_replaced.emit(*wish)
            for line_id, name in names:
                self.character_wanted.emit(line_id, name)
        finally:
            self._telling = False
        answer, self._asked = self._asked, None
        if answer is not None:
            self.show_project(answer)
        self._tell_place()
        return answer is not None

    def _titles_changed(self) -> Iterator[tuple[int, str]]:
        for scene, heading in enumerate(self._headings):
            row = self._rows[heading]
            old = self._project.scenes[scene].title
            if isinstance(row, Heading) and row.title != old:
                yield scene, row.title

    def _lines_changed(self) -> Iterator[Replacement]:
        for scene, (heading, stop) in enumerate(pairwise([*self._headings, len(self._rows)])):
            old = self._project.scenes[scene].lines
            new = cast("tuple[Line, ...]", tuple(self._rows[heading + 1 : stop]))  # between headings are lines only
            if not old and len(new) == 1 and is_blank(new[0]):
                continue
            start, after = same_ends(old, new)
            if start + after < max(len(old), len(new)):
                yield scene, start, len(old) - after, new[start : len(new) - after]

    def _leaving_first(self, wishes: list[Replacement]) -> list[Replacement]:
        """A line that moves between scenes leaves the one before it comes into the other: no project has it twice."""
        if len(wishes) < 2:
            return wishes
        replaced = [
            {line.id for line in self._project.scenes[scene].lines[start:stop]} for scene, start, stop, _ in wishes
        ]
        elsewhere = set().union(*replaced)

        def comes_in(wish: Replacement) -> bool:
            there = replaced[wishes.index(wish)]
            return any(line.id in elsewhere and line.id not in there for line in wish[3])

        return sorted(wishes, key=comes_in)

    def _with(self, wishes: list[Replacement], titles: list[tuple[int, str]]) -> Project:
        """The project with what is about to be wished."""
        scenes = list(self._project.scenes)
        for scene, title in titles:
            scenes[scene] = replace(scenes[scene], title=title)
        for scene, start, stop, lines in wishes:
            old = scenes[scene].lines
            scenes[scene] = replace(scenes[scene], lines=old[:start] + lines + old[stop:])
        return replace(self._project, scenes=tuple(scenes))

    @Slot()
    def _tell_place(self) -> None:
        if self._putting or self._pending or self._telling:
            return
        place = self._cursor_place()
        if place is None or place == self._place:
            return
        self._place = place
        line_id, start, stop = place
        self.show_selection(line_id, start, stop)
        if self._chosen != line_id:
            self._chosen = line_id
            self._describe()
            self.line_chosen.emit(line_id)
        self.text_selected.emit(line_id, start, stop)

    # Text and rows

    @Slot(int, int, int)
    def _text_changed(self, position: int, _removed: int, added: int) -> None:
        """The rows follow each edit of the text at once; they are told at the end of the key, or of the turn."""
        if self._putting or self._damaged:
            return
        document = self.document()
        first, last_block = document.findBlock(position).blockNumber(), document.findBlock(position + added)
        last = last_block.blockNumber() if last_block.isValid() else document.blockCount() - 1
        after_old = last + 1 + len(self._rows) - document.blockCount()
        old = self._rows[first:after_old]
        texts = [block.text() for block in self._blocks(first, last)]
        if len(old) == len(texts) and all(row_text(row) == text for row, text in zip(old, texts, strict=True)):
            return
        try:
            new = rows_after(old, texts, self._speaker_above(first), self._revived)
        except HeadingLostError:
            self._damaged = True
        else:
            self._replace_rows(first, after_old, new)
        self._pending = True
        self._later.start()

    def _blocks(self, first: int, last: int) -> Iterator[QTextBlock]:
        block = self.document().findBlockByNumber(first)
        while block.isValid() and block.blockNumber() <= last:
            yield block
            block = block.next()

    def _speaker_above(self, row_number: int) -> str:
        """Who speaks just above a row of a scene; "" at its top."""
        row = self._rows[row_number - 1] if row_number else None
        return row.parts[-1].character if isinstance(row, Line) and row.parts else ""

    def _revived(self, text: str) -> Line | None:
        """A line that was cut or is being moved comes back as what it was, unless it is still in the script."""
        waiting = self._cut.get(text, [])
        while waiting:
            line = waiting.pop(0)
            if not self._has(line.id):
                return line
        return None

    # The text put anew

    def _put(self, rows: list[Row], change: Callable[[Sequence[Row]], None]) -> None:
        """Changes the text from the present rows to `rows` without that being an edit. Cursor and scroll go with their
        lines where those stand elsewhere now."""
        old, bar = self._rows, self.verticalScrollBar()
        cursor, top = self.textCursor(), self.firstVisibleBlock()
        block = self.document().findBlock(cursor.position())
        row, top_row = self._row(block), self._row(top)
        place, anchor = (position - block.position() for position in (cursor.position(), cursor.anchor()))
        below_top = bar.value() - top.firstLineNumber()
        self._putting = True
        self._set_rows(rows)
        change(old)
        now = self._block_of(row)
        if now and self.textCursor().block() != now:
            most = now.length() - 1
            self._set_place(now.position() + min(max(anchor, 0), most), now.position() + min(place, most))
        if shown := self._block_of(top_row):
            bar.setValue(shown.firstLineNumber() + below_top)
        self._putting = False
        if self._chosen is not None and self._block_of_id(self._chosen) is None:
            self._chosen = self._place = self._boxed = None
        if self._chosen is None:
            self._leave_heading()
            self._tell_place()

    def _block_of(self, row: Row) -> QTextBlock | None:
        return self._block_of_id(row.id) if isinstance(row, Line) else None

    def _block_of_id(self, line_id: str) -> QTextBlock | None:
        try:
            return self.document().findBlockByNumber(self._row_number(line_id))
        except KeyError:
            return None

    def _leave_heading(self) -> None:
        """From a heading to the line below it: a project opens with its first line chosen."""
        cursor = self.textCursor()
        if isinstance(self._row(cursor.block()), Heading):
            position = cursor.block().next().position()
            self._set_place(position, position)

    def _set_place(self, anchor: int, position: int) -> None:
        """Moves the cursor without telling."""
        putting, self._putting = self._putting, True
        cursor = self.textCursor()
        cursor.setPosition(anchor)
        cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self._putting = putting
