"""What an earlier run left behind, over the bottom of the window: whose work it is, how much of it, and the choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from studio.controls import IconButton, KeyButton
from studio.notice import Notice


@dataclass(frozen=True, eq=False)
class Offer:
    """Work that can be had back: what is said of it, and `of`, whatever names it to the others."""

    title: str
    meaning: str
    of: Any


class RecoveryBar(Notice):
    """Lies over `window` and keeps to its lower edge, clear of the script. One offer waits for another."""

    recover_wanted = Signal(object)
    discard_wanted = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, "undo", "accent")
        self._waiting: list[Offer] = []
        self.recover = KeyButton("Recover", kind="filled", tip="Go on where it ended, with every step of undo")
        self.discard = KeyButton("Discard", tip="Delete it for good")
        self.later = IconButton("close", "Not now: it is offered again at the next start", "Esc")
        self.add((self.discard, self.recover, self.later))
        self.recover.clicked.connect(self._recover)
        self.discard.clicked.connect(self._discard)
        self.later.clicked.connect(self.close_offer)

    @property
    def offer(self) -> Offer | None:
        """The one that is shown."""
        return self._waiting[0] if self._waiting else None

    def show_offer(self, offer: Offer) -> None:
        """Shows it, or puts it behind those that are not answered yet."""
        self._waiting.append(offer)
        self._show_first()

    @Slot()
    def close_offer(self) -> None:
        """Closes the shown one unanswered; the next follows."""
        if self._waiting:
            self._waiting.pop(0)
        self._show_first()

    @Slot()
    def _recover(self) -> None:
        offer = self.offer
        self.close_offer()
        if offer is not None:
            self.recover_wanted.emit(offer.of)

    @Slot()
    def _discard(self) -> None:
        offer = self.offer
        self.close_offer()
        if offer is not None:
            self.discard_wanted.emit(offer.of)

    def _show_first(self) -> None:
        offer = self.offer
        if offer is None:
            self.hide()
            return
        self.title.setText(offer.title)
        self.meaning.setText(offer.meaning)
        self.setAccessibleName(f"Recovery: {offer.title}")
        self.setAccessibleDescription(offer.meaning)
        self.appear()

    def dismiss(self) -> None:
        self.close_offer()
