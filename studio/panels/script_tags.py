"""The list of tags that `[` opens. Any other phrase may be typed just as well."""

from __future__ import annotations

from PySide6.QtCore import QRect, QStringListModel, Signal
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit

_ROOM = "QListView::item { padding: 3px 8px; }"


class TagCompletion(QCompleter):
    """Lives from the `[` that opens it until the tag is closed, left or given up. `picked` says which phrase to put in
    the place of what is typed so far."""

    picked = Signal(str)

    def __init__(self, editor: QPlainTextEdit) -> None:
        self._phrases: tuple[str, ...] = ()
        self._found = QStringListModel()
        self._list = QListView()
        super().__init__(self._found, editor)
        self.setWidget(editor)
        self.setPopup(self._list)
        # Not filtered by Qt, for phrases that begin with what is typed shall stand before those that only have it.
        self.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._list.setAccessibleName("Tags")
        self._list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._list.setStyleSheet(_ROOM)
        self.setMaxVisibleItems(8)
        self.activated.connect(self.picked)
        self.picked.connect(self.close)
        self._open = False

    @property
    def is_open(self) -> bool:
        return self._open

    @property
    def is_shown(self) -> bool:
        return self._list.isVisible()

    def set_phrases(self, phrases: tuple[str, ...]) -> None:
        self._phrases = phrases

    def open(self) -> None:
        self._open = True

    def close(self) -> None:
        self._open = False
        self._list.hide()

    def show_for(self, typed: str, place: QRect) -> None:
        """The phrases with `typed` in them, below `place` in the editor's viewport."""
        found = phrases_with(typed, self._phrases)
        self._found.setStringList(found)
        if not found:
            self._list.hide()
            return
        wide = self._list.sizeHintForColumn(0) + self._list.verticalScrollBar().sizeHint().width() + 24
        self.complete(QRect(place.x(), place.y(), max(180, wide), place.height()))
        self._list.setCurrentIndex(self._found.index(0))


def phrases_with(typed: str, phrases: tuple[str, ...]) -> list[str]:
    """Those that have `typed` in them, those that begin with it first, otherwise in their order."""
    wanted = typed.strip().casefold()
    found = (phrase for phrase in phrases if wanted in phrase.casefold())
    return sorted(found, key=lambda phrase: not phrase.casefold().startswith(wanted))
