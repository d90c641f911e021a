from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from studio.panels.voices import VoiceRow, VoicesPanel

VOICES = (
    VoiceRow("heart", np.array([[-0.5, 0.5], [-1.0, 1.0]], dtype=np.float32)),
    VoiceRow("joe"),
    VoiceRow("Grandfather", None, "62 %", ready=False),
)


@pytest.fixture
def panel(qtbot: QtBot) -> VoicesPanel:
    made = VoicesPanel()
    qtbot.addWidget(made)
    made.resize(232, 400)
    made.show()
    made.show_voices(VOICES)
    return made


def names(panel: VoicesPanel) -> list[str]:
    return [row.name for row in panel.rows.rows.rows]


def test_search_narrows(panel: VoicesPanel, qtbot: QtBot) -> None:
    assert panel.search.placeholderText() == "Search 3 voices"
    qtbot.keyClicks(panel.search, "GRAND")
    assert names(panel) == ["Grandfather"]
    qtbot.keyClicks(panel.search, "mother")
    assert names(panel) == []
    assert panel.none.text() == "No voice is called “GRANDmother”."
    panel.search.clear()
    assert len(names(panel)) == 3


def test_space_and_a_double_click_play(panel: VoicesPanel, qtbot: QtBot) -> None:
    panel.rows.setCurrentIndex(panel.rows.rows.index(1))
    with qtbot.waitSignal(panel.audition_wanted) as wish:
        qtbot.keyClick(panel.rows, Qt.Key.Key_Space)
    assert wish.args == ["joe"]
    place = panel.rows.visualRect(panel.rows.rows.index(0)).center()
    with qtbot.waitSignal(panel.audition_wanted) as wish:
        qtbot.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseDClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wish.args == ["heart"]


def test_progress_keeps_the_chosen_row(panel: VoicesPanel) -> None:
    panel.rows.setCurrentIndex(panel.rows.rows.index(2))
    panel.show_voices((*VOICES[:2], VoiceRow("Grandfather", None, "ready")))
    current = panel.rows.current_row()
    assert current is not None
    assert (current.name, current.state) == ("Grandfather", "ready")


def test_none_says_what_to_do(panel: VoicesPanel, qtbot: QtBot) -> None:
    panel.show_voices(())
    assert panel.none.isVisible()
    assert panel.search.isHidden()
    with qtbot.waitSignal(panel.add_voice_wanted):
        panel.add.click()


def drop(paths: list[str]) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return data


def offered(panel: VoicesPanel, data: QMimeData) -> bool:
    """Whether the panel takes what is dragged over it."""
    enter = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        QEvent.Type.DragEnter,
    )
    enter.ignore()
    panel.dragEnterEvent(enter)  # type: ignore[arg-type]
    return enter.isAccepted()


def test_audio_files_are_dropped(panel: VoicesPanel, qtbot: QtBot) -> None:
    data = drop(["/voices/ada.wav", "/voices/notes.txt", "/voices/Bob.FLAC"])
    copy, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    assert offered(panel, data)
    panel.grab()
    with qtbot.waitSignal(panel.files_dropped) as wish:
        panel.dropEvent(QDropEvent(QPointF(5, 5), copy, data, button, none))
    assert wish.args == [["/voices/ada.wav", "/voices/Bob.FLAC"]]


def test_other_files_are_not(panel: VoicesPanel) -> None:
    assert not offered(panel, drop(["/voices/notes.txt"]))
