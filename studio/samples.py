"""Prints: the samples of finished takes, decoded once into memory-mapped cache files, and the peaks that draw them.

A print is rebuilt at will from the take's codes, so the cache may lose any of them at any time: what is missing, cut
short or foreign reads as not there.
"""

from __future__ import annotations

import contextlib
import os
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.request import Samples
from engine.whole_file import WholeFile

BASE = 256  # samples per block of the finest peaks
FACTOR = 4  # blocks of one level that make one of the next
_MAGIC = b"RTKPRNT1"
_HEADER = struct.Struct("<8sIQ")  # magic, rate, number of samples
_MOST_BYTES = 2_000_000_000

View = tuple[np.ndarray, np.ndarray, np.ndarray]


class _Level:
    """Lowest, highest and mean squared sample of blocks of one size, in arrays that grow by doubling."""

    def __init__(self, block: int) -> None:
        self.block = block
        self.count = 0
        self._rows = np.zeros((3, 16), np.float32)

    @property
    def rows(self) -> np.ndarray:
        """[3, block]: lowest, highest, mean square."""
        return self._rows[:, : self.count]

    def put(self, at: int, rows: np.ndarray) -> None:
        """Blocks from `at` on become `rows`; those before stay."""
        count = at + rows.shape[1]
        if count > self._rows.shape[1]:
            grown = np.zeros((3, max(count, 2 * self._rows.shape[1])), np.float32)
            grown[:, :at] = self._rows[:, :at]
            self._rows = grown
        self._rows[:, at:count] = rows
        self.count = count


class Peaks:
    """What a wave looks like at any zoom: blocks of 256 samples, of 4 x 256, and so on up to the whole."""

    def __init__(self, samples: Samples | None = None) -> None:
        self._samples = np.zeros(0, np.float32)
        self._levels: list[_Level] = []
        if samples is not None:
            self.grow(samples)

    def grow(self, samples: Samples) -> None:
        """`samples` are all there are now; those seen before are the same. Only what is new is looked at."""
        seen = len(self._samples)
        self._samples = samples
        whole = seen // BASE  # blocks that will not change any more
        if not self._levels:
            self._levels.append(_Level(BASE))
        self._levels[0].put(whole, _of_samples(samples[whole * BASE :]))
        self._build_above(whole)

    @staticmethod
    def of_blocks(samples: Samples, blocks: np.ndarray) -> Peaks:
        """Peaks of samples whose finest `blocks`, float32 [3, block], are known already."""
        peaks = Peaks()
        peaks._samples = samples
        peaks._levels.append(_Level(BASE))
        peaks._levels[0].put(0, blocks)
        peaks._build_above(0)
        return peaks

    @staticmethod
    def coarse(rows: np.ndarray, block: int) -> Peaks:
        """Peaks of samples that are not there, of which blocks of so many are known, as `of_blocks` has them."""
        peaks = Peaks()
        peaks._levels.append(_Level(block))
        peaks._levels[0].put(0, rows)
        peaks._build_above(0)
        return peaks

    @property
    def blocks(self) -> np.ndarray:
        """The finest blocks, float32 [3, block]: lowest, highest, mean square."""
        return self._levels[0].rows if self._levels else np.zeros((3, 0), np.float32)

    def view(self, start: int, stop: int, columns: int) -> View:
        """Lowest, highest and root mean square of `columns` equal stretches of samples [start, stop), float32 each.

        Where a column is wider than a block it is widened to whole blocks, narrower than half of it, so a peak may show
        one column early or late but never goes missing. Columns outside the wave are 0.
        """
        edges = start + np.arange(columns + 1, dtype=np.int64) * (stop - start) // columns
        first, last = edges[:-1], np.maximum(edges[1:], edges[:-1] + 1)
        level = self._level_for((stop - start) // columns)
        if level is None:
            return _reduce_samples(self._samples, first, last)
        return _reduce_blocks(level, first, last)

    def _level_for(self, samples_per_column: int) -> _Level | None:
        """The coarsest level with two blocks or more in a column; None where the samples themselves are needed, and
        there."""
        fitting = [level for level in self._levels if 2 * level.block <= samples_per_column]
        if not fitting and self._levels and self._levels[0].block > BASE:
            return self._levels[0]
        return fitting[-1] if fitting else None

    def _build_above(self, changed: int) -> None:
        """Bring the coarser levels up to date where the finest changed from block `changed` on."""
        for place in range(1, 32):
            below = self._levels[place - 1]
            if below.count <= 1:
                return
            if place == len(self._levels):
                self._levels.append(_Level(below.block * FACTOR))
            changed //= FACTOR
            self._levels[place].put(changed, _of_blocks(below.rows[:, changed * FACTOR :]))


def _of_samples(samples: Samples) -> np.ndarray:
    """[3, block] of the samples, the last block perhaps a short one."""
    starts = np.arange(0, len(samples), BASE)
    if not len(starts):
        return np.zeros((3, 0), np.float32)
    lengths = np.diff(starts, append=len(samples))
    power = np.add.reduceat(np.square(samples, dtype=np.float32), starts) / lengths
    return np.stack([np.minimum.reduceat(samples, starts), np.maximum.reduceat(samples, starts), power])


def _of_blocks(rows: np.ndarray) -> np.ndarray:
    """[3, block / 4] of the blocks; a short last block weighs as a full one in the power, too little to be seen."""
    starts = np.arange(0, rows.shape[1], FACTOR)
    lengths = np.diff(starts, append=rows.shape[1])
    power = np.add.reduceat(rows[2], starts) / lengths
    return np.stack([np.minimum.reduceat(rows[0], starts), np.maximum.reduceat(rows[1], starts), power])


def _reduce_samples(samples: Samples, first: np.ndarray, last: np.ndarray) -> View:
    return _reduce(samples, samples, None, first, last)


def _reduce_blocks(level: _Level, first: np.ndarray, last: np.ndarray) -> View:
    low, high, power = level.rows
    return _reduce(low, high, power, first // level.block, -(-last // level.block))


def _reduce(low: np.ndarray, high: np.ndarray, power: np.ndarray | None, first: np.ndarray, last: np.ndarray) -> View:
    """Extremes and root mean power of [first, last) of each column; `power` None squares `low` where it is needed."""
    columns = np.zeros((3, len(first)), np.float32)
    inside = (last > 0) & (first < len(low))
    if inside.any():
        begin, end = np.maximum(first[inside], 0), np.minimum(last[inside], len(low))
        origin, stop = begin[0], end[-1]
        low, high = low[origin:stop], high[origin:stop]
        power = np.square(low, dtype=np.float32) if power is None else power[origin:stop]
        pairs = np.stack([begin, end], axis=1).ravel() - origin
        columns[0, inside] = _reduceat(np.minimum, low, pairs)
        columns[1, inside] = _reduceat(np.maximum, high, pairs)
        columns[2, inside] = np.sqrt(_reduceat(np.add, power, pairs) / (end - begin))
    return columns[0], columns[1], columns[2]


def _reduceat(reduce: np.ufunc, values: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """`reduce` over [begin, end) for pairs that lie flat one after another and may share blocks.

    The value added at the end gives `end` something to point at where it is the end of all.
    """
    return reduce.reduceat(np.append(values, values[-1:]), pairs)[::2]


class LiveWave:
    """The samples of a line while it is made, and their peaks, growing chunk by chunk."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.peaks = Peaks()
        self._buffer = np.zeros(rate, np.float32)
        self._count = 0

    @property
    def samples(self) -> Samples:
        """All samples so far, read-only; a later `append` leaves this array as it is."""
        view = self._buffer[: self._count]
        view.flags.writeable = False
        return view

    @property
    def seconds(self) -> float:
        return self._count / self.rate

    def append(self, samples: Samples) -> None:
        count = self._count + len(samples)
        if count > len(self._buffer):
            grown = np.zeros(max(count, 2 * len(self._buffer)), np.float32)
            grown[: self._count] = self._buffer[: self._count]
            self._buffer = grown
        self._buffer[self._count : count] = samples
        self._count = count
        self.peaks.grow(self.samples)


@dataclass(frozen=True, eq=False)
class Print:
    """The samples of a finished take, float32 and read-only, at `rate`, with their peaks. `exact`: they are what the
    codec made of the codes, to the last bit; what a project file keeps for other machines has 16 bits."""

    rate: int
    samples: Samples
    peaks: Peaks
    exact: bool = True

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate


class PrintCache:
    """Prints by take id, one file each: header, samples, finest peaks. The least recently used make room for new ones.

    The folder is made when the first print comes. Reading and writing may happen on different threads.
    """

    def __init__(self, folder: Path, most_bytes: int = _MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes

    def put(self, take_id: str, rate: int, samples: Samples) -> Print:
        """Write the print, whole or not at all, and give it back; OSError where the folder cannot be written.

        A take sounds the same for ever: where its print lies there already, whole, that one is given.
        """
        if found := self.get(take_id):
            return found
        samples = np.ascontiguousarray(samples, np.float32)
        self._folder.mkdir(parents=True, exist_ok=True)
        with WholeFile(self._path(take_id)) as file:
            file.write(_HEADER.pack(_MAGIC, rate, len(samples)))
            file.write(samples.data)
            file.write(np.ascontiguousarray(Peaks(samples).blocks).data)
        self._make_room()
        if found := self.get(take_id):
            return found
        raise OSError(f"The print of take {take_id} vanished from {self._folder} as soon as it was written.")

    def get(self, take_id: str) -> Print | None:
        """The print, mapped into memory and not read; None where there is none that is whole."""
        path = self._path(take_id)
        try:
            with path.open("rb") as file:
                header = file.read(_HEADER.size)
                size = os.fstat(file.fileno()).st_size
                if len(header) < _HEADER.size:
                    return None
                magic, rate, count = _HEADER.unpack(header)
                blocks = -(-count // BASE)
                if magic != _MAGIC or rate == 0 or size != _HEADER.size + 4 * (count + 3 * blocks):
                    return None
                numbers = (
                    np.memmap(file, np.float32, "r", _HEADER.size, (count + 3 * blocks,)) if count else np.zeros(0)
                )
        except OSError:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # when it was last used, for making room
        samples = np.asarray(numbers[:count], np.float32)
        samples.flags.writeable = False
        return Print(
            rate, samples, Peaks.of_blocks(samples, np.asarray(numbers[count:], np.float32).reshape(3, blocks))
        )

    def _path(self, take_id: str) -> Path:
        if not take_id.isalnum():
            raise ValueError(f"not the id of a take: {take_id!r}")
        return self._folder / f"{take_id}.print"

    def _make_room(self) -> None:
        """Delete the least recently used prints while all together are too large; the newest always stays."""
        prints = sorted(
            ((stat.st_mtime_ns, stat.st_size, path) for path in self._folder.glob("*.print") if (stat := _stat(path))),
            reverse=True,
        )
        total = 0
        for place, (_, size, path) in enumerate(prints):
            total += size
            if total > self._most_bytes and place > 0:
                with contextlib.suppress(OSError):  # a file that is in use on Windows goes another time
                    path.unlink()


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None
