"""Bring in from another project: which scenes, which voices, with takes or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from studio import theme
from studio.controls import KeyButton, label
from studio.document.merge import Wanted

HIGHEST = 320


@dataclass(frozen=True)
class MergeChoice:
    """What another project has. `scenes` are titles and numbers of lines; `shared_lines` the number of lines of which
    both have takes."""

    title: str
    scenes: tuple[tuple[str, int], ...]
    voices: tuple[str, ...]
    shared_lines: int


class MergeDialog(QDialog):
    """All scenes are chosen at first, with their takes; voices that they need come with them anyway."""

    merge_wanted = Signal(object)

    def __init__(self, choice: MergeChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Merge in")
        self.setMinimumWidth(420)
        self.scenes = [_box(f"{title or 'Untitled scene'} · {_lines(lines)}", True) for title, lines in choice.scenes]
        self.voices = {name: _box(name, False) for name in choice.voices}
        self.takes = _box("With their takes", True)
        self.shared = _box(f"Takes of {_lines(choice.shared_lines)} that both projects have", choice.shared_lines > 0)
        self.cancel = KeyButton("Cancel", tip="Leave all as it is (Esc)")
        self.merge = KeyButton("Merge in", "Enter", kind="filled")
        self.merge.setDefault(True)
        self._lay(choice)
        self.cancel.clicked.connect(self.reject)
        self.merge.clicked.connect(self._want)
        for box in (*self.scenes, *self.voices.values(), self.shared):
            box.toggled.connect(self._allow)
        self._allow()

    def _lay(self, choice: MergeChoice) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        _add(column, "Scenes", self.scenes)
        if self.scenes:
            column.addSpacing(6)
            column.addWidget(self.takes)
        _add(column, "Voices", list(self.voices.values()))
        if choice.shared_lines:
            _add(column, "Lines", [self.shared])
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumHeight(min(HIGHEST, inside.sizeHint().height()))
        verbs = QHBoxLayout()
        verbs.setSpacing(8)
        verbs.addStretch(1)
        verbs.addWidget(self.cancel)
        verbs.addWidget(self.merge)
        heading = label(f"Bring in from “{choice.title}”", 13, 600)
        heading.setWordWrap(True)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(16, 16, 16, 16)
        stack.setSpacing(12)
        stack.addWidget(heading)
        stack.addWidget(scroll, 1)
        stack.addLayout(verbs)

    def wanted(self) -> Wanted:
        """What is ticked."""
        return Wanted(
            tuple(place for place, box in enumerate(self.scenes) if box.isChecked()),
            self.takes.isChecked(),
            tuple(name for name, box in self.voices.items() if box.isChecked()),
            self.shared.isChecked(),
        )

    @Slot()
    def _allow(self) -> None:
        wanted = self.wanted()
        self.takes.setEnabled(bool(wanted.scenes))
        self.merge.setEnabled(bool(wanted.scenes or wanted.voices or wanted.shared_takes))

    @Slot()
    def _want(self) -> None:
        self.merge_wanted.emit(self.wanted())
        self.accept()


def _box(words: str, ticked: bool) -> QCheckBox:
    box = QCheckBox(words.replace("&", "&&"))
    box.setFont(theme.font(13))
    box.setChecked(ticked)
    return box


def _add(column: QVBoxLayout, title: str, boxes: Sequence[QCheckBox]) -> None:
    if boxes:
        column.addSpacing(6 if column.count() else 0)
        column.addWidget(label(title, 12, tone="muted"))
        for box in boxes:
            column.addWidget(box)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
