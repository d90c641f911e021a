"""The settings: look, sound, and what the engine runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QDialog, QFileDialog, QGridLayout, QHBoxLayout, QLineEdit, QWidget

from studio import theme
from studio.controls import Choice, KeyButton, label
from studio.layouts import lay_form, separator
from studio.settings import Preferences, Theme

MOST_CANDIDATES = 12

BACKUPS = {0: "At every save", 10: "At most every 10 minutes", 60: "At most every hour", 1440: "At most once a day"}
NO_BACKUPS = "None"

Output = tuple[str, str]
"""An output device: its name and its host API."""


class SettingsDialog(QDialog):
    """Wishes the preferences as changed; what it does not show stays as it was."""

    preferences_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self.setMinimumWidth(520)
        self._preferences = Preferences()
        self._outputs: tuple[Output, ...] = ()
        self._minutes: list[int | None] = []
        self.theme = Choice("Theme")
        self.output = Choice("Output")
        self.device = Choice("Device")
        self.precision = Choice("Precision")
        self.compiled = QCheckBox("Compile the layers for this machine")
        self.candidates = Choice("Candidates for a span")
        self.checkpoint = QLineEdit()
        self.browse = KeyButton("Browse…", tip="Choose the folder of a checkpoint")
        self.embedded = KeyButton("Use embedded voice", tip="Speak with the small voice that comes with Retake")
        self.recogniser = QLineEdit()
        self.browse_recogniser = KeyButton("Browse…", tip="Choose the folder of a Whisper model (CTranslate2)")
        self.listens = QCheckBox("Listen to every take that is made")
        self.second_library = QLineEdit()
        self.browse_library = KeyButton("Browse…", tip="Choose a folder of voices: a library of Retake's, or a copy")
        self.backups = QLineEdit()
        self.browse_backups = KeyButton("Browse…", tip="Choose the folder for backups")
        self.backup_minutes = Choice("How often a backup is made")
        self.cancel = KeyButton("Cancel", tip="Leave all as it was (Esc)")
        self.save = KeyButton("Save", "Enter", kind="filled")
        self.save.setDefault(True)
        self._lay()
        self._connect()
        self._show_backup_minutes(self._preferences.backup_minutes)
        self._follow_checkpoint("")

    def _lay(self) -> None:
        self.theme.addItems([choice.value.capitalize() for choice in Theme])
        self.candidates.addItems([str(count) for count in range(1, MOST_CANDIDATES + 1)])
        self.compiled.setToolTip("Takes minutes in the background; used from the next start on, where it is faster")
        self.candidates.setToolTip("How many candidates a regenerate makes")
        self.checkpoint.setFont(theme.font(13))
        self.checkpoint.setAccessibleName("Folder of the checkpoint")
        self.checkpoint.setPlaceholderText("Embedded voice")
        self.recogniser.setFont(theme.font(13))
        self.recogniser.setAccessibleName("Folder of the recogniser")
        self.recogniser.setPlaceholderText("None")
        self.listens.setToolTip("Words that are missing, doubled or foreign are marked; needs the extra “transcribe”")
        self.second_library.setFont(theme.font(13))
        self.second_library.setAccessibleName("Folder of the second voice library")
        self.second_library.setPlaceholderText("None")
        self.second_library.setToolTip("Its voices can be cast and copied; nothing in the folder is changed")
        self.backups.setFont(theme.font(13))
        self.backups.setAccessibleName("Folder for backups")
        self.backups.setPlaceholderText("With Retake's own data")
        self.backup_minutes.setToolTip("What a project's file was before it is saved over; ten are kept")
        folder, backups, hearing, voices = QHBoxLayout(), QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        for row, field, browse in (
            (folder, self.checkpoint, self.browse),
            (backups, self.backups, self.browse_backups),
            (hearing, self.recogniser, self.browse_recogniser),
            (voices, self.second_library, self.browse_library),
        ):
            row.setSpacing(8)
            row.addWidget(field, 1)
            row.addWidget(browse)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        self._add_row(grid, "Theme", self.theme)
        self._add_row(grid, "Output", self.output)
        grid.addWidget(separator(), grid.rowCount(), 0, 1, 2)
        self._add_row(grid, "Checkpoint", folder)
        grid.addWidget(self.embedded, grid.rowCount(), 1, Qt.AlignmentFlag.AlignLeft)
        self._add_row(grid, "Device", self.device)
        self._add_row(grid, "Precision", self.precision)
        grid.addWidget(self.compiled, grid.rowCount(), 1)
        self._add_row(grid, "Candidates", self.candidates)
        grid.addWidget(separator(), grid.rowCount(), 0, 1, 2)
        self._add_row(grid, "Recogniser", hearing)
        grid.addWidget(self.listens, grid.rowCount(), 1)
        grid.addWidget(separator(), grid.rowCount(), 0, 1, 2)
        self._add_row(grid, "More voices", voices)
        grid.addWidget(separator(), grid.rowCount(), 0, 1, 2)
        self._add_row(grid, "Backups", self.backup_minutes)
        self._add_row(grid, "Kept in", backups)
        lay_form(self, grid, (self.cancel, self.save))

    def _add_row(self, grid: QGridLayout, name: str, field: QWidget | QHBoxLayout) -> None:
        row = grid.rowCount()
        grid.addWidget(label(name, 13, tone="muted"), row, 0)
        if isinstance(field, QWidget):
            grid.addWidget(field, row, 1)
        else:
            grid.addLayout(field, row, 1)

    def _connect(self) -> None:
        self.browse.clicked.connect(self._browse)
        self.browse_backups.clicked.connect(self._browse_backups)
        self.browse_recogniser.clicked.connect(self._browse_recogniser)
        self.browse_library.clicked.connect(self._browse_library)
        self.checkpoint.textChanged.connect(self._follow_checkpoint)
        self.embedded.clicked.connect(self.checkpoint.clear)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._want)

    def show_preferences(
        self,
        preferences: Preferences,
        devices: Sequence[str],
        precisions: Sequence[str],
    ) -> None:
        """The preferences, and what there is to choose from: devices and precisions of the engine."""
        self._preferences = preferences
        name, host = preferences.output_name, preferences.output_host
        self._fill_outputs((), None if name is None else (name, host or ""))
        self.output.addItem("Looking for others…")
        rows = self.output.model()
        assert isinstance(rows, QStandardItemModel)
        rows.item(rows.rowCount() - 1).setEnabled(False)
        self.theme.setCurrentIndex(list(Theme).index(preferences.theme))
        _fill(self.device, devices, preferences.device)
        _fill(self.precision, precisions, preferences.precision)
        self.compiled.setChecked(preferences.compiled)
        self.checkpoint.setText(preferences.checkpoint or "")
        self.backups.setText(preferences.backups or "")
        self.recogniser.setText(preferences.recogniser or "")
        self.second_library.setText(preferences.second_library or "")
        self.listens.setChecked(preferences.listens)
        self._show_backup_minutes(preferences.backup_minutes)
        self.candidates.setCurrentIndex(min(max(preferences.candidates, 1), MOST_CANDIDATES) - 1)

    def show_outputs(self, outputs: Sequence[Output]) -> None:
        """The output devices there are. What is chosen stays so, and one that is preferred but not there now stays in
        the list, so that saving does not forget it."""
        self._fill_outputs(outputs, self._output())

    def _fill_outputs(self, outputs: Sequence[Output], chosen: Output | None) -> None:
        preferred = (self._preferences.output_name or "", self._preferences.output_host or "")
        gone = () if self._preferences.output_name is None or preferred in outputs else (preferred,)
        self._outputs = (*outputs, *gone)
        self.output.clear()
        self.output.addItems(["As the system has it", *(f"{name} ({host})" for name, host in self._outputs)])
        self.output.setCurrentIndex(0 if chosen is None else self._outputs.index(chosen) + 1)

    def _output(self) -> Output | None:
        place = self.output.currentIndex() - 1
        return self._outputs[place] if place >= 0 else None

    def _show_backup_minutes(self, minutes: int | None) -> None:
        """Minutes that are none of those offered are offered too."""
        self._minutes = [*sorted({*BACKUPS, *([minutes] if minutes is not None else [])}), None]
        words = [
            NO_BACKUPS if each is None else BACKUPS.get(each, f"At most every {each} minutes") for each in self._minutes
        ]
        self.backup_minutes.clear()
        self.backup_minutes.addItems(words)
        self.backup_minutes.setCurrentIndex(self._minutes.index(minutes))

    def preferences(self) -> Preferences:
        """The preferences as the fields say."""
        name, host = self._output() or (None, None)
        return replace(
            self._preferences,
            theme=list(Theme)[self.theme.currentIndex()],
            output_name=name,
            output_host=host,
            checkpoint=self.checkpoint.text().strip() or None,
            device=_chosen(self.device),
            precision=_chosen(self.precision),
            compiled=self.compiled.isChecked(),
            candidates=self.candidates.currentIndex() + 1,
            backups=self.backups.text().strip() or None,
            recogniser=self.recogniser.text().strip() or None,
            listens=self.listens.isChecked(),
            second_library=self.second_library.text().strip() or None,
            backup_minutes=self._minutes[self.backup_minutes.currentIndex()],
        )

    @Slot(str)
    def _follow_checkpoint(self, folder: str) -> None:
        """There is nothing to press where the embedded voice speaks already."""
        self.embedded.setEnabled(bool(folder.strip()))

    @Slot()
    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "The folder of a checkpoint", self.checkpoint.text())
        if folder:
            self.checkpoint.setText(folder)

    @Slot()
    def _browse_backups(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "The folder for backups", self.backups.text())
        if folder:
            self.backups.setText(folder)

    @Slot()
    def _browse_recogniser(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "The folder of a recogniser", self.recogniser.text())
        if folder:
            self.recogniser.setText(folder)

    @Slot()
    def _browse_library(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "A folder of voices", self.second_library.text())
        if folder:
            self.second_library.setText(folder)

    @Slot()
    def _want(self) -> None:
        self.preferences_wanted.emit(self.preferences())
        self.accept()


def _fill(choice: Choice, names: Sequence[str], chosen: str | None) -> None:
    shown = [*names, *([chosen] if chosen is not None and chosen not in names else [])]
    choice.clear()
    choice.addItems(["As it fits best", *shown])
    choice.setCurrentIndex(shown.index(chosen) + 1 if chosen is not None else 0)


def _chosen(choice: Choice) -> str | None:
    return choice.currentText() if choice.currentIndex() > 0 else None
