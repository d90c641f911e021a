"""Where the files that come with Retake lie: the embedded voice, fonts, icons, the example script."""

from __future__ import annotations

from pathlib import Path


def folder() -> Path:
    """The folder `assets`. It lies beside the package `engine`, in a checkout and where Retake is installed alike."""
    return Path(__file__).resolve().parent.parent / "assets"
