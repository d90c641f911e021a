"""What the waves of takes look like, small enough to lie in the project file: it shows them as soon as it is open.

All of them are one safetensors block with a flat tensor, and JSON in the metadata entry `retake_thumbnails`:

    columns   int8 [number]    [3, column] of each take, one take after another: lowest, highest, root mean square

They can be made anew from the takes' samples at any time: what is missing or damaged is as if it had never been there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import safetensors
import safetensors.numpy

from studio.document.encoding import check_size
from studio.samples import Peaks, Print

BLOCK = 1_024  # samples of a column
ENTRY = "retake_thumbnails"
MOST_BYTES = 32_000_000  # of all in a file: about seventy hours of takes
_FULL_SCALE = 127
_MOST_SAMPLES = 1 << 31
_MALFORMED = (safetensors.SafetensorError, ValueError, TypeError, KeyError, AttributeError, RecursionError)


@dataclass(frozen=True, eq=False)
class Thumbnail:
    """The wave of a take of `count` samples at `rate`: int8 [3, column], read-only, full scale 127."""

    rate: int
    count: int
    columns: np.ndarray

    @staticmethod
    def of(held: Print) -> Thumbnail:
        number = _number(len(held.samples))
        view = np.stack(held.peaks.view(0, number * BLOCK, number)) if number else np.zeros((3, 0))
        columns = np.rint(np.clip(view, -1, 1) * _FULL_SCALE).astype(np.int8)
        columns.flags.writeable = False
        return Thumbnail(held.rate, len(held.samples), columns)

    @property
    def seconds(self) -> float:
        return self.count / self.rate

    @cached_property
    def peaks(self) -> Peaks:
        rows = self.columns.astype(np.float32) / _FULL_SCALE
        rows[2] **= 2
        return Peaks.coarse(rows, BLOCK)


def packed_thumbnails(thumbnails: Mapping[str, Thumbnail]) -> bytes:
    """The thumbnails by take id as one block; where they are too many the last ones are taken."""
    rows: list[list[str | int]] = []
    arrays: list[np.ndarray] = []
    size = 0
    for take_id, each in reversed(list(thumbnails.items())):
        size += each.columns.size
        if size > MOST_BYTES // 2:  # the other half is for their names
            break
        rows.append([take_id, each.rate, each.count])
        arrays.append(each.columns.ravel())
    columns = np.concatenate(arrays) if arrays else np.zeros(0, np.int8)
    return safetensors.numpy.save({"columns": columns}, {ENTRY: json.dumps(rows, separators=(",", ":"))})


def unpacked_thumbnails(content: bytes) -> dict[str, Thumbnail]:
    """The thumbnails in a block, none where it holds what cannot be."""
    try:
        size = int.from_bytes(content[:8], "little")
        check_size(content[8 : 8 + size])
        rows = json.loads(json.loads(content[8 : 8 + size])["__metadata__"][ENTRY])
        columns = safetensors.numpy.load(content)["columns"]
        return _read(rows, columns)
    except _MALFORMED:
        return {}


def _read(rows: list[list[object]], columns: np.ndarray) -> dict[str, Thumbnail]:
    if columns.dtype != np.int8 or columns.ndim != 1:
        raise ValueError("no columns")
    columns.flags.writeable = False
    found: dict[str, Thumbnail] = {}
    at = 0
    for take_id, rate, count in reversed(rows):
        if not (type(take_id) is str and type(rate) is int and type(count) is int):
            raise ValueError("no take, rate and number of samples")
        if not (0 < rate <= 1_000_000 and 0 <= count <= _MOST_SAMPLES):
            raise ValueError(f"{count} samples at {rate}")
        start, stop = len(columns) - at - 3 * _number(count), len(columns) - at
        if start < 0:
            raise ValueError("columns are missing")
        found[take_id] = Thumbnail(rate, count, columns[start:stop].reshape(3, -1))
        at += stop - start
    return found


def _number(samples: int) -> int:
    """How many columns so many samples have."""
    return -(-samples // BLOCK)
