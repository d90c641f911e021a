"""Opening, saving, exporting: what asks the user where, and then works on the file thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from studio.confirming import may_write, path_to_save
from studio.controls import local_files
from studio.document.backups import backups_of
from studio.document.edits import SetKeepsSound
from studio.document.file import ChangedUnderneathError
from studio.document.importers import SUFFIXES
from studio.document.lock import LockedError
from studio.document.manuscript import many
from studio.document.sounds import wanted_sounds
from studio.exporting import Material, Written, export_lines, export_scene, file_name, line_files, material
from studio.file_thread import FileThread
from studio.panels.export_dialog import ExportDialog, ExportKind
from studio.session import Session
from studio.session.filing import Opening
from studio.session.session import OPENING, SAVING

PROJECT = ".retake"
PROJECTS = "Retake project (*.retake)"
OPENABLE = "Retake project or script (*.retake *.txt *.md)"


class Paperwork(QObject):
    """Everything that ends in a file dialog. `window` is what the dialogs stand over."""

    problem = Signal(object, str)  # an error, and what failed
    said = Signal(str)  # a word on what was done, for the bar at the bottom
    script_opened = Signal(object)  # the path of a script

    def __init__(self, window: QWidget, session: Session, files: FileThread) -> None:
        super().__init__(window)
        self._window, self._session, self._files = window, session, files
        self.credits: Callable[[frozenset[str]], str] = _no_credits  # of voices by name
        self._exports: ExportDialog | None = None
        self._material: Material | None = None  # of the open dialog
        self._exporting: int | None = None
        self._exported: set[Path] = set()  # what the open dialog has written: it may write that again
        files.failed.connect(self._file_failed)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    # Projects

    def new(self) -> None:
        if self.may_leave():
            self._session.start()

    def open(self) -> None:
        if not self.may_leave():
            return
        path, _ = QFileDialog.getOpenFileName(self._window, "Open", str(self._folder()), OPENABLE)
        if path:
            self._open(Path(path))

    def _open(self, path: Path) -> None:
        if path.suffix.lower() == PROJECT:
            self._session.open(path)
        else:
            self.script_opened.emit(path)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A project or script that is dropped on the window, where no panel takes it, is opened."""
        if isinstance(event, QDropEvent) and (path := _dropped(event)):
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:  # whoever dropped it waits for us, and must not wait for an answer
                QTimer.singleShot(0, self, partial(self._open_dropped, path))
            return True
        return super().eventFilter(watched, event)

    def _open_dropped(self, path: Path) -> None:
        if self.may_leave():
            self._open(path)

    def open_backup(self) -> None:
        """Open what a project was before it was saved over; it is a copy, and saved where the user says."""
        session = self._session
        if session.backups is None or not self.may_leave():
            return
        kept = backups_of(session.path, session.backups.folder) if session.path is not None else ()
        start = kept[0].parent if kept else session.backups.folder
        path, _ = QFileDialog.getOpenFileName(self._window, "Open a backup", str(start), PROJECTS)
        if path:
            session.open(Path(path), Opening.AS_COPY)

    def save(self) -> None:
        if self._session.path is None or self._session.in_file.read_only:
            self.save_as()
        else:
            self._session.save(self._session.path)

    def save_as(self) -> None:
        suggested = self._folder() / f"{file_name(self._session.project.title)}.retake"
        path = path_to_save(self._window, "Save the project", suggested, PROJECTS, PROJECT)
        if path is not None:
            self._session.save(path)

    def toggle_sound(self) -> None:
        """Whether the file holds how the kept takes sound: for machines where their voice model is not."""
        keeps = not self._session.project.keeps_sound
        self._session.do(SetKeepsSound(keeps))
        if keeps:
            self.said.emit("From the next save on the project can be heard where its voice model is not")
        else:
            self.said.emit("From the next save on the project holds no sound, and is smaller")

    def tell_saved(self, path: Path) -> None:
        """Say that the project is saved, and how many sounds it should keep that were not there yet."""
        session = self._session
        missing = len(set(wanted_sounds(session.project)) - session.in_file.written.sounds)
        self.said.emit(f"Saved {path}{without_sounds(missing)}")

    def may_leave(self) -> bool:
        """Whether the open project may go: it is saved, or the user says so."""
        if not self._session.unsaved:
            return True
        box = QMessageBox(self._window)
        box.setWindowTitle("Retake")
        box.setText(f"“{self._session.project.title}” has changes that are not saved.")
        box.setInformativeText("Save them before going on?")
        save, leave = QMessageBox.StandardButton.Save, QMessageBox.StandardButton.Discard
        box.setStandardButtons(save | leave | QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(save)
        answer = box.exec()
        if answer == save:
            self.save()
            self._files.settle()
            return not self._session.unsaved
        return answer == leave

    def _folder(self) -> Path:
        return self._session.path.parent if self._session.path else Path.home()

    # Export

    def export(self, scene: int) -> None:
        """Ask what and where, then write it; the dialog stays to say where it went."""
        made = material(self._session, scene)
        if made.undecoded:
            if self._session.engineless:
                self.said.emit("The takes of this scene are not decoded yet, and no voice model is loaded to do it.")
            else:
                self.said.emit("The takes of this scene are still being decoded. Export it in a moment.")
            return
        if not made.prints:
            why = "no line of this scene has a take yet"
            if made.foreign:
                why = "the takes of this scene were made with another voice model"
            self.said.emit(f"There is nothing to export: {why}.")
            return
        self._exports, self._exported = ExportDialog(made.title, self._folder(), file_name, self._window), set()
        self._exports.finished.connect(self._exports.deleteLater)
        self._exports.finished.connect(self._end_export)
        self._exports.show_missing(made.silent, made.foreign)
        self._exports.export_wanted.connect(self._write)
        self._material = made
        self._exports.open()

    @Slot(object, object)
    def _write(self, kind: ExportKind, path: Path) -> None:
        made = self._material
        assert self._exports is not None
        assert made is not None
        files = {path} if kind is ExportKind.SCENE else set(line_files(made, path).values())
        if not may_write(self._exports, sorted(files - self._exported)):
            return
        if self._exports.credits.isChecked():
            cast = (self._session.project.character(name) for name in made.names)
            voices = frozenset(each.voice for each in cast if each is not None and each.voice)
            made = replace(made, credits=self.credits(voices))
        work = export_scene if kind is ExportKind.SCENE else export_lines
        self._exports.show_busy()

        def written(done: Written) -> None:
            self._exported |= files
            if self._exports is not None:
                self._exports.show_done(path, done.files, done.beyond_db)
            self.said.emit(f"Wrote {path}")

        self._exporting = self._files.run(lambda: work(made, path), written)

    @Slot()
    def _end_export(self) -> None:
        self._exports = self._material = None

    @Slot(int, object)
    def _file_failed(self, number: int, error: Exception) -> None:
        if number == self._exporting:
            self._exporting = None
            if self._exports is not None:
                self._exports.show_failed()
            self.problem.emit(error, "export")
        else:
            doing = self._files.doing(number)
            if isinstance(error, LockedError | ChangedUnderneathError) and doing in (OPENING, SAVING):
                self._ask_of_others(error, doing)
            else:
                self.problem.emit(error, doing)

    def _ask_of_others(self, error: LockedError | ChangedUnderneathError, doing: str) -> None:
        """Somebody else works on the file: what now?"""
        session, path = self._session, error.path
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle("Retake")
        box.setText(str(error))
        if doing == OPENING:
            box.setInformativeText("Two who save one file would undo each other's work.")
            answers: dict[str, Callable[[], None]] = {
                "Open a copy": partial(session.open, path, Opening.AS_COPY),
                "Open to look": partial(session.open, path, Opening.READ_ONLY),
                "Open anyway": partial(session.open, path, Opening.BY_FORCE),
            }
        else:
            box.setInformativeText("What is there now would be lost. It stays among the backups.")
            answers = {"Save a copy…": self.save_as, "Save over it": partial(session.save, path, True)}
        buttons = {box.addButton(words, QMessageBox.ButtonRole.ActionRole): act for words, act in answers.items()}
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.buttonClicked.connect(lambda button: buttons.get(button, int)())
        box.open()


def without_sounds(missing: int) -> str:
    """What is to be added where so many takes are kept that have no sound yet."""
    return f" without the sound of {many(missing, 'take')}, not decoded yet" if missing else ""


def _dropped(event: QDropEvent) -> Path | None:
    """The one file that is dragged, where it can be opened."""
    files = [Path(file) for file in local_files(event)]
    return files[0] if len(files) == 1 and files[0].suffix.lower() in (PROJECT, *SUFFIXES) else None


def _no_credits(voices: frozenset[str]) -> str:
    return ""
