"""The prompt: what the model reads for the chosen line, to the last sign, and what of the script becomes of it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QColor, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from engine.request import Described
from studio import theme
from studio.controls import Choice, KeyButton, ProgressLine, label
from studio.document.project import Pronunciation, Reading
from studio.document.sending import DIRECTION, TEXT

NONE, LAST, SCENE = range(3)
MOST_TURNS = 50
_ROLES = {"system": "Voices", "user": "Earlier turn", "assistant": "As it was spoken"}


@dataclass(frozen=True)
class PromptPage:
    """A prompt of a line: `title` names it, `voices` are told in the order of their numbers, `why_not` says why there
    is none."""

    title: str
    voices: tuple[str, ...] = ()
    described: Described | None = None
    why_not: str = ""


class PromptDialog(QDialog):
    """Stays open beside the script. What is changed on the left is wished for at once."""

    reading_wanted = Signal(object)
    hear_wanted = Signal(object)  # a Pronunciation, to be heard in both spellings

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Prompt")
        self.resize(900, 560)
        self._reading = Reading()
        self._filling = False
        self.context = Choice("Earlier turns")
        self.context.addItems(["None", "The last ones", "The whole scene"])
        self.context.setToolTip("How many earlier turns of the scene the model hears, as they were spoken")
        self.turns = QSpinBox()
        self.turns.setRange(1, MOST_TURNS)
        self.turns.setFont(theme.font(13, tabular=True))
        self.turns.setAccessibleName("So many of them")
        self.template = QLineEdit()
        self.template.setFont(theme.font(13))
        self.template.setAccessibleName("How a direction enters the text")
        self.template.setToolTip(f"{DIRECTION} stands for the direction, {TEXT} for the text of the line")
        self.wrong = label("", 12, tone="warning")
        self.wrong.setWordWrap(True)
        self.words = QTableWidget(0, 2)
        self.add = KeyButton("Add", tip="Add a word and how it is spoken")
        self.remove = KeyButton("Remove", tip="Remove the chosen words")
        self.hear = KeyButton("Hear both", tip="Hear the word as it is written, then as it is spoken")
        self.page = QTextEdit()
        self.page.setReadOnly(True)
        self.page.setAccessibleName("The prompt")
        self.page.setProperty("kind", "field")
        self.title = label("", 13, 600)
        self.share = ProgressLine(160)
        self.counts = label("", 12, tone="muted")
        self.counts.setWordWrap(True)
        self._lay()
        self._connect()

    def _lay(self) -> None:
        self.words.setHorizontalHeaderLabels(["Written", "Spoken as"])
        self.words.setAccessibleName("Pronunciations")
        self.words.verticalHeader().hide()
        self.words.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.words.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.words.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.words.setFont(theme.font(13))
        self.words.setMinimumHeight(160)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(label("Earlier turns that the model hears", 11.5, 500, "faint"))
        heard = QHBoxLayout()
        heard.addWidget(self.context, 1)
        heard.addWidget(self.turns)
        left.addLayout(heard)
        left.addSpacing(8)
        left.addWidget(label("How a direction enters the text", 11.5, 500, "faint"))
        left.addWidget(self.template)
        left.addWidget(self.wrong)
        left.addSpacing(8)
        left.addWidget(label("Pronunciations", 11.5, 500, "faint"))
        left.addWidget(self.words, 1)
        verbs = QHBoxLayout()
        verbs.setSpacing(8)
        for button in (self.add, self.remove, self.hear):
            verbs.addWidget(button)
        verbs.addStretch(1)
        left.addLayout(verbs)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.title)
        right.addWidget(self.page, 1)
        below = QHBoxLayout()
        below.setSpacing(12)
        below.addWidget(self.share)
        below.addWidget(self.counts, 1)
        right.addLayout(below)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 16, 16, 16)
        row.setSpacing(16)
        row.addLayout(left, 2)
        row.addLayout(right, 3)

    def _connect(self) -> None:
        self.context.currentIndexChanged.connect(self._want)
        self.turns.valueChanged.connect(self._want)
        self.template.editingFinished.connect(self._want)
        self.template.textChanged.connect(self._check_template)
        self.words.cellChanged.connect(self._want)
        self.words.itemSelectionChanged.connect(self._follow)
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)
        self.hear.clicked.connect(self._hear)

    # What is shown

    def show_reading(self, reading: Reading) -> None:
        """What becomes of the script on its way to the model."""
        if reading == self._reading and self.template.text():
            return
        self._reading, self._filling = reading, True
        mode = SCENE if reading.context is None else LAST if reading.context else NONE
        self.context.setCurrentIndex(mode)
        self.turns.setValue(reading.context or self.turns.value())
        self.template.setText(reading.template)
        if self._words() != reading.pronunciations:
            self.words.setRowCount(0)
            for each in reading.pronunciations:
                self._put_row(each.written, each.spoken)
        self._filling = False
        self._follow()

    def show_page(self, page: PromptPage) -> None:
        """What is read for the chosen line."""
        self.title.setText(page.title)
        self.page.clear()
        described = page.described
        self.share.setVisible(described is not None)
        if described is None:
            self.page.setPlainText(page.why_not)
            self.counts.setText("")
            return
        cursor = self.page.textCursor()
        for number, name in enumerate(page.voices):
            _write(cursor, f"<|speaker:{number}|> is {name}", theme.current().muted)
        role = ""
        for row in described.rows:
            if row.role != role:
                role = row.role
                caption = "This line" if row is described.rows[-1] else _ROLES.get(role, role)
                _write(cursor, caption, theme.current().faint, caption=True)
            if row.frames:
                _write(cursor, f"{row.frames} frames of speech", theme.current().accent)
            else:
                _write(cursor, row.text.strip("\n"), theme.current().text)
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.page.setTextCursor(cursor)
        self.share.show_share(min(1.0, (described.positions + described.room) / described.limit))
        self.counts.setText(counted(described))

    # What is wished

    @Slot()
    def _follow(self) -> None:
        self.turns.setVisible(self.context.currentIndex() == LAST)
        chosen = bool(self.words.selectionModel().selectedRows())
        self.remove.setEnabled(chosen)
        self.hear.setEnabled(chosen)

    @Slot()
    def _check_template(self) -> None:
        text = self.template.text()
        missing = [each for each in (DIRECTION, TEXT) if text.count(each) != 1]
        self.wrong.setText(f"It needs {' and '.join(missing)}, once." if missing else "")
        self.wrong.setVisible(bool(missing))

    @Slot()
    def _want(self) -> None:
        self._follow()
        if self._filling:
            return
        context = {NONE: 0, LAST: self.turns.value(), SCENE: None}[self.context.currentIndex()]
        template = self.template.text() if not self.wrong.text() else self._reading.template
        wanted = Reading(template, self._words(), context)
        if wanted != self._reading:
            self._reading = wanted
            self.reading_wanted.emit(wanted)

    def _words(self) -> tuple[Pronunciation, ...]:
        rows = (tuple(self._cell(row, column) for column in range(2)) for row in range(self.words.rowCount()))
        return tuple(Pronunciation(written, spoken) for written, spoken in rows if written and spoken)

    def _cell(self, row: int, column: int) -> str:
        item = self.words.item(row, column)
        return item.text().strip() if item is not None else ""

    def _put_row(self, written: str, spoken: str) -> None:
        row = self.words.rowCount()
        self.words.insertRow(row)
        for column, text in enumerate((written, spoken)):
            self.words.setItem(row, column, QTableWidgetItem(text))

    @Slot()
    def _add(self) -> None:
        filling, self._filling = self._filling, True
        self._put_row("", "")
        self._filling = filling
        row = self.words.rowCount() - 1
        self.words.setCurrentCell(row, 0)
        if (item := self.words.item(row, 0)) is not None:
            self.words.editItem(item)

    @Slot()
    def _remove(self) -> None:
        rows: list[QModelIndex] = self.words.selectionModel().selectedRows()
        for row in sorted((index.row() for index in rows), reverse=True):
            self.words.removeRow(row)
        self._want()

    @Slot()
    def _hear(self) -> None:
        row = self.words.currentRow()
        word = Pronunciation(self._cell(row, 0), self._cell(row, 1))
        if word.written and word.spoken:
            self.hear_wanted.emit(word)


def counted(described: Described) -> str:
    """What a prompt takes, in a sentence."""
    frames = sum(row.frames for row in described.rows)
    tokens = described.positions - frames
    left = described.turns_left_out
    said = f"{tokens:,} tokens and {frames:,} frames of {described.limit:,}; {described.room:,} kept free for the line."
    if not described.fits:
        said += " It does not fit: shorten the line or the voices’ clips."
    if left:
        said += f" {left} of the oldest turns did not fit and {'is' if left == 1 else 'are'} left out."
    return said


def _write(cursor: QTextCursor, text: str, colour: str, caption: bool = False) -> None:
    form, block = QTextCharFormat(), QTextBlockFormat()
    form.setForeground(QColor(colour))
    form.setFont(theme.font(11.5, 500) if caption else theme.font(13))
    block.setTopMargin(10 if caption else 2)
    if cursor.document().isEmpty():
        cursor.setBlockFormat(block)
        cursor.setCharFormat(form)
    else:
        cursor.insertBlock(block, form)
    cursor.insertText(text, form)


