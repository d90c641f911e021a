"""The timeline panel: what it shows, and what keys and mouse wish for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QImage, QKeySequence, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio import theme
from studio.panels.timeline import Lane, TakeLane, Timeline, TimelineClip
from studio.panels.timeline_layout import HEADS
from studio.panels.timeline_paint import Layer, _words_that_fit
from studio.panels.timeline_tips import tip_at
from studio.panels.timeline_waves import WaveColumns
from studio.samples import LiveWave, Peaks, Print

FRAME = 0.05
RATE = 8000
NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
LEFT = Qt.MouseButton.LeftButton


def wave(seconds: float) -> Print:
    samples = np.sin(np.arange(int(seconds * RATE)) * 0.05).astype(np.float32)
    return Print(RATE, samples, Peaks(samples))


def clips() -> tuple[TimelineClip, ...]:
    words = (("I", 0.1, 0.4), ("told", 0.5, 0.9), ("secret", 1.5, 2.05))
    ribbon = np.linspace(0, 1, 80).astype(np.float32)
    return (
        TimelineClip("one", 1, "Tom", 1, 0.0, 2.0, wave(2.0), frame_seconds=FRAME),
        TimelineClip("two", 2, "Mira", 0, 2.0, 4.0, wave(4.0), words, ribbon, ((3.0, 0.94),), FRAME, stale=True),
        TimelineClip("three", 3, "Tom", 1, 7.0, 3.0, None, frame_seconds=FRAME, estimated=True),
    )


class Heard:
    """Signals as they came, by name."""

    def __init__(self, panel: Timeline) -> None:
        self.said: list[tuple[object, ...]] = []
        for name in (
            "seek_wanted", "play_from_wanted", "loop_wanted", "loop_cleared", "line_chosen", "span_selected",
            "span_changing", "span_cleared", "take_chosen", "solo_toggled", "mute_toggled", "nudge_wanted",
            "doubt_clicked", "pause_wanted", "pause_given_up", "gain_wanted", "comp_wanted",
        ):
            getattr(panel, name).connect(self._note(name))

    def _note(self, name: str) -> Callable[..., None]:
        return lambda *values: self.said.append((name, *values))

    def of(self, name: str) -> list[tuple[object, ...]]:
        return [said[1:] for said in self.said if said[0] == name]


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> Timeline:
    theme.apply(qapp, theme.DARK)
    made = Timeline()
    qtbot.addWidget(made)
    made.resize(HEADS + 1000, 276)
    made.show_lanes((Lane("Mira", 0), Lane("Tom", 1)))
    made.show_clips(clips())
    with qtbot.waitExposed(made):
        made.show()
    made.setFocus()
    return made


@pytest.fixture
def heard(panel: Timeline) -> Heard:
    return Heard(panel)


def at(panel: Timeline, seconds: float, y: int = 60) -> QPoint:
    return QPoint(HEADS + round(panel.view.x(seconds)), y)


def drag(panel: Timeline, start: QPoint, stop: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
    QTest.mousePress(panel, LEFT, modifiers, start)
    for share in (0.3, 0.7, 1.0):
        move(panel, start + (stop - start) * share, modifiers)
    QTest.mouseRelease(panel, LEFT, modifiers, stop)


def move(panel: Timeline, point: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
    """QTest.mouseMove carries no button, so the event is made here."""
    place = QPointF(point)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, panel.mapToGlobal(place), Qt.MouseButton.NoButton, LEFT, modifiers
    )
    QApplication.sendEvent(panel, event)


def picture(panel: Timeline) -> QImage:
    return panel.grab().toImage()


# What is shown


@pytest.mark.parametrize("palette", theme.PALETTES, ids=lambda palette: palette.name)
def test_everything_is_drawn(panel: Timeline, qapp: QApplication, palette: theme.Palette) -> None:
    theme.apply(qapp, palette)
    before = picture(panel)
    panel.choose_line("two")
    panel.show_span("two", 30, 41)
    panel.show_loop(2.0, 6.0)
    panel.show_playhead(3.0)
    panel.show_take_lanes("two", (TakeLane(1, "a", 3.0, wave(3.0)), TakeLane(2, "b", 4.0, wave(4.0), kept=True)))
    panel._takes_head.setChecked(True)
    after = picture(panel)
    assert after != before
    ground = theme.colour(palette.surface)
    assert after.pixelColor(HEADS + 990, 150) == ground
    assert after.pixelColor(at(panel, 2.5, 50)) != ground
    x = at(panel, 3.0).x()
    assert after.pixelColor(x, 130) == theme.colour(palette.playhead)


def test_a_timeline_without_lines_says_what_to_do(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, theme.LIGHT)
    panel = Timeline()
    qtbot.addWidget(panel)
    panel.resize(900, 276)
    colours = {panel.grab().toImage().pixelColor(x, 140).name() for x in range(HEADS, 900)}
    assert len(colours) > 2
    assert panel.accessibleDescription() == "Nothing to hear yet."


def test_what_is_repainted_in_part_looks_like_what_is_painted_whole(panel: Timeline) -> None:
    picture(panel)
    panel.choose_line("two")
    panel.show_span("two", 20, 40)
    changed = list(clips())
    changed[0] = TimelineClip("one", 1, "Tom", 1, 0.2, 1.5, wave(1.5), frame_seconds=FRAME)
    panel.show_clips(tuple(changed))
    panel.show_span("two", 25, 35)
    panel.show_loop(1.0, 3.0)
    panel.show_loop(1.5, 2.0)
    panel.show_playhead(4.0)
    picture(panel)
    panel.zoom(1.7, 0)
    panel.show_take_lanes("two", (TakeLane(1, "a", 3.0, wave(3.0)), TakeLane(2, "b", 4.0, wave(4.0))))
    panel._takes_head.setChecked(True)
    for notch in (-120, -240, 120, -360):
        picture(panel)
        wheel(panel, QPoint(0, notch))
        panel.show_span("two", 24, 30 + notch // 40)
    in_part = picture(panel)
    panel.resize(panel.width(), 300)
    picture(panel)
    panel.resize(panel.width(), 276)
    assert picture(panel) == in_part


@pytest.mark.parametrize("words", ["", "o", "a word", "somewhat longer words"], ids=len)
@pytest.mark.parametrize("after", [2.1, 2.3, 3.0, 9.0])
def test_words_that_hang_over_leave_nothing_behind(panel: Timeline, words: str, after: float) -> None:
    """Of what stood there, when a clip's words or the place of the next clip changes."""

    clip = TimelineClip("one", 1, "Tom", 1, 0.0, 2.0, wave(2.0), frame_seconds=FRAME)
    other = TimelineClip("three", 3, "Tom", 1, after, 1.0, wave(1.0), frame_seconds=FRAME)
    for text, following in (("words of before", other), (words, other), (words, replace(other, start=3.0))):
        panel.show_clips((replace(clip, words=((text, 1.7, 1.8),)), following))
        in_part = picture(panel)
        panel._repaint()
        assert picture(panel) == in_part


def test_a_line_grows_while_it_is_generated(panel: Timeline) -> None:
    growing = TimelineClip("four", 4, "Mira", 0, 6.5, 2.0, None, frame_seconds=FRAME, generating_share=0.0)
    panel.show_clips((*clips(), growing))
    empty = picture(panel)
    live = LiveWave(RATE)
    shades = set()
    for _ in range(3):
        live.append(np.full(RATE // 4, 0.5, np.float32))
        panel.grow("four", live, live.seconds)
        shades.add(picture(panel).pixelColor(at(panel, 7.2, 60)).name())
    assert picture(panel) != empty
    assert len(shades) == 2  # the last quarter of a second reached it
    panel.grow("nobody", live, 1.0)
    done = TimelineClip("four", 4, "Mira", 0, 6.5, 0.75, live, frame_seconds=FRAME)
    panel.show_clips((*clips(), done))
    assert "4 lines" in panel.accessibleDescription()


def test_a_wave_that_was_shown_is_not_looked_up_again(panel: Timeline) -> None:
    class Counting:
        rate = RATE
        asked = 0

        @property
        def peaks(self) -> Counting:
            return self

        def view(self, start: int, stop: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            self.asked += 1
            return (np.zeros(columns, np.float32),) * 3

    counting = Counting()
    panel.show_clips((TimelineClip("one", 1, "Tom", 1, 0.0, 60.0, counting, frame_seconds=FRAME),))
    picture(panel)
    asked = counting.asked
    for moment in range(50):
        panel.show_playhead(moment / 50)
        picture(panel)
    assert counting.asked == asked


def test_the_view_turns_the_page_with_the_playhead(panel: Timeline) -> None:
    long = TimelineClip("one", 1, "Tom", 1, 0.0, 100.0, None, frame_seconds=FRAME, estimated=True)
    panel.show_clips((long,))
    edge = panel.view.stop
    panel.show_playhead(edge - 0.01)
    assert panel.view.start == 0
    panel.show_playhead(edge + 0.01)
    page = panel.view
    assert page.start == pytest.approx(edge - 0.08 * page.seconds, abs=0.05)
    QTest.keyClick(panel, Qt.Key.Key_0, CONTROL)
    panel.zoom(20, 900)
    elsewhere = panel.view
    assert not elsewhere.shows(edge + 0.03)
    panel.show_playhead(edge + 0.03)  # it plays on out of sight: whoever looks elsewhere is left alone
    assert panel.view == elsewhere
    panel.show_playhead(0.0)  # a jump is followed
    assert panel.view.shows(0.0)


def test_a_chosen_line_comes_into_view(panel: Timeline) -> None:
    far = TimelineClip("far", 9, "Tom", 1, 500.0, 3.0, None, frame_seconds=FRAME, estimated=True)
    panel.show_clips((*clips(), far))
    panel.choose_line("far")
    assert panel.view.shows(500.0)


def test_a_busy_span_shimmers_until_it_is_done(panel: Timeline, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setattr(theme, "reduced_motion", lambda: False)
    before = picture(panel)
    panel.show_busy_span("two", (10, 30))
    first = picture(panel)
    assert first != before
    qtbot.waitUntil(lambda: picture(panel) != first)
    panel.show_busy_span("two", None)
    assert picture(panel) == before


def test_with_less_motion_a_busy_span_stands_still(panel: Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theme, "reduced_motion", lambda: True)
    before = picture(panel)
    panel.show_busy_span("two", (10, 30))
    assert picture(panel) != before
    assert not panel._shimmer.isActive()


# The mouse


def test_a_click_sets_the_playhead_and_chooses_the_line(panel: Timeline, heard: Heard) -> None:
    QTest.mouseClick(panel, LEFT, NONE, at(panel, 2.5))
    assert heard.said == [("line_chosen", "two"), ("seek_wanted", pytest.approx(2.5, abs=0.02))]


def test_a_click_on_nothing_only_sets_the_playhead(panel: Timeline, heard: Heard) -> None:
    QTest.mouseClick(panel, LEFT, NONE, at(panel, 1.0))  # Mira's lane is empty there
    assert heard.said == [("seek_wanted", pytest.approx(1.0, abs=0.02))]


def test_a_drag_over_a_wave_selects_its_frames(panel: Timeline, heard: Heard) -> None:
    drag(panel, at(panel, 4.52), at(panel, 5.57), ALT)
    assert heard.of("span_selected") == [("two", 50, 71)]
    assert heard.of("line_chosen") == [("two",)]
    assert heard.of("span_changing")
    assert not heard.of("seek_wanted")


def test_edges_are_drawn_to_words_unless_alt_is_held(panel: Timeline, heard: Heard) -> None:
    drag(panel, at(panel, 3.46), at(panel, 4.09))
    drag(panel, at(panel, 3.46), at(panel, 4.09), ALT)
    assert heard.of("span_selected") == [("two", 30, 41), ("two", 29, 42)]


def test_a_selection_does_not_leave_its_clip(panel: Timeline, heard: Heard) -> None:
    drag(panel, at(panel, 5.0), at(panel, 8.5))
    panel.show_span("two", 0, None)
    drag(panel, at(panel, 5.0), at(panel, 0.0))
    assert heard.of("span_selected") == [("two", 60, 80), ("two", 0, 60)]


def test_shift_extends_the_far_edge_stays(panel: Timeline, heard: Heard) -> None:
    panel.show_span("two", 50, 60)
    QTest.mouseClick(panel, LEFT, SHIFT, at(panel, 5.49))
    QTest.mouseClick(panel, LEFT, SHIFT, at(panel, 4.3))
    assert heard.of("span_selected") == [("two", 50, 70), ("two", 46, 70)]


def test_shift_without_a_span_selects_from_the_playhead(panel: Timeline, heard: Heard) -> None:
    panel.show_playhead(4.5)
    QTest.mouseClick(panel, LEFT, SHIFT, at(panel, 5.3))
    assert heard.of("span_selected") == [("two", 50, 66)]


def test_a_handle_moves_its_edge(panel: Timeline, heard: Heard) -> None:
    panel.show_span("two", 50, 60)
    drag(panel, at(panel, 5.0, 32), at(panel, 5.3, 32))
    drag(panel, at(panel, 4.5, 32), at(panel, 4.3, 32))
    assert heard.of("span_selected") == [("two", 50, 66), ("two", 46, 66)]


def test_a_double_click_selects_the_word_or_the_clip(panel: Timeline, heard: Heard) -> None:
    QTest.mouseDClick(panel, LEFT, NONE, at(panel, 3.7))
    QTest.mouseDClick(panel, LEFT, NONE, at(panel, 1.0, 200))
    assert heard.of("span_selected") == [("two", 30, 41), ("one", 0, 40)]


def test_a_click_clears_the_selection(panel: Timeline, heard: Heard) -> None:
    panel.show_span("two", 50, 60)
    QTest.mouseClick(panel, LEFT, NONE, at(panel, 5.7))
    assert heard.of("span_cleared") == [()]
    panel.show_span("two", 50, None)
    assert heard.of("span_cleared") == [()]


def test_escape_gives_up_a_drag(panel: Timeline, heard: Heard) -> None:
    panel.show_span("two", 50, 60)
    before = picture(panel)
    QTest.mousePress(panel, LEFT, NONE, at(panel, 3.0))
    move(panel, at(panel, 3.5))
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    QTest.mouseRelease(panel, LEFT, NONE, at(panel, 3.5))
    assert not heard.of("span_selected")
    assert picture(panel) == before


def test_a_drag_past_the_edge_scrolls(panel: Timeline, heard: Heard, qtbot: QtBot) -> None:
    long = TimelineClip("one", 1, "Mira", 1, 0.0, 100.0, None, frame_seconds=FRAME, estimated=True)
    panel.show_clips((long,))
    QTest.mousePress(panel, LEFT, NONE, at(panel, 5.0))
    move(panel, QPoint(panel.width() + 60, 60))
    qtbot.waitUntil(lambda: panel.view.start > 0.5)
    QTest.mouseRelease(panel, LEFT, NONE, QPoint(panel.width() + 60, 60))
    (selected,) = heard.of("span_selected")
    assert selected[2] * FRAME > 10  # type: ignore[operator]


def test_the_ruler_plays_and_loops(panel: Timeline, heard: Heard) -> None:
    QTest.mouseClick(panel, LEFT, NONE, at(panel, 3.0, 18))
    drag(panel, at(panel, 6.0, 18), at(panel, 4.0, 18))
    drag(panel, at(panel, 6.0, 2), at(panel, 7.0, 2))
    QTest.mouseClick(panel, LEFT, NONE, at(panel, 5.0, 2))
    assert heard.of("play_from_wanted") == [(pytest.approx(3.0),)]
    assert heard.of("loop_wanted") == [
        (pytest.approx(4.0), pytest.approx(6.0)),
        (pytest.approx(4.0), pytest.approx(7.0)),
    ]
    assert heard.of("loop_cleared") == [()]


def test_a_loop_too_short_to_hear_is_none(panel: Timeline, heard: Heard) -> None:
    panel.zoom(20, 300)
    drag(panel, at(panel, panel.view.time(300), 18), at(panel, panel.view.time(320), 18))
    assert not heard.of("loop_wanted")


def test_take_lanes_open_and_are_chosen(panel: Timeline, heard: Heard) -> None:
    panel.show_take_lanes("two", (TakeLane(1, "a", 3.0, wave(3.0)), TakeLane(2, "b", 4.0, wave(4.0))))
    assert panel._takes_head.text() == "Line 2, takes"
    QTest.mouseClick(panel._takes_head, LEFT)
    row = panel._shown.layout.take_rows[1]
    QTest.mouseClick(panel, LEFT, NONE, at(panel, 3.0, row + 8))
    assert heard.of("take_chosen") == [("b",)]
    panel.show_take_lanes("two", ())
    assert not panel._takes_head.isVisible()


def test_solo_and_mute_are_wishes(panel: Timeline, heard: Heard) -> None:
    head = panel._heads.heads[1]
    QTest.mouseClick(head.solo, LEFT)
    QTest.mouseClick(head.mute, LEFT)
    assert heard.said == [("solo_toggled", "Tom"), ("mute_toggled", "Tom")]
    assert not head.solo.isChecked()
    panel.show_lanes((Lane("Mira", 0), Lane("Tom", 1, solo=True)))
    assert head.solo.isChecked()
    assert head.solo.accessibleName() == "Solo Tom"


def wheel(panel: Timeline, angle: QPoint, pixels: QPoint | None = None, modifiers: Qt.KeyboardModifier = NONE) -> None:
    place = QPointF(HEADS + 400, 60)
    event = QWheelEvent(
        place, panel.mapToGlobal(place), pixels or QPoint(), angle, Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )
    QApplication.sendEvent(panel, event)


def test_the_wheel_scrolls_and_zooms(panel: Timeline) -> None:
    long = TimelineClip("one", 1, "Tom", 1, 0.0, 100.0, None, frame_seconds=FRAME, estimated=True)
    panel.show_clips((long,))
    start = panel.view
    wheel(panel, QPoint(0, -120))
    assert panel.view.start == pytest.approx(0.64)
    wheel(panel, QPoint(0, -120), modifiers=SHIFT)
    wheel(panel, QPoint(30, 0), QPoint(28, 3))
    assert panel.view.start == pytest.approx(1.0)
    moment = panel.view.time(400)
    wheel(panel, QPoint(0, 120), modifiers=CONTROL)
    wheel(panel, QPoint(0, 15), QPoint(0, 9), CONTROL)
    assert panel.view.pixels_per_second > start.pixels_per_second * 1.2
    assert panel.view.x(moment) == pytest.approx(400, abs=1)


def test_lanes_that_do_not_fit_are_scrolled_by_the_wheel(panel: Timeline) -> None:
    panel.show_lanes(tuple(Lane(f"Voice {number}", number) for number in range(8)))
    view = panel.view
    wheel(panel, QPoint(0, -120))
    assert panel.view == view
    assert panel._shown.layout.lanes[0].top < 0
    assert panel._heads.heads[0].y() < 0


def test_tooltips_tell_the_score_of_a_join(panel: Timeline) -> None:
    x = panel.view.x(5.0)
    assert tip_at(panel._shown, x, 60) == "Join 0.94"
    assert tip_at(panel._shown, x + 50, 60).startswith("Stale")
    assert "loop" in tip_at(panel._shown, x, 10)
    assert tip_at(panel._shown, panel.view.x(6.5), 60).startswith("A pause of 1.00 s")
    assert tip_at(panel._shown, panel.view.x(50), 60) == ""
    move(panel, at(panel, 5.0))
    assert panel.cursor().shape() == Qt.CursorShape.IBeamCursor


# The keys


def test_arrows_move_the_playhead(panel: Timeline, heard: Heard) -> None:
    panel.show_playhead(4.0)
    QTest.keyClick(panel, Qt.Key.Key_Right)
    QTest.keyClick(panel, Qt.Key.Key_Left, SHIFT)
    QTest.keyClick(panel, Qt.Key.Key_Right, SHIFT)
    QTest.keyClick(panel, Qt.Key.Key_Home)
    QTest.keyClick(panel, Qt.Key.Key_End)
    assert [values[0] for values in heard.of("seek_wanted")] == [5.0, 0.0, 9.0, 0.0, 10.0]


def test_comma_and_period_nudge_an_edge(panel: Timeline, heard: Heard) -> None:
    QTest.keyClick(panel, Qt.Key.Key_Comma)  # no span, nothing to nudge
    panel.show_span("two", 50, 60)
    QTest.keyClick(panel, Qt.Key.Key_Period)
    QTest.mouseClick(panel, LEFT, NONE, at(panel, 4.5, 32))  # the start has focus now
    QTest.keyClick(panel, Qt.Key.Key_Comma, SHIFT)
    QTest.keyClick(panel, Qt.Key.Key_Right)
    assert heard.of("nudge_wanted") == [("stop", 1), ("start", -10), ("start", 1)]
    assert "The start has focus." in panel.accessibleDescription()


def test_tab_goes_over_the_edges(panel: Timeline) -> None:
    panel.show_span("two", 50, 60)
    panel.setFocus()
    edges = []
    for _ in range(3):
        edges.append(panel._shown.edge)
        QTest.keyClick(panel, Qt.Key.Key_Tab)
    assert edges == [None, "start", "stop"]
    assert panel._shown.edge is None
    assert not panel.hasFocus()


def test_zoom_keys(panel: Timeline) -> None:
    start = panel.view
    QTest.keyClick(panel, Qt.Key.Key_Plus)
    assert panel.view.pixels_per_second == pytest.approx(start.pixels_per_second * 1.5)
    QTest.keyClick(panel, Qt.Key.Key_Minus)
    assert panel.view.pixels_per_second == pytest.approx(start.pixels_per_second)
    panel.show_span("two", 50, 60)
    QTest.keyClick(panel, Qt.Key.Key_E, CONTROL)
    close = panel.view
    assert close.shows(4.5)
    assert close.seconds < 1
    QTest.keyClick(panel, Qt.Key.Key_0, CONTROL)
    assert panel.view.shows(0)
    assert panel.view.stop >= 10
    QTest.keyClick(panel, Qt.Key.Key_Z, SHIFT)
    assert panel.view == close


def test_zoom_ends_where_all_is_seen(panel: Timeline) -> None:
    for _ in range(40):
        QTest.keyClick(panel, Qt.Key.Key_Minus)
    assert 10 < panel.view.seconds < 20


def test_other_keys_belong_to_the_window(panel: Timeline, qtbot: QtBot) -> None:
    pressed: list[str] = []
    for keys in ("Space", "Left", "Ctrl+E", "M"):
        action = QAction(panel)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda *_, keys=keys: pressed.append(keys))
        panel.addAction(action)
    panel.activateWindow()
    panel.setFocus()
    qtbot.waitUntil(panel.hasFocus)
    QTest.keyClick(panel.windowHandle(), Qt.Key.Key_Space)
    QTest.keyClick(panel.windowHandle(), Qt.Key.Key_Left)
    QTest.keyClick(panel.windowHandle(), Qt.Key.Key_E, CONTROL)
    QTest.keyClick(panel.windowHandle(), Qt.Key.Key_M)
    assert pressed == ["Space", "M"]


def test_a_drag_in_a_gap_changes_the_pause(panel: Timeline, heard: Heard) -> None:
    first, second = panel._shown.clips[1:3]
    assert second.start > first.stop
    middle = (first.stop + second.start) / 2
    drag(panel, at(panel, middle, 60), at(panel, middle + 0.5, 60))
    asked = heard.of("pause_wanted")
    before = round((second.start - first.stop) * 1000)
    assert {line_id for line_id, _, _ in asked} == {first.line_id}
    assert abs(asked[-1][1] - before - 500) <= 20
    assert [ended for _, _, ended in asked] == [False] * (len(asked) - 1) + [True]


def test_a_drag_in_a_gap_stays_within_reason_and_can_be_given_up(panel: Timeline, heard: Heard) -> None:
    first, second = panel._shown.clips[1:3]
    middle = at(panel, (first.stop + second.start) / 2, 60)
    QTest.mousePress(panel, LEFT, NONE, middle)
    panel._gestures.move(-1e7, snap=True)
    assert heard.of("pause_wanted")[-1][1:] == (-20_000, False)
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    assert len(heard.of("pause_given_up")) == 1


def test_a_click_in_a_gap_seeks(panel: Timeline, heard: Heard) -> None:
    first, second = panel._shown.clips[1:3]
    QTest.mouseClick(panel, LEFT, NONE, at(panel, (first.stop + second.start) / 2, 60))
    assert len(heard.of("seek_wanted")) == 1
    assert not heard.of("pause_wanted")


def test_a_click_on_the_ribbon_chooses_the_doubt(panel: Timeline, heard: Heard) -> None:
    clip = next(each for each in panel._shown.clips if each.ribbon is not None)
    box = panel._shown.lane_of(clip)
    QTest.mouseClick(panel, LEFT, NONE, at(panel, clip.start + 10.5 * clip.frame_seconds, box.ribbon_top + 2))
    assert heard.of("doubt_clicked") == [(clip.line_id, 10)]


def test_drift_is_a_thin_ribbon_under_that_of_doubt(panel: Timeline) -> None:
    """Good where it is its voice, danger where it is another."""
    _, two, _ = clips()
    drift = np.repeat(np.array([0.0, 1.0], np.float32), 40)
    panel.show_clips((clips()[0], replace(two, drift=drift), clips()[2]))
    clip = next(each for each in panel._shown.clips if each.drift is not None)
    box = panel._shown.lane_of(clip)
    picture = panel.grab().toImage()

    def warmth(shown: QImage, frame: float) -> int:
        """How much more red than green there is under the ribbon of doubt."""
        x = HEADS + round(panel.view.x(clip.start + frame * clip.frame_seconds))
        colour = shown.pixelColor(x, box.drift_top + 1)
        return colour.red() - colour.green()

    assert box.drift_top > box.ribbon_top
    assert warmth(picture, 20) < -30
    assert warmth(picture, 60) > 30
    panel.show_clips(clips())
    without = panel.grab().toImage()
    assert abs(warmth(without, 20)) < 20
    assert abs(warmth(without, 60)) < 20


def test_levels_are_dragged_and_reset(panel: Timeline, heard: Heard) -> None:
    gain = panel._heads.heads[0].gain
    drag(gain, QPoint(20, 10), QPoint(20, -10))
    assert heard.of("gain_wanted")[-2][:2] == ("Mira", 2.0)
    assert heard.of("gain_wanted")[-1][2]
    panel.show_lanes((Lane("Mira", 0, gain_db=2.0), Lane("Tom", 1)))
    QTest.mouseDClick(gain, LEFT, NONE, QPoint(20, 10))
    assert ("Mira", 0.0, True) in heard.of("gain_wanted")


def test_a_swipe_over_a_take_takes_a_stretch_of_it(panel: Timeline, heard: Heard) -> None:
    clip = panel._shown.clips[1]
    panel.show_take_lanes(clip.line_id, (TakeLane(1, "a", 3.0, None), TakeLane(2, "b", 3.0, None, kept=True)))
    panel._takes_head.setChecked(True)
    row = panel._shown.layout.take_rows[0] + 8
    drag(panel, at(panel, clip.start + 1.0, row), at(panel, clip.start + 2.0, row))
    (asked,) = heard.of("comp_wanted")
    assert asked[0] == "a"
    assert abs(asked[1] - 1.0) < 0.02
    assert abs(asked[2] - 2.0) < 0.02
    assert panel._shown.swiped is None
    drag(panel, at(panel, clip.start + 2.5, row), at(panel, clip.start + 9.0, row))
    assert heard.of("comp_wanted")[-1][2] == 3.0
    kept = panel._shown.layout.take_rows[1] + 8
    drag(panel, at(panel, clip.start + 1.0, kept), at(panel, clip.start + 2.0, kept))
    assert len(heard.of("comp_wanted")) == 2
    QTest.mouseClick(panel, LEFT, NONE, at(panel, clip.start + 1.0, row))
    assert heard.of("take_chosen")[-1] == ("a",)


def test_the_switches_wish_and_show_what_is_so(panel: Timeline, qtbot: QtBot) -> None:
    assert {name: switch.isChecked() for name, switch in panel.modes.switches.items()} == {
        "spectrogram": False, "ripple": True, "follow": True,
    }  # fmt: skip
    with qtbot.waitSignal(panel.mode_wanted) as wish:
        qtbot.mouseClick(panel.modes.switches["ripple"], LEFT)
    assert wish.args == ["ripple"]
    assert panel.modes.switches["ripple"].isChecked()  # until it is so
    panel.show_modes(False, False, True)
    assert not panel.modes.switches["ripple"].isChecked()


def test_a_view_that_does_not_follow_stays(panel: Timeline) -> None:
    panel.zoom(20, 0)
    panel.show_modes(False, True, False)
    start = panel.view.start
    for tenth in range(100):
        panel.show_playhead(tenth / 10)
    assert panel.view.start == start
    panel.show_modes(False, True, True)
    panel.show_playhead(2.0)
    assert panel.view.shows(2.0)


def canvas(panel: Timeline) -> QImage:
    return panel.grab(panel.rect().adjusted(HEADS, 0, 0, 0)).toImage()


def test_spectrograms_are_wished_for_where_they_are_seen_and_shown(panel: Timeline, qtbot: QtBot) -> None:
    before = canvas(panel)
    with qtbot.waitSignal(panel.spectra_wanted) as wish:
        panel.show_modes(True, True, True)
        panel.repaint()
    (wanted,) = wish.args
    assert [each.seconds for each in wanted] == [4.0, 2.0]
    assert canvas(panel) == before  # as waves, until they are there
    with qtbot.assertNotEmitted(panel.spectra_wanted, wait=30):
        for each in wanted:
            panel.show_spectrum(each, np.full((64, round(each.seconds * 100)), 200, np.uint8), 100)
        panel.repaint()
    assert canvas(panel) != before
    panel.show_modes(False, True, True)
    assert canvas(panel) == before


def warned(panel: Timeline) -> int:
    """How many pixels are of the colour of warnings."""
    image = panel.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    seen = np.frombuffer(image.constBits(), np.uint32) & 0xFFFFFF
    return int((seen == int(theme.DARK.warning.removeprefix("#"), 16)).sum())


def test_why_a_clip_cannot_be_heard_stands_where_its_wave_would(panel: Timeline) -> None:
    clip = TimelineClip("one", 1, "Tom", 1, 0.0, 4.0, None, frame_seconds=FRAME)
    panel.show_clips((clip,))
    assert warned(panel) == 0
    panel.show_clips((replace(clip, mute="made with another voice model"),))
    assert warned(panel) > 0
    panel.show_clips((replace(clip, wave=wave(4.0), mute="made with another voice model"),))
    assert warned(panel) > 0


def test_a_word_gives_way_to_the_one_before_within_its_own_frames(panel: Timeline) -> None:
    """Of words that are closer than their letters are wide, as many are seen as stand on frames of their own."""
    words = (("nothing", 0.0, 0.1), ("answer", 0.1, 1.0), ("my", 0.3, 0.31), ("question", 1.5, 2.0))
    panel.show_clips((replace(clips()[1], words=words),))
    view = panel._shown.view
    layer = Layer(QPainter(), panel._shown, WaveColumns(), 0, round(view.width), 1.0)
    (clip,) = panel._shown.clips
    told = {text: x - view.x(clip.start) for _, text, x, _ in _words_that_fit(layer, clip, math.inf)}
    assert list(told) == ["nothing", "answer", "question"]
    scale = view.pixels_per_second
    assert 0.1 * scale < told["answer"] < scale
    assert told["question"] == pytest.approx(1.5 * scale)
    tight = [text for _, text, _, _ in _words_that_fit(layer, clip, view.x(clip.start) + 20)]
    assert tight == ["nothing", "question"]
