"""Lists of painted rows: values in, the chosen one and clicks on a row's parts out. Keys and speech are Qt's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFocusEvent, QHelpEvent, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from studio import theme

Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
_ACTS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MOVES = (
    Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown,
)  # fmt: skip


class RowModel(QAbstractListModel):
    """Any values as rows. `words` gives what a screen reader says of one."""

    def __init__(self, words: Callable[[Any], str]) -> None:
        super().__init__()
        self.rows: tuple[Any, ...] = ()
        self._words = words

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Takes new rows; where there are as many as before, the view keeps its place."""
        if len(rows) == len(self.rows):
            self.rows = tuple(rows)
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(self.rows[index.row()])
        return self.rows[index.row()] if role == Qt.ItemDataRole.UserRole else None


class RowPainter(QStyledItemDelegate):
    """Paints one row: its ground here, what is on it in `paint_row` of each list."""

    height = 36

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        state = option.state
        row = index.data(Qt.ItemDataRole.UserRole)
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.fillRect(rect, self.ground(row, chosen, hovered))
        self.paint_row(painter, rect, row, chosen, hovered)
        painter.restore()
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(theme.current().accent), 1))
            painter.drawRect(QRectF(rect).adjusted(0.5, 0.5, -1.5, -1.5))

    def ground(self, row: Any, chosen: bool, hovered: bool) -> QColor:
        palette = theme.current()
        if chosen:
            return theme.chosen_ground()
        return theme.mix(palette.surface, palette.raised, 0.6) if hovered else QColor(palette.surface)

    def paint_row(self, painter: QPainter, rect: QRect, row: Any, chosen: bool, hovered: bool) -> None:
        """Paints what lies on the ground."""

    def parts(self, rect: QRect, row: Any) -> Mapping[str, QRect]:
        """Stretches of the row that act by themselves when clicked, by name."""
        return {}

    def tip(self, row: Any, part: str | None) -> str:
        """The tooltip of the row, or of one of its parts."""
        return ""


class RowList(QListView):
    """A list that takes as much height as its rows want, up to `most` of them, and gives way down to one."""

    chosen = Signal(object)
    activated_row = Signal(object)
    part_clicked = Signal(object, str)
    menu_wanted = Signal(object, QPoint)  # of a row, by the right button or the menu key; in screen coordinates

    def __init__(self, name: str, painter: RowPainter, words: Callable[[Any], str], most: int = 1000) -> None:
        super().__init__()
        self._painter, self._most = painter, most
        self._pressed: tuple[Any, str] | None = None
        self._own_keys: dict[int, Callable[[Any], object]] = {}
        self.rows = RowModel(words)
        painter.setParent(self)
        self.setModel(self.rows)
        self.setItemDelegate(painter)
        self.setAccessibleName(name)
        self.setProperty("kind", "rows")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._want_menu)
        self.clicked.connect(self._choose)
        self.doubleClicked.connect(self._activate)

    def show_rows(self, rows: Sequence[Any], chosen: int | None) -> None:
        """Shows rows; `chosen` is the place of the chosen one."""
        self.rows.show_rows(rows)
        if chosen is None:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        else:
            self.setCurrentIndex(self.rows.index(chosen))
        self.updateGeometry()
        self.viewport().update()

    def show_most(self, most: int) -> None:
        """Takes the height of so many rows at most."""
        if most != self._most:
            self._most = most
            self.updateGeometry()

    def current_row(self) -> Any | None:
        return self.currentIndex().data(Qt.ItemDataRole.UserRole) if self.currentIndex().isValid() else None

    def sizeHint(self) -> QSize:
        return QSize(200, min(len(self.rows.rows), self._most) * self._painter.height)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, min(len(self.rows.rows), 2) * self._painter.height)

    def on_key(self, keys: str, act: Callable[[Any], object]) -> None:
        """A key of this list, such as "Del": `act` is told the current row."""
        self._own_keys[QKeySequence(keys)[0].toCombined()] = act  # type: ignore[index]

    def event(self, event: QEvent) -> bool:
        # The window has its own Space, Del, Home and more, which would otherwise come first.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._keeps(event):
            event.accept()
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Who comes by Tab sees where: on the first row, where none is chosen. That chooses nothing."""
        super().focusInEvent(event)
        if event.reason() in _BY_TAB and not self.currentIndex().isValid():
            self.selectionModel().setCurrentIndex(self.rows.index(0), QItemSelectionModel.SelectionFlag.NoUpdate)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._acts(event):
            self._activate(self.currentIndex())
        elif (act := self._own_keys.get(_pressed_with(event))) is not None:
            if self.currentIndex().isValid():
                act(self.current_row())
        else:
            super().keyPressEvent(event)
            if event.key() in _MOVES:
                self._choose(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self._part_at(event) if event.button() == Qt.MouseButton.LeftButton else None
        if self._pressed is None:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed is None:
            super().mouseReleaseEvent(event)
        elif self._part_at(event) == pressed:
            self.part_clicked.emit(*pressed)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._part_at(event) is None:
            super().mouseDoubleClickEvent(event)
        else:
            self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._part_at(event) is not None
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ToolTip:
            return super().viewportEvent(event)
        assert isinstance(event, QHelpEvent)
        index = self.indexAt(event.pos())
        row = index.data(Qt.ItemDataRole.UserRole)
        part = self._part(event.pos(), index)
        QToolTip.showText(event.globalPos(), self._painter.tip(row, part) if index.isValid() else "", self)
        return True

    @Slot(QPoint)
    def _want_menu(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if not index.isValid():
            index = self.currentIndex()
            place = self.visualRect(index).bottomLeft()
        if index.isValid():
            self.setCurrentIndex(index)
            self.menu_wanted.emit(index.data(Qt.ItemDataRole.UserRole), self.viewport().mapToGlobal(place))

    def _keeps(self, event: QKeyEvent) -> bool:
        """Whether a key is this list's before it is the window's."""
        pressed = _pressed_with(event)
        return self._acts(event) or pressed in self._own_keys or (pressed in _MOVES and bool(self.rows.rows))

    def _acts(self, event: QKeyEvent) -> bool:
        return _pressed_with(event) in _ACTS and self.currentIndex().isValid()

    def _part_at(self, event: QMouseEvent) -> tuple[Any, str] | None:
        place = event.position().toPoint()
        index = self.indexAt(place)
        part = self._part(place, index)
        return (index.data(Qt.ItemDataRole.UserRole), part) if part else None

    def _part(self, place: Any, index: Index) -> str | None:
        if not index.isValid():
            return None
        parts = self._painter.parts(self.visualRect(index), index.data(Qt.ItemDataRole.UserRole))
        return next((name for name, rect in parts.items() if rect.contains(place)), None)

    def _choose(self, index: Index) -> None:
        if index.isValid():
            self.chosen.emit(index.data(Qt.ItemDataRole.UserRole))

    def _activate(self, index: Index) -> None:
        if index.isValid():
            self.activated_row.emit(index.data(Qt.ItemDataRole.UserRole))


def _pressed_with(event: QKeyEvent) -> int:
    """The key with its modifiers; which block of the keyboard it is in makes no difference."""
    return event.key() | (event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier).value
