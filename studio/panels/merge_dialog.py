"""Bring in from another project: which scenes and lines, which voices, with takes or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio import theme
from studio.controls import KeyButton, label
from studio.document.merge import Wanted

HIGHEST = 320
SCENES_HIGHEST, ROW = 190, 24

Lines = tuple[tuple[str, str], ...]
"""Lines by their ids, with their words."""


@dataclass(frozen=True)
class MergeChoice:
    """What another project has. `scenes` are titles and lines; `shared_lines` the number of lines of which both have
    takes."""

    title: str
    scenes: tuple[tuple[str, Lines], ...]
    voices: tuple[str, ...]
    shared_lines: int


class MergeDialog(QDialog):
    """All scenes are chosen at first, with their takes; voices that they need come with them anyway."""

    merge_wanted = Signal(object)

    def __init__(self, choice: MergeChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Merge in")
        self.setMinimumWidth(420)
        self.scenes = ScenesTree(choice.scenes)
        self.voices = {name: _box(name, False) for name in choice.voices}
        self.takes = _box("With their takes", True)
        self.shared = _box(f"Takes of {_lines(choice.shared_lines)} that both projects have", choice.shared_lines > 0)
        self.cancel = KeyButton("Cancel", tip="Leave all as it is (Esc)")
        self.merge = KeyButton("Merge in", "Enter", kind="filled")
        self.merge.setDefault(True)
        self._lay(choice)
        self.cancel.clicked.connect(self.reject)
        self.merge.clicked.connect(self._want)
        self.scenes.itemChanged.connect(self._allow)
        for box in (*self.voices.values(), self.shared):
            box.toggled.connect(self._allow)
        self._allow()

    def _lay(self, choice: MergeChoice) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        if choice.scenes:
            column.addWidget(label("Scenes and lines", 12, tone="muted"))
            column.addWidget(self.scenes)
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
            self.scenes.chosen(),
            self.takes.isChecked(),
            tuple(name for name, box in self.voices.items() if box.isChecked()),
            self.shared.isChecked(),
            self.scenes.left_out(),
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


class ScenesTree(QTreeWidget):
    """The scenes with their lines, each to be ticked; a scene is ticked with all of its lines."""

    def __init__(self, scenes: Sequence[tuple[str, Lines]]) -> None:
        super().__init__()
        self.setAccessibleName("Scenes and lines")
        self.setFont(theme.font(13))
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._rows: list[tuple[QTreeWidgetItem, dict[str, QTreeWidgetItem]]] = []  # scenes, and their lines by id
        for title, lines in scenes:
            scene = QTreeWidgetItem(self, [f"{title or 'Untitled scene'} · {_lines(len(lines))}"])
            scene.setFlags(scene.flags() | Qt.ItemFlag.ItemIsAutoTristate)
            scene.setCheckState(0, Qt.CheckState.Checked)
            inside: dict[str, QTreeWidgetItem] = {}
            for line_id, words in lines:
                inside[line_id] = line = QTreeWidgetItem(scene, [" ".join(words.split()) or "An empty line"])
                line.setCheckState(0, Qt.CheckState.Checked)
            self._rows.append((scene, inside))
        rows = len(scenes) + sum(len(lines) for _, lines in scenes)
        self.setFixedHeight(min(SCENES_HIGHEST, rows * ROW + 2 * self.frameWidth()))

    def chosen(self) -> tuple[int, ...]:
        """The places of the scenes of which something is ticked."""
        none = Qt.CheckState.Unchecked
        return tuple(place for place, (scene, _) in enumerate(self._rows) if scene.checkState(0) != none)

    def left_out(self) -> frozenset[str]:
        """The ids of the lines that are not ticked, in scenes that are chosen."""
        lines = (row for place in self.chosen() for row in self._rows[place][1].items())
        return frozenset(line_id for line_id, line in lines if line.checkState(0) == Qt.CheckState.Unchecked)


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
