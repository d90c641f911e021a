"""What was heard of a take, against what it should say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import words
from studio.document.listened import Mishap, misreadings, share_heard

TEXT = "[sighs] There are eleven of them, and not one has told us."
WORDS = [TEXT[start:stop] for start, stop in words(TEXT)]


def found(text: str, heard: str) -> list[tuple[str, Mishap, str]]:
    return [(text[each.start : each.stop], each.mishap, each.heard) for each in misreadings(text, heard.split())]


@pytest.mark.parametrize(
    ("heard", "wanted"),
    [
        ("There are eleven of them, and not one has told us.", []),
        ("There are 11 of them and not one has told us", []),
        ("There are of them and not one has told us", [("eleven", Mishap.MISSING, "")]),
        ("There are eleven of them and has told us", [("not one", Mishap.MISSING, "")]),
        (
            "There are eleven of them and not one has has told us",
            [("has", Mishap.DOUBLED, "has")],
        ),
        (
            "There are eleven of them and not one and not one has told us",
            [("and not one", Mishap.DOUBLED, "and not one")],
        ),
        ("There are seven of them and not one has told us", [("eleven", Mishap.FOREIGN, "seven")]),
        ("Sighs there are eleven of them and not one has told us", [("[sighs]", Mishap.TAG, "sighs")]),
        (
            "There are eleven of them and not one has told us anything",
            [("us", Mishap.EXTRA, "anything")],
        ),
        ("", [("There are eleven of them, and not one has told us", Mishap.MISSING, "")]),
    ],
)
def test_what_is_wrong_is_found_where_it_is(heard: str, wanted: list[tuple[str, Mishap, str]]) -> None:
    assert found(TEXT, heard) == wanted


def test_spelling_is_not_what_is_heard() -> None:
    assert found("Everyone remembered Mira's colour.", "every one remembered Meera's color") == []
    assert found("Every one of you.", "Everyone of you.") == []


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("It cost $25 at 4:30 on May 5th, 1999.", "It cost $25 at 430 on May 5, 1999."),
        ("It cost twenty-five dollars at four thirty on May fifth, nineteen ninety-nine.",
         "It cost $25 at 430 on May 5, 1999."),
        ("It cost twenty five dollars.", "It cost $25."),
        ("It cost £1,200, or 3.5 times that.", "It cost one thousand two hundred pounds or three point 5 times that"),
        ("Half of it, 50% in 105 days.", "half of it 50 percent in a hundred and five days"),
        ("I am gonna be OK, Dr. Grey.", "I'm going to be okay, doctor Gray."),
        ("I don’t know, he’d say we can't.", "I do not know he would say we cannot"),
    ],
)  # fmt: skip
def test_numbers_and_short_forms_are_what_they_are_when_spoken(text: str, heard: str) -> None:
    assert found(text, heard) == []


def test_another_number_is_another_word() -> None:
    assert found("Room 7, then.", "Room 8, then.") == [("7", Mishap.FOREIGN, "8")]
    assert found("It cost $25.", "It cost $26.") == [("25", Mishap.FOREIGN, "26")]


def test_a_text_without_words_has_words_too_many_at_most() -> None:
    assert found("…", "") == []
    assert found("…", "thank you") == [("…", Mishap.EXTRA, "thank you")]


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_any_hearing_is_answered_with_ranges_of_the_text(heard: list[str]) -> None:
    answer = misreadings(TEXT, heard)
    assert all(0 <= each.start < each.stop <= len(TEXT) and each.words for each in answer)
    assert [each.start for each in answer] == sorted(each.start for each in answer)
    assert 0 <= share_heard(TEXT, answer) <= 1


@given(st.lists(st.sampled_from(["up", "down", "left", "right"]), min_size=1, max_size=10))
def test_what_is_said_is_heard(said: list[str]) -> None:
    text = " ".join(said)
    assert misreadings(text, said) == ()
    assert share_heard(text, ()) == 1
    assert len(words(text)) == len(said)
