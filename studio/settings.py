"""What the user prefers, kept between runs in one small file of the user's own folder."""

from __future__ import annotations

import contextlib
import enum
import json
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import platformdirs

from engine.whole_file import whole_file
from studio.document.encoding import plain, read

_MOST_RECENT = 12
_MOST_CANDIDATES = 24


class Theme(enum.Enum):
    SYSTEM = "system"
    DARK = "dark"
    LIGHT = "light"
    HIGH_CONTRAST = "high contrast"


@dataclass(frozen=True)
class Preferences:
    """None means: as the system or the checkpoint has it.

    Backups of a project go into the folder `backups`, at least `backup_minutes` apart; None keeps none.
    `compiled`: the layers of the checkpoint are compiled in the background, and used where that has proved faster.
    An output device is named by its name and its host API, for its number changes with what is plugged in.
    `geometry` and `splitters` hold Qt's own bytes in base64. `keys` go from the name of an action to its shortcut.
    `spectrogram`, `ripple` and `follow` are the switches of the timeline.
    `second_library` is a folder of voices that are only read, beside the user's own.
    `recogniser` is the folder of a model that hears words; `listens`: it listens to every take that is made.
    `rules_off` names the lint's rules that the user does not want; `words` are right, whatever the dictionary says.
    """

    theme: Theme = Theme.SYSTEM
    output_name: str | None = None
    output_host: str | None = None
    checkpoint: str | None = None
    device: str | None = None
    precision: str | None = None
    compiled: bool = False
    candidates: int = 6
    recent: tuple[str, ...] = ()
    backups: str | None = None
    backup_minutes: int | None = 10
    geometry: str = ""
    splitters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    rules_off: tuple[str, ...] = ()
    recent_tags: tuple[str, ...] = ()
    favourite_tags: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    spectrogram: bool = False
    ripple: bool = True
    follow: bool = True
    recogniser: str | None = None
    second_library: str | None = None
    listens: bool = False

    def with_recent(self, path: Path) -> Preferences:
        """The file comes first among the recent ones, once."""
        others = tuple(other for other in self.recent if other != str(path))
        return replace(self, recent=(str(path), *others)[:_MOST_RECENT])


def preferences_path() -> Path:
    return Path(platformdirs.user_config_dir("retake", appauthor=False)) / "preferences.json"


def backups_folder(preferences: Preferences) -> Path:
    """Where backups go: the chosen folder, or one with the user's other data."""
    if preferences.backups is not None:
        return Path(preferences.backups)
    return Path(platformdirs.user_data_dir("retake", appauthor=False)) / "backups"


def load_preferences(path: Path) -> Preferences:
    """What is in the file; what it does not say, or says wrongly, is as if never changed, and all is where it cannot be
    read.

    A file that is no JSON is laid aside with `.broken` at the end of its name, so that nothing in it is lost.
    """
    try:
        text = path.read_bytes()
    except OSError:
        return Preferences()
    try:
        said = json.loads(text)
        if not isinstance(said, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError):
        path.replace(path.with_name(path.name + ".broken"))
        return Preferences()
    kinds = typing.get_type_hints(Preferences)
    values: dict[str, Any] = {}
    for name, value in said.items():
        if name in kinds:
            with contextlib.suppress(ValueError):
                values[name] = read(kinds[name], value)
    loaded = Preferences(**values)
    return replace(loaded, candidates=min(max(loaded.candidates, 1), _MOST_CANDIDATES))


def save_preferences(path: Path, preferences: Preferences) -> None:
    """Write the file whole or not at all; OSError where that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(json.dumps(plain(preferences), indent=1).encode() + b"\n")
