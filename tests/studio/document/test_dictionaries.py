from __future__ import annotations

from pathlib import Path

from studio.document.dictionaries import ENGLISH, dictionaries, own_folder


def test_english_comes_along() -> None:
    assert ENGLISH in dictionaries()


def test_the_users_own_come_first_and_only_whole_ones_count(tmp_path: Path) -> None:
    own, system = tmp_path / "own", tmp_path / "system"
    for folder, name in ((own, "de_DE"), (system, "de_DE"), (system, "fr")):
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.dic").touch()
        (folder / f"{name}.aff").touch()
    (own / "half.dic").touch()
    assert dictionaries((own, tmp_path / "nowhere", system)) == {"de_DE": own, "fr": system}


def test_one_that_the_user_puts_there_is_found() -> None:
    own_folder().mkdir(parents=True)
    for suffix in ("aff", "dic"):
        (own_folder() / f"xx_XX.{suffix}").touch()
    assert dictionaries()["xx_XX"] == own_folder()
