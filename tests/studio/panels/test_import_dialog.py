"""What was read is looked at before it becomes anything."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from studio.document.manuscript import Action, Heading, Manuscript, Prose, Remarks, Speech
from studio.document.project import Project
from studio.panels.import_dialog import ImportDialog

ROWS = (
    Heading("Pier"),
    Action("A boat."),
    Speech("MIRA", "Who is there?", ((0, "tired"),)),
    Prose("TOM: Me.\n\nTOM: Again."),
)


def test_choices_change_what_is_seen_and_what_comes_in(qtbot: QtBot) -> None:
    dialog = ImportDialog(Manuscript("The Lighthouse", ROWS, ("Read as cp1252, which was guessed.",)))
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.summary.text() == "1 scene, 3 lines: TOM 2, MIRA 1"
    assert dialog.notices.isVisible()
    dialog.action.click()
    dialog.remarks.setCurrentIndex(list(Remarks).index(Remarks.DIRECTIONS))
    assert len(dialog.rows.rows.rows) == 5
    dialog.add.click()
    told: list[tuple[Project, bool]] = []
    dialog.project_wanted.connect(lambda *wish: told.append(wish))
    dialog.take.click()
    ((project, into_this),) = told
    assert into_this
    assert [line.character for line in project.lines()] == ["Narrator", "MIRA", "TOM", "TOM"]
    assert project.lines()[1].direction == "tired"


def test_nothing_to_import_cannot_be(qtbot: QtBot) -> None:
    dialog = ImportDialog(Manuscript("Nothing", (Action("A boat."),)))
    qtbot.addWidget(dialog)
    assert not dialog.take.isEnabled()
    assert dialog.summary.text() == "There are no lines in it."
