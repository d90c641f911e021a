"""Preferences come back as they were written; a broken file costs nothing but itself, and even it is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.settings import Preferences, Theme, load_preferences, preferences_path, save_preferences

texts = st.text()
maybe = st.none() | texts
preferences = st.builds(
    Preferences,
    theme=st.sampled_from(Theme),
    output_name=maybe,
    output_host=maybe,
    checkpoint=maybe,
    device=maybe,
    precision=maybe,
    candidates=st.integers(1, 24),
    recent=st.lists(texts).map(tuple),
    geometry=texts,
    splitters=st.dictionaries(texts, texts),
    keys=st.dictionaries(texts, texts),
)


@given(preferences)
def test_what_was_saved_is_loaded(tmp_path_factory: pytest.TempPathFactory, wanted: Preferences) -> None:
    path = tmp_path_factory.mktemp("config") / "new folder" / "preferences.json"
    save_preferences(path, wanted)
    assert load_preferences(path) == wanted


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    assert load_preferences(tmp_path / "preferences.json") == Preferences()
    assert preferences_path().name == "preferences.json"


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_a_broken_file_is_laid_aside(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "preferences.json"
    path.write_bytes(broken)
    assert load_preferences(path) == Preferences()
    assert not path.exists()
    assert (tmp_path / "preferences.json.broken").read_bytes() == broken


def test_what_is_unknown_or_wrong_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "preferences.json"
    said = {
        "later": 1,
        "candidates": "six",
        "theme": "pink",
        "device": 3,
        "recent": [1],
        "keys": {"play": 1},
        "geometry": None,
        "checkpoint": "here",
    }
    path.write_text(json.dumps(said))
    assert load_preferences(path) == Preferences(checkpoint="here")


@pytest.mark.parametrize(("said", "meant"), [(-3, 1), (0, 1), (8, 8), (10_000, 24)])
def test_candidates_stay_within_reason(tmp_path: Path, said: int, meant: int) -> None:
    path = tmp_path / "preferences.json"
    path.write_text(json.dumps({"candidates": said}))
    assert load_preferences(path).candidates == meant


def test_the_last_file_is_the_first_of_the_recent_ones() -> None:
    kept = Preferences()
    for number in range(15):
        kept = kept.with_recent(Path(f"{number}.retake"))
    kept = kept.with_recent(Path("9.retake"))
    assert kept.recent[:3] == ("9.retake", "14.retake", "13.retake")
    assert len(kept.recent) == len(set(kept.recent)) == 12


def test_settings_that_cannot_be_read_keep_no_program_from_starting(tmp_path: Path) -> None:
    (tmp_path / "preferences.json").mkdir()
    assert load_preferences(tmp_path / "preferences.json") == Preferences()
