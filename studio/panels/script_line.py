"""What is said of the chosen line beside its text: direction, note, pause, lock, and how it is drawn."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
)

from engine.request import Settings
from studio import theme
from studio.controls import PADDING, IconButton, KeyButton, SectionHeader
from studio.document.project import Line
from studio.document.timing import MOST_PAUSE
from studio.panels.script_sampling import number_look

MOST_TARGET = 600.0  # seconds


class LinePanel(QFrame):
    """Shows one line; what is written is wished for when the field is left, Enter is pressed or at `flush`.

    All signals begin with the line's id.
    """

    direction_wanted = Signal(str, str)
    note_wanted = Signal(str, str)
    pause_wanted = Signal(str, object)  # milliseconds, None as the scene has it
    target_wanted = Signal(str, object)  # seconds, None for what it likes
    locked_wanted = Signal(str, bool)
    as_written_wanted = Signal(str, bool)
    sampling_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Line")
        self._line: Line | None = None
        self.header = SectionHeader("Line")
        self.lock = IconButton("lock", "Lock the line: it is not generated again", size=24)
        self.lock.setCheckable(True)
        self.header.add(self.lock)
        self.direction = _field("Direction, e.g. tired, to herself", "How the line is spoken, in plain words")
        self.note = _field("Note to yourself", "A note that is kept with the line and never sent")
        self.pause = QSpinBox()
        self.pause.setRange(-MOST_PAUSE, MOST_PAUSE)
        self.pause.setSingleStep(50)
        self.pause.setPrefix("Pause: ")
        self.pause.setSuffix(" ms")
        self.pause.setAccessibleName("Pause after the line")
        self.pause.setToolTip("Silence after the line; below 0 the next line begins before it ends")
        self.pause.setKeyboardTracking(False)
        number_look(self.pause)
        self.pause.setMinimumWidth(124)
        self.as_scene = IconButton("undo", "The pause that the scene has", size=22)
        self.sampling = KeyButton("Sampling: as cast", tip="Temperature, top-p, top-k of this line", kind="plain")
        self.target = QDoubleSpinBox()
        self.target.setRange(0, MOST_TARGET)
        self.target.setDecimals(1)
        self.target.setSingleStep(0.1)
        self.target.setPrefix("Target: ")
        self.target.setSuffix(" s")
        self.target.setSpecialValueText("Target: none")
        self.target.setAccessibleName("Target length of the line")
        self.target.setToolTip(
            "How long the line should take; the script's right edge tells how long it does.\n"
            "Regenerating a span “exactly as long” makes the whole line this long."
        )
        self.target.setKeyboardTracking(False)
        number_look(self.target)
        self.target.setMinimumWidth(104)
        self.as_written = QCheckBox("Pronounce as written")
        self.as_written.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.as_written.setToolTip("Leave the project's pronunciations out of this line")
        paused, row = QHBoxLayout(), QHBoxLayout()
        paused.setSpacing(2)
        paused.addWidget(self.pause, 1)
        paused.addWidget(self.as_scene)
        row.setSpacing(8)
        row.addLayout(paused, 1)
        row.addWidget(self.target, 1)
        inside = QVBoxLayout()
        inside.setContentsMargins(PADDING, 2, PADDING, PADDING)
        inside.setSpacing(8)
        inside.addWidget(self.direction)
        inside.addWidget(self.note)
        inside.addLayout(row)
        inside.addWidget(self.sampling)
        inside.addWidget(self.as_written)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 8, 0, 0)
        stack.setSpacing(4)
        stack.addWidget(self.header)
        stack.addLayout(inside)
        self.direction.editingFinished.connect(self._direct)
        self.note.editingFinished.connect(self._note)
        self.pause.valueChanged.connect(self._pause)
        self.as_scene.clicked.connect(self._pause_as_scene)
        self.target.valueChanged.connect(self._aim)
        self.lock.toggled.connect(self._lock)
        self.as_written.toggled.connect(self._pronounce)
        self.sampling.clicked.connect(self._sample)

    def show_line(self, line: Line | None, number: int, scene_pause: int, drawn: Settings | None, words: bool) -> None:
        """The chosen line. `scene_pause` is what it has without a pause of its own, `drawn` are settings of its own;
        `words`: the project has pronunciations."""
        another = line is None or self._line is None or line.id != self._line.id
        self._line = line
        self.setEnabled(line is not None)
        self.header.show_title(f"Line {number}" if line else "Line")
        self.as_written.setVisible(words)
        self.as_scene.setVisible(line is not None and line.pause is not None)
        if line is None:
            return
        for field, text in ((self.direction, line.direction), (self.note, line.note)):
            if another or not (field.isModified() or field.text() == text):
                field.setText(text)
        for widget in (self.pause, self.target, self.lock, self.as_written):
            widget.blockSignals(True)
        if another or not _typed_into(self.pause):
            self.pause.setValue(scene_pause if line.pause is None else line.pause)
        if another or not _typed_into(self.target):
            self.target.setValue(line.target or 0.0)
        self.lock.setChecked(line.locked)
        self.as_written.setChecked(line.as_written)
        for widget in (self.pause, self.target, self.lock, self.as_written):
            widget.blockSignals(False)
        own = f"{drawn.temperature:g} · {drawn.top_p:g} · {drawn.top_k}" if drawn else "as cast"
        self.sampling.show_text(f"Sampling: {own}")

    @Slot()
    def flush(self) -> None:
        """Wishes at once for what was typed since the last time."""
        for field, tell in ((self.direction, self._direct), (self.note, self._note)):
            if field.isModified():
                tell()
        for box in (self.pause, self.target):
            if _typed_into(box):
                box.interpretText()
                _settle(box)

    @Slot()
    def _direct(self) -> None:
        self.direction.setModified(False)
        text = " ".join(self.direction.text().split())
        if self._line is not None and text != self._line.direction:
            self.direction_wanted.emit(self._line.id, text)

    @Slot()
    def _note(self) -> None:
        self.note.setModified(False)
        if self._line is not None and self.note.text() != self._line.note:
            self.note_wanted.emit(self._line.id, self.note.text())

    @Slot(int)
    def _pause(self, value: int) -> None:
        _settle(self.pause)
        if self._line is not None:
            self.pause_wanted.emit(self._line.id, value)

    @Slot()
    def _pause_as_scene(self) -> None:
        if self._line is not None:
            self.pause_wanted.emit(self._line.id, None)

    @Slot(float)
    def _aim(self, seconds: float) -> None:
        _settle(self.target)
        if self._line is not None:
            self.target_wanted.emit(self._line.id, round(seconds, 1) or None)

    @Slot(bool)
    def _lock(self, locked: bool) -> None:
        if self._line is not None:
            self.locked_wanted.emit(self._line.id, locked)

    @Slot(bool)
    def _pronounce(self, as_written: bool) -> None:
        if self._line is not None:
            self.as_written_wanted.emit(self._line.id, as_written)

    @Slot()
    def _sample(self) -> None:
        if self._line is not None:
            self.sampling_wanted.emit(self._line.id)


def _typed_into(box: QAbstractSpinBox) -> bool:
    """Whether it holds a number that it has not told yet."""
    return box.lineEdit().isModified()


def _settle(box: QAbstractSpinBox) -> None:
    box.lineEdit().setModified(False)


def _field(placeholder: str, tip: str) -> QLineEdit:
    made = QLineEdit()
    made.setFont(theme.font(13))
    made.setPlaceholderText(placeholder)
    made.setAccessibleName(placeholder.split(",")[0])
    made.setToolTip(tip)
    return made
