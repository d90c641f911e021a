"""Members of a zip that comes from anywhere: none is larger than it may be, or packed in a way we never write."""

from __future__ import annotations

import zipfile


def read_member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """The member of that name, of at most so many bytes. KeyError where there is none; ValueError, and it is unread,
    where it may not be."""
    member = archive.getinfo(name)
    if member.file_size > most:
        raise ValueError(f"{name} is too large")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed in a way that is not ours")
    with archive.open(name) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{name} is larger than it says")
    return data
