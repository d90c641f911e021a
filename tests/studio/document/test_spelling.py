"""Spelling: what is unknown is found, and names, tags and other languages are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.document.spelling import Dictionary, NoDictionaryError


@pytest.fixture(scope="module")
def dictionary() -> Dictionary:
    return Dictionary()


def unknown(dictionary: Dictionary, text: str, *names: str) -> list[str]:
    return [text[start:stop] for start, stop in dictionary.unknown(text, frozenset(names))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I recieve a leter every day.", ["recieve", "leter"]),
        ("It’s the captain's well-known boat, isn't it?", []),
        ("[whsipers] Nobody came.", []),
        ("We asked Zarkon and left at 4:31.", []),
        ("Zarkon came back.", ["Zarkon"]),
        ("Wir haben noch Zeit bis halb fünf, sagt sie.", []),
        ("我们还有时间。 Привет всем.", []),
    ],
)
def test_unknown_words(dictionary: Dictionary, text: str, found: list[str]) -> None:
    assert unknown(dictionary, text) == found


def test_names_and_own_words_are_known(dictionary: Dictionary) -> None:
    assert unknown(dictionary, "Zarkon’s gloop is late.", "zarkon", "gloop") == []


def test_what_may_have_been_meant(dictionary: Dictionary) -> None:
    assert "receive" in dictionary.like("recieve")
    assert dictionary.like("我们") == ()


@given(st.text(max_size=60))
def test_any_text_can_be_looked_at(text: str) -> None:
    for start, stop in Dictionary.unknown(_KNOWN, text, frozenset()):
        assert 0 <= start < stop <= len(text)


_KNOWN = Dictionary()


def test_a_dictionary_of_another_language_and_encoding(tmp_path: Path) -> None:
    (tmp_path / "ru_RU.aff").write_bytes("SET KOI8-R\n".encode("koi8-r"))
    (tmp_path / "ru_RU.dic").write_bytes("3\nпривет\nвсем\nлодка\n".encode("koi8-r"))
    russian = Dictionary("ru_RU", tmp_path)
    assert unknown(russian, "Привет всем, лотка и the boat.") == ["лотка"]
    assert russian.like("лотка") == ("лодка",)


def test_what_is_no_dictionary_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoDictionaryError):
        Dictionary("tlh_QO")
    (tmp_path / "xx.aff").write_text("SET no-such-encoding\n")
    (tmp_path / "xx.dic").write_text("1\nword\n")
    with pytest.raises(NoDictionaryError):
        Dictionary("xx", tmp_path)
