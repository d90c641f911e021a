"""Finding and replacing in the script: the bar above it, and where the matches are."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.controls import label
from studio.display import Display
from studio.document.edits import ReplaceLines, Together
from studio.document.finding import Match, PatternError, Query, find, replaced
from studio.panels.script_find import FindBar
from studio.session import Session
from studio.session.counting import Counting, told

SOON = 120  # ms after the last key


class Searching(QObject):
    """`column` is the script with the bar above it and its counts below, to be laid into the window."""

    def __init__(self, session: Session, shown: Display) -> None:
        super().__init__(shown.script)
        self._session, self._script = session, shown.script
        self._found: tuple[Match, ...] = ()
        self._query = Query("")
        self.bar = FindBar()
        self.column = QWidget()
        stack = QVBoxLayout(self.column)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addWidget(self.bar)
        stack.addWidget(shown.script, 1)
        self.count = label("", 11.5, tone="faint")
        self.count.setProperty("kind", "foot")
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.count.setContentsMargins(0, 2, 16, 6)
        self.count.setToolTip("Words outside tags, and how long the lines should take without their pauses")
        stack.addWidget(self.count)
        self._counting = Counting(session, self)
        self._counting.changed.connect(self._show_count)
        self._show_count()
        self._soon = QTimer(self, interval=SOON, singleShot=True)
        self._soon.timeout.connect(self._look)
        session.project_changed.connect(self._follow)
        shown.script.text_selected.connect(self._show_place)
        self.bar.query_changed.connect(self._change)
        self.bar.step_wanted.connect(self.step)
        self.bar.replace_wanted.connect(self._replace)
        self.bar.replace_all_wanted.connect(self._replace_all)
        self.bar.closed.connect(self._close)

    def open(self, replacing: bool = False) -> None:
        """Opens the bar, with the words that are selected."""
        selected = self._script.textCursor().selectedText()
        self.bar.open_bar(replacing, selected if len(selected) < 200 and "\u2029" not in selected else "")

    @Slot()
    def _show_count(self) -> None:
        lines = sum(len(scene.lines) for scene in self._session.project.scenes)
        self.count.setText(told(lines, self._counting.words, self._counting.seconds))

    @Slot(object)
    def _change(self, query: Query) -> None:
        self._query = query
        self._look()

    @Slot()
    def _follow(self) -> None:
        if self.bar.isVisible():
            self._soon.start()

    @Slot()
    def _look(self) -> None:
        try:
            self._found = find(self._session.project, self._query)
        except PatternError as error:
            self._found = ()
            self._script.show_matches({})
            self.bar.show_found(None, 0, str(error))
            return
        self._show_matches()
        self._show_place()

    def _show_matches(self) -> None:
        found: dict[str, list[tuple[int, int]]] = {}
        for match in self._found if self.bar.isVisible() else ():
            found.setdefault(match.line_id, []).append((match.start, match.stop))
        self._script.show_matches(found)

    @Slot()
    def _close(self) -> None:
        self._script.show_matches({})
        self._script.setFocus()

    @Slot()
    def _show_place(self) -> None:
        if self.bar.isVisible():
            self.bar.show_found(self._at(), len(self._found))

    def _at(self) -> int | None:
        """Which of the matches is selected."""
        place = self._script.line_selected()
        here = Match(*place) if place else None
        return self._found.index(here) if here in self._found else None

    @Slot(int)
    def step(self, by: int) -> None:
        """To the next match after the cursor, or the one before; around the end."""
        self._look()
        if not self._found:
            return
        at = self._at()
        if at is None:
            at = self._first_after() - (by > 0)
        match = self._found[(at + by) % len(self._found)]
        self._script.select(match.line_id, match.start, match.stop)
        self._show_place()

    def _first_after(self) -> int:
        """The place of the first match at the cursor or after it; their number where there is none."""
        place = self._script.line_selected()
        if place is None:
            return 0
        here = (*self._session.place(place[0]), place[1])
        places = [(*self._session.place(each.line_id), each.start) for each in self._found]
        return next((n for n, each in enumerate(places) if each >= here), len(places))

    @Slot(str)
    def _replace(self, text: str) -> None:
        """The match that is selected, and on to the next; the first key only selects it."""
        at = self._at()
        if at is not None:
            self._do(text, self._found[at])
        self.step(1)

    @Slot(str)
    def _replace_all(self, text: str) -> None:
        self._do(text, None)
        self._look()

    def _do(self, text: str, only: Match | None) -> None:
        try:
            edits: tuple[ReplaceLines, ...] = replaced(self._session.project, self._query, text, only)
        except PatternError as error:
            self.bar.show_found(None, len(self._found), str(error))
            return
        if edits:
            self._session.do(Together(edits, edits[0].label))
