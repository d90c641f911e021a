"""The checks panel: rows go to their places, fixes and rules are wished for."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio.document.lint import Enlist, Finding, Rewrite, Rule
from studio.panels.lint import FindingRow, LintPanel

DIGITS = Finding(Rule.DIGITS, "a", 3, 7, "Digits may be misread.", (Rewrite("Write “four”", 3, 7, "four"),))
UNKNOWN = Finding(Rule.UNKNOWN, "b", 0, 0, "Bo is not in the cast.", (Enlist("Bo"),))


def panel(qtbot: QtBot) -> LintPanel:
    made = LintPanel()
    qtbot.addWidget(made)
    made.show_findings((FindingRow(DIGITS, 1, "4:31"), FindingRow(UNKNOWN, 2, "")), 5)
    made.resize(296, 300)
    made.show()
    return made


def entry(menu: QMenu, words: str) -> None:
    next(action for action in menu.actions() if action.text() == words).trigger()


def test_a_row_goes_to_its_place(qtbot: QtBot) -> None:
    made = panel(qtbot)
    chosen: list[object] = []
    made.finding_chosen.connect(chosen.append)
    made.rows.clicked.emit(made.rows.rows.index(1))
    assert chosen == [UNKNOWN]


def test_what_is_not_listed_is_counted(qtbot: QtBot) -> None:
    made = panel(qtbot)
    assert made.more.text() == "and 3 more further down"
    made.show_findings((), 0)
    assert made.more.text() == "Nothing to warn of."


def test_fixes_and_quiet_are_wished(qtbot: QtBot) -> None:
    made = panel(qtbot)
    fixes: list[tuple[object, object]] = []
    rules: list[object] = []
    made.fix_wanted.connect(lambda *wish: fixes.append(wish))
    made.rules_wanted.connect(rules.append)
    made.show_off(frozenset({Rule.EMOJI}))
    entry(made.fix_menu((DIGITS,)), "Write “four”")
    entry(made.fix_menu((DIGITS, UNKNOWN)), "Do not warn of: digits")
    assert fixes == [(DIGITS, DIGITS.fixes[0])]
    assert rules == [frozenset({Rule.EMOJI, Rule.DIGITS})]


def test_rules_are_switched_in_a_menu(qtbot: QtBot) -> None:
    made = panel(qtbot)
    rules: list[object] = []
    made.rules_wanted.connect(rules.append)
    made.show_off(frozenset({Rule.EMOJI}))
    entry(made.rules_menu(), "Emoji")
    entry(made.rules_menu(), "Digits")
    entry(made.rules_menu(), "Look for all of them")
    assert rules == [frozenset(), frozenset({Rule.EMOJI, Rule.DIGITS}), frozenset()]


def test_a_language_is_chosen_and_one_that_is_missing_is_told(qtbot: QtBot) -> None:
    made = panel(qtbot)
    made.show_languages(("en_US", "de_DE"), "tlh_QO")
    menu = made.rules_menu()
    languages = next(each for each in menu.findChildren(QMenu) if each.title() == "Spelling in")
    words = [(action.text(), action.isChecked()) for action in languages.actions() if not action.isSeparator()]
    assert words == [
        ("American English (en_US)", False),
        ("Deutsch (de_DE)", False),
        ("tlh_QO, no dictionary here", True),
        ("Add dictionaries…", False),
    ]
    with qtbot.waitSignal(made.language_wanted) as wish:
        entry(languages, "Deutsch (de_DE)")
    assert wish.args == ["de_DE"]
    with qtbot.waitSignal(made.folder_wanted):
        entry(languages, "Add dictionaries…")
    menu.close()
