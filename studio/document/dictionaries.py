"""Which dictionaries there are to spell by: the one that comes along, those that the user puts into Retake's folder,
and those of the system. Each is a pair of files as Hunspell has them, NAME.aff and NAME.dic.
"""

from __future__ import annotations

from pathlib import Path

import hunspell
import platformdirs

ENGLISH = "en_US"
_SYSTEM = (
    "/usr/share/hunspell", "/usr/share/myspell/dicts", "/usr/share/myspell", "/usr/local/share/hunspell",
    "/Library/Spelling", "~/Library/Spelling",
)  # fmt: skip


def own_folder() -> Path:
    """Where the user puts dictionaries."""
    return Path(platformdirs.user_data_dir("retake", appauthor=False)) / "dictionaries"


def folders() -> tuple[Path, ...]:
    """Where dictionaries are looked for, the user's own first."""
    return own_folder(), Path(hunspell.__file__).parent / "dictionaries", *(Path(each).expanduser() for each in _SYSTEM)


def dictionaries(among: tuple[Path, ...] | None = None) -> dict[str, Path]:
    """The folder of each dictionary, by its name."""
    found: dict[str, Path] = {}
    for folder in folders() if among is None else among:
        try:
            names = sorted(each.stem for each in folder.iterdir() if each.suffix == ".dic")
        except OSError:  # it is not there, or not for us to read
            continue
        for name in names:
            if (folder / f"{name}.aff").is_file():
                found.setdefault(name, folder)
    return found
