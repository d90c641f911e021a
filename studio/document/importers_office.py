"""PDF and books: text that people wrote elsewhere."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from html.parser import HTMLParser
from urllib.parse import unquote

from studio.document.importers_limits import (
    MOST_CHARACTERS,
    ImportFailedError,
    check_archive,
    checked_xml,
    member,
    tag,
)
from studio.document.manuscript import Manuscript, Prose, Row, gathered, written

_MOST_PAGES = 3_000
_LEAST_LETTERS_A_PAGE = 5
_BROKEN_WORD = re.compile(r"(?<=\w)-\n(?=[a-zà-ÿ])")
_BLOCKS = frozenset(["p", "div", "li", "blockquote", "tr", "br", "section", "article", "hr"])
_HEADINGS = frozenset(["h1", "h2", "h3"])
_UNSEEN = frozenset(["script", "style", "head", "title", "nav"])


def pdf(data: bytes, title: str) -> Manuscript:
    """The text of a PDF, page by page. ImportFailedError where it has none, as a scan has."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ImportFailedError("This PDF wants a password.")
        if len(reader.pages) > _MOST_PAGES:
            raise ImportFailedError(f"This PDF has more than {_MOST_PAGES} pages.")
        pages = [page.extract_text() for page in reader.pages]
    except ImportFailedError:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise ImportFailedError("This PDF is damaged, or written in a way that cannot be read.") from error
    if sum(len(page.strip()) for page in pages) < _LEAST_LETTERS_A_PAGE * max(1, len(pages)):
        raise ImportFailedError("This PDF has no text in it: it is probably a scan.")
    text = "\n\n".join(_BROKEN_WORD.sub("", page) for page in pages)
    return Manuscript(title, (Prose(text[:MOST_CHARACTERS]),), ("The lines of a PDF are guessed: look it through.",))


def epub(data: bytes, title: str) -> Manuscript:
    """The chapters of a book in their order; their headings become scenes."""
    rows: list[Row] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        check_archive(archive)
        container = checked_xml(member(archive, "META-INF/container.xml"))
        root = next((each.get("full-path", "") for each in container.iter() if tag(each) == "rootfile"), "")
        package = checked_xml(member(archive, root))
        paths = {each.get("id"): each.get("href", "") for each in package.iter() if tag(each) == "item"}
        named = next(("".join(each.itertext()).strip() for each in package.iter() if tag(each) == "title"), "")
        length = 0
        for each in package.iter():
            if tag(each) == "itemref" and (path := paths.get(each.get("idref"))):
                page = _Page()
                whole = posixpath.normpath(posixpath.join(posixpath.dirname(root), unquote(path)))
                page.feed(member(archive, whole).decode("utf-8", "replace"))
                page.close()
                rows += page.rows()
                length += sum(len(row.text) for row in page.rows() if isinstance(row, Prose))
                if length > MOST_CHARACTERS:
                    raise ImportFailedError("This book is too long for one project.")
    return Manuscript(named or title, gathered(rows))


class _Page(HTMLParser):
    """A chapter as paragraphs and headings."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._rows: list[Row] = []
        self._text: list[str] = []
        self._unseen = 0
        self._heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._end()
            self._heading = tag in _HEADINGS

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._end()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._text.append(data)

    def rows(self) -> list[Row]:
        self._end()
        return self._rows

    def _end(self) -> None:
        self._rows += written(" ".join("".join(self._text).split()), self._heading)
        self._text, self._heading = [], False
