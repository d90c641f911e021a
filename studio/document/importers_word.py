"""Documents of word processors: paragraphs, and tables with a column of names beside one of lines."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from studio.document.importers_limits import ImportFailedError, check_archive, checked_xml, member, tag
from studio.document.importers_tables import is_heading, speeches_in
from studio.document.manuscript import Manuscript, Prose, Row, Speech, gathered, many, written
from studio.document.script import names_among, possible_name

_Table = list[list[str]]  # the text of each cell

_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# What was struck out or moved away, how it looks, and what stands there a second time for old programs.
_UNSEEN = frozenset(["del", "moveFrom", "pPr", "rPr", "Fallback"])


def docx(data: bytes, title: str) -> Manuscript:
    """The paragraphs of a document; those in heading styles become scenes. In a table the rows of two cells are a name
    and a line, by the rule for names in prose, and other cells are paragraphs; one with headings is read by them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        check_archive(archive)
        for info in archive.infolist():
            if info.filename.endswith((".xml", ".rels")):
                checked_xml(member(archive, info.filename))
    from docx import Document
    from docx.opc.exceptions import PackageNotFoundError
    from docx.text.paragraph import Paragraph

    blocks: list[Row | _Table] = []
    try:
        document = Document(io.BytesIO(data))
        block: Any  # of lxml's elements, as python-docx has made them
        for block in _blocks(document.element.body):
            if tag(block) == "tbl":
                blocks.append([[_words(cell) for cell in _within(row, "tc")] for row in _within(block, "tr")])
            else:
                style = Paragraph(block, document).style
                heading = style is not None and (style.name or "").startswith(("Heading", "Title"))
                blocks += written(_words(block), heading)
    except (PackageNotFoundError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise ImportFailedError("This is no Word document, or it is damaged.") from error
    return _told(blocks, title)


def _told(blocks: list[Row | _Table], title: str) -> Manuscript:
    texts = [block.text for block in blocks if isinstance(block, Prose)]
    texts += [_labelled(row) for block in blocks if isinstance(block, list) for row in block]
    known = names_among([label for text in texts if (label := possible_name(text))], False)
    rows: list[Row] = []
    notices: list[str] = []
    for block in blocks:
        if not isinstance(block, list):
            rows.append(block)
        elif len(block) > 1 and len(block[0]) > 1 and is_heading(block[0]):
            speeches, others = speeches_in(block, " ")
            rows += speeches
            notices += [f"Left out: {many(others, 'column')} of a table."] if others else []
        else:
            rows += _lines_in(block, known)
    return Manuscript(title, gathered(rows), tuple(notices))


def _lines_in(table: _Table, known: dict[str, str]) -> Iterator[Row]:
    labels = [possible_name(_labelled(row)) for row in table if any(row)]
    known = names_among([label for label in labels if label], all(labels)) | known
    for row in table:
        name = known.get((possible_name(_labelled(row)) or "").casefold())
        if name:
            yield Speech(name, " ".join(row[1].split()))
        else:
            for cell in row:
                yield from written(cell, False)


def _labelled(row: list[str]) -> str:
    """What a row would be in prose; "" where it is not two cells with something in each."""
    return f"{row[0].rstrip(' :：')}: " if len(row) == 2 and all(row) else ""


def _blocks(element: Element) -> Iterator[Element]:
    """The paragraphs and tables in an element, with those in the text boxes of a paragraph after it."""
    for block in _within(element, "p", "tbl"):
        yield block
        if tag(block) == "p":
            for box in _within(block, "txbxContent"):
                yield from _blocks(box)


def _words(block: Element) -> str:
    """The text of a paragraph; of a cell, paragraph by paragraph."""
    if tag(block) != "p":
        paragraphs = (_words(each) for each in _within(block, "p", "tbl", "tr", "tc"))
        return "\n".join(text for text in paragraphs if text)
    pieces = (each for each in _within(block, "t", "txbxContent", *_SIGNS) if tag(each) != "txbxContent")
    return "".join(_SIGNS.get(tag(each)) or each.text or "" for each in pieces).strip()


def _within(element: Element, *kinds: str) -> Iterator[Element]:
    """What of these kinds is in an element, though not in another of them; revisions, controls and links are open."""
    for child in element:
        if tag(child) in kinds:
            yield child
        elif tag(child) not in _UNSEEN:
            yield from _within(child, *kinds)
