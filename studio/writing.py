"""What the user does with the script beyond typing: looks at what the lint found, and mends it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices

from studio.casting import Casting
from studio.display import Display
from studio.document.dictionaries import dictionaries, own_folder
from studio.document.edits import Edit, ReplaceLines, SetLanguage, Together
from studio.document.joining import joined, parted
from studio.document.lint import Divide, Enlist, Finding, Fix, Learn, Recast, Rewrite, Rule, fixed, similar
from studio.document.phrases import offers, toggled, with_recent
from studio.document.project import Line
from studio.document.script import split_long
from studio.file_thread import FileThread
from studio.panels.lint import FindingRow, LintPanel
from studio.panels.script_lines import edited
from studio.session import Session
from studio.session.linting import Linting
from studio.settings import Preferences

MOST_LISTED = 200
SOON = 150  # ms after the last key


class Writing(QObject):
    """Connects the script's panels with the session; the window lays them out."""

    said = Signal(str)  # for the line at the bottom
    preferred = Signal(object)  # what of the preferences shall be otherwise, by name

    def __init__(self, session: Session, casting: Casting, shown: Display, files: FileThread) -> None:
        super().__init__(shown.script)
        self._session, self._casting, self._shown = session, casting, shown
        self.linting = Linting(session, files, self)
        self.lint = LintPanel()
        self._soon = QTimer(self, interval=SOON, singleShot=True)
        self._soon.timeout.connect(self._list_findings)
        self.linting.changed.connect(self._show_findings)
        self.lint.finding_chosen.connect(self.go_to)
        self.lint.fix_wanted.connect(self.mend)
        self.lint.rules_wanted.connect(self._want_rules)
        self.lint.rules.pressed.connect(self._show_languages)
        self.lint.language_wanted.connect(self._want_language)
        self.lint.folder_wanted.connect(self._open_dictionaries)
        self._preferences = Preferences()
        shown.script.tag_used.connect(self._note_tag)
        shown.tags.tag_wanted.connect(shown.script.insert_tag)
        shown.tags.favourite_wanted.connect(self._toggle_favourite)
        shown.script.fix_wanted.connect(self.mend)
        shown.script.quiet_wanted.connect(self._quiet)
        self._show_findings()

    def show_preferences(self, preferences: Preferences) -> None:
        off = frozenset(rule for rule in Rule if rule.name in preferences.rules_off)
        self.lint.show_off(off)
        self.linting.switch_off(off)
        self.linting.know(frozenset(preferences.words))
        before, self._preferences = self._preferences, preferences
        recent, favourites = preferences.recent_tags, preferences.favourite_tags
        if (recent, favourites) != (before.recent_tags, before.favourite_tags) or before == Preferences():
            self._shown.script.show_offers(offers(recent, favourites))
            self._shown.tags.show_offers(recent, favourites)

    # Lines

    def join_lines(self) -> None:
        """The selected lines, or the chosen one and the next, become one: one take, spoken in one pass."""
        found = self._to_join()
        if found is not None:
            at, first, stop = found
            lines = self._session.project.scenes[at].lines[first:stop]
            self._session.do(ReplaceLines(at, first, stop, (joined(lines),), "Join lines"))
            self._session.choose_line(lines[0].id)

    @property
    def joinable(self) -> bool:
        return self._to_join() is not None

    def _to_join(self) -> tuple[int, int, int] | None:
        """The scene and the lines [first, stop) of it that would be joined; None where there are not two of them."""
        selected = [each for each in self._shown.script.lines_selected() if self._session.find(each) is not None]
        if not selected:
            return None
        at, first = self._session.place(selected[0])
        stop = min(max(first + 2, first + len(selected)), len(self._session.project.scenes[at].lines))
        if any(self._session.place(line_id)[0] != at for line_id in selected) or stop - first < 2:
            return None
        return at, first, stop

    def part_line(self) -> None:
        """The chosen line becomes one for each of its characters."""
        line = self._session.line
        if line is not None and len(line.parts) > 1:
            self._put(parted(line), line, "One line for each character")

    # Tags

    @Slot(str)
    def _note_tag(self, phrase: str) -> None:
        self.preferred.emit({"recent_tags": with_recent(self._preferences.recent_tags, phrase)})

    @Slot(str)
    def _toggle_favourite(self, phrase: str) -> None:
        self.preferred.emit({"favourite_tags": toggled(self._preferences.favourite_tags, phrase)})

    # Lint

    @Slot(object)
    def go_to(self, finding: Finding) -> None:
        """Selects the words a finding stands at."""
        if self._session.find(finding.line_id) is not None:
            self._shown.script.select(finding.line_id, finding.start, finding.stop)

    def next_finding(self, by: int) -> None:
        """On to the next finding after the cursor, or back; from the last to the first."""
        found = self.linting.in_order(1_000_000)
        if not found:
            return
        order = {line.id: number for number, line in enumerate(self._session.project.lines())}
        places = [(order[each.line_id], each.start) for each in found]
        at = self._shown.script.line_selected()
        here = (order.get(at[0], 0), at[1]) if at else (0, -1)
        after = [n for n, place in enumerate(places) if (place > here if by > 0 else place < here)]
        chosen = (min if by > 0 else max)(after, key=places.__getitem__, default=0 if by > 0 else len(found) - 1)
        self.go_to(found[chosen])

    @Slot(object, object)
    def mend(self, finding: Finding, fix: Fix) -> None:
        """Does what a fix says, where the text is still as it was found."""
        line = self._session.find(finding.line_id)
        if line is None or finding not in self.linting.found.get(line.id, ()):
            return
        match fix:
            case Rewrite():
                self._put((edited(line, fixed(line.text, fix)),), line, f"Mend: {finding.rule.value.lower()}")
            case Divide() if self._session.engine is not None:
                self._put(split_long(line, self._session.engine.most_characters), line, "Cut a long line")
            case Enlist(name):
                self._casting.add(name)
            case Learn(word):
                self.preferred.emit({"words": (*self._preferences.words, word.casefold())})
            case Recast(name, to):
                self._recast(name, to)

    def name_typed(self, name: str) -> str:
        """Somebody was named who is not in the cast. A name like one that is there is asked about, by the lint; any
        other joins the cast. What is to be said about it comes back."""
        project = self._session.project
        if project.character(name) is not None:
            return ""
        if alike := similar(name, (character.name for character in project.cast)):
            return f"{name} is not in the cast. Is it {alike[0]}? Ctrl+. asks."
        self._casting.add(name)
        return f"{name} has joined the cast. Ctrl+Z takes it back."

    def _recast(self, name: str, to: str) -> None:
        """One step of undo, for all lines that say so."""
        edits = list[Edit]()
        for at, scene in enumerate(self._session.project.scenes):
            for place, line in enumerate(scene.lines):
                if any(part.character == name for part in line.parts):
                    named = (to if part.character == name else part.character for part in line.parts)
                    parts = tuple(replace(part, character=who) for part, who in zip(line.parts, named, strict=True))
                    edits.append(ReplaceLines(at, place, place + 1, (replace(line, parts=parts),)))
        self._session.do(Together(tuple(edits), f"{name} is {to}"))

    def _put(self, lines: tuple[Line, ...], line: Line, label: str) -> None:
        """`lines` in the place of a line."""
        at, place = self._session.place(line.id)
        self._session.do(ReplaceLines(at, place, place + 1, lines, label))

    @Slot()
    def _show_findings(self) -> None:
        """In the text at once, in the list when nobody types."""
        self._shown.script.show_findings(self.linting.found)
        self._soon.start()

    @Slot()
    def _list_findings(self) -> None:
        linting, session = self.linting, self._session
        found = linting.in_order(MOST_LISTED)
        self.lint.show_findings(tuple(self._row(session.find(each.line_id), each) for each in found), linting.count)

    def _row(self, line: Line | None, found: Finding) -> FindingRow:
        if line is None:
            return FindingRow(found, None, "")
        return FindingRow(found, self._session.number(line.id), line.text[found.start : found.stop].strip()[:60])

    @Slot(object)
    def _quiet(self, rule: Rule) -> None:
        self._want_rules(self.linting.off | {rule})

    # Spelling

    @Slot()
    def _show_languages(self) -> None:
        """A dictionary may just have been put there."""
        self.lint.show_languages(tuple(dictionaries()), self._session.project.language)

    @Slot(str)
    def _want_language(self, name: str) -> None:
        self._session.do(SetLanguage(name))

    @Slot()
    def _open_dictionaries(self) -> None:
        """Shows the folder that the user puts dictionaries in."""
        folder = own_folder()
        folder.mkdir(parents=True, exist_ok=True)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
        self.said.emit(f"Put NAME.dic and NAME.aff into {folder}; they are there at the next look.")

    @Slot(object)
    def _want_rules(self, off: frozenset[Rule]) -> None:
        self.preferred.emit({"rules_off": tuple(rule.name for rule in Rule if rule in off)})
