"""The program on a script, without a checkpoint, for tests of what its desks do in the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio import theme
from studio.app import App
from studio.settings import Preferences


@pytest.fixture
def script() -> str:
    """What the program opens; a module may have its own."""
    return "Mira: Where did they go?\n"


@pytest.fixture
def app(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> Iterator[App]:
    monkeypatch.setenv("RETAKE_SILENT", "1")
    theme.apply(qapp, theme.DARK)
    path = tmp_path / "Tea.txt"
    path.write_text(script, encoding="utf-8")
    made = App(Preferences())
    try:
        made.window.show()
        made.open(path)
        yield made
    finally:
        made.close()
