"""How much a foreign file may hold, and how it is refused."""

from __future__ import annotations

import zipfile
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

MOST_BYTES = 50_000_000
MOST_UNPACKED = 200_000_000
MOST_CHARACTERS = 8_000_000
MOST_MEMBERS = 5_000


class ImportFailedError(ValueError):
    """A file cannot be imported. The message says why, for the user."""


def check_archive(archive: zipfile.ZipFile) -> None:
    """Refuses an archive that would unpack to more than anybody writes."""
    members = archive.infolist()
    unpacked = sum(member.file_size for member in members)
    if len(members) > MOST_MEMBERS or unpacked > MOST_UNPACKED:
        raise ImportFailedError(f"It would unpack to {unpacked / 1e6:,.0f} MB, which is no script.")


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """A member of the archive, whatever size it claims to have; KeyError where it is not there."""
    with archive.open(name) as file:
        data = file.read(MOST_UNPACKED + 1)
    if len(data) > MOST_UNPACKED:
        raise ImportFailedError("It would unpack to more than any script.")
    return data


def checked_xml(data: bytes) -> Element:
    """XML that declares no entities: none may grow in memory, or reach for another file."""
    try:
        return fromstring(data)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ImportFailedError("This file is damaged, or made to do harm.") from error


def tag(element: Element) -> str:
    """What an element is called, wherever its name comes from."""
    return str(element.tag).rpartition("}")[2]
