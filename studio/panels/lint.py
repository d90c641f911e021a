"""The checks: what the lint found in the script, one row each, with what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLocale, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QFrame, QMenu, QVBoxLayout

from studio import theme
from studio.controls import IconButton, SectionHeader, label
from studio.document.lint import Finding, Rule
from studio.fixes import add_fixes
from studio.rows import RowList, RowPainter

ROWS_SEEN = 3


@dataclass(frozen=True)
class FindingRow:
    """A finding as it is listed: the number of its line, None where it is gone, and the words it stands at."""

    finding: Finding
    number: int | None
    words: str


class LintPanel(QFrame):
    """A click goes to the place; the mark at its right opens the fixes. The gear switches rules off and on."""

    finding_chosen = Signal(object)
    fix_wanted = Signal(object, object)  # a finding and one of its fixes
    rules_wanted = Signal(object)  # a frozenset of those that are off
    language_wanted = Signal(str)  # the name of a dictionary
    folder_wanted = Signal()  # of dictionaries

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Checks")
        self._off: frozenset[Rule] = frozenset()
        self._languages: tuple[str, ...] = ()
        self._language = ""
        self.header = SectionHeader("Checks")
        self.rules = IconButton("settings", "Choose what is looked for", size=24)
        self.header.add(self.rules)
        self.rows = RowList("Checks", _FindingPainter(), _words, most=ROWS_SEEN)
        self.more = label("", 11.5, tone="faint")
        self.more.setContentsMargins(12, 0, 12, 0)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 8, 0, 8)
        stack.setSpacing(4)
        for widget in (self.header, self.rows, self.more):
            stack.addWidget(widget)
        self.rules.clicked.connect(self._open_rules)
        self.rows.chosen.connect(self._choose)
        self.rows.activated_row.connect(self._open_fixes)
        self.rows.part_clicked.connect(self._open_part)
        self.show_findings((), 0)

    def show_findings(self, rows: Sequence[FindingRow], count: int) -> None:
        """The first of `count` findings."""
        self.rows.show_rows(rows, None)
        self.rows.setVisible(bool(rows))
        self.header.show_title(f"Checks · {count}" if count else "Checks")
        hidden = count - len(rows)
        self.more.setText(f"and {hidden} more further down" if hidden > 0 else "" if count else "Nothing to warn of.")
        self.more.setVisible(hidden > 0 or not count)

    def show_off(self, off: frozenset[Rule]) -> None:
        """The rules that are switched off."""
        self._off = off

    def show_languages(self, names: tuple[str, ...], language: str) -> None:
        """The dictionaries that there are, and the one that is wanted, which may not be among them."""
        self._languages, self._language = names, language

    @Slot(object)
    def _choose(self, row: FindingRow) -> None:
        self.finding_chosen.emit(row.finding)

    @Slot(object, str)
    def _open_part(self, row: FindingRow, _: str) -> None:
        self._open_fixes(row)

    @Slot(object)
    def _open_fixes(self, row: FindingRow) -> None:
        self.finding_chosen.emit(row.finding)
        index = next((n for n, each in enumerate(self.rows.rows.rows) if each == row), 0)
        corner = self.rows.visualRect(self.rows.rows.index(index)).bottomLeft()
        self.fix_menu((row.finding,)).popup(self.rows.viewport().mapToGlobal(corner + QPoint(24, 0)))

    def fix_menu(self, found: Sequence[Finding]) -> QMenu:
        """What can be done about findings; it deletes itself when closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_fixes(menu, found, self.fix_wanted.emit, lambda rule: self.rules_wanted.emit(self._off | {rule}))
        return menu

    def rules_menu(self) -> QMenu:
        """All rules, those that are looked for checked."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for rule in Rule:
            action = menu.addAction(rule.value)
            action.setCheckable(True)
            action.setChecked(rule not in self._off)
            action.triggered.connect(lambda _=False, rule=rule: self.rules_wanted.emit(self._off ^ {rule}))
        menu.addSeparator()
        menu.addAction("Look for all of them").triggered.connect(lambda: self.rules_wanted.emit(frozenset()))
        menu.addSeparator()
        menu.addMenu(self._languages_menu(menu))
        return menu

    def _languages_menu(self, parent: QMenu) -> QMenu:
        menu = QMenu("Spelling in", parent)
        for name in dict.fromkeys((*self._languages, self._language)):
            missing = "" if name in self._languages else ", no dictionary here"
            action = menu.addAction(f"{language_words(name)}{missing}")
            action.setCheckable(True)
            action.setChecked(name == self._language)
            action.triggered.connect(lambda _=False, name=name: self.language_wanted.emit(name))
        menu.addSeparator()
        menu.addAction("Add dictionaries…").triggered.connect(self.folder_wanted)
        return menu

    @Slot()
    def _open_rules(self) -> None:
        self.rules_menu().popup(self.rules.mapToGlobal(QPoint(0, self.rules.height())))


class _FindingPainter(RowPainter):
    height = 40

    def paint_row(self, painter: QPainter, rect: QRect, row: FindingRow, chosen: bool, hovered: bool) -> None:
        palette = theme.current()
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(theme.font(11.5, tabular=True))
        painter.setPen(QColor(palette.muted if chosen else palette.faint))
        painter.drawText(rect.adjusted(12, 3, 0, -19), left, "" if row.number is None else str(row.number))
        painter.setFont(theme.font(13, 500))
        painter.setPen(QColor(palette.text))
        inside = rect.adjusted(36, 3, -32, 0)
        metrics = painter.fontMetrics()
        title = metrics.elidedText(row.words or row.finding.rule.value, Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(inside.adjusted(0, 0, 0, -19), left, title)
        painter.setFont(theme.font(11.5))
        painter.setPen(QColor(palette.muted))
        said = painter.fontMetrics().elidedText(row.finding.says, Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(inside.adjusted(0, 17, 0, 0), left, said)
        if row.finding.fixes and (chosen or hovered):
            ratio = painter.device().devicePixelRatioF()
            shown = theme.pixmap("chevron-down", palette.muted, 14, ratio)
            painter.drawPixmap(rect.right() - 24, rect.center().y() - 7, shown)

    def parts(self, rect: QRect, row: FindingRow) -> dict[str, QRect]:
        return {"fixes": QRect(rect.right() - 32, rect.top(), 32, rect.height())} if row.finding.fixes else {}

    def tip(self, row: FindingRow, part: str | None) -> str:
        return "What can be done (Enter)" if part else row.finding.says


def language_words(name: str) -> str:
    """The language of a dictionary as it calls itself, and the dictionary's name."""
    native = QLocale(name).nativeLanguageName() if QLocale(name) != QLocale.c() else ""
    return f"{native} ({name})" if native else name


def _words(row: FindingRow) -> str:
    where = "" if row.number is None else f"Line {row.number}: "
    return f"{where}{row.words}. {row.finding.says}" if row.words else f"{where}{row.finding.says}"
