"""The right column of the voice editor: will it clone well, what the voice is called, and who allowed it."""

from __future__ import annotations

import datetime
from dataclasses import replace

from PySide6.QtCore import QRect, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from studio import theme
from studio.controls import Choice, label
from studio.layouts import clear, separator
from studio.library.quality import Advice, Report
from studio.library.voices import Consent, LibraryVoice
from studio.panels.voice_editor_consent import SpokenConsent

WIDTH = 264
LANGUAGES = (
    "Arabic", "Chinese", "Czech", "Danish", "Dutch", "English", "Finnish", "French", "German", "Greek", "Hebrew",
    "Hindi", "Hungarian", "Indonesian", "Italian", "Japanese", "Korean", "Norwegian", "Polish", "Portuguese",
    "Romanian", "Russian", "Spanish", "Swedish", "Thai", "Turkish", "Ukrainian", "Vietnamese",
)  # fmt: skip
NOT_STATED = "Not stated"


class Quality(QWidget):
    """The report as a list: a tick or a warning sign, what was measured, and what to do."""

    def __init__(self) -> None:
        super().__init__()
        self.advice: tuple[Advice, ...] = ()
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        title = label("Will it clone well?", 11.5, 500, "faint")
        self._waits = label("Listening…", 12, tone="muted")
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(4)
        stack.addWidget(title)
        stack.addWidget(self._waits)
        stack.addLayout(self._list)
        self.show_report(None)

    def show_report(self, report: Report | None) -> None:
        """The advice, what is amiss last as it needs most room; None while it is being measured."""
        advice = sorted(_merged(report.advice), key=lambda each: not each.good) if report is not None else []
        if tuple(advice) == self.advice and advice:
            return
        self.advice = tuple(advice)
        clear(self._list)
        self._waits.setVisible(report is None)
        for each in advice:
            self._list.addWidget(_AdviceRow(each))


def _merged(advice: tuple[Advice, ...]) -> list[Advice]:
    """What is not there shares a line: "No clipping, no long pauses"."""
    absent = [each for each in advice if each.good and each.fact.startswith("No ")]
    rest = [each for each in advice if each not in absent]
    if len(absent) < 2:
        return list(advice)
    first, *others = (each.fact for each in absent)
    told = ", ".join([first, *(fact[0].lower() + fact[1:] for fact in others)])
    return [*rest, Advice(absent[0].about, True, told)]


class _AdviceRow(QWidget):
    def __init__(self, advice: Advice) -> None:
        super().__init__()
        self._good = advice.good
        self.setAccessibleName(("Good: " if advice.good else "Look at this: ") + f"{advice.fact}. {advice.to_do}")
        fact = label(advice.fact, 12.5)
        fact.setWordWrap(True)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(22, 6, 0, 6)
        stack.setSpacing(2)
        stack.addWidget(fact)
        if advice.to_do:
            to_do = label(advice.to_do, 12, tone="muted")
            to_do.setWordWrap(True)
            stack.addWidget(to_do)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        name, colour = ("check", palette.good) if self._good else ("warning", palette.warning)
        QPainter(self).drawPixmap(QRect(0, 8, 14, 14), theme.pixmap(name, colour, 14, self.devicePixelRatioF()))


class Details(QScrollArea):
    """`changed` carries the voice with what was written here, and which field it was."""

    changed = Signal(object, str)

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(WIDTH)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.quality = Quality()
        self.name = _line("Name")
        self.language = Choice("Language")
        self.language.addItems([NOT_STATED, *LANGUAGES])
        self.permission = Choice("Permission")
        self.permission.addItems([consent.value for consent in Consent])
        self.who = _line("Who gave it", "Name")
        self.given = _line("Given on", "Date")
        self.until = _line("Ends on", "Date")
        for date in (self.given, self.until):
            date.setToolTip("Year-month-day: 2027-06-30")
        self.licence = _line("Licence and origin", "For what, from where")
        self.spoken = SpokenConsent()
        self.note = _line("Note", "Warm, close to the microphone")
        self._voice = LibraryVoice("", "")
        self._more = QWidget()
        self._lay()
        self._connect()

    def _lay(self) -> None:
        grid = QGridLayout(self._more)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        for column, (name, field) in enumerate((("Given on", self.given), ("Ends on", self.until))):
            grid.addWidget(label(name, 12, tone="muted"), 2, column)
            grid.addWidget(field, 3, column)
        for row, (name, field) in ((0, ("Who gave it", self.who)), (4, ("Licence and origin", self.licence))):
            grid.addWidget(label(name, 12, tone="muted"), row, 0, 1, 2)
            grid.addWidget(field, row + 1, 0, 1, 2)
        grid.addWidget(self.spoken, 6, 0, 1, 2)
        inside = QFrame()
        inside.setProperty("kind", "panel")
        stack = QVBoxLayout(inside)
        stack.setContentsMargins(16, 16, 16, 16)
        stack.setSpacing(5)
        stack.addWidget(self.quality)
        stack.addSpacing(7)
        stack.addWidget(separator())
        stack.addSpacing(7)
        fields = (("Name", self.name), ("Language", self.language), ("Permission", self.permission))
        for name, widget in (*fields, ("", self._more), ("Note", self.note)):
            if name:
                stack.addWidget(label(name, 12, tone="muted"))
            stack.addWidget(widget)
            stack.addSpacing(5)
        stack.addStretch(1)
        self.setWidget(inside)

    def _connect(self) -> None:
        for line in (self.name, self.who, self.given, self.until, self.licence, self.note):
            line.textEdited.connect(self._change)
        self.language.activated.connect(self._change)
        self.permission.activated.connect(self._change)
        self.spoken.removed.connect(self._remove_spoken)

    def show_voice(self, voice: LibraryVoice) -> None:
        self._voice = voice
        permission = voice.permission
        for line, text in (
            (self.name, voice.name), (self.who, permission.who), (self.given, permission.given),
            (self.until, permission.until), (self.licence, permission.licence), (self.note, voice.note),
        ):  # fmt: skip
            if line.text() != text and line.text().strip() != text:
                line.setText(text)
        if voice.language and self.language.findText(voice.language) < 0:
            self.language.addItem(voice.language)
        self.language.setCurrentText(voice.language or NOT_STATED)
        self.permission.setCurrentText(permission.consent.value)
        self.spoken.show_clip(voice.spoken_consent)
        self._show_more()

    def faults(self) -> str:
        """What keeps the voice from being saved; "" where nothing does."""
        if not self.name.text().strip():
            return "The voice needs a name"
        if not self._more.isHidden() and not all(_is_date(line.text().strip()) for line in (self.given, self.until)):
            return "Dates are written year-month-day: 2027-06-30"
        return ""

    def _show_more(self) -> None:
        voice = self._voice
        self._more.setVisible(voice.permission.consent is not Consent.NOT_STATED or voice.spoken_consent is not None)

    @Slot()
    def _remove_spoken(self) -> None:
        self.changed.emit(replace(self._voice, spoken_consent=None), "Spoken consent")

    @Slot()
    def _change(self) -> None:
        language = self.language.currentText()
        permission = replace(
            self._voice.permission,
            consent=list(Consent)[self.permission.currentIndex()],
            who=self.who.text().strip(),
            given=self.given.text().strip(),
            until=self.until.text().strip(),
            licence=self.licence.text().strip(),
        )
        self._voice = replace(
            self._voice,
            name=self.name.text().strip(),
            language="" if language == NOT_STATED else language,
            note=self.note.text().strip(),
            permission=permission,
        )
        self._show_more()
        sender = self.sender()
        self.changed.emit(self._voice, sender.accessibleName() if isinstance(sender, QWidget) else "")


def _line(name: str, placeholder: str = "") -> QLineEdit:
    made = QLineEdit()
    made.setFont(theme.font(13))
    made.setAccessibleName(name)
    made.setPlaceholderText(placeholder)
    return made


def _is_date(text: str) -> bool:
    try:
        return not text or bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


def row_of(*widgets: QWidget) -> QHBoxLayout:
    """Widgets side by side, 6 px apart."""
    made = QHBoxLayout()
    made.setSpacing(6)
    for widget in widgets:
        made.addWidget(widget)
    return made
