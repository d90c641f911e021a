"""The words of a clip: a field for exactly what is said, with marks under words that have no sound."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from studio import theme
from studio.controls import KeyButton, label, percent, set_tone

Span = tuple[int, int]


class Words(QWidget):
    """`changed` carries the words as they are typed. Undo is the dialog's: the field keeps none of its own."""

    changed = Signal(str)
    play_words_wanted = Signal(int, int)  # characters
    recognise_wanted = Signal()
    undo_wanted = Signal()
    redo_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.title = label("Exactly what is said in the clip", 12, tone="muted")
        self.told = label("", 12, tone="muted")
        self.field = _Field()
        self.play = KeyButton("Play the selected words", tip="Play what is selected, or the word at the cursor")
        self.recognise = KeyButton("Recognise the words", tip="Have a recogniser on this machine write them")
        self._doubtful: tuple[Span, ...] = ()
        top = QHBoxLayout()
        top.addWidget(self.title)
        top.addStretch(1)
        top.addWidget(self.told)
        under = QHBoxLayout()
        under.setContentsMargins(0, 6, 0, 0)
        under.addWidget(self.recognise)
        under.addWidget(self.play)
        under.addStretch(1)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(6)
        stack.addLayout(top)
        stack.addWidget(self.field, 1)
        stack.addLayout(under)
        self.field.textChanged.connect(self._change)
        self.field.undo_wanted.connect(self.undo_wanted)
        self.field.redo_wanted.connect(self.redo_wanted)
        self.play.clicked.connect(self._play)
        self.recognise.clicked.connect(self.recognise_wanted)

    def show_words(self, words: str) -> None:
        """Other words; the same ones leave the cursor where it is."""
        if words != self.field.toPlainText():
            blocked = self.field.blockSignals(True)
            place = self.field.textCursor().position()
            self.field.setPlainText(words)
            cursor = self.field.textCursor()
            cursor.setPosition(min(place, len(self.field.toPlainText())))
            self.field.setTextCursor(cursor)
            self.field.blockSignals(blocked)
        self.play.setEnabled(bool(words.strip()))

    def show_recognising(self, share: float | None) -> None:
        """How much was listened to, 0 to 1; None where nobody listens. Pressed again, the button stops it."""
        stop = f"Stop, {percent(share)} heard" if share else "Stop listening"
        self.recognise.show_text("Recognise the words" if share is None else stop)

    def show_fit(self, told: str, good: bool, doubtful: tuple[Span, ...] = ()) -> None:
        """What is to be said of how the words fit the sound; `doubtful` are characters of words without sound."""
        self.told.setText(told)
        set_tone(self.told, "muted" if good else "warning")
        self._doubtful = doubtful
        self._mark()

    def _mark(self) -> None:
        warning = QColor(theme.current().warning)
        look = QTextCharFormat()
        look.setForeground(warning)
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DashUnderline)
        look.setUnderlineColor(warning)
        marks = []
        end = len(self.field.toPlainText())
        for start, stop in self._doubtful:
            if stop <= end:
                mark = QTextEdit.ExtraSelection()
                cursor = QTextCursor(self.field.document())
                cursor.setPosition(start)
                cursor.setPosition(stop, QTextCursor.MoveMode.KeepAnchor)
                mark.cursor, mark.format = cursor, look
                marks.append(mark)
        self.field.setExtraSelections(marks)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._mark()

    @Slot()
    def _change(self) -> None:
        words = self.field.toPlainText()
        self.play.setEnabled(bool(words.strip()))
        self.changed.emit(words)

    @Slot()
    def _play(self) -> None:
        cursor = self.field.textCursor()
        if not cursor.hasSelection():
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        self.play_words_wanted.emit(cursor.selectionStart(), max(cursor.selectionEnd(), cursor.selectionStart() + 1))


class _Field(QPlainTextEdit):
    undo_wanted = Signal()
    redo_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "field")
        self.setFont(theme.font(15))
        self.setAccessibleName("Exactly what is said in the clip")
        self.setPlaceholderText("Listen, and write every word that is said, as it is said.")
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setMinimumHeight(72)
        self.document().setDocumentMargin(4)
        self.setViewportMargins(0, 4, 0, 4)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            undo, redo = event.matches(QKeySequence.StandardKey.Undo), event.matches(QKeySequence.StandardKey.Redo)
            if undo or redo:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    (self.undo_wanted if undo else self.redo_wanted).emit()
                return True
        return super().event(event)
