"""The list of tags that `[` opens. Any other phrase may be typed just as well."""

from __future__ import annotations

from PySide6.QtCore import QRect, QStringListModel, Qt, Signal
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit


class TagCompletion(QCompleter):
    """Lives from the `[` that opens it until the tag is closed, left or given up. `picked` says which phrase to put
    in the place of what is typed so far."""

    picked = Signal(str)

    def __init__(self, editor: QPlainTextEdit) -> None:
        self._phrases = QStringListModel()
        self._list = QListView()
        super().__init__(self._phrases, editor)
        self.setWidget(editor)
        self.setPopup(self._list)
        self.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self._list.setAccessibleName("Tags")
        self._list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
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
        self._phrases.setStringList(list(phrases))

    def open(self) -> None:
        self._open = True

    def close(self) -> None:
        self._open = False
        self._list.hide()

    def show_for(self, prefix: str, place: QRect) -> None:
        """The phrases with `prefix` in them, below `place` in the editor's viewport."""
        self.setCompletionPrefix(prefix)
        if not self.completionCount():
            self._list.hide()
            return
        self._list.setCurrentIndex(self.completionModel().index(0, 0))
        wide = self._list.sizeHintForColumn(0) + self._list.verticalScrollBar().sizeHint().width() + 24
        self.complete(QRect(place.x(), place.y(), max(180, wide), place.height()))
