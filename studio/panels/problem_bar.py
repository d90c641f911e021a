"""What went wrong, over the bottom of the window: what happened, what it means for the work, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from studio import theme
from studio.controls import IconButton, KeyButton, label

if TYPE_CHECKING:
    from studio.problems import Problem

MARGIN = 12
ABOVE = 38  # px from the window's lower edge, clear of the bar with the jobs
WIDEST = 980


class ProblemBar(QFrame):
    """Lies over `window` and keeps to its lower edge. Problems wait for one another; the same one is told once."""

    action_wanted = Signal(object)
    closed = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._waiting: list[Problem] = []
        self.title = label("", 13, 600)
        self.meaning = label("", 12, tone="muted")
        self.meaning.setWordWrap(True)
        self.meaning.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.title.setWordWrap(True)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.more = label("", 12, tone="muted")
        self.copy = KeyButton("Copy details", tip="Copy what a report of this problem needs")
        self.action = KeyButton("")
        self.close_button = IconButton("close", "Close", "Esc")
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.meaning)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(44, 12, 12, 12)
        row.setSpacing(12)
        row.addLayout(words, 1)
        for widget in (self.more, self.copy, self.action, self.close_button):
            row.addWidget(widget)
        self.copy.clicked.connect(self._copy_details)
        self.action.clicked.connect(self._act)
        self.close_button.clicked.connect(self.close_problem)
        window.installEventFilter(self)
        self.hide()

    @property
    def problem(self) -> Problem | None:
        """The one that is shown."""
        return self._waiting[0] if self._waiting else None

    def show_problem(self, problem: Problem) -> None:
        """Shows it, or puts it behind those that are not closed yet."""
        if problem not in self._waiting:
            self._waiting.append(problem)
        self._show_first()

    @Slot()
    def close_problem(self) -> None:
        """Closes the shown one; the next follows."""
        if self._waiting:
            self.closed.emit(self._waiting.pop(0))
        self._show_first()

    def _show_first(self) -> None:
        problem = self.problem
        if problem is None:
            self.hide()
            return
        self.title.setText(problem.title)
        self.meaning.setText(f"{problem.meaning} {problem.action}".strip())
        self.setAccessibleName(f"Problem: {problem.title}")
        self.setAccessibleDescription(self.meaning.text())
        self.copy.show_text("Copy details")
        self.copy.setVisible(bool(problem.details))
        self.action.setVisible(problem.button is not None)
        self.action.show_text(problem.button or "")
        self.more.setText(f"1 of {len(self._waiting)}" if len(self._waiting) > 1 else "")
        self.more.setVisible(len(self._waiting) > 1)
        self._place()
        self.show()
        self.raise_()

    @Slot()
    def _copy_details(self) -> None:
        if self.problem is not None:
            QGuiApplication.clipboard().setText(self.problem.details)
            self.copy.show_text("Copied")

    @Slot()
    def _act(self) -> None:
        problem = self.problem
        self.close_problem()
        self.action_wanted.emit(problem)

    # Where it lies

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        width = min(WIDEST, self._window.width() - 2 * MARGIN)
        self.setFixedWidth(width)
        self._row.activate()
        height = max(56, self._row.totalHeightForWidth(width))
        self.setGeometry((self._window.width() - width) // 2, self._window.height() - ABOVE - height, width, height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_problem()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(palette.surface))
        painter.setPen(QPen(theme.mix(palette.surface, palette.danger, 0.6), 1))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1).toRectF().translated(0.5, 0.5), 8, 8)
        sign = theme.pixmap("warning", palette.danger, 16, self.devicePixelRatioF())
        painter.drawPixmap(QPointF(17, (self.height() - 16) / 2), sign)
