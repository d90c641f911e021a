"""The questions before something is lost for good: before it is deleted, and before a file is written over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from engine.whole_file import reachable


def may_delete(window: QWidget, question: str, meaning: str) -> bool:
    """Ask whether to delete; Enter and Esc say no."""
    return _asked(window, question, meaning, QMessageBox.StandardButton.Discard, "Delete")


def may_drop(window: QWidget, question: str, meaning: str) -> bool:
    """Ask whether what was begun may be lost; Enter and Esc say no."""
    return _asked(window, question, meaning, QMessageBox.StandardButton.Discard, "Discard")


def may_write(window: QWidget, files: Sequence[Path]) -> bool:
    """Whether the files may be written: where some are there already, the user is asked; Enter and Esc say no."""
    there = [each for each in files if reachable(each).exists()]
    if not there:
        return True
    if len(there) == 1:
        question = f"“{there[0].name}” is there already. Write over it?"
    else:
        question = f"{len(there)} of the files are there already. Write over them?"
    meaning = f"What is in {there[0].parent} now would be lost."
    return _asked(window, question, meaning, QMessageBox.StandardButton.Yes, "Write over")


def path_to_save(window: QWidget, title: str, suggested: Path, kinds: str, suffix: str) -> Path | None:
    """Ask where to save; None where the user does not want to. The path ends in `suffix`: where that had to be added,
    the file dialog has not asked about what is there, so it is asked here."""
    while True:
        path, _ = QFileDialog.getSaveFileName(window, title, str(suggested), kinds)
        if not path:
            return None
        chosen = Path(path)
        if chosen.suffix.lower() == suffix:
            return chosen
        suggested = chosen.with_name(chosen.name + suffix)
        if may_write(window, (suggested,)):
            return suggested


def _asked(window: QWidget, question: str, meaning: str, yes: QMessageBox.StandardButton, words: str) -> bool:
    box = QMessageBox(window)
    box.setWindowTitle("Retake")
    box.setText(question)
    box.setInformativeText(meaning)
    box.setStandardButtons(yes | QMessageBox.StandardButton.Cancel)
    box.button(yes).setText(words)
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)
    return box.exec() == yes
