"""The journal: what happens to the open project, written down as it happens, so that nothing done is ever lost.

It is an SQLite database of its own for each run of the program, in the local state folder. Each edit, each finished
take and each chunk of frames is one transaction, on the disk before it counts as written. A clean end deletes it.

    about     key, value        version; path and seal of the project's file; at, tip, saved; playhead
    steps     place, row        the history as in the project file
    codes     digest, content   the codes of its voices
    takes     number, content   packs of one take: those that are not in the file
    unfinished  job, line, content    a pack of one take that holds the first frames
    frames    job, number, content    the frames after them, int16 [codebook, frame]
    candidates  number, line, content    packs of one take: those that the user chooses from
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.request import Codes, Take
from studio.document.history import History
from studio.document.members import VERSION, packed_codes, restored, unpacked_codes
from studio.document.packs import MOST_BYTES, PackError, pack, unpack
from studio.document.unfinished import is_beginning, with_frames

SUFFIX = ".journal"
_BESIDE = ("-wal", "-shm")
_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE steps (place INTEGER PRIMARY KEY, row BLOB NOT NULL);
CREATE TABLE codes (digest TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE takes (number INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE unfinished (job INTEGER PRIMARY KEY, line BLOB NOT NULL, content BLOB NOT NULL);
CREATE TABLE frames (job INTEGER, number INTEGER, content BLOB NOT NULL, PRIMARY KEY (job, number)) WITHOUT ROWID;
CREATE TABLE candidates (number INTEGER PRIMARY KEY, line BLOB NOT NULL, content BLOB NOT NULL);
"""
_OF_PROJECT = ("steps", "codes", "takes")
_NAMES = ("about", *_OF_PROJECT, "unfinished", "frames", "candidates")
_READABLE = ("2", str(VERSION))  # version 2 had no candidates; what else it had is the same


class JournalError(Exception):
    """A journal cannot be written or read. The message is a plain sentence, `path` the file."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class UnreadableJournalError(JournalError):
    """It is damaged, or of another version."""


class JournalInUseError(JournalError):
    """A running Retake writes it."""


@dataclass(frozen=True)
class Standing:
    """Where the user stands. `path` and `seal` are those of the project's file (see file.Written), `saved` the step
    that it holds, `stored` the number of takes that it holds; `playhead` in seconds."""

    at: int
    tip: int
    saved: int | None = None
    path: str | None = None
    seal: str = ""
    stored: int = 0
    playhead: float = 0.0


@dataclass(frozen=True, eq=False)
class Entry:
    """Something that happened, written in one transaction: rows of steps by their places, codes by digest, new takes by
    their numbers in the store. `afresh`: it is the whole project, and what was written before is of another, or where
    it `goes_on`, of this one: what is being spoken and chosen from stays."""

    standing: Standing
    rows: Mapping[int, bytes] = field(default_factory=dict)
    codes: Mapping[str, Codes] = field(default_factory=dict)
    takes: Mapping[int, Take] = field(default_factory=dict)
    afresh: bool = False
    goes_on: bool = False


@dataclass(frozen=True, eq=False)
class Recovered:
    """What a journal held. `takes` are those that came since the project was opened, `unsaved_takes` the number of them
    that are not in its file; `unfinished` are the frames of lines and spans that were being spoken, by line, as capped
    takes, and `candidates` are those that the user had to choose from and did not. `changed_at` is when it was last
    written, in seconds since 1970."""

    journal: Path
    history: History
    standing: Standing
    rows: tuple[bytes, ...]
    takes: tuple[Take, ...]
    unsaved_takes: int
    unfinished: tuple[tuple[str, Take], ...]
    changed_at: float
    candidates: tuple[tuple[str, Take], ...] = ()

    @property
    def unsaved(self) -> bool:
        """There is something in it that the project's file does not hold."""
        return bool(self.unsaved_takes or self.unfinished or self.candidates) or self.standing.at != self.standing.saved


class Journal:
    """Writes one. It belongs to the thread that makes it. JournalError where the disk does not take what is written:
    what was written before is kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _told(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _connected(path)
            with _transaction(self._connection):
                for statement in _TABLES.strip().split(";")[:-1]:
                    self._connection.execute(statement)
                self._connection.execute("INSERT INTO about VALUES ('version', ?)", (str(VERSION),))

    def write(self, entry: Entry) -> None:
        """Have it on the disk."""
        with _told(self.path), _transaction(self._connection) as connection:
            if entry.afresh:
                for table in _OF_PROJECT if entry.goes_on else _NAMES[1:]:
                    connection.execute(f"DELETE FROM {table}")
            _put_standing(connection, entry.standing)
            connection.executemany("REPLACE INTO steps VALUES (?, ?)", entry.rows.items())
            codes = ((digest, packed_codes({digest: each})) for digest, each in entry.codes.items())
            connection.executemany("INSERT OR IGNORE INTO codes VALUES (?, ?)", codes)
            takes = ((number, pack((take,)).content) for number, take in entry.takes.items())
            connection.executemany("REPLACE INTO takes VALUES (?, ?)", takes)

    def begin_frames(self, job: int, line_id: str, first: Take) -> None:
        """The first frames of a take of a line or of a span in it, as a take that holds them and all that they are
        drawn from (see `with_frames`)."""
        with _told(self.path), _transaction(self._connection) as connection:
            connection.execute(
                "REPLACE INTO unfinished VALUES (?, ?, ?)",
                (job, _as_bytes(line_id), pack((first,)).content),
            )

    def add_frames(self, job: int, codes: Codes) -> None:
        """More frames of it."""
        content = np.ascontiguousarray(codes, "<i2").tobytes()
        with _told(self.path), _transaction(self._connection) as connection:
            connection.execute(
                "INSERT INTO frames SELECT ?1, 1 + coalesce(max(number), 0), ?2 FROM frames WHERE job = ?1",
                (job, content),
            )

    def end_frames(self, job: int) -> None:
        """They are no more wanted: the user stopped it."""
        with _told(self.path), _transaction(self._connection) as connection:
            for table in ("unfinished", "frames"):
                connection.execute(f"DELETE FROM {table} WHERE job = ?", (job,))

    def put_candidates(self, line_id: str, takes: Sequence[Take]) -> None:
        """The user chooses from these now, and from none but these."""
        rows = [(number, _as_bytes(line_id), pack((take,)).content) for number, take in enumerate(takes)]
        with _told(self.path), _transaction(self._connection) as connection:
            connection.execute("DELETE FROM candidates")
            connection.executemany("INSERT INTO candidates VALUES (?, ?, ?)", rows)

    def put_playhead(self, seconds: float) -> None:
        with _told(self.path):
            self._connection.execute("REPLACE INTO about VALUES ('playhead', ?)", (repr(seconds),))

    def close(self) -> None:
        self._connection.close()

    def delete(self) -> None:
        """All that is in it is elsewhere, or not wanted."""
        self.close()
        delete(self.path)


def delete(path: Path) -> None:
    for each in (path, *(path.with_name(path.name + end) for end in _BESIDE)):
        each.unlink(missing_ok=True)


def set_aside(path: Path) -> Path:
    """Give a journal that cannot be read another name, so that nobody stumbles over it again, and nothing is lost."""
    aside = path.with_suffix(".damaged")
    path.replace(aside)
    for end in _BESIDE:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + end).replace(aside.with_name(aside.name + end))
    return aside


def journals_in(folder: Path) -> tuple[Path, ...]:
    """The journals there, oldest first."""
    return tuple(sorted(folder.glob(f"*{SUFFIX}"))) if folder.is_dir() else ()


def recover(path: Path) -> Recovered | None:
    """What the journal holds, None where that is nothing. JournalInUseError while a running Retake writes it, else
    UnreadableJournalError."""
    with _readable(path):
        changed_at = path.stat().st_mtime
        with contextlib.suppress(FileNotFoundError):
            changed_at = max(changed_at, path.with_name(f"{path.name}-wal").stat().st_mtime)
        connection = _connected(path)
        try:
            with _transaction(connection):
                return _recovered(path, connection, changed_at)
        finally:
            connection.close()


def _recovered(path: Path, connection: sqlite3.Connection, changed_at: float) -> Recovered | None:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return None  # ended before anything was written
    about: dict[str, Any] = {str(key): value for key, value in connection.execute("SELECT key, value FROM about")}
    if about.get("version") not in _READABLE:
        raise UnreadableJournalError(f"{path.name} was written by another version of Retake.", path)
    if "at" not in about:
        return None
    standing = _standing(about)
    codes: dict[str, Codes] = {}
    for (content,) in connection.execute("SELECT content FROM codes"):
        codes |= unpacked_codes(content)
    found = connection.execute("SELECT place, row FROM steps ORDER BY place").fetchall()
    if [place for place, _ in found] != list(range(len(found))):
        raise ValueError("a step is missing")
    rows = tuple(row for _, row in found)
    history = restored(rows, codes, standing.at, standing.tip)
    if standing.saved is not None and not 0 <= standing.saved < len(rows):
        raise ValueError(f"step {standing.saved} is saved of {len(rows)}")
    packs = connection.execute("SELECT number, content FROM takes ORDER BY number").fetchall()
    takes = tuple(take for _, content in packs for take in unpack(content).takes)
    unsaved = sum(number >= standing.stored for number, _ in packs)
    ids = {take.id for take in takes}
    candidates = tuple(_candidates(connection)) if "candidates" in tables else ()
    finished = (*takes, *(take for _, take in candidates))
    unfinished = tuple(e for e in _unfinished(connection) if not any(is_beginning(e[1], take) for take in finished))
    others = tuple(each for each in candidates if each[1].id not in ids)
    history = replace(history, saved=standing.saved)
    return Recovered(path, history, standing, rows, takes, unsaved, unfinished, changed_at, others)


def _unfinished(connection: sqlite3.Connection) -> Iterator[tuple[str, Take]]:
    begun = connection.execute("SELECT job, line, content FROM unfinished ORDER BY job").fetchall()
    for job, line_id, content in begun:
        (first,) = unpack(content).takes
        chunks = [first.codes[:, :0]]
        for (more,) in connection.execute("SELECT content FROM frames WHERE job = ? ORDER BY number", (job,)):
            chunks.append(np.frombuffer(more, "<i2").astype(np.int16).reshape(len(first.codes), -1))
        yield _as_text(line_id), with_frames(first, np.concatenate(chunks, axis=1))


def _candidates(connection: sqlite3.Connection) -> Iterator[tuple[str, Take]]:
    for line_id, content in connection.execute("SELECT line, content FROM candidates ORDER BY number"):
        (take,) = unpack(content).takes
        yield _as_text(line_id), take


def _as_bytes(line_id: str) -> bytes:
    return line_id.encode("utf-8", "surrogatepass")


def _as_text(line_id: bytes) -> str:
    return line_id.decode("utf-8", "surrogatepass")


def _standing(about: Mapping[str, Any]) -> Standing:
    saved, path = about.get("saved"), about.get("path")
    playhead = float(about.get("playhead") or 0)
    return Standing(
        int(about["at"]),
        int(about["tip"]),
        None if saved is None else int(saved),
        None if path is None else os.fsdecode(path),
        str(about.get("seal") or ""),
        int(about.get("stored") or 0),
        playhead if 0 <= playhead < 1e9 else 0.0,
    )


def _put_standing(connection: sqlite3.Connection, standing: Standing) -> None:
    connection.executemany(
        "REPLACE INTO about VALUES (?, ?)",
        (
            ("at", str(standing.at)),
            ("tip", str(standing.tip)),
            ("saved", None if standing.saved is None else str(standing.saved)),
            ("path", None if standing.path is None else os.fsencode(standing.path)),
            ("seal", standing.seal),
            ("stored", str(standing.stored)),
            ("playhead", repr(standing.playhead)),
        ),
    )


def _connected(path: Path) -> sqlite3.Connection:
    """The database, locked for as long as it is open: the system itself unlocks it when a process ends, however."""
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * MOST_BYTES)
        for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "locking_mode=EXCLUSIVE", "journal_mode=WAL"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA synchronous=FULL")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What SQLite says becomes a JournalError."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise JournalError(f"The journal cannot be written: {error}.", path) from error


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """What does not fit together is damage."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise JournalInUseError(f"{path.name} is in use.", path) from error
        raise UnreadableJournalError(f"The journal {path.name} cannot be read: {error}.", path) from error
    except (PackError, ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as e:
        raise UnreadableJournalError(f"The journal {path.name} is damaged.", path) from e


def new_path(folder: Path, process: int, number: int) -> Path:
    """Where a journal begun now goes: no two have the same name."""
    return folder / f"{time.strftime('%Y-%m-%d %H-%M-%S')} {process}-{number}{SUFFIX}"
