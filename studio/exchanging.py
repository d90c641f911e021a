"""What goes to and comes from other projects and programs: merging in, collecting into a folder, takes from files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from engine.errors import TakeFileError
from engine.request import Take
from engine.take_file import read_take
from studio.document.collect import Sound, collect
from studio.document.file import Loaded, load
from studio.document.merge import Wanted, merge, shared_lines
from studio.exporting import file_name
from studio.panels.merge_dialog import MergeChoice, MergeDialog
from studio.paperwork import PROJECTS, Paperwork, without_sounds
from studio.session import Session

TAKES = "Takes (*.take)"


class Exchanging(QObject):
    """Asks what and where, and works on the file thread."""

    problem = Signal(object, str)  # an error, and what failed
    said = Signal(str)

    def __init__(self, window: QWidget, session: Session, paperwork: Paperwork) -> None:
        super().__init__(window)
        self._window, self._session, self._paperwork = window, session, paperwork

    # From another project

    def merge(self) -> None:
        """Choose another project, then what of it."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Merge in from", str(self._folder()), PROJECTS)
        if path:
            self._session.on_files("read the other project", partial(load, Path(path)), self._choose)

    def _choose(self, loaded: Loaded) -> None:
        other = loaded.history.project
        shared = shared_lines(self._session.project, other)
        scenes = tuple((scene.title, tuple((line.id, line.text) for line in scene.lines)) for scene in other.scenes)
        choice = MergeChoice(other.title, scenes, tuple(voice.name for voice in other.voices), shared)
        dialog = MergeDialog(choice, self._window)
        dialog.merge_wanted.connect(partial(self._merge, loaded))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _merge(self, loaded: Loaded, wanted: Wanted) -> None:
        session, other = self._session, loaded.history.project
        edit = merge(session.project, other, wanted)
        named = {take for scene in edit.scenes for line in scene.lines for take in line.takes}
        named |= {take for _, takes in edit.takes for take in takes}
        session.bring_in(edit, tuple(take for take in loaded.takes if take.id in named))
        self.said.emit(f"Merged in from “{other.title}”")

    # A take from a file

    def import_takes(self) -> None:
        """Takes that the command line wrote become takes of the chosen line."""
        line = self._session.line
        if line is None:
            return
        paths, _ = QFileDialog.getOpenFileNames(self._window, "Add takes from files", str(self._folder()), TAKES)
        for path in map(Path, paths):
            self._session.on_files(
                f"read {path.name}", partial(read_take, path), partial(self._add_take, line.id, path)
            )

    def _add_take(self, line_id: str, path: Path, take: Take) -> None:
        opened = self._session.engine
        if opened is not None and not opened.may_read(take):
            error = TakeFileError(
                f"{path.name} was made with another voice model, whose codes mean other sounds.", path
            )
            self.problem.emit(error, "add the take")
            return
        self._session.add_takes(line_id, (take,), "Add take from a file")

    # A folder that anybody can read

    def collect(self) -> None:
        """Choose where; the folder is called as the project is."""
        session = self._session
        parent = QFileDialog.getExistingDirectory(self._window, "Collect into a folder in", str(self._folder()))
        if not parent:
            return
        folder = Path(parent) / file_name(session.project.title)
        history, takes, sounds = session.history, session.store.takes(), self._sounds()
        missing = sum(session.kept(line) is not None for line in session.project.lines()) - len(sounds)
        done = f"Collected into {folder}{without_sounds(missing)}"
        work = partial(collect, folder, history, takes, sounds)
        self._session.on_files("collect the project", work, lambda _: self.said.emit(done))

    def _sounds(self) -> list[Sound]:
        """How the lines sound that do, numbered through all scenes."""
        session, sounds = self._session, []
        for number, line in enumerate(session.project.lines(), 1):
            held = session.print_of(line.kept)
            if held is not None:
                sounds.append(Sound(f"{number:03d} {file_name(line.character)}", held.rate, held.samples))
        return sounds

    def open_folder(self) -> None:
        """Open what was collected into a folder; it has no file before it is saved."""
        if not self._paperwork.may_leave():
            return
        folder = QFileDialog.getExistingDirectory(self._window, "Open a collected folder", str(self._folder()))
        if folder:
            self._session.open_folder(Path(folder))

    def _folder(self) -> Path:
        return self._session.path.parent if self._session.path else Path.home()
