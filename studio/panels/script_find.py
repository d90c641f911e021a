"""The bar above the script that finds and replaces."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QHBoxLayout, QLineEdit

from studio import theme
from studio.controls import IconButton, KeyButton, SearchField, label
from studio.document.finding import Query


class FindBar(QFrame):
    """Enter goes to the next match, Shift+Enter to the one before, Esc closes. It shows what is found by others."""

    query_changed = Signal(object)
    step_wanted = Signal(int)
    replace_wanted = Signal(str)
    replace_all_wanted = Signal(str)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "bar")
        self.setAccessibleName("Find and replace")
        self.field = SearchField("Find in the script")
        self.text = QLineEdit()
        self.text.setFont(theme.font(13))
        self.text.setPlaceholderText("Replace with")
        self.text.setAccessibleName("Replace with")
        self.case = _box("Match case", "Capitals count")
        self.words = _box("Whole words", "Only where no letter stands before or after")
        self.pattern = _box("Pattern", "A regular expression; \\1 in the replacement is its first group")
        self.count = label("", 12, tone="muted")
        self.before = IconButton("skip-back", "Previous match", "Shift+Enter", size=24)
        self.after = IconButton("skip-forward", "Next match", "Enter", size=24)
        self.shut = IconButton("close", "Close", "Esc", size=24)
        self.one = KeyButton("Replace", tip="Replace this match and go to the next")
        self.all = KeyButton("Replace all", tip="Replace all matches in the script, in one step of undo")
        self._lay()
        self._connect()
        self.hide()

    def _lay(self) -> None:
        options = QHBoxLayout()
        options.setSpacing(12)
        for widget in (self.case, self.words, self.pattern):
            options.addWidget(widget)
        options.addStretch(1)
        steps = QHBoxLayout()
        steps.setSpacing(4)
        for button in (self.count, self.before, self.after, self.shut):
            steps.addWidget(button)
        verbs = QHBoxLayout()
        verbs.setSpacing(8)
        verbs.addWidget(self.one)
        verbs.addWidget(self.all)
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 8, 12, 8)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.field, 0, 0)
        grid.addLayout(options, 0, 1)
        grid.addLayout(steps, 0, 2)
        grid.addWidget(self.text, 1, 0)
        grid.addLayout(verbs, 1, 1, 1, 2, Qt.AlignmentFlag.AlignLeft)

    def _connect(self) -> None:
        for box in (self.case, self.words, self.pattern):
            box.toggled.connect(self._change)
        self.field.textChanged.connect(self._change)
        self.before.clicked.connect(self._step_back)
        self.after.clicked.connect(self._step_on)
        self.shut.clicked.connect(self.close_bar)
        self.one.clicked.connect(self._replace)
        self.all.clicked.connect(self._replace_all)
        for field in (self.field, self.text):
            field.installEventFilter(self)

    def open_bar(self, replacing: bool, selected: str) -> None:
        """Opens with what is selected, with the second row where something shall be replaced."""
        for widget in (self.text, self.one, self.all):
            widget.setVisible(replacing)
        if selected:
            self.field.setText(selected)
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._change()

    @property
    def query(self) -> Query:
        return Query(self.field.text(), self.case.isChecked(), self.words.isChecked(), self.pattern.isChecked())

    def show_found(self, at: int | None, count: int, wrong: str = "") -> None:
        """The place of the match that is selected, and how many there are; or why nothing can be looked for."""
        found = f"{at + 1} of {count}" if at is not None else f"{count} found" if count else "Nothing found"
        self.count.setText(wrong or (found if self.field.text() else ""))
        for button in (self.before, self.after, self.one, self.all):
            button.setEnabled(count > 0)

    @Slot()
    def close_bar(self) -> None:
        self.hide()
        self.closed.emit()

    @Slot()
    def _change(self) -> None:
        self.query_changed.emit(self.query)

    @Slot()
    def _step_on(self) -> None:
        self.step_wanted.emit(1)

    @Slot()
    def _step_back(self) -> None:
        self.step_wanted.emit(-1)

    @Slot()
    def _replace(self) -> None:
        self.replace_wanted.emit(self.text.text())

    @Slot()
    def _replace_all(self) -> None:
        self.replace_all_wanted.emit(self.text.text())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            if event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                if watched is self.text and not back:
                    self._replace()
                else:
                    self.step_wanted.emit(-1 if back else 1)
                return True
        return super().eventFilter(watched, event)


def _box(words: str, tip: str) -> QCheckBox:
    made = QCheckBox(words)
    made.setToolTip(tip)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return made
