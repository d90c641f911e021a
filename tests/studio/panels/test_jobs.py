from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from studio.panels.jobs import JobsBar, JobView, pace


@pytest.fixture
def bar(qtbot: QtBot) -> JobsBar:
    made = JobsBar()
    qtbot.addWidget(made)
    made.resize(1280, 26)
    made.show()
    return made


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (JobView("x"), ""),
        (JobView("x", 0.5, 98.4, 2.2), "98 frames/s · 2 s left"),
        (JobView("x", 0.5, 4.26, 75, 3), "4.3 frames/s · 1 min 15 s left · 3 waiting"),
    ],
)
def test_pace(job: JobView, said: str) -> None:
    assert pace(job) == said


def test_a_job_is_shown_and_cancelled(bar: JobsBar, qtbot: QtBot) -> None:
    bar.show_job(JobView("Generating line 4", 0.48, 98, 2))
    assert bar.words.accessibleName() == "Generating line 4"
    assert bar.progress.share == 0.48
    assert bar.cancel.toolTip() == "Cancel (Esc)"
    with qtbot.waitSignal(bar.cancel_wanted):
        bar.cancel.click()


def test_a_message_waits_for_the_job(bar: JobsBar) -> None:
    bar.show_job(JobView("Generating line 4"))
    bar.show_message("Saved")
    assert bar.words.accessibleName() == "Generating line 4"
    bar.show_job(None)
    assert bar.words.accessibleName() == "Saved"
    assert bar.progress.isHidden()
    assert bar.cancel.isHidden()


def test_what_the_engine_runs_on_gives_way(bar: JobsBar) -> None:
    bar.show_engine("CPU · fp32 · embedded voice · 1.2 GB · 0.21× real time")
    assert bar.minimumSizeHint().width() < 400
