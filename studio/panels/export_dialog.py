"""Export: what of the scene, and where to."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from studio import theme
from studio.controls import KeyButton, label


class ExportKind(enum.Enum):
    """What is written; the value is what the dialog says."""

    SCENE = "The scene as one WAV"
    LINES = "Every line as a WAV of its own"


class ExportDialog(QDialog):
    """Stays open while the files are written, then shows where they are."""

    export_wanted = Signal(object, object)

    def __init__(
        self, scene: str, folder: Path, file_name: Callable[[str], str], parent: QWidget | None = None
    ) -> None:
        """`scene` is the title of the scene that is exported, `folder` where exports go by default, and `file_name`
        makes the name of a file of a title."""
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.setMinimumWidth(480)
        self._scene, self._plain = scene, folder / file_name(scene or "Scene")  # without a suffix
        self._suggested = ""
        self._kinds = QButtonGroup(self)
        self.path = QLineEdit()
        self.path.setFont(theme.font(13))
        self.path.setAccessibleName("Where to")
        self.path.setToolTip("Where the export is written")
        self.browse = KeyButton("Browse…", tip="Choose where to")
        self.credits = QCheckBox("Write who allowed the voices into the files")
        self.credits.setFont(theme.font(13))
        self.credits.setToolTip("Permission, origin and end, as the voice library has them, as a comment")
        self.said = label("", 12, tone="muted")
        self.said.setWordWrap(True)
        self.show_folder = KeyButton("Show in folder", icon="folder-open")
        self.cancel = KeyButton("Close")
        self.export = KeyButton("Export", "Enter", kind="filled")
        self.export.setDefault(True)
        self._written: Path | None = None
        self._lay()
        self._connect()
        self._suggest()

    def _lay(self) -> None:
        stack = QVBoxLayout(self)
        stack.setContentsMargins(16, 16, 16, 16)
        stack.setSpacing(8)
        heading = label(f"Export “{self._scene}”", 13, 600)
        heading.setWordWrap(True)
        stack.addWidget(heading)
        for number, kind in enumerate(ExportKind):
            button = QRadioButton(kind.value)
            button.setFont(theme.font(13))
            button.setChecked(number == 0)
            self._kinds.addButton(button, number)
            stack.addWidget(button)
        stack.addSpacing(4)
        stack.addWidget(label("Where to", 12, tone="muted"))
        where = QHBoxLayout()
        where.addWidget(self.path, 1)
        where.addWidget(self.browse)
        stack.addLayout(where)
        stack.addWidget(self.credits)
        stack.addWidget(self.said)
        verbs = QHBoxLayout()
        verbs.addWidget(self.show_folder)
        verbs.addStretch(1)
        verbs.addWidget(self.cancel)
        verbs.addWidget(self.export)
        stack.addSpacing(8)
        stack.addLayout(verbs)
        self.show_folder.hide()

    def _connect(self) -> None:
        self._kinds.idClicked.connect(self._suggest)
        self.browse.clicked.connect(self._browse)
        self.export.clicked.connect(self._want)
        self.cancel.clicked.connect(self.reject)
        self.show_folder.clicked.connect(self._show_in_folder)
        self.path.textChanged.connect(self._allow)

    def kind(self) -> ExportKind:
        return list(ExportKind)[self._kinds.checkedId()]

    def show_missing(self, lines: Sequence[int], foreign: Sequence[int] = ()) -> None:
        """The numbers of the lines that have words but no take yet, and of those whose take only another voice model
        can make sound: they will be silent."""
        said = []
        if lines:
            said.append(f"{_these(lines, 'has', 'have')} no take yet and will be left silent.")
        if foreign:
            said.append(f"{_these(foreign, 'was', 'were')} made with another voice model and will be left silent.")
        self.said.setText("\n".join(said))

    def show_busy(self) -> None:
        """The files are being written."""
        self.export.setEnabled(False)
        self.said.setText("Writing…")

    def show_done(self, path: Path, files: int = 1, beyond_db: float = 0.0) -> None:
        """They are written; `path` is the file, or the folder of the files, `beyond_db` how much was too loud."""
        self._written = path
        said = f"Wrote {path}" if files == 1 else f"Wrote {files} files to {path}"
        if beyond_db:
            said += f"\nIts loudest place is {beyond_db:.1f} dB too loud and was cut off: lower a level."
        self.said.setText(said)
        self.show_folder.show()
        self.show_folder.setFocus()
        self._allow()

    def show_failed(self) -> None:
        """Nothing was written; the problem itself is told in the window."""
        self.said.setText("Nothing was written.")
        self._allow()

    @Slot()
    def _suggest(self) -> None:
        """A place for what is exported, unless the user has named one."""
        if self.path.text() != self._suggested:
            return
        scene = self.kind() is ExportKind.SCENE
        self._suggested = str(self._plain.with_name(f"{self._plain.name}.wav") if scene else self._plain)
        self.path.setText(self._suggested)

    @Slot()
    def _browse(self) -> None:
        if self.kind() is ExportKind.SCENE:
            unasked = QFileDialog.Option.DontConfirmOverwrite  # that is asked when it is written
            path, _ = QFileDialog.getSaveFileName(self, "Export to", self.path.text(), "WAV (*.wav)", "", unasked)
        else:
            path = QFileDialog.getExistingDirectory(self, "Export to the folder", str(Path(self.path.text()).parent))
        if path:
            self.path.setText(path)

    @Slot()
    def _want(self) -> None:
        path = Path(self.path.text().strip()).expanduser()
        if self.kind() is ExportKind.SCENE and path.suffix.lower() != ".wav":
            path = path.with_name(path.name + ".wav")
        self.export_wanted.emit(self.kind(), path)

    @Slot()
    def _allow(self) -> None:
        self.export.setEnabled(bool(Path(self.path.text().strip()).name))

    @Slot()
    def _show_in_folder(self) -> None:
        if self._written is not None:
            folder = self._written if self._written.is_dir() else self._written.parent
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _these(lines: Sequence[int], one: str, more: str) -> str:
    numbers = ", ".join(map(str, lines[:8])) + ("…" if len(lines) > 8 else "")
    return f"Line {numbers} {one}" if len(lines) == 1 else f"Lines {numbers} {more}"
