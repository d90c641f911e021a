from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio import theme
from studio.panels.candidates import CandidateChip, CandidatesPanel, LengthMode, score_colour

SCORES = {"A": 0.94, "B": 0.91, "C": 0.88, "D": 0.83, "E": 0.71, "F": None}
CHIPS = tuple(CandidateChip(name, score) for name, score in SCORES.items())


@pytest.fixture
def panel(qtbot: QtBot) -> CandidatesPanel:
    made = CandidatesPanel()
    qtbot.addWidget(made)
    made.resize(296, 240)
    made.show()
    made.show_span("secret", (41, 52), 0.51)
    made.show_candidates(CHIPS, 0)
    made.show_joins(True)
    return made


def test_a_span_says_its_words_frames_and_length(panel: CandidatesPanel) -> None:
    assert panel.title.accessibleName() == "“secret”"
    assert panel.facts.text() == "frames 41–52 · 0.51 s"


def test_the_verbs_are_wishes(panel: CandidatesPanel, qtbot: QtBot) -> None:
    for button, wish in (
        (panel.regenerate, panel.regenerate_wanted),
        (panel.joins, panel.joins_wanted),
        (panel.keep, panel.keep_wanted),
    ):
        with qtbot.waitSignal(wish):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_click_chooses_one(panel: CandidatesPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.candidate_chosen) as wish:
        qtbot.mouseClick(panel.chips[2], Qt.MouseButton.LeftButton)
    assert wish.args == [2]
    assert [chip.isChecked() for chip in panel.chips] == [False, False, True, False, False, False]


def test_space_chooses_and_plays(panel: CandidatesPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.candidate_auditioned) as heard, qtbot.waitSignal(panel.candidate_chosen) as chosen:
        qtbot.keyClick(panel.chips[1], Qt.Key.Key_Space)
    assert heard.args == chosen.args == [1]


def test_a_candidate_in_the_making_cannot_be_chosen(panel: CandidatesPanel, qtbot: QtBot) -> None:
    assert not panel.chips[5].isEnabled()
    assert panel.chips[5].accessibleName() == "Candidate F, not ready"


def test_candidates_after_which_nothing_is_kept_are_chosen_by_how_they_fit(panel: CandidatesPanel) -> None:
    panel.show_candidates((CandidateChip("A", 0.3, joined=False), CandidateChip("B", 0.2, joined=False)), 0)
    assert panel.chips[1].isEnabled()
    assert panel.chips[1].accessibleName() == "Candidate B, fit 0.20"
    assert not panel.widen.isVisible()


def test_fewer_and_more_candidates(panel: CandidatesPanel) -> None:
    panel.show_candidates(CHIPS[:2], None)
    assert len(panel.chips) == 2
    assert not panel.keep.isEnabled()
    panel.show_candidates(CHIPS * 2, 7)
    assert len(panel.chips) == 12
    assert panel.chips[7].isChecked()


def test_of_a_locked_line_nothing_is_made(panel: CandidatesPanel) -> None:
    panel.show_span("secret", (41, 52), 0.51, locked=True)
    assert not panel.regenerate.isEnabled()
    assert "locked" in panel.hint.text()
    panel.show_span("secret", (41, 52), 0.51)
    assert panel.regenerate.isEnabled()


def test_nothing_chosen_says_what_to_do(panel: CandidatesPanel) -> None:
    panel.show_nothing()
    assert panel.hint.isVisible()
    assert not panel.regenerate.isEnabled()
    assert not panel.chips


def test_the_shimmer_runs_only_while_busy_and_seen(panel: CandidatesPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theme, "reduced_motion", lambda: False)
    panel.show_busy(0.5)
    assert panel.shimmer.isActive()
    panel.hide()
    assert not panel.shimmer.isActive()
    panel.show()
    assert panel.shimmer.isActive()
    panel.show_busy(None)
    assert not panel.shimmer.isActive()


def test_no_shimmer_where_less_motion_is_asked_for(panel: CandidatesPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theme, "reduced_motion", lambda: True)
    panel.show_busy(0.5)
    assert not panel.shimmer.isActive()
    panel.grab()


def test_how_many_and_how_long(panel: CandidatesPanel, qtbot: QtBot) -> None:
    panel.show_options(6, LengthMode.FREE)
    panel.open_options()
    menu = panel.findChild(QMenu)
    assert menu is not None
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["6 candidates", "Any length"]
    with qtbot.waitSignal(panel.options_changed) as wish:
        next(action for action in menu.actions() if action.text() == "Exactly as long").trigger()
    assert wish.args == [6, LengthMode.EXACTLY]
    menu.close()


def test_scores_have_their_colours() -> None:
    palette = theme.current()
    assert score_colour(0.86) == QColor(palette.good)
    assert score_colour(0.85) == QColor(palette.warning)
    assert score_colour(0.65) == QColor(palette.danger)


def test_where_nothing_joins_well_it_says_so(panel: CandidatesPanel, qtbot: QtBot) -> None:
    panel.show_span("door", (10, 20), 0.46)
    panel.show_candidates((CandidateChip("A", 0.2), CandidateChip("B", 0.1)), 0)
    assert panel.widen.isVisible()
    assert "join" in panel.hint.text()
    with qtbot.waitSignal(panel.widen_wanted):
        panel.widen.click()
    panel.show_candidates((CandidateChip("A", 0.9), CandidateChip("B", 0.1)), 0)
    assert not panel.widen.isVisible()
    assert not panel.hint.isVisible()
