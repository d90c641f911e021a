"""Scripts from foreign files: which reader reads which, and what no file may do to us.

Nothing in a foreign file is trusted: sizes are capped before anything is unpacked, XML declares no entities, and what
cannot be read is refused with a reason (ImportFailedError).
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from engine.whole_file import reachable
from studio.document import importers_office, importers_screenplay, importers_tables, importers_word
from studio.document.importers_encoding import decoded
from studio.document.importers_limits import MOST_BYTES, MOST_CHARACTERS, ImportFailedError
from studio.document.manuscript import Manuscript, Prose

SUFFIXES = (".txt", ".md", ".fountain", ".fdx", ".docx", ".srt", ".vtt", ".csv", ".tsv", ".pdf", ".epub")


def read_manuscript(path: Path) -> Manuscript:
    """What a file says. ImportFailedError with a sentence for the user; OSError where it cannot be opened."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ImportFailedError(f"{path.name} is of a kind that cannot be imported.")
    data, title = _read_bytes(path), path.stem
    try:
        made = _BINARY[suffix](data, title) if suffix in _BINARY else _from_text(suffix, data, title)
    except ImportFailedError:
        raise
    except _DAMAGED as error:
        raise ImportFailedError(f"{path.name} is damaged, or no {suffix} file.") from error
    if not made.rows:
        raise ImportFailedError(f"{path.name} holds no text.")
    return made


def read_text(path: Path) -> tuple[str, str]:
    """A text file as it stands, and a notice where its encoding was guessed. Errors as of `read_manuscript`."""
    return _text_of(_read_bytes(path))


def _read_bytes(path: Path) -> bytes:
    path = reachable(path)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ImportFailedError(f"{path.name} is {size / 1e6:.0f} MB; files up to {MOST_BYTES / 1e6:.0f} MB are read.")
    return path.read_bytes()


def _text_of(data: bytes) -> tuple[str, str]:
    text, notice = decoded(data)
    if len(text) > MOST_CHARACTERS:
        raise ImportFailedError(f"That is more than {MOST_CHARACTERS / 1e6:.0f} million characters.")
    return text, notice


def _from_text(suffix: str, data: bytes, title: str) -> Manuscript:
    text, notice = _text_of(data)
    made = _TEXT[suffix](text, title)
    notices = (notice, *made.notices) if notice else made.notices
    return Manuscript(made.title, made.rows, notices)


def _plain(text: str, title: str) -> Manuscript:
    return Manuscript(title, (Prose(text),) if text.strip() else ())


def _markdown(text: str, title: str) -> Manuscript:
    return _plain(importers_screenplay.without_emphasis(text), title)


# What comes of unpacking and reading bytes that are not as they were; the file itself has been read by then.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, RuntimeError, ValueError, KeyError,
)  # fmt: skip
_Reader = Callable[[str, str], Manuscript]
_TEXT: dict[str, _Reader] = {
    ".txt": _plain,
    ".md": _markdown,
    ".fountain": importers_screenplay.fountain,
    ".fdx": importers_screenplay.fdx,
    ".srt": importers_tables.subtitles,
    ".vtt": importers_tables.subtitles,
    ".csv": importers_tables.table,
    ".tsv": importers_tables.tabbed,
}
_BINARY: dict[str, Callable[[bytes, str], Manuscript]] = {
    ".docx": importers_word.docx,
    ".pdf": importers_office.pdf,
    ".epub": importers_office.epub,
}
