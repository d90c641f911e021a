"""The phrases for tags: what is listed, what is found, what is remembered."""

from __future__ import annotations

from studio.document.lint import Standards, findings
from studio.document.phrases import (
    FIRST,
    MOST_RECENT,
    PHRASES,
    Offer,
    offers,
    offers_with,
    toggled,
    with_recent,
)
from studio.document.project import Line, LinePart

SOME = (Offer("whispers sweetly"), Offer("sighs"), Offer("long sigh"), Offer("Pause", "a stop"))


def phrases(found: tuple[Offer, ...]) -> list[str]:
    return [offer.phrase for offer in found]


def test_each_phrase_is_listed_once_with_a_note() -> None:
    assert len({offer.phrase for offer in PHRASES}) == len(PHRASES) >= 150
    assert all(offer.note and offer.section for offer in PHRASES)
    assert set(FIRST) <= set(phrases(PHRASES))


def test_the_lint_has_nothing_against_any() -> None:
    standards = Standards(frozenset({"Mira"}))
    for offer in PHRASES:
        assert findings(Line("a", (LinePart("Mira", f"[{offer.phrase}] Somebody has to wait."),)), standards) == ()


def test_phrases_that_begin_with_what_is_typed_stand_first() -> None:
    assert phrases(offers_with("s", SOME)) == ["sighs", "whispers sweetly", "long sigh", "Pause"]
    assert phrases(offers_with(" SIGH", SOME)) == ["sighs", "long sigh"]
    assert phrases(offers_with("stop", SOME)) == ["Pause"]
    assert offers_with("", SOME) == SOME
    assert offers_with("my own", SOME) == ()


def test_favourites_and_recent_ones_come_first_and_once() -> None:
    made = offers(["sighs", "my own", "pause"], ["sighs"])
    assert [(offer.phrase, offer.section) for offer in made[:3]] == [
        ("sighs", "Favourites"),
        ("my own", "Recent"),
        ("pause", "Recent"),
    ]
    assert len(phrases(made)) == len(set(phrases(made))) == len(PHRASES) + 1


def test_what_is_remembered_is_new_and_not_too_much() -> None:
    recent: tuple[str, ...] = ()
    for number in range(20):
        recent = with_recent(recent, f"phrase {number}")
    assert len(recent) == MOST_RECENT
    assert with_recent(recent, recent[3])[0] == recent[3]
    assert toggled(toggled((), "sighs"), "sighs") == ()
