"""The script as it is seen: rows of text between two gutters, painted; nothing here changes the text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextBlock,
    QTextDocument,
    QTextLayout,
    QTextLine,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QToolTip, QWidget

from studio import theme
from studio.document.lint import Finding
from studio.document.numbers import Numbers
from studio.document.project import Character, Line, Pronunciation
from studio.document.sending import pronounced
from studio.document.state import Kind, LineState
from studio.panels import script_gutter as gutter
from studio.panels.script_layout import (
    CHIP_PADDING,
    EDGE_MARGIN,
    EDGE_WIDTH,
    LINE_HEIGHT,
    NAME_RIGHT,
    TEXT_LEFT,
    ScriptLayout,
    Shape,
    slot,
    tags_of,
    text_width,
)
from studio.panels.script_lines import Heading, Row, characters, part_starts, units
from studio.panels.script_marks import MARK_MIDDLE, paint_dots, paint_mark, paint_misread, paint_wave

PLACEHOLDER = "Write a line. Start with a name and a colon to say who speaks."
PADDING = 7
_PLAIN, _MUTED = Shape(PADDING, PADDING), Shape(PADDING, PADDING, muted=True)


class ScriptView(QPlainTextEdit):
    """Shows `_rows`, one block each; places in a line are counted in characters of its text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = [Heading("")]
        self._headings = [0]
        self._numbers = Numbers()
        self._cast: dict[str, Character] = {}
        self._states: dict[str, LineState] = {}
        self._chosen: str | None = None
        self._boxed: tuple[str, int, int] | None = None
        self._words: tuple[Pronunciation, ...] = ()
        self._found: Mapping[str, tuple[Finding, ...]] = MappingProxyType({})
        self._matches: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({})
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.setAccessibleName("Script")
        self.viewport().setMouseTracking(True)
        document = QTextDocument(self)
        document.setDocumentMargin(0)
        document.setUndoRedoEnabled(False)
        self._layout = ScriptLayout(document, self._shape)
        document.setDocumentLayout(self._layout)
        self.setDocument(document)
        self.setFont(theme.font(15))

    # What is shown

    def show_states(self, states: Mapping[str, LineState]) -> None:
        """Where lines stand, by line id; what is not among them stands as before. Only gutters that differ are painted
        again."""
        differing = {line_id: state for line_id, state in states.items() if self._states.get(line_id) != state}
        muted = [
            line_id
            for line_id, state in differing.items()
            if ((before := self._states.get(line_id)) is not None and before.kind is Kind.NO_VOICE)
            != (state.kind is Kind.NO_VOICE)
        ]
        self._states |= differing
        if not differing:
            return
        for line_id in muted:
            self._forget_layout(line_id)
        for block, rect in self._visible():
            row = self._row(block)
            if isinstance(row, Line) and row.id in differing:
                self.viewport().update(rect.toAlignedRect())
        self._describe()

    def show_selection(self, line_id: str | None, start: int = 0, stop: int = 0) -> None:
        """A box around [start, stop) of a line's text: what is chosen in the wave. An empty range takes it away."""
        self._boxed = (line_id, start, stop) if line_id is not None and start < stop else None
        self.viewport().update()

    def show_findings(self, found: Mapping[str, tuple[Finding, ...]]) -> None:
        """What the lint found, by line id: waves under the words, a mark beside the name."""
        self._found = found
        self.viewport().update()

    def show_matches(self, matches: Mapping[str, Sequence[tuple[int, int]]]) -> None:
        """What is searched for and was found, by line id: [start, stop) of their texts, boxed."""
        self._matches = matches
        self.viewport().update()

    def findings_at(self, line_id: str, place: int) -> tuple[Finding, ...]:
        """What was found of the line at a place in its text."""
        return tuple(each for each in self._found.get(line_id, ()) if each.start <= place <= each.stop)

    # Rows and blocks

    def _number(self, block: QTextBlock) -> int:
        """The number of the block's row; while an edit is being taken back there may be fewer rows than blocks."""
        return min(block.blockNumber(), len(self._rows) - 1)

    def _row(self, block: QTextBlock) -> Row:
        return self._rows[self._number(block)]

    def _row_number(self, line_id: str) -> int:
        """KeyError where there is no such line."""
        return self._numbers[line_id]

    def _has(self, line_id: str) -> bool:
        """Whether the line is there still: the chosen one may just have been typed away."""
        return line_id in self._numbers

    def _set_rows(self, rows: list[Row]) -> None:
        self._rows = rows
        self._headings = _headings(rows)
        self._numbers = Numbers(map(_name, rows))

    def _replace_rows(self, start: int, stop: int, new: list[Row]) -> None:
        """`new` stand in the place of the rows [start, stop); what that costs does not grow with the script."""
        by = len(new) - (stop - start)
        first, after = bisect_left(self._headings, start), bisect_left(self._headings, stop)
        below = [heading + by for heading in self._headings[after:]]
        self._headings[first:] = [*_headings(new, start), *below]
        self._rows[start:stop] = new
        self._numbers.replace(start, stop, [_name(row) for row in new])

    def _scene_of(self, row_number: int) -> int:
        return bisect_right(self._headings, row_number) - 1

    def _line_number(self, row_number: int) -> int:
        """Lines are counted in their scene, from 1."""
        return row_number - self._headings[self._scene_of(row_number)]

    def _forget_layout(self, line_id: str) -> None:
        """The line is laid out anew when it is next seen: its looks have changed, and only those."""
        try:
            self.document().findBlockByNumber(self._row_number(line_id)).clearLayout()
        except KeyError:  # the states of a project that is not shown yet
            return

    def _prefix(self, row_number: int) -> str:
        title = self._rows[row_number]
        ending = ". " if isinstance(title, Heading) and title.title else " "
        return f"Scene {self._scene_of(row_number) + 1}{ending}"

    def _shape(self, block: QTextBlock) -> Shape:
        row = self._row(block)
        if isinstance(row, Heading):
            indent = QFontMetricsF(theme.font(13, 600)).horizontalAdvance(self._prefix(self._number(block)))
            return Shape(18 if block.blockNumber() == 0 else 30, 7, heading=True, indent=indent)
        state = self._states.get(row.id)
        return _MUTED if state is not None and state.kind is Kind.NO_VOICE else _PLAIN

    def _visible(self) -> Iterator[tuple[QTextBlock, QRectF]]:
        """The blocks on screen and where they stand in the viewport."""
        block = self.firstVisibleBlock()
        if not block.isValid():
            return
        rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
        while block.isValid() and rect.top() < self.viewport().height():
            yield block, rect
            block = block.next()
            rect = QRectF(0, rect.bottom(), rect.width(), self.blockBoundingRect(block).height())

    def _at(self, point: QPointF) -> tuple[QTextBlock, QRectF] | None:
        """The block at a height in the viewport."""
        return next(((block, rect) for block, rect in self._visible() if rect.top() <= point.y() < rect.bottom()), None)

    def name_rect(self, line_id: str, part: int = 0) -> QRect:
        """Where the name of a part stands in the viewport; KeyError where there is no such line."""
        number = self._row_number(line_id)
        row = self._rows[number]
        assert isinstance(row, Line)
        block = self.document().findBlockByNumber(number)
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        tops = [y for _, y in self._name_places(block, row)]
        return QRectF(gutter.NAME_LEFT, top + tops[part], NAME_RIGHT - gutter.NAME_LEFT, LINE_HEIGHT).toAlignedRect()

    def _name_places(self, block: QTextBlock, row: Line) -> list[tuple[str, float]]:
        """Each part's name and the height of the line of text that it begins in, from the block's top."""
        layout, text = block.layout(), block.text()
        places: list[tuple[str, float]] = []
        for part, start in zip(row.parts, part_starts(row.parts), strict=True):
            line = layout.lineForTextPosition(_composed(layout, units(text, start)))
            places.append((part.character, slot(line).top() if line.isValid() else PADDING))
        return places or [("", PADDING)]

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for block, rect in self._visible():
            if rect.intersects(QRectF(event.rect())):
                row = self._row(block)
                if isinstance(row, Line):
                    self._paint_line(painter, block, row, rect)
                else:
                    self._paint_heading(painter, block, rect)
        painter.end()
        super().paintEvent(event)

    def _paint_heading(self, painter: QPainter, block: QTextBlock, rect: QRectF) -> None:
        painter.setFont(theme.font(13, 600))
        painter.setPen(QColor(theme.current().muted))
        top = rect.top() + slot(block.layout().lineAt(0)).top()
        place = QRectF(TEXT_LEFT, top, rect.width() - TEXT_LEFT, LINE_HEIGHT)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, self._prefix(self._number(block)))

    def _paint_line(self, painter: QPainter, block: QTextBlock, row: Line, rect: QRectF) -> None:
        number = self._number(block)
        chosen = row.id == self._chosen
        if chosen:
            painter.fillRect(rect, theme.chosen_ground(theme.current().ground))
            painter.fillRect(QRectF(0, rect.top(), 2, rect.height()), QColor(theme.current().accent))
        top = rect.top() + PADDING
        gutter.paint_number(painter, top, self._line_number(number), chosen)
        for name, height in self._name_places(block, row):
            gutter.paint_name(painter, rect.top() + height, name, self._name_colour(name))
        state = self._states.get(row.id)
        if state:
            gutter.paint_edge(painter, self.viewport().width() - EDGE_MARGIN, top, state, chosen)
        self._paint_under_text(painter, block, rect.topLeft(), row, state)
        for start, stop in self._pronounced(row):
            for piece in _pieces(block, rect.topLeft(), start, stop):
                paint_dots(painter, piece)
        if found := self._found.get(row.id):
            paint_mark(painter, MARK_MIDDLE, top + LINE_HEIGHT / 2)
            for each in found:
                for piece in _pieces(block, rect.topLeft(), each.start, each.stop):
                    paint_wave(painter, piece)
        if not block.text() and not block.layout().preeditAreaText() and self._stands_alone(number):
            painter.setFont(theme.font(15))
            painter.setPen(QColor(theme.current().faint))
            room = QRectF(TEXT_LEFT, top, text_width(self.viewport().width()), LINE_HEIGHT)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, PLACEHOLDER)

    def _paint_under_text(
        self, painter: QPainter, block: QTextBlock, origin: QPointF, row: Line, state: LineState | None
    ) -> None:
        text, palette = block.text(), theme.current()
        # On a chosen line, whose ground is much like theirs, chips get a rim.
        painter.setPen(theme.colour(palette.tag, 0.4) if row.id == self._chosen else QPen(Qt.PenStyle.NoPen))
        painter.setBrush(theme.tag_ground())
        for tag in tags_of(text):
            # After the closing bracket there is room already, before the opening one it is taken from the gap.
            for piece in _pieces(block, origin, tag.start, tag.stop):
                chip = piece.adjusted(-CHIP_PADDING, 0, 0, 0).toAlignedRect()
                painter.drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setPen(theme.colour(palette.muted, 0.5))
        painter.setBrush(theme.match_ground())
        for start, stop in self._matches.get(row.id, ()):
            for piece in _pieces(block, origin, start, stop):
                box = piece.adjusted(-1, 0, 1, 0).toAlignedRect()
                painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.accent))
        for start, stop in state.changed if state else ():
            for piece in _pieces(block, origin, start, stop):
                painter.drawRect(QRectF(piece.left(), round(piece.bottom()) + 1, piece.width(), 2))
        for start, stop in state.misread if state else ():
            for piece in _pieces(block, origin, start, stop):
                paint_misread(painter, piece)
        if self._boxed and self._boxed[0] == row.id:
            painter.setBrush(theme.held_ground())
            painter.setPen(QColor(palette.accent))
            for piece in _pieces(block, origin, *self._boxed[1:]):
                box = piece.adjusted(-2, -1, 2, 1).toAlignedRect()
                painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)

    def _pronounced(self, row: Line) -> tuple[tuple[int, int], ...]:
        """Where words of the line are spoken otherwise than they are written."""
        if row.as_written or not self._words:
            return ()
        return tuple((start, stop) for start, stop, _, _ in pronounced(row.text, self._words)[1])

    def _name_colour(self, name: str) -> QColor:
        character = self._cast.get(name)
        return theme.character_colour(character.colour) if character else QColor(theme.current().muted)

    def _stands_alone(self, row_number: int) -> bool:
        """It is the only line of its scene."""
        rows, after = self._rows, row_number + 1
        return isinstance(rows[row_number - 1], Heading) and (after == len(rows) or isinstance(rows[after], Heading))

    # Words for those who hear the screen, and tips

    def line_words(self, line_id: str) -> str:
        """The line's number, who speaks, and where it stands, in words."""
        number = self._row_number(line_id)
        row = self._rows[number]
        assert isinstance(row, Line)
        names = " and ".join(dict.fromkeys(part.character for part in row.parts if part.character))
        return gutter.said(self._line_number(number), names, self._states.get(line_id))

    def _describe(self) -> None:
        chosen = self._chosen if self._chosen is not None and self._has(self._chosen) else None
        words = self.line_words(chosen) if chosen is not None else ""
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def tip_at(self, point: QPointF) -> str:
        """What the gutters say at a place in the viewport."""
        found = self._at(point)
        row = self._row(found[0]) if found else None
        if found is None or not isinstance(row, Line):
            return ""
        if gutter.NAME_LEFT <= point.x() < NAME_RIGHT:
            return "Choose who speaks"
        if NAME_RIGHT <= point.x() < TEXT_LEFT:
            return "\n".join(dict.fromkeys(each.says for each in self._found.get(row.id, ())))
        state = self._states.get(row.id)
        if state and point.x() >= self.viewport().width() - EDGE_WIDTH - EDGE_MARGIN:
            return gutter.edge_tip(state)
        place = place_in_text(found[0], self.cursorForPosition(point.toPoint()).position())
        said = [each.says for each in self.findings_at(row.id, place)]
        for start, stop in self._pronounced(row):
            if start <= place <= stop:
                said.append(f"Spoken as “{pronounced(row.text[start:stop], self._words)[0]}”.")
        return "\n".join(dict.fromkeys(said))

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self.viewport())
            return True
        return super().viewportEvent(event)

    # What the system changes

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._layout.viewport_width = self.viewport().width()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self.document().setDefaultFont(self.font())  # lays out anew, with the colours of now


def _headings(rows: Sequence[Row], first: int = 0) -> list[int]:
    """The numbers of the headings among rows that are counted from `first`."""
    return [number for number, row in enumerate(rows, first) if isinstance(row, Heading)]


def _name(row: Row) -> str | None:
    return row.id if isinstance(row, Line) else None


def _composed(layout: QTextLayout, place: int) -> int:
    """A place in the block's text, moved by what an input method is composing before it."""
    return place + len(layout.preeditAreaText()) if place > layout.preeditAreaPosition() >= 0 else place


def _pieces(block: QTextBlock, origin: QPointF, start: int, stop: int) -> Iterator[QRectF]:
    """Where the characters [start, stop) of a block's text stand, one rectangle for each line of text they are in."""
    layout, text = block.layout(), block.text()
    first, last = _composed(layout, units(text, start)), _composed(layout, units(text, stop))
    for n in range(layout.lineCount()):
        line = layout.lineAt(n)
        begin, end = max(first, line.textStart()), min(last, line.textStart() + line.textLength())
        if begin < end:
            left, right = sorted((_x(line, begin), _x(line, end)))
            yield QRectF(left, line.y(), right - left, line.height()).translated(origin)


def _x(line: QTextLine, place: int) -> float:
    """PySide answers with the place, too; its stubs do not say so."""
    return cast("tuple[float, int]", line.cursorToX(place))[0]


def place_in_text(block: QTextBlock, position: int) -> int:
    """A position in the document as a place in the text of `block`."""
    return characters(block.text(), position - block.position())
