"""The one question before something is deleted for good."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget


def may_delete(window: QWidget, question: str, meaning: str) -> bool:
    """Ask whether to delete; Enter and Esc say no."""
    box = QMessageBox(window)
    box.setWindowTitle("Retake")
    box.setText(question)
    box.setInformativeText(meaning)
    box.setStandardButtons(QMessageBox.StandardButton.Discard | QMessageBox.StandardButton.Cancel)
    box.button(QMessageBox.StandardButton.Discard).setText("Delete")
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)
    return box.exec() == QMessageBox.StandardButton.Discard
