"""How panels and chips are laid: one under the other with a pixel between, or flowing."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QLayoutItem, QScrollArea, QVBoxLayout, QWidget


def separator() -> QFrame:
    """One pixel between panels."""
    made = QFrame()
    made.setProperty("kind", "separator")
    made.setFixedHeight(1)
    return made


def lay_form(dialog: QWidget, fields: QLayout, verbs: Sequence[QWidget]) -> None:
    """A dialog of fields with its buttons under them, at the right."""
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addStretch(1)
    for verb in verbs:
        row.addWidget(verb)
    stack = QVBoxLayout(dialog)
    stack.setContentsMargins(16, 16, 16, 16)
    stack.setSpacing(16)
    stack.addLayout(fields)
    stack.addLayout(row)


def clear(layout: QLayout) -> None:
    """Takes all widgets out of a layout and deletes them."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.deleteLater()


class FlowLayout(QLayout):
    """Lays its widgets side by side and begins a new row where one does not fit."""

    def __init__(self, gap: int = 6) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._lay(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        widest = max((item.sizeHint().width() for item in self._items), default=0)
        return QSize(widest, max((item.sizeHint().height() for item in self._items), default=0))

    def _lay(self, rect: QRect, move: bool) -> int:
        """Places the widgets where `move`; returns the height they take."""
        x, y, row = rect.x(), rect.y(), 0
        for item in (item for item in self._items if not item.isEmpty()):
            size = item.sizeHint()
            if x > rect.x() and x + size.width() > rect.right() + 1:
                x, y = rect.x(), y + row + self._gap
                row = 0
            if move:
                item.setGeometry(QRect(x, y, size.width(), size.height()))
            x, row = x + size.width() + self._gap, max(row, size.height())
        return y + row - rect.y()


class Column(QScrollArea):
    """Panels one under the other, one pixel between them; scrolls where there is no room. `grew` carries its height."""

    grew = Signal(int)

    def __init__(self, panels: Sequence[QWidget]) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QFrame()
        inside.setProperty("kind", "panel")
        stack = QVBoxLayout(inside)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        self._lines: dict[QObject, QFrame] = {}
        for panel in panels:
            if panel is not panels[0]:
                self._lines[panel] = separator()
                self._lines[panel].setVisible(not panel.isHidden())
                stack.addWidget(self._lines[panel])
                panel.installEventFilter(self)
            stack.addWidget(panel)
        stack.addStretch(1)
        self.setWidget(inside)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().height() != event.oldSize().height():
            self.grew.emit(event.size().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent) and watched in self._lines:
            self._lines[watched].setVisible(event.type() == QEvent.Type.ShowToParent)
        return super().eventFilter(watched, event)
