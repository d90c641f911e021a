"""Which verbs can do something as things stand: the others are grey in menus and in the list of commands."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from studio.actions import Actions
from studio.display import Display
from studio.session import Session
from studio.writing import Writing


class Possible(QObject):
    """Tells the verbs, whenever the project or what is chosen of it changes. Those not named here can always be done,
    or say themselves why not."""

    def __init__(self, session: Session, shown: Display, writing: Writing, actions: Actions) -> None:
        super().__init__(actions)
        self._session, self._shown, self._writing, self._actions = session, shown, writing, actions
        session.project_changed.connect(self.tell)
        session.chosen_changed.connect(self.tell)
        shown.script.selectionChanged.connect(self.tell)
        self.tell()

    @Slot()
    def tell(self) -> None:
        able, history = self.now(), self._session.history
        self._actions.allow(able)
        self._actions.tell("undo", history.undo_label)
        self._actions.tell("redo", history.redo_label)
        self._shown.top.show_exportable(able["export"])

    def now(self) -> dict[str, bool]:
        session, script = self._session, self._shown.script
        line, selection, history = session.line, session.selection, session.history
        selected = script.lines_selected()
        chosen = [session.find(each) for each in selected] if len(selected) > 1 else [line]
        take = session.kept(line) if line is not None else None
        free = line is not None and not line.locked
        spanned = take is not None and selection is not None and selection.span is not None
        return {
            "undo": history.can_undo,
            "redo": history.can_redo,
            "generate": any(each is not None and not each.locked for each in chosen),
            "regenerate": free,
            "cut_words": free and spanned,
            "widen": free and spanned,
            "timbre": free and take is not None,
            "again": free and take is not None,
            "join": self._writing.joinable,
            "part": line is not None and len(line.parts) > 1,
            "export": any(each.kept is not None for each in session.project.scenes[self._shown.scene].lines),
        }
