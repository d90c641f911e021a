"""Waves as pictures: columns of peaks on a pixel grid that does not move with the view, and their shape in colour."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache

import numpy as np
from PySide6.QtGui import QColor, QImage

from studio.panels.timeline_values import Wave

_CHUNK = 512  # columns looked up at once
_KEPT_CHUNKS = 8192
GLANCE = 16  # columns in which all of a wave is held that is hardly seen
_KEPT_GLANCES = 32_768
_OUTER, _INNER = 0.60, 0.86  # opacity of the extremes, and of the RMS laid over them

Columns = np.ndarray  # float32 [3, column]: least, greatest, root mean square


class WaveColumns:
    """Peaks by column of the timeline: column k of a scale covers [k / scale, (k + 1) / scale) seconds from the clip's
    start, wherever the clip is drawn, so scrolling looks nothing up twice. The least recently seen are forgotten."""

    def __init__(self) -> None:
        self._chunks: OrderedDict[tuple[int, float, int, float], tuple[Wave, Columns]] = OrderedDict()
        self._glances: OrderedDict[tuple[int, float], tuple[Wave, Columns]] = OrderedDict()

    def between(self, wave: Wave, seconds: float, scale: float, first: int, last: int) -> Columns:
        """Columns [first, last) of the first `seconds` of a wave at `scale` columns a second."""
        parts = []
        for number in range(first // _CHUNK, (last - 1) // _CHUNK + 1):
            chunk = self._chunk(wave, seconds, scale, number)
            begin = number * _CHUNK
            parts.append(chunk[:, max(0, first - begin):last - begin])
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def glance(self, wave: Wave, seconds: float) -> Columns:
        """All of a wave's first `seconds` in a few columns, whatever the scale."""
        key = (id(wave), seconds)
        known = self._glances.get(key)
        if known is not None:
            self._glances.move_to_end(key)
            return known[1]
        columns = np.stack(wave.peaks.view(0, round(seconds * wave.rate), GLANCE))
        self._glances[key] = (wave, columns)
        if len(self._glances) > _KEPT_GLANCES:
            self._glances.popitem(last=False)
        return columns

    def _chunk(self, wave: Wave, seconds: float, scale: float, number: int) -> Columns:
        begin = number * _CHUNK
        count = min(_CHUNK, int(np.ceil(seconds * scale - 1e-6)) - begin)
        filled = 0.0 if count == _CHUNK else seconds  # a chunk that a growing wave has passed stays as it is
        key = (id(wave), scale, number, filled)
        known = self._chunks.get(key)
        if known is not None:
            self._chunks.move_to_end(key)
            return known[1]
        samples = wave.rate / scale
        columns = np.stack(wave.peaks.view(round(begin * samples), round((begin + count) * samples), count))
        self._chunks[key] = (wave, columns)  # holding the wave keeps its id its own
        if len(self._chunks) > _KEPT_CHUNKS:
            self._chunks.popitem(last=False)
        return columns


def put_glances(columns: Columns, glances: np.ndarray, lefts: np.ndarray, rights: np.ndarray) -> np.ndarray:
    """Lay small waves on `columns`, in place: `glances` [wave, 3, GLANCE], each from its left to its right column, both
    of which may lie outside. Which columns were met comes back, bool [column]."""
    steps = (np.arange(GLANCE) + 0.5) / GLANCE
    places = np.floor(lefts[:, None] + steps * np.maximum(rights - lefts, 1)[:, None]).astype(np.int64).ravel()
    inside = (places >= 0) & (places < columns.shape[1])
    places, (least, greatest, loudness) = places[inside], glances.transpose(1, 0, 2).reshape(3, -1)[:, inside]
    np.minimum.at(columns[0], places, least)
    np.maximum.at(columns[1], places, greatest)
    np.maximum.at(columns[2], places, loudness)
    met = np.zeros(columns.shape[1], bool)
    met[places] = True
    return met


def wave_picture(columns: Columns, height: int, colour: QColor, opacity: float | np.ndarray = 1.0) -> QImage:
    """A picture of columns one device pixel wide each, `height` device pixels high; `opacity` for all or by column.

    Edges are shaded by how much of each pixel the wave covers.
    """
    least, greatest, loudness = np.clip(columns, -1.0, 1.0).astype(np.float32)
    reach = height / 2 - 1.5
    rows = np.arange(height, dtype=np.float32)[:, None] + np.float32(0.5 - height / 2)  # from the middle down
    thin = 0.6  # so that silence is still a line
    outer = rows + (greatest + least) * np.float32(reach / 2)  # from the middle of the column's extremes
    _cover(np.abs(outer, out=outer), (greatest - least) * (reach / 2) + thin)
    inner = np.repeat(np.abs(rows), len(least), axis=1)
    _cover(inner, np.minimum(loudness, np.maximum(-least, greatest)) * reach + thin)
    outer *= np.float32(255 * _OUTER) * np.float32(opacity)
    inner *= np.float32(255 * (1 - _OUTER) * _INNER) * np.float32(opacity)
    outer += inner
    return _image(_shades(colour.rgb())[outer.astype(np.uint8)])


def _cover(distance: np.ndarray, half: np.ndarray) -> None:
    """From each pixel's distance to a column's middle, in place: how much of it lies within `half` of there, 0 to 1."""
    np.subtract(np.float32(0.5) + half.astype(np.float32), distance, out=distance)
    np.clip(distance, 0, 1, out=distance)


@lru_cache(maxsize=64)
def _shades(rgb: int) -> np.ndarray:
    """A colour at all 256 opacities, uint32 premultiplied ARGB."""
    alpha = np.arange(256, dtype=np.uint32)
    channels = [(((rgb >> shift) & 255) * alpha + 127) // 255 for shift in (16, 8, 0)]
    return ((alpha << 24) | (channels[0] << 16) | (channels[1] << 8) | channels[2]).astype(np.uint32)


def _image(pixels: np.ndarray) -> QImage:
    """A picture of premultiplied uint32 [row, column] pixels; it owns a copy."""
    pixels = np.ascontiguousarray(pixels)
    rows, columns = pixels.shape
    return QImage(pixels.data, columns, rows, columns * 4, QImage.Format.Format_ARGB32_Premultiplied).copy()


def spectrum_picture(levels: np.ndarray, begin: float, end: float, width: int, colour: QColor) -> QImage:
    """Columns [begin, end) of a spectrogram, uint8 [row, column], in `width` device pixels: as high as it has rows, and
    the louder the denser. A pixel shows the loudest of the columns in it."""
    edges = np.linspace(begin, end, width + 1)
    starts = np.clip(np.floor(edges[:-1]).astype(int), 0, levels.shape[1] - 1)
    stop = min(levels.shape[1], max(int(np.ceil(end)), int(starts[-1]) + 1))
    loudest = np.maximum.reduceat(levels[:, :stop], starts, axis=1)
    return _image(_shades(colour.rgb())[loudest])


def ribbon_picture(
    values: np.ndarray, frame_columns: float, first: int, last: int, colours: tuple[QColor, ...]
) -> QImage:
    """Columns [first, last) of a ribbon, one row high, at `frame_columns` device pixels a frame: good, warning, danger.

    A column shows the greatest doubt of the frames in it; where frames are wide enough, a gap stands between them.
    """
    edges = np.arange(first, last + 1) / frame_columns
    starts = np.clip(np.floor(edges[:-1]).astype(int), 0, len(values) - 1)
    if frame_columns >= 1:
        doubt = values[starts]
    else:
        doubt = np.maximum.reduceat(values[:max(starts[-1] + 1, int(np.ceil(edges[-1])))], starts)
    alpha = (0.35 + 0.6 * np.clip(doubt, 0, 1)) * 255
    if frame_columns >= 4:
        alpha = np.where(np.floor(edges[1:] + 1e-9) > starts, 0, alpha)
    level = (doubt > 0.35).astype(int) + (doubt > 0.6)
    shades = np.stack([_shades(colour.rgb()) for colour in colours])
    return _image(shades[level, alpha.astype(np.uint8)][None, :])
