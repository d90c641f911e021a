"""What Retake needs of the Qt it runs on."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtGui import QFont


@pytest.mark.usefixtures("qapp")
def test_calls_lose_no_reference() -> None:
    """PySide6 6.12.0 lets a reference to None go in each void call; on Python 3.11 that ends in an abort."""
    font = QFont()
    before = sys.getrefcount(None)
    for _ in range(500):
        font.setBold(True)
    assert sys.getrefcount(None) >= before - 50
