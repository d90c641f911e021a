"""How the timeline is drawn: everything but the playhead and what shimmers lies in one layer, painted for a range of x.

Coordinates are device-independent pixels of the canvas; pictures of waves are made in device pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPen, QPolygonF

from studio import theme
from studio.panels.timeline_layout import RULER, TAKE_ROW, LaneBox, Shown
from studio.panels.timeline_tips import EMPTY, HINT
from studio.panels.timeline_values import ChosenSpan, TimelineClip
from studio.panels.timeline_view import clock, ruler_step
from studio.panels.timeline_waves import (
    GLANCE,
    WaveColumns,
    put_glances,
    ribbon_picture,
    spectrum_picture,
    wave_picture,
)

RIBBON = 6
DRIFT = 3
_WAVE_EDGE = 5  # from the clip's ground to its loudest sample
_BETWEEN_WORDS = 3  # pixels at least
HANGING = 160  # pixels by which words may go on beyond the end of their clip
_DETAIL = 24  # clips narrower than this show neither number nor words


@dataclass(frozen=True)
class Layer:
    """One painting of [left, right): the painter, what is shown, and the pixel ratio of the screen."""

    painter: QPainter
    shown: Shown
    columns: WaveColumns
    left: int
    right: int
    ratio: float

    @property
    def scale(self) -> float:
        """Device pixels a second."""
        return self.shown.view.pixels_per_second * self.ratio

    def device_x(self, seconds: float) -> int:
        """The device pixel of a moment; whole, so that scrolling moves pictures without changing them."""
        return round(seconds * self.scale) - round(self.shown.view.start * self.scale)

    def fill(self, rect: QRectF | QRect, colour: QColor) -> None:
        self.painter.fillRect(rect, colour)

    def rounded(self, rect: QRectF, radius: float, colour: QColor) -> None:
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(colour)
        self.painter.drawRoundedRect(rect, radius, radius)

    def text(self, x: float, base: float, text: str, font: QFont, colour: QColor) -> None:
        self.painter.setFont(font)
        self.painter.setPen(colour)
        self.painter.drawText(QPointF(x, base), text)

    def upright(self, x: float, top: float, bottom: float, colour: QColor) -> None:
        """A line one pixel wide, on whole pixels."""
        self.painter.fillRect(QRectF(round(x), top, 1, bottom - top), colour)

    def across(self, y: float, colour: QColor) -> None:
        self.painter.fillRect(QRectF(self.left, y, self.right - self.left, 1), colour)


@lru_cache(maxsize=8192)
def _text_width(text: str, size: float, weight: int) -> float:
    return QFontMetricsF(theme.font(size, weight)).horizontalAdvance(text)


def paint_layer(layer: Layer) -> None:
    """Draws all of it but the playhead and what shimmers."""
    palette, shown = theme.current(), layer.shown
    bottom = shown.layout.height
    layer.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    layer.fill(QRect(layer.left, 0, layer.right - layer.left, bottom), QColor(palette.surface))
    layer.painter.save()
    lanes = QRect(layer.left, RULER, layer.right - layer.left, shown.layout.lanes_bottom - RULER)
    layer.painter.setClipRect(lanes, Qt.ClipOperation.IntersectClip)
    _paint_lanes(layer)
    layer.painter.restore()
    if shown.layout.has_takes:
        _paint_takes(layer)
    _paint_ruler(layer)


# The ruler


def _paint_ruler(layer: Layer) -> None:
    palette, view = theme.current(), layer.shown.view
    layer.fill(QRect(layer.left, 0, layer.right - layer.left, RULER), QColor(palette.surface))
    layer.across(RULER, QColor(palette.line))
    step, parts = ruler_step(view.pixels_per_second)
    decimals = 2 if step < 0.1 else 1 if step < 1 else 0
    small = step / parts
    line, faint = QColor(palette.line), QColor(palette.faint)
    first = max(0, int(view.time(layer.left - 70) / small))
    for index in range(first, int(view.time(layer.right) / small) + 2):
        x = view.x(index * small)
        numbered = index % parts == 0
        layer.upright(x, 14 if numbered else 21, RULER, line)
        if numbered:
            layer.text(round(x) + 4, 17, clock(index * small, decimals), theme.font(11, 400, True), faint)
    marked = QColor(palette.accent)
    for clip in layer.shown.clips:
        for seconds, _ in clip.markers:
            x = round(view.x(clip.start + seconds))
            if layer.left - 8 <= x <= layer.right + 8:
                layer.upright(x, 5, RULER, marked)
                layer.painter.setPen(Qt.PenStyle.NoPen)
                layer.painter.setBrush(marked)
                layer.painter.drawPolygon(QPolygonF([QPointF(x, 5), QPointF(x + 7, 8.5), QPointF(x, 12)]))
    if layer.shown.loop is not None:
        start, stop = (view.x(edge) for edge in layer.shown.loop)
        layer.rounded(QRectF(start, 0, max(2.0, stop - start), 4), 2, theme.colour(palette.accent, 0.55))


# The lanes


def _paint_lanes(layer: Layer) -> None:
    palette, shown = theme.current(), layer.shown
    soloed = any(lane.solo for lane in shown.lanes)
    for lane, box in zip(shown.lanes, shown.layout.lanes, strict=True):
        if box.bottom <= RULER or box.top >= shown.layout.lanes_bottom:
            continue
        silent = lane.mute or (soloed and not lane.solo)
        first, last = shown.view.time(layer.left - HANGING), shown.view.time(layer.right + HANGING)
        row = shown.row_between(lane.character, first, last)
        clips = _told_apart(layer, row)
        _paint_grounds(layer, box, clips)
        opacity = 0.4 if silent else 1.0
        waves = _paint_spectra(layer, box, clips, opacity) if shown.spectra.on else clips
        _paint_waves(layer, box, waves, opacity)
        for clip, after in zip_longest(clips, clips[1:]):
            _paint_clip(layer, box, clip, shown.view.x(after.start) if after is not None else math.inf)
        if box.bottom < shown.layout.lanes_bottom - 1:
            layer.across(box.bottom - 1, QColor(palette.line))
    if shown.span is not None:
        _paint_span(layer, shown.span)


def _told_apart(layer: Layer, clips: tuple[TimelineClip, ...]) -> tuple[TimelineClip, ...]:
    """The clips without those that lie in the same pixel as one before them: a whole book is seen at once."""
    if len(clips) <= layer.right - layer.left:
        return clips
    seen, last = [], -1
    for clip in clips:
        right = layer.device_x(clip.stop)
        if right > last:
            seen.append(clip)
            last = right
    return tuple(seen)


def _clip_rect(layer: Layer, box: LaneBox, start: float, stop: float) -> QRectF:
    left, right = layer.device_x(start) / layer.ratio, layer.device_x(stop) / layer.ratio
    return QRectF(left, box.wave_top, max(1.0, right - left), box.wave_height)


def _paint_grounds(layer: Layer, box: LaneBox, clips: tuple[TimelineClip, ...]) -> None:
    for clip in clips:
        _, performed = layer.shown.wave_of(clip)
        rect = _clip_rect(layer, box, clip.start, clip.start + performed)
        if not performed:
            continue
        chosen = clip.line_id == layer.shown.chosen
        ground = theme.character_colour(clip.colour)
        ground.setAlphaF(0.13 if chosen else 0.07)
        if rect.width() < 8:
            layer.fill(rect, ground)
        else:
            layer.rounded(rect, 4, ground)


def _paint_spectra(
    layer: Layer, box: LaneBox, clips: tuple[TimelineClip, ...], opacity: float
) -> tuple[TimelineClip, ...]:
    """Draws the spectrograms of the clips that are large enough for it. The others come back: they are drawn as waves,
    and so are those whose spectrograms are not there yet, and what is still being made."""
    others = []
    first, last = round(layer.left * layer.ratio), round(layer.right * layer.ratio)
    for clip in clips:
        wave, seconds = layer.shown.wave_of(clip)
        making = clip.line_id in layer.shown.grown or clip.generating_share is not None
        small = wave is None or making or seconds * layer.scale < _DETAIL
        levels = None if small or wave is None else layer.shown.spectra.of(wave)
        if levels is None:
            others.append(clip)
            continue
        left = layer.device_x(clip.start)
        begin, end = max(first, left), min(last, left + int(seconds * layer.scale))
        if end > begin:
            per_pixel = layer.shown.spectra.columns_a_second / layer.scale
            span = (begin - left) * per_pixel, (end - left) * per_pixel
            picture = spectrum_picture(levels, *span, end - begin, theme.character_colour(clip.colour))
            place = QRectF(begin / layer.ratio, box.wave_top + 1, (end - begin) / layer.ratio, box.wave_height - 2)
            layer.painter.setOpacity(opacity)
            layer.painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            layer.painter.drawImage(place, picture)
            layer.painter.setOpacity(1.0)
    return tuple(others)


def _paint_waves(layer: Layer, box: LaneBox, clips: tuple[TimelineClip, ...], opacity: float) -> None:
    """All waves of a lane as one picture for each colour in it: its price does not grow with the number of clips."""
    for colour in {clip.colour for clip in clips}:
        first, last = round(layer.left * layer.ratio), round(layer.right * layer.ratio)
        columns = np.zeros((3, last - first), np.float32)
        seen = np.zeros(last - first, np.float32)
        small: list[tuple[np.ndarray, int, int]] = []
        for clip in clips:
            wave, seconds = layer.shown.wave_of(clip)
            if clip.colour == colour and wave is not None:
                left = layer.device_x(clip.start)
                if seconds * layer.scale <= GLANCE:
                    small.append((layer.columns.glance(wave, seconds), left - first,
                                  layer.device_x(clip.start + seconds) - first))
                    continue
                begin, end = max(first, left), min(last, left + int(seconds * layer.scale))
                if end > begin:
                    part = layer.columns.between(wave, seconds, layer.scale, begin - left, end - left)
                    columns[:, begin - first:begin - first + part.shape[1]] = part
                    seen[begin - first:begin - first + part.shape[1]] = opacity
        if small:
            glances, lefts, rights = (np.array(each) for each in zip(*small, strict=True))
            seen[put_glances(columns, glances, lefts, rights)] = opacity
        if seen.any():
            height = round((box.wave_height - 2 * _WAVE_EDGE) * layer.ratio)
            picture = wave_picture(columns, height, theme.character_colour(colour), seen)
            picture.setDevicePixelRatio(layer.ratio)
            layer.painter.drawImage(QPointF(layer.left, box.wave_top + _WAVE_EDGE), picture)


def _paint_clip(layer: Layer, box: LaneBox, clip: TimelineClip, room: float) -> None:
    """What stands on and under a wave; `room` is the x of the next clip on the lane."""
    palette = theme.current()
    rect = _clip_rect(layer, box, clip.start, clip.stop)
    _, performed = layer.shown.wave_of(clip)
    if performed < clip.seconds and (clip.estimated or clip.generating_share is not None or clip.mute):
        _paint_unfinished(layer, box, clip, performed)
    if rect.width() < _DETAIL:
        return
    for seconds, _ in clip.joins:
        x = layer.shown.view.x(clip.start + seconds)
        for top in (box.wave_top, box.wave_top + box.wave_height - 7):
            layer.upright(x, top, top + 7, theme.colour(palette.text, 0.7))
    chosen = clip.line_id == layer.shown.chosen
    number = str(clip.number)
    colour = QColor(palette.text if chosen else palette.muted)
    layer.text(rect.left() + 5, box.wave_top + 11, number, theme.font(10.5), colour)
    if clip.stale:
        x = rect.left() + 12 + _text_width(number, 10.5, 400)
        layer.painter.setPen(QPen(QColor(palette.warning), 1.0))
        layer.painter.setBrush(Qt.BrushStyle.NoBrush)
        layer.painter.drawEllipse(QPointF(x, box.wave_top + 7.5), 3, 3)
    if clip.mute:
        _paint_mute(layer, rect, clip.mute)
    _paint_words(layer, box, clip, room)
    if clip.ribbon is not None and len(clip.ribbon):
        _paint_ribbon(layer, box, clip, clip.ribbon)
    if clip.drift is not None and len(clip.drift):
        _paint_values(layer, box.drift_top, DRIFT, clip, clip.drift)


def _paint_mute(layer: Layer, rect: QRectF, why: str) -> None:
    """Why nothing is heard, where the wave would be."""
    why = QFontMetricsF(theme.font(11.5)).elidedText(why, Qt.TextElideMode.ElideRight, rect.width() - 12)
    width = _text_width(why, 11.5, 400)
    box = QRectF(rect.center().x() - width / 2 - 4, rect.center().y() - 8, width + 8, 16)
    layer.rounded(box, 4, theme.colour(theme.current().raised, 0.85))
    layer.text(box.left() + 4, box.top() + 12, why, theme.font(11.5), QColor(theme.current().warning))


def _paint_unfinished(layer: Layer, box: LaneBox, clip: TimelineClip, performed: float) -> None:
    rect = _clip_rect(layer, box, clip.start + performed, clip.stop)
    colour = theme.character_colour(clip.colour)
    colour.setAlphaF(0.6)
    if rect.width() < 4:
        layer.fill(rect, theme.colour(colour.name(), 0.15))
        return
    pen = QPen(colour, 1.0, Qt.PenStyle.CustomDashLine)
    pen.setDashPattern([3, 3])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    layer.painter.setPen(pen)
    layer.painter.setBrush(Qt.BrushStyle.NoBrush)
    layer.painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    if clip.generating_share is not None and not performed:
        bar = QRectF(rect.left() + 4, rect.bottom() - 5, (rect.width() - 8) * clip.generating_share, 2)
        layer.rounded(bar, 1, QColor(theme.current().accent))


def _words_that_fit(layer: Layer, clip: TimelineClip, room: float) -> Iterator[tuple[int, str, float, bool]]:
    """Words with their numbers, their x, and whether they are in the chosen span. One that would run into the one
    before gives way to the right, as long as it begins within its own frames and ends before the next clip; else it is
    left out, and so is one that would run into a chosen one."""
    view, span = layer.shown.view, layer.shown.span
    held = (0.0, 0.0)
    if span is not None and span.line_id == clip.line_id:
        held = (span.start * clip.frame_seconds, span.stop * clip.frame_seconds)
    placed = [(number, text, view.x(clip.start + start), view.x(clip.start + stop),
               held[0] < (start + stop) / 2 < held[1]) for number, (text, start, stop) in enumerate(clip.words)]
    chosen = [(x, x + _text_width(text, 11.5, 600)) for _, text, x, _, inside in placed if inside]
    free, most = -1e9, view.x(clip.stop) + HANGING
    for number, text, begin, end, inside in placed:
        if begin > layer.right:
            return
        width = _text_width(text, 11.5, 600 if inside else 400) + _BETWEEN_WORDS
        x = begin if inside or free >= end or free + width > room else max(begin, free)
        stop = x + width
        fits = inside or not any(first < stop and x < last for first, last in chosen)
        if x >= free and stop <= most and fits:
            free = stop
            if free > layer.left:
                yield number, text, x, inside


def _paint_words(layer: Layer, box: LaneBox, clip: TimelineClip, room: float) -> None:
    palette = theme.current()
    if clip.words and clip.seconds * layer.shown.view.pixels_per_second / len(clip.words) < 9:
        return  # so close that hardly a word would be left
    misread = {number for number, _ in clip.misread}
    for number, text, x, inside in _words_that_fit(layer, clip, room):
        layer.text(x, box.words_base, text, theme.font(11.5, 600 if inside else 400),
                   QColor(palette.danger if number in misread else palette.text if inside else palette.muted))
        if number in misread:
            layer.painter.setPen(QPen(QColor(palette.danger), 1, Qt.PenStyle.DashLine))
            base = box.words_base + 2.5
            layer.painter.drawLine(QPointF(x, base), QPointF(x + _text_width(text, 11.5, 600 if inside else 400), base))


def _paint_values(layer: Layer, top: int, height: int, clip: TimelineClip, values: np.ndarray) -> None:
    """A value per frame as a ribbon from good to danger."""
    palette = theme.current()
    frame_columns = clip.frame_seconds * layer.scale
    left = layer.device_x(clip.start)
    begin = max(left, round(layer.left * layer.ratio))
    end = min(left + round(len(values) * frame_columns), round(layer.right * layer.ratio))
    if end > begin:
        colours = (QColor(palette.good), QColor(palette.warning), QColor(palette.danger))
        picture = ribbon_picture(values, frame_columns, begin - left, end - left, colours)
        layer.painter.drawImage(QRectF(begin / layer.ratio, top, (end - begin) / layer.ratio, height), picture)


def _paint_ribbon(layer: Layer, box: LaneBox, clip: TimelineClip, ribbon: np.ndarray) -> None:
    palette = theme.current()
    _paint_values(layer, box.ribbon_top, RIBBON, clip, ribbon)
    for start, stop, _ in clip.flags:
        x = round(layer.shown.view.x(clip.start + (start + stop) / 2)) + 0.5
        top = box.ribbon_top - 1.0
        layer.painter.setPen(QPen(QColor(palette.surface), 1))
        layer.painter.setBrush(QColor(palette.danger))
        layer.painter.drawPolygon(QPolygonF([QPointF(x, top), QPointF(x + 5, top + 8), QPointF(x - 5, top + 8)]))


def span_rect(shown: Shown, span: ChosenSpan) -> QRectF | None:
    """Where a span stands on its lane; None where its line is not shown."""
    clip = shown.clip(span.line_id)
    box = shown.lane_of(clip) if clip else None
    if clip is None or box is None:
        return None
    left, right = shown.view.x(clip.moment(span.start)), shown.view.x(clip.moment(span.stop))
    return QRectF(round(left), box.top + 1, max(1, round(right) - round(left)), box.height - 2)


def _paint_span(layer: Layer, span: ChosenSpan) -> None:
    palette = theme.current()
    rect = span_rect(layer.shown, span)
    if rect is None:
        return
    accent = QColor(palette.accent)
    layer.fill(rect, theme.colour(palette.accent, 0.18))
    for edge, x in (("start", rect.left()), ("stop", rect.right())):
        layer.upright(x, rect.top(), rect.bottom(), accent)
        handle = QRectF(x - 4, rect.top(), 9, 12)
        layer.rounded(handle, 2, accent)
        if layer.shown.edge == edge:
            layer.painter.setPen(QPen(QColor(palette.text), 1.0))
            layer.painter.setBrush(Qt.BrushStyle.NoBrush)
            layer.painter.drawRoundedRect(handle.adjusted(-1.5, -0.5, 1.5, 1.5), 3, 3)


# The takes of the chosen line


def _paint_takes(layer: Layer) -> None:
    palette, shown = theme.current(), layer.shown
    top = shown.layout.lanes_bottom
    layer.fill(QRect(layer.left, top, layer.right - layer.left, shown.layout.height - top), QColor(palette.surface))
    layer.across(top, QColor(palette.line))
    clip = shown.clip(shown.takes_of)
    if clip is None:
        return
    layer.painter.save()
    layer.painter.setClipRect(QRect(layer.left, top + 1, layer.right - layer.left, shown.layout.height - top - 1),
                              Qt.ClipOperation.IntersectClip)
    for take, row in zip(shown.takes, shown.layout.take_rows, strict=False):
        left, right = layer.device_x(clip.start), layer.device_x(clip.start + take.seconds)
        ground = theme.character_colour(clip.colour)
        ground.setAlphaF(0.13 if take.kept else 0.06)
        place = QRectF(left / layer.ratio, row + 2, (right - left) / layer.ratio, TAKE_ROW - 4)
        layer.rounded(place, 3, ground)
        begin = max(left, round(layer.left * layer.ratio))
        end = min(left + int(take.seconds * layer.scale), round(layer.right * layer.ratio))
        if take.wave is not None and end > begin:
            part = layer.columns.between(take.wave, take.seconds, layer.scale, begin - left, end - left)
            picture = wave_picture(part, round((TAKE_ROW - 7) * layer.ratio), theme.character_colour(clip.colour),
                                   1.0 if take.kept else 0.55)
            picture.setDevicePixelRatio(layer.ratio)
            layer.painter.drawImage(QPointF(begin / layer.ratio, row + 3.5), picture)
        for seconds in take.joins:
            x = shown.view.x(clip.start + seconds)
            layer.upright(x, row + 2, row + 7, theme.colour(palette.text, 0.7))
        if shown.swiped is not None and shown.swiped[0] == take.take_id:
            first, last = (shown.view.x(clip.start + seconds) for seconds in shown.swiped[1:])
            layer.fill(QRectF(first, row + 1, last - first, TAKE_ROW - 2), theme.colour(palette.accent, 0.28))
        number = str(take.number)
        x = place.left() - 8 - _text_width(number, 11, 400)
        layer.text(x, row + 15, number, theme.font(11, 600 if take.kept else 400),
                   QColor(palette.text if take.kept else palette.faint))
    layer.painter.restore()


# What moves


def playhead_rect(shown: Shown) -> QRect:
    """The narrow strip that the playhead covers."""
    return QRect(round(shown.view.x(shown.playhead)) - 7, 0, 15, shown.layout.height)


def paint_playhead(painter: QPainter, shown: Shown) -> None:
    colour = QColor(theme.current().playhead)
    x = round(shown.view.x(shown.playhead))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRect(x, 20, 1, shown.layout.height - 20), colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    middle = x + 0.5
    painter.drawRoundedRect(QRectF(middle - 5, 14, 10, 7), 1.5, 1.5)
    painter.drawPolygon(QPolygonF([QPointF(middle - 5, 19.5), QPointF(middle + 5, 19.5), QPointF(middle, 25.5)]))


def paint_busy(painter: QPainter, shown: Shown, gleam: float) -> None:
    """The part that is being regenerated: a gleam goes over it, `gleam` 0..1 of its way; without motion, a tint."""
    rect = span_rect(shown, shown.busy) if shown.busy else None
    clip = shown.clip(shown.busy.line_id) if shown.busy else None
    box = shown.lane_of(clip) if clip else None
    if rect is None or box is None:
        return
    rect.setTop(box.wave_top)
    rect.setHeight(box.wave_height)
    accent = theme.current().accent
    if theme.reduced_motion():
        painter.fillRect(rect, theme.colour(accent, 0.3))
        return
    reach = max(40.0, rect.width())
    middle = rect.left() - reach + (rect.width() + 2 * reach) * gleam
    shine = QLinearGradient(middle - reach / 2, 0, middle + reach / 2, 0)
    for place, alpha in ((0.0, 0.10), (0.5, 0.42), (1.0, 0.10)):
        shine.setColorAt(place, theme.colour(accent, alpha))
    painter.fillRect(rect, shine)


def paint_empty(painter: QPainter, shown: Shown) -> None:
    palette = theme.current()
    place = QRectF(0, RULER, shown.view.width, shown.layout.height - RULER)
    for text, font, colour, down in (
        (EMPTY, theme.font(13, 500), palette.text, -11),
        (HINT, theme.font(12), palette.muted, 11),
    ):
        painter.setFont(font)
        painter.setPen(QColor(colour))
        painter.drawText(place.translated(0, down), Qt.AlignmentFlag.AlignCenter, text)
