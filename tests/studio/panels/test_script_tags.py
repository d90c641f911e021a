"""The list that `[` opens, as it is painted."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from studio.document.phrases import PHRASES, SECTIONS, offers
from studio.panels.script_tags import ROWS_SEEN, TagCompletion


def test_the_list_holds_all_sections_and_narrows(qtbot: QtBot) -> None:
    editor = QPlainTextEdit()
    qtbot.addWidget(editor)
    editor.show()
    made = TagCompletion(editor)
    made.show_offers(offers(["my own"], ["sighs"]))
    made.open()
    made.show_for("", QRect(0, 0, 10, 20))
    assert made.phrases[:2] == ("sighs", "my own")
    assert len(made.phrases) == len(PHRASES) + 1
    assert len(made._painter.first) == len(SECTIONS) + 2
    assert made._list.isVisible()
    assert made._list.height() >= ROWS_SEEN * made._painter.height
    made.show_for("whisp", QRect(0, 0, 10, 20))
    assert made.phrases[:2] == ("whispering", "whispers sweetly")
    made.show_for("nothing like that", QRect(0, 0, 10, 20))
    assert not made.is_shown
    made.close()
