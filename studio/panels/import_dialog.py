"""What was read from a foreign file, to be looked at before it becomes anything."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from PySide6.QtCore import QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from studio import theme
from studio.controls import Choice, KeyButton, label
from studio.document.manuscript import Action, Choices, Manuscript, Remarks, Speech, arranged, many
from studio.document.project import Line, Project, Scene
from studio.rows import RowList, RowPainter

MOST_LISTED = 400
_WORDS = {
    Remarks.TAGS: "Become tags",
    Remarks.DIRECTIONS: "Become directions",
    Remarks.LEFT_OUT: "Are left out",
}


class ImportDialog(QDialog):
    """`project_wanted` brings the project that was read, and whether it goes into the open one."""

    project_wanted = Signal(object, bool)

    def __init__(self, manuscript: Manuscript, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Import {manuscript.title}")
        self.resize(680, 560)
        self._manuscript = manuscript
        self._project = Project()
        self.summary = label("", 13, 600)
        self.notices = label("\n".join(manuscript.notices), 12, tone="warning")
        self.notices.setWordWrap(True)
        self.notices.setVisible(bool(manuscript.notices))
        self.rows = RowList("What was read", _ReadPainter(), _words)
        self.remarks = Choice("Remarks in parentheses")
        self.remarks.addItems([_WORDS[each] for each in Remarks])
        self.remarks.setToolTip("What becomes of (quietly) and the like")
        self.action = QCheckBox("The narrator tells what is seen")
        self.action.setToolTip("Action lines become lines of the narrator's; otherwise they are left out")
        self.new = QRadioButton("As a new project")
        self.add = QRadioButton("At the end of this project")
        self.new.setChecked(True)
        self.cancel = KeyButton("Cancel", tip="Import nothing (Esc)")
        self.take = KeyButton("Import", "Enter", kind="filled")
        self.take.setDefault(True)
        self._lay()
        self.remarks.currentIndexChanged.connect(self._show)
        self.action.toggled.connect(self._show)
        self.cancel.clicked.connect(self.reject)
        self.take.clicked.connect(self._want)
        self._show()

    def _lay(self) -> None:
        remarked = any(isinstance(row, Speech) and row.remarks for row in self._manuscript.rows)
        seen = any(isinstance(row, Action) for row in self._manuscript.rows)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(16, 16, 16, 16)
        stack.setSpacing(12)
        stack.addWidget(self.summary)
        stack.addWidget(self.notices)
        stack.addWidget(self.rows)
        stack.addStretch(1)
        if remarked:
            row = QHBoxLayout()
            row.setSpacing(12)
            row.addWidget(label("Remarks in parentheses", 13, tone="muted"))
            row.addWidget(self.remarks, 1)
            stack.addLayout(row)
        self.action.setVisible(seen)
        stack.addWidget(self.action)
        verbs = QHBoxLayout()
        verbs.setSpacing(16)
        verbs.addWidget(self.new)
        verbs.addWidget(self.add)
        verbs.addStretch(1)
        verbs.addWidget(self.cancel)
        verbs.addWidget(self.take)
        stack.addLayout(verbs)

    @property
    def choices(self) -> Choices:
        return Choices(list(Remarks)[self.remarks.currentIndex()], self.action.isChecked())

    @Slot()
    def _show(self) -> None:
        self._project = arranged(self._manuscript, self.choices)
        self.summary.setText(counted(self._project))
        listed = ((scene, line) for scene in self._project.scenes for line in (None, *scene.lines))
        rows = [
            scene if line is None else line for scene, line in islice(listed, MOST_LISTED) if line or scene.title
        ]
        self.rows.show_rows(rows, None)
        self.take.setEnabled(any(scene.lines for scene in self._project.scenes))

    @Slot()
    def _want(self) -> None:
        self.project_wanted.emit(self._project, self.add.isChecked())
        self.accept()


def counted(project: Project) -> str:
    """What was read, in a few words: scenes, lines, and who speaks most."""
    lines = project.lines()
    often = Counter(line.character for line in lines).most_common(4)
    who = ", ".join(f"{name} {count}" for name, count in often)
    more = f" and {len(project.cast) - len(often)} more" if len(project.cast) > len(often) else ""
    if not lines:
        return "There are no lines in it."
    return f"{many(len(project.scenes), 'scene')}, {many(len(lines), 'line')}: {who}{more}"


class _ReadPainter(RowPainter):
    height = 26

    def paint_row(self, painter: QPainter, rect: QRect, row: Scene | Line, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        if isinstance(row, Scene):
            painter.setFont(theme.font(13, 600))
            painter.setPen(QColor(palette.muted))
            painter.drawText(rect.adjusted(12, 0, -12, 0), left, row.title)
            return
        painter.setFont(theme.font(12, 600))
        painter.setPen(QColor(palette.text))
        name = painter.fontMetrics().elidedText(row.character, Qt.TextElideMode.ElideRight, 110)
        painter.drawText(rect.adjusted(12, 0, 0, 0), left, name)
        painter.setFont(theme.font(13))
        painter.setPen(QColor(palette.muted))
        said = f"({row.direction}) {row.text}" if row.direction else row.text
        room = rect.adjusted(132, 0, -12, 0)
        text = painter.fontMetrics().elidedText(" ".join(said.split()), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, left, text)

    def tip(self, row: Scene | Line, part: str | None) -> str:
        return row.title if isinstance(row, Scene) else row.text


def _words(row: Scene | Line) -> str:
    return row.title if isinstance(row, Scene) else f"{row.character}: {row.text}"
