"""The timeline: clips on a lane for each character, spans of frames chosen on them, the loop and the playhead.

Values come in by `show_*` and are applied by difference; wishes go out as signals. All that stands still is one
picture, of which only what changed is painted again; the playhead and what shimmers are drawn over it.
"""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio import theme
from studio.document.difference import same_ends
from studio.panels.timeline_gestures import Gestures, other_edge
from studio.panels.timeline_heads import Heads, TakesHead
from studio.panels.timeline_keys import Press, action, alt_held, shift_held
from studio.panels.timeline_layout import HEADS, LEAST_HEIGHT, RULER, arrange
from studio.panels.timeline_modes import Modes
from studio.panels.timeline_paint import HANGING, paint_busy, paint_empty, paint_playhead, playhead_rect, span_rect
from studio.panels.timeline_picture import Picture
from studio.panels.timeline_tips import description, pointer_at, tip_at
from studio.panels.timeline_values import ChosenSpan, Lane, TakeLane, TimelineClip, Wave
from studio.panels.timeline_view import View
from studio.panels.timeline_zoom import Zooming

__all__ = ["ChosenSpan", "Lane", "TakeLane", "Timeline", "TimelineClip"]

_HEIGHT = 276
_NOTCH = 64  # pixels that a notch of the wheel scrolls
_BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
_SHIMMER = 1.6  # seconds from one gleam to the next


class Timeline(Zooming):
    """The panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gestures = Gestures(self._shown, self)
        self._picture = Picture()
        self._scroll = self._takes_scroll = 0
        self._keyboard_focus = False
        self._pointer = QPointF()
        self._heads = Heads(self)
        self._heads.solo_toggled.connect(self.solo_toggled)
        self._heads.mute_toggled.connect(self.mute_toggled)
        self._heads.gain_wanted.connect(self.gain_wanted)
        self.modes = Modes(self)
        self.modes.wanted.connect(self.mode_wanted)
        self._takes_head = TakesHead(self)
        self._takes_head.hide()
        self._takes_head.toggled.connect(self._arrange)
        self._shimmer = QTimer(self, interval=40)
        self._shimmer.timeout.connect(self._update_busy)
        self._gleam = 0.0
        self._ask_soon = QTimer(self, interval=0, singleShot=True)
        self._ask_soon.timeout.connect(self._ask_for_spectra)
        self._edge_scroll = QTimer(self, interval=30)
        self._edge_scroll.timeout.connect(self._scroll_past_edge)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(LEAST_HEIGHT)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Timeline")
        self._describe()

    def sizeHint(self) -> QSize:
        return QSize(1280, _HEIGHT)

    # Values in

    @property
    def edge(self) -> str:
        """The edge of the chosen span that keys move."""
        return self._shown.edge or "stop"

    def under_pointer(self) -> tuple[str, int] | None:
        """The line on whose clip the pointer is, and the frame there."""
        shown, x = self._shown, self._pointer.x()
        clip = shown.clip_at(x, self._pointer.y())
        return (clip.line_id, clip.frame_at(shown.view.time(x))) if clip is not None else None

    @property
    def view(self) -> View:
        """The window of time that is seen."""
        return self._shown.view

    def show_clips(self, clips: tuple[TimelineClip, ...]) -> None:
        """Shows these lines and no others. Only what differs is painted again: all from the first clip that does to the
        last, for that is what the picture paints anew at once."""
        shown = self._shown
        before, old_deep = shown.clips, shown.deep_lanes()
        first, after = same_ends(before, clips)
        gone, come = before[first : len(before) - after], clips[first : len(clips) - after]
        if not gone and not come:
            return
        old_grown = {line_id: shown.clip(line_id) for line_id in shown.grown}
        shown.place(clips)
        for line_id, old in old_grown.items():
            clip = shown.clip(line_id)
            if clip is None or (clip != old and (clip.wave is not None or clip.generating_share is None)):
                del shown.grown[line_id]
        if bool(before) != bool(clips) or shown.deep_lanes() != old_deep:
            self._arrange()
        changed = (*gone, *come)
        self._repaint_between(min(clip.start for clip in changed), max(clip.stop for clip in changed))
        self._set_view(shown.view)
        self._describe()

    def grow(self, line_id: str, wave: Wave, seconds: float) -> None:
        """Shows what there is of a line that is being generated: `seconds` of `wave`."""
        clip = self._shown.clip(line_id)
        if clip is None:
            return
        _, before = self._shown.wave_of(clip)
        self._shown.grown[line_id] = (wave, seconds)
        self._repaint_between(clip.start + min(before, seconds), max(clip.stop, clip.start + max(before, seconds)))

    def show_lanes(self, lanes: tuple[Lane, ...]) -> None:
        if lanes == self._shown.lanes:
            return
        self._shown.lanes = lanes
        self._heads.show_lanes(lanes)
        self._arrange()

    def choose_line(self, line_id: str | None) -> None:
        """Shows a line as the chosen one and brings its clip into view."""
        if line_id == self._shown.chosen:
            return
        before, self._shown.chosen = self._shown.chosen, line_id
        for clip in (self._shown.clip(before), self._shown.clip(line_id)):
            if clip is not None:
                self._repaint_between(clip.start, clip.stop)
        view, clip = self._shown.view, self._shown.clip(line_id)
        if clip is not None and (clip.stop <= view.start or clip.start >= view.stop) and not self._gestures.running:
            self._set_view(view.page_to(clip.start))
        self._describe()

    def show_span(self, line_id: str, start_frame: int, stop_frame: int | None) -> None:
        """Shows a chosen span; `stop_frame` None: none."""
        self._put_span(None if stop_frame is None else ChosenSpan(line_id, start_frame, stop_frame))

    def show_busy_span(self, line_id: str, span: tuple[int, int] | None) -> None:
        """Lets a span shimmer while it is being regenerated."""
        self._update_busy()
        self._shown.busy = None if span is None else ChosenSpan(line_id, *span)
        if self._shown.busy is not None and not theme.reduced_motion():
            self._shimmer.start()
        else:
            self._shimmer.stop()
        self._update_busy()

    def show_playhead(self, seconds: float) -> None:
        """Moves the playhead. A view that follows and showed it turns the page with it; one that was scrolled elsewhere
        stays, except for a jump."""
        shown = self._shown
        before, shown_before = shown.playhead, playhead_rect(shown)
        shown.playhead = seconds
        follows = shown.view.shows(before) or not 0 <= seconds - before < 1
        if self.modes.on["follow"] and follows and not self._gestures.running:
            self._set_view(shown.view.page_to(seconds))
        now = playhead_rect(shown)
        if now != shown_before:
            self.update(shown_before.translated(HEADS, 0))
            self.update(now.translated(HEADS, 0))

    def show_modes(self, spectrogram: bool, ripple: bool, follow: bool) -> None:
        """Which switches are on; the first and the last are the timeline's own affair."""
        self.modes.show_modes({"spectrogram": spectrogram, "ripple": ripple, "follow": follow})
        if spectrogram != self._shown.spectra.on:
            self._shown.spectra.on = spectrogram
            self._repaint()

    def show_spectrum(self, wave: Wave, levels: np.ndarray, columns_a_second: int) -> None:
        """The spectrogram of a wave, where the timeline wanted it: uint8 [row, column]."""
        self._shown.spectra.put(wave, levels, columns_a_second)
        for clip in self._shown.clips:
            if clip.wave is wave:
                self._repaint_between(clip.start, clip.stop)
        if self._shown.spectra.wanting:
            self._ask_soon.start()

    @Slot()
    def _ask_for_spectra(self) -> None:
        if wanted := self._shown.spectra.ask():
            self.spectra_wanted.emit(wanted)

    def show_loop(self, start: float, stop: float | None) -> None:
        """Shows the loop's bar; `stop` None: none."""
        self.wish_loop(None if stop is None else (start, stop), ended=False)

    def show_take_lanes(self, line_id: str, takes: tuple[TakeLane, ...]) -> None:
        """Offers the takes of a line below the lanes, opened by a click; none hides them."""
        shown = self._shown
        if line_id != shown.takes_of:
            self._takes_scroll = 0
        before, shown.takes_of, shown.takes = shown.takes, line_id, takes
        clip = shown.clip(line_id)
        title = f"Line {clip.number}, takes" if clip is not None else "Takes"
        self._takes_head.setText(title)
        self._takes_head.setAccessibleName(title)
        self._takes_head.setToolTip("Show or hide the takes of this line")
        self._takes_head.setVisible(bool(takes))
        if before or takes:
            self._arrange()

    # Gestures come out here

    def wish_span(self, span: ChosenSpan | None, ended: bool) -> None:
        changed = span != self._shown.span
        self._put_span(span)
        if span is None:
            if changed:
                self.span_cleared.emit()
        elif ended:
            self.span_selected.emit(span.line_id, span.start, span.stop)
        elif changed:
            self.span_changing.emit(span.line_id, span.start, span.stop)

    def wish_swipe(self, swiped: tuple[str, float, float] | None, ended: bool) -> None:
        self._shown.swiped = None if ended else swiped
        self._repaint()
        if ended and swiped is not None:
            self.comp_wanted.emit(*swiped)

    def wish_loop(self, loop: tuple[float, float] | None, ended: bool) -> None:
        if loop != self._shown.loop:
            for edge in (self._shown.loop, loop):
                if edge is not None:
                    self._repaint_between(*edge)
            self._shown.loop = loop
        if ended:
            if loop is None:
                self.loop_cleared.emit()
            else:
                self.loop_wanted.emit(*loop)

    # The view

    def _set_view(self, view: View) -> None:
        before, view = self._shown.view, view.within(self._shown.length)
        if view == before:
            return
        self._shown.view = view
        if view.pixels_per_second == before.pixels_per_second:
            moved = round((view.start - before.start) * view.pixels_per_second)
            self._picture.scroll(moved, view.width, self.devicePixelRatioF())
        else:
            self._picture.outdate(0, view.width)
        self.update()

    @Slot()
    def _scroll_past_edge(self) -> None:
        """While a gesture holds the pointer outside, the view moves toward it."""
        x, width = self._pointer.x(), self._shown.view.width
        beyond = min(0.0, x) + max(0.0, x - width)
        if not self._gestures.running or not beyond:
            self._edge_scroll.stop()
            return
        self._set_view(self._shown.view.scroll(beyond * 0.3))
        self._gestures.move(min(max(x, 0.0), float(width)), snap=False)

    # Layers

    @Slot()
    def _arrange(self) -> None:
        shown = self._shown
        opened = self._takes_head.isChecked()
        shown.layout = arrange(
            self.height(), shown.deep_lanes(), len(shown.takes), opened, self._scroll, self._takes_scroll
        )
        self._scroll = min(self._scroll, shown.layout.most_scroll)
        self._takes_scroll = min(self._takes_scroll, shown.layout.most_takes_scroll)
        self._heads.put(shown.layout)
        self._takes_head.setGeometry(0, shown.layout.lanes_bottom, HEADS, self.height() - shown.layout.lanes_bottom)
        self._repaint()

    def _repaint(self) -> None:
        self._picture.outdate(0, self._shown.view.width)
        self.update()

    def _repaint_between(self, start: float, stop: float) -> None:
        """Paints anew what stands between two moments, and what hangs over its edges."""
        view = self._shown.view
        left = max(0, math.floor(view.x(start)) - HANGING)
        right = min(view.width, math.ceil(view.x(stop)) + HANGING)
        if left < right:
            self._picture.outdate(left, right)
            self.update(HEADS + left, 0, right - left, self.height())

    def _put_span(self, span: ChosenSpan | None) -> None:
        before, self._shown.span = self._shown.span, span
        if span == before:
            return
        if span is None:
            self._shown.edge = None
        for changed in (before, span):
            clip = self._shown.clip(changed.line_id) if changed else None
            if clip is not None:
                self._repaint_between(clip.start, clip.stop)
        self._describe()

    @Slot()
    def _update_busy(self) -> None:
        rect = span_rect(self._shown, self._shown.busy) if self._shown.busy else None
        if rect is not None:
            self._gleam = (self._gleam + self._shimmer.interval() / 1000 / _SHIMMER) % 1.0
            self.update(rect.toAlignedRect().translated(HEADS, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        picture = self._picture.pixmap(self._shown, self.devicePixelRatioF())
        if self._shown.spectra.wanting:
            self._ask_soon.start()
        painter = QPainter(self)
        palette = theme.current()
        painter.fillRect(QRect(0, 0, HEADS, self.height()), QColor(palette.surface))
        painter.fillRect(QRect(0, RULER, HEADS, 1), QColor(palette.line))
        painter.translate(HEADS, 0)
        painter.setClipRect(QRect(0, 0, self._shown.view.width, self.height()))
        painter.drawPixmap(0, 0, picture)
        if self._shown.clips:
            paint_busy(painter, self._shown, self._gleam)
            strip = playhead_rect(self._shown)
            if event.rect().translated(-HEADS, 0).intersects(strip) and self._shown.view.x(self._shown.playhead) > -1:
                painter.setClipRect(strip.intersected(QRect(-HEADS, 0, self.width(), self.height())))  # whole at 0:00
                paint_playhead(painter, self._shown)
        else:
            paint_empty(painter, self._shown)
        if self._keyboard_focus:
            painter.setPen(QPen(QColor(palette.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(0.5, 0.5, self._shown.view.width - 1, self.height() - 1))

    # What Qt sends

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._shown.view = self._shown.view.resized(self.width() - HEADS)
        self._arrange()

    def hideEvent(self, event: QHideEvent) -> None:
        self._shimmer.stop()
        self._edge_scroll.stop()
        self._ask_soon.stop()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._repaint()
        super().changeEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._action(event):
            event.accept()  # the key is meant for the timeline, not for the window's shortcut
            return True
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom(1 + event.value(), event.position().x() - HEADS)
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), tip_at(self._shown, event.pos().x() - HEADS, event.pos().y()), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or event.position().x() < HEADS:
            event.ignore()
            return
        self._pointer = event.position() - QPointF(HEADS, 0)
        edge = self._shown.edge
        self._gestures.press(self._pointer.x(), self._pointer.y(), shift_held(event))
        if edge != self._shown.edge:
            self._repaint()
            self._describe()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position() - QPointF(HEADS, 0)
        if not self._gestures.running:
            self._show_pointer()
            return
        if 0 <= self._pointer.x() <= self._shown.view.width:
            self._gestures.move(self._pointer.x(), not alt_held(event))
        elif not self._edge_scroll.isActive():
            self._edge_scroll.start()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._gestures.running:
            x = min(max(event.position().x() - HEADS, 0.0), float(self._shown.view.width))
            self._gestures.release(x, not alt_held(event))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._gestures.double_click(event.position().x() - HEADS, event.position().y())

    def _show_pointer(self) -> None:
        shape = pointer_at(self._shown, self._pointer.x(), self._pointer.y())
        if self.cursor().shape() != shape:
            self.setCursor(shape)

    def wheelEvent(self, event: QWheelEvent) -> None:
        fine, modifiers, layout = event.pixelDelta(), event.modifiers(), self._shown.layout
        delta = QPointF(fine) if not fine.isNull() else QPointF(event.angleDelta()) * (_NOTCH / 120)
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self.zoom(math.exp(delta.y() / _NOTCH * 0.22), event.position().x() - HEADS)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier or abs(delta.x()) > abs(delta.y()):
            self._set_view(self._shown.view.scroll(-(delta.x() or delta.y())))
        elif event.position().y() >= layout.lanes_bottom and layout.most_takes_scroll:
            self._takes_scroll = min(max(0, self._takes_scroll - round(delta.y())), layout.most_takes_scroll)
            self._arrange()
        elif layout.most_scroll:
            self._scroll = min(max(0, self._scroll - round(delta.y())), layout.most_scroll)
            self._arrange()
        else:
            self._set_view(self._shown.view.scroll(-delta.y()))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._keyboard_focus = event.reason() in _BY_KEYBOARD
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._keyboard_focus = False
        self.update()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes over both edges of the chosen span before it leaves."""
        if self.hasFocus() and self._shown.span is not None:
            edge = other_edge(self._shown.edge, forward)
            leaves = edge is None and (forward or self._shown.edge is None)
            self._shown.edge = edge
            self._repaint()
            if not leaves:
                self._describe()
                return True
        return super().focusNextPrevChild(forward)

    def _action(self, event: QKeyEvent) -> Press | None:
        press = action(event)
        return None if press is Press.CANCEL and not self._gestures.running else press

    def keyPressEvent(self, event: QKeyEvent) -> None:
        press = self._action(event)
        if press is None:
            event.ignore()
            return
        many = shift_held(event)
        match press:
            case Press.EARLIER | Press.LATER:
                self._step(-1 if press is Press.EARLIER else 1, many)
            case Press.EDGE_EARLIER | Press.EDGE_LATER:
                self._gestures.nudge((-1 if press is Press.EDGE_EARLIER else 1) * (10 if many else 1))
            case Press.CLOSER:
                self.zoom(1.5)
            case Press.FARTHER:
                self.zoom(1 / 1.5)
            case Press.FIT:
                self.fit()
            case Press.TO_SELECTION:
                self.zoom_to_selection()
            case Press.TOGGLE_ZOOM:
                self.toggle_zoom()
            case Press.FIRST:
                self.seek_wanted.emit(0.0)
            case Press.LAST:
                self.seek_wanted.emit(self._shown.length)
            case Press.CANCEL:
                self._gestures.cancel()

    def _step(self, direction: int, many: bool) -> None:
        """One frame of the edge that has focus; otherwise the playhead by a second, or five."""
        if self._shown.edge is not None:
            self._gestures.nudge(direction * (10 if many else 1))
            return
        seconds = self._shown.playhead + direction * (5 if many else 1)
        self.seek_wanted.emit(min(max(0.0, seconds), self._shown.length))

    def _describe(self) -> None:
        text = description(self._shown)
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
