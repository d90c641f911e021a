"""What was read from a foreign file comes into the open project, whole."""

from __future__ import annotations

from studio.app import App
from studio.document.manuscript import Manuscript, Speech, arranged


def test_names_that_no_script_can_write_come_in_as_names(app: App) -> None:
    speeches = (Speech("MIRA:", "Hello."), Speech("Dr. <X>", "No."), Speech(":", "Why?"))
    app.window.importing._bring_in(arranged(Manuscript("Pier", speeches)), True)
    assert [character.name for character in app.session.project.cast] == ["Mira", "Dr. X", "Narrator"]
    app.session.undo()
    assert [line.text for line in app.session.project.lines()] == ["Where did they go?"]
