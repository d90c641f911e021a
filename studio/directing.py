"""How lines and characters are spoken: directions, notes, pauses, locks and how they are drawn."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from engine.request import Settings
from studio.display import Display
from studio.document.compare import settings_for
from studio.document.edits import (
    ChangeCharacter,
    Edit,
    SetAsWritten,
    SetDirection,
    SetLineSettings,
    SetLocked,
    SetNote,
    SetPause,
    SetTarget,
    Together,
)
from studio.panels.script_line import LinePanel
from studio.panels.script_sampling import SamplingDialog, Speaking
from studio.session import Session


class Directing(QObject):
    """Connects the panel of the chosen line, and the dialogs about drawing, with the session."""

    def __init__(self, window: QWidget, session: Session, shown: Display) -> None:
        super().__init__(window)
        self._window, self._session, self._shown = window, session, shown
        self.line = LinePanel()
        session.project_changed.connect(self.show_line)
        session.chosen_changed.connect(self.show_line)
        self.line.direction_wanted.connect(self._direct)
        self.line.note_wanted.connect(self._note)
        self.line.pause_wanted.connect(self._pause)
        self.line.target_wanted.connect(self._aim)
        self.line.locked_wanted.connect(self._lock)
        self.line.as_written_wanted.connect(self._pronounce)
        self.line.sampling_wanted.connect(self.draw_line)
        shown.cast.speaking_wanted.connect(self.direct_character)
        self.show_line()

    @Slot()
    def show_line(self) -> None:
        session, line = self._session, self._session.line
        if line is None:
            self.line.show_line(None, 0, 0, None, False)
            return
        at, place = session.place(line.id)
        pause = session.project.scenes[at].own_pause(place)
        words = bool(session.project.reading.pronunciations)
        self.line.show_line(line, session.number(line.id), pause, line.settings, words)

    def toggle_lock(self) -> None:
        """Locks the chosen lines, or unlocks them where all are."""
        lines = [line for each in self._chosen("") if (line := self._session.find(each)) is not None]
        if lines:
            self._lock(lines[0].id, not all(line.locked for line in lines))

    def write_direction(self) -> None:
        """To the field for the chosen line's direction."""
        self.line.direction.setFocus()
        self.line.direction.selectAll()

    @Slot(str, str)
    def _direct(self, line_id: str, direction: str) -> None:
        self._each(line_id, [SetDirection(each, direction) for each in self._chosen(line_id)])

    @Slot(str, str)
    def _note(self, line_id: str, note: str) -> None:
        self._each(line_id, [SetNote(line_id, note)])

    @Slot(str, object)
    def _pause(self, line_id: str, pause: int | None) -> None:
        self._each(line_id, [SetPause(each, pause) for each in self._chosen(line_id)])

    @Slot(str, object)
    def _aim(self, line_id: str, seconds: float | None) -> None:
        self._each(line_id, [SetTarget(line_id, seconds)])

    @Slot(str, bool)
    def _lock(self, line_id: str, locked: bool) -> None:
        words = "Lock line" if locked else "Unlock line"
        self._each(line_id, [SetLocked(each, locked, words) for each in self._chosen(line_id)])

    @Slot(str, bool)
    def _pronounce(self, line_id: str, as_written: bool) -> None:
        self._each(line_id, [SetAsWritten(each, as_written) for each in self._chosen(line_id)])

    @Slot(str)
    def draw_line(self, line_id: str) -> None:
        """Asks how the line is drawn."""
        line = self._session.find(line_id)
        if line is None:
            return
        like = settings_for(self._session.project, replace(line, settings=None)) or self._checkpoints()
        speaking = Speaking(like, line.settings)
        dialog = SamplingDialog(f"How line {self._session.number(line_id)} is drawn", "its character", speaking, False,
                                self._window)  # fmt: skip

        def want(said: Speaking) -> None:
            self._each(line_id, [SetLineSettings(each, said.settings) for each in self._chosen(line_id)])

        dialog.speaking_wanted.connect(want)
        dialog.open()

    @Slot(str)
    def direct_character(self, name: str) -> None:
        """Asks how the character speaks."""
        character = self._session.project.character(name)
        if character is None:
            return
        speaking = Speaking(self._checkpoints(), character.settings, character.seed, character.direction)
        dialog = SamplingDialog(f"How {name} speaks", "the checkpoint has it", speaking, True, self._window)

        def want(said: Speaking) -> None:
            now = self._session.project.character(name)
            if now is not None:
                changed = replace(now, settings=said.settings, seed=said.seed, direction=said.direction)
                self._session.do(ChangeCharacter(name, changed, f"How {name} speaks"))

        dialog.speaking_wanted.connect(want)
        dialog.open()

    def _checkpoints(self) -> Settings:
        return self._session.engine.settings if self._session.engine else Settings()

    def _chosen(self, line_id: str) -> tuple[str, ...]:
        """The lines that are selected where `line_id` is among them, else that one."""
        selected = self._shown.script.lines_selected()
        return selected if line_id in selected or not line_id else (line_id,)

    def _each(self, line_id: str, edits: list[Edit]) -> None:
        """One step of undo for what is done to several lines."""
        if edits:
            self._session.do(edits[0] if len(edits) == 1 else Together(tuple(edits), edits[0].label))
