"""Bringing in a script from a foreign file: read on the file thread, looked at, and only then made a project."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from studio.casting import Casting, cast_in_turn
from studio.document.edits import AddScene
from studio.document.importers import SUFFIXES, read_manuscript
from studio.document.manuscript import Manuscript, known_by
from studio.document.project import Project
from studio.file_thread import FileThread
from studio.panels.import_dialog import ImportDialog
from studio.paperwork import Paperwork
from studio.session import Session

SCRIPTS = f"Scripts ({' '.join('*' + suffix for suffix in SUFFIXES)})"


class Importing(QObject):
    """`window` is what the dialogs stand over."""

    problem = Signal(object, str)

    def __init__(
        self, window: QWidget, session: Session, casting: Casting, files: FileThread, paperwork: Paperwork
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._casting = window, session, casting
        self._files, self._paperwork = files, paperwork

    def choose(self) -> None:
        """Asks which file."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Import a script", str(Path.home()), SCRIPTS)
        if path:
            self.read(Path(path))

    def read(self, path: Path) -> None:
        """Reads a file; what is in it is shown before anything happens."""
        self._files.run(
            lambda: read_manuscript(path),
            self.look_at,
            lambda error: self.problem.emit(error, f"import {path.name}"),
        )

    def look_at(self, manuscript: Manuscript) -> None:
        dialog = ImportDialog(manuscript, self._window)
        dialog.project_wanted.connect(self._bring_in)
        dialog.open()

    @Slot(object, bool)
    def _bring_in(self, project: Project, into_this: bool) -> None:
        if into_this:
            self._add(project)
        elif self._paperwork.may_leave():
            self._session.start(cast_in_turn(project, self._session.voices()))

    def _add(self, project: Project) -> None:
        """The scenes come to the end of the open project, and who is new in them joins the cast: one step of undo."""
        session = self._session
        project = known_by(project, session.project.cast)
        gesture = ("import", project.title)
        session.end_gesture()
        for scene in project.scenes:
            at = len(session.project.scenes)
            session.do(AddScene(at, scene, f"Import {project.title}"), gesture=gesture)
        for character in project.cast:
            self._casting.add(character.name, gesture)
        session.end_gesture()
