from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from studio import theme
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
    assert panel.none.text() == "No voice goes by “GRANDmother”."
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


LIBRARY = (
    VoiceRow("Ada", state="ready", detail="English · 9.4 s", about="English warm", folder="Play", favourite=True,
             in_library=True),
    VoiceRow("Bob", state="no words", ready=False, folder="Film", in_library=True),
    VoiceRow("Cleo", in_library=True, caution="permission ended"),
    VoiceRow("joe", detail="Came with the voice model"),
)  # fmt: skip


def test_folders_and_favourites_narrow(panel: VoicesPanel, qtbot: QtBot) -> None:
    assert panel.folder.isHidden()
    panel.show_voices(LIBRARY)
    shown = [panel.folder.itemText(place) for place in range(panel.folder.count())]
    assert shown == ["All voices", "Favourites", "Film", "Play"]
    panel.folder.setCurrentText("Favourites")
    assert names(panel) == ["Ada"]
    panel.folder.setCurrentText("Film")
    assert names(panel) == ["Bob"]
    panel.show_voices(LIBRARY[:1] + LIBRARY[2:])  # the folder is gone
    assert panel.folder.currentText() == "All voices"
    assert len(names(panel)) == 3
    qtbot.keyClicks(panel.search, "warm engl")
    assert names(panel) == ["Ada"]


def test_the_star_and_the_wave_act_by_themselves(panel: VoicesPanel, qtbot: QtBot) -> None:
    panel.show_voices(LIBRARY)
    row = panel.rows.visualRect(panel.rows.rows.index(0))
    parts = panel._painter.parts(row, LIBRARY[0])
    with qtbot.waitSignal(panel.favourite_wanted) as wish:
        qtbot.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=parts["star"].center())
    assert wish.args == ["Ada", False]
    with qtbot.waitSignal(panel.audition_wanted) as wish:
        qtbot.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=parts["wave"].center())
    assert wish.args == ["Ada"]
    assert "star" not in panel._painter.parts(row, LIBRARY[3])


def test_keys_edit_and_delete(panel: VoicesPanel, qtbot: QtBot) -> None:
    panel.show_voices(LIBRARY)
    panel.rows.setCurrentIndex(panel.rows.rows.index(1))
    with qtbot.waitSignal(panel.edit_wanted) as wish:
        qtbot.keyClick(panel.rows, Qt.Key.Key_E)
    assert wish.args == ["Bob"]
    with qtbot.waitSignal(panel.delete_wanted) as wish:
        qtbot.keyClick(panel.rows, Qt.Key.Key_Delete)
    assert wish.args == ["Bob"]
    panel.rows.setCurrentIndex(panel.rows.rows.index(3))
    with qtbot.assertNotEmitted(panel.delete_wanted):
        qtbot.keyClick(panel.rows, Qt.Key.Key_Delete)


def test_a_right_click_asks_for_the_menu(panel: VoicesPanel, qtbot: QtBot) -> None:
    panel.show_voices(LIBRARY)
    place = panel.rows.visualRect(panel.rows.rows.index(2)).center()
    with qtbot.waitSignal(panel.menu_wanted) as wish:
        panel.rows.customContextMenuRequested.emit(place)
    assert wish.args[0] == "Cleo"


def test_cards_show_more_and_paint(panel: VoicesPanel) -> None:
    panel.show_voices(LIBRARY)
    low = panel.rows.visualRect(panel.rows.rows.index(0)).height()
    panel.cards.click()
    assert panel.rows.visualRect(panel.rows.rows.index(0)).height() > low
    panel.grab()
    panel.cards.click()
    assert panel.rows.visualRect(panel.rows.rows.index(0)).height() == low
    panel.grab()


def test_tips_say_what_is_amiss(panel: VoicesPanel) -> None:
    tip = panel._painter.tip
    assert tip(LIBRARY[0], None).splitlines()[0] == "Play Ada (Space)"
    assert tip(LIBRARY[1], None).splitlines()[0] == "Bob: no words"
    assert tip(LIBRARY[2], None).splitlines()[0] == "Cleo: permission ended"
    assert tip(LIBRARY[0], "star") == "Take it from the favourites"


def test_five_hundred_voices_are_searched_without_delay(panel: VoicesPanel, qtbot: QtBot) -> None:
    many = tuple(VoiceRow(f"Voice {number}", about="English", in_library=True) for number in range(500))
    panel.show_voices(many)
    qtbot.keyClicks(panel.search, "voice 49")
    assert len(names(panel)) == 15
    assert panel.rows.sizeHint().height() < 600
    panel.search.clear()
    assert len(names(panel)) == 500


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
    data = drop(["/voices/ada.wav", "/voices/notes.txt", "/voices/Bob.FLAC", "/voices/c.voice"])
    copy, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    assert offered(panel, data)
    panel.grab()
    with qtbot.waitSignal(panel.files_dropped) as wish:
        panel.dropEvent(QDropEvent(QPointF(5, 5), copy, data, button, none))
    assert wish.args == [["/voices/ada.wav", "/voices/Bob.FLAC", "/voices/c.voice"]]


def test_other_files_are_not(panel: VoicesPanel) -> None:
    assert not offered(panel, drop(["/voices/notes.txt"]))


def test_only_what_is_ready_is_green(panel: VoicesPanel) -> None:
    """Also a voice that can be cast because the project carries it waits for its codes."""

    def greens(state: str) -> int:
        panel.show_voices((VoiceRow("Ada", None, state),))
        picture = panel.rows.grab().toImage()
        return sum(
            picture.pixelColor(x, y).name() == theme.current().good.lower()
            for x in range(picture.width())
            for y in range(picture.height())
        )

    assert greens("ready") > 0
    assert greens("waiting") == 0


def test_while_the_voice_model_loads_its_voices_are_waited_for(panel: VoicesPanel) -> None:
    panel.show_voices(())
    assert "Add a clear recording" in panel.none.text()
    panel.show_loading(True)
    assert "being loaded" in panel.none.text()
    panel.show_loading(False)
    panel.show_voices(VOICES)
    assert not panel.none.isVisible()
