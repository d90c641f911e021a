"""Where the script's text stands: a column between two gutters, lines of an even height, air around each block.

QPlainTextDocumentLayout lays out only what is seen, which keeps typing in a long script fast, but it knows neither
margins nor heights. This one places the lines of each block itself, and gives tags their look in the same go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlock,
    QTextCharFormat,
    QTextDocument,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextDocumentLayout

from engine.text import Tag, tags
from studio import theme
from studio.panels.script_lines import SOFT_BREAK, units

NUMBER_RIGHT = 32
NAME_RIGHT = 106
TEXT_LEFT = 120
MOST_TEXT = 640
EDGE_WIDTH = 92
EDGE_MARGIN = 16
LINE_HEIGHT = 23
CHIP_PADDING = 5


@dataclass(frozen=True)
class Shape:
    """How a block is laid out: `above` and `below` are air in pixels, `indent` moves the text right."""

    above: float
    below: float
    heading: bool = False
    indent: float = 0
    muted: bool = False


def tags_of(text: str) -> tuple[Tag, ...]:
    """The tags in a block's text."""
    return tags(text.replace(SOFT_BREAK, "\n")) if "[" in text else ()


def text_width(viewport_width: int) -> int:
    """The width of the column of text in a viewport."""
    return max(160, min(MOST_TEXT, viewport_width - TEXT_LEFT - EDGE_WIDTH - EDGE_MARGIN))


class ScriptLayout(QPlainTextDocumentLayout):
    """`shape_of` tells the shape of a block; `viewport_width` is set by the view before Qt lays out anew."""

    def __init__(self, document: QTextDocument, shape_of: Callable[[QTextBlock], Shape]) -> None:
        super().__init__(document)
        self.viewport_width = 880
        self._shape_of = shape_of
        self._blocks, self._lines = document.blockCount(), document.lineCount()
        self._changing = False
        self._settling = False
        # The scroll bar hears of wrapped lines that show up while painting only after the painting.
        self._wrapped_elsewhere = QTimer(self, interval=0, singleShot=True)
        self._wrapped_elsewhere.timeout.connect(self._tell_size)

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        if not block.isValid():
            return QRectF()
        shape = self._shape_of(block)
        layout = block.layout()
        # A layout that Qt made by itself begins at the top: ours never does.
        if not layout.lineCount() or layout.lineAt(0).y() < shape.above:
            self._lay_out(block, layout, shape)
        last = layout.lineAt(layout.lineCount() - 1)
        return QRectF(0, 0, self.viewport_width, slot(last).bottom() + shape.below)

    def documentChanged(self, place: int, removed: int, added: int) -> None:
        if not self._settling:
            self._changing = True
            self._follow(place, added)
            self._changing = False

    def _follow(self, place: int, added: int) -> None:
        """Forgets how the blocks from `place` on were laid out, and tells what is to be painted."""
        document = self.document()
        first, last = document.findBlock(place), document.findBlock(place + added)
        if not last.isValid():
            last = document.lastBlock()
        one = first == last and document.blockCount() == self._blocks
        height = self.blockBoundingRect(first).height() if one else 0.0
        block = first
        while block.isValid() and block.blockNumber() <= last.blockNumber():
            block.clearLayout()
            block = block.next()
        if one and self.blockBoundingRect(first).height() == height:
            self.updateBlock.emit(first)
        else:
            self.requestUpdate()
        if document.blockCount() != self._blocks or document.lineCount() != self._lines:
            self._tell_size()

    def _tell_size(self) -> None:
        self._blocks, self._lines = self.document().blockCount(), self.document().lineCount()
        self.documentSizeChanged.emit(self.documentSize())

    def _lay_out(self, block: QTextBlock, layout: QTextLayout, shape: Shape) -> None:
        option = QTextOption(self.document().defaultTextOption())
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        if block.textDirection() == Qt.LayoutDirection.RightToLeft:
            option.setAlignment(Qt.AlignmentFlag.AlignRight)
        layout.setTextOption(option)
        self._set_formats(block, layout, _formats(block.text(), shape))
        width = text_width(self.viewport_width) - shape.indent
        top = shape.above
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            height = max(LINE_HEIGHT, ceil(line.height()))
            line.setPosition(QPointF(TEXT_LEFT + shape.indent, top + (height - line.height()) / 2))
            top += height
        layout.endLayout()
        if block.lineCount() != layout.lineCount():
            block.setLineCount(layout.lineCount())
            self._wrapped_elsewhere.start()

    def _set_formats(self, block: QTextBlock, layout: QTextLayout, formats: list[QTextLayout.FormatRange]) -> None:
        """Qt notes formats as a change of the document and would tell it with the next edit, as if all between had been
        edited; so it is made to tell at once, while nobody listens. Within a change it forgets the note by itself."""
        if not formats and not layout.formats():
            return
        layout.setFormats(_around_composed(layout, formats))
        if not self._changing:
            self._settling = True
            self.document().markContentsDirty(block.position(), 0)
            self._settling = False


def _around_composed(layout: QTextLayout, formats: list[QTextLayout.FormatRange]) -> list[QTextLayout.FormatRange]:
    """What an input method composes keeps its own look, and ours moves out of its way."""
    place, composed = layout.preeditAreaPosition(), len(layout.preeditAreaText())
    if not composed:
        return formats
    for one in formats:
        if one.start >= place:
            one.start += composed
        elif one.start + one.length > place:
            one.length += composed
    kept = [one for one in layout.formats() if place <= one.start and one.start + one.length <= place + composed]
    return formats + kept


def slot(line: QTextLine) -> QRectF:
    """The full height that a line of text has to itself."""
    height = max(LINE_HEIGHT, ceil(line.height()))
    return QRectF(line.x(), line.y() - (height - line.height()) / 2, line.width(), height)


def _formats(text: str, shape: Shape) -> list[QTextLayout.FormatRange]:
    if shape.heading:
        return [_range(0, units(text, len(text)), _look(theme.current().muted, theme.font(13, 600)))]
    formats = []
    if shape.muted:
        formats.append(_range(0, units(text, len(text)), _look(theme.current().muted)))
    for tag in tags_of(text):
        start, stop = units(text, tag.start), units(text, tag.stop)
        # Room for the chip: what stands before it and the closing bracket are spaced a little wider.
        if start:
            before = QTextCharFormat()
            _space(before)
            formats.append(_range(start - 1, 1, before))
        bracket = _look(theme.tag_bracket(), theme.font(14))
        closing = QTextCharFormat(bracket)
        _space(closing)
        formats += [
            _range(start, 1, bracket),
            _range(start + 1, stop - start - 2, _look(theme.current().tag, theme.font(14))),
            _range(stop - 1, 1, closing),
        ]
    return formats


def _look(colour: str | QColor, font: QFont | None = None) -> QTextCharFormat:
    made = QTextCharFormat()
    if font:
        made.setFont(font, QTextCharFormat.FontPropertiesInheritanceBehavior.FontPropertiesSpecifiedOnly)
    made.setForeground(QColor(colour))
    return made


def _space(made: QTextCharFormat) -> None:
    made.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
    made.setFontLetterSpacing(CHIP_PADDING)


def _range(start: int, length: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, length, look
    return made
