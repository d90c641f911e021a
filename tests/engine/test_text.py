"""Tags, turns, cutting, differences and lengths of text; the laws hold for any text that hypothesis can think of."""

from __future__ import annotations

import json
import os
import time
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from engine.request import Part
from engine.text import (
    Change,
    Tag,
    changed,
    changed_words,
    clean,
    control_lookalikes,
    cut,
    expected_seconds,
    frame_cap,
    has_words,
    moved,
    pack,
    places_to_speak,
    proportional_span,
    spoken,
    tag_reach,
    tags,
    turns,
    words,
    words_in_span,
    written,
)

GOLDENS = Path(os.environ.get("RETAKE_GOLDENS", Path(__file__).parent / "golden"))

_PIECES = [
    *("Hello", "world", "the", "a", "I", "e.g.", "Mr.", "3.14", "café", "don't", "日本", "語", "です", "안녕", "ไทย"),
    *("नमस्ते", "مرحبا", "👨‍👩‍👧", "[whispers sweetly]", "[laughs]", "[", "]", "[]", ".", "!", "?", "…", "。", "！"),
    *("、", ",", ";", "—", "“", "”", "(", ")", "「", "」", " ", " ", " ", "\n", "\t", "<|speaker:1|>", "<|speaker:"),
    *("<|im_end|>", "e\u0301"),
]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))


def applied(changes: tuple[Change, ...], old: str, new: str) -> str:
    pieces, last = [], 0
    for change in changes:
        pieces += [old[last : change.old_start], new[change.new_start : change.new_stop]]
        last = change.old_stop
    return "".join(pieces) + old[last:]


def shown(old: str, new: str, changes: tuple[Change, ...]) -> list[tuple[str, str]]:
    return [(old[c.old_start : c.old_stop], new[c.new_start : c.new_stop]) for c in changes]


# Tags


def test_tags_are_bracketed_phrases_with_words() -> None:
    text = "[whispers sweetly] Come, [] [3] [a [b] here] [not\nthis] [no <|speaker:1|>]"
    assert [tag.phrase for tag in tags(text)] == ["whispers sweetly", "3", "b"]
    assert tags("x [pause]") == (Tag(2, 9, "pause"),)


def test_a_very_long_bracket_is_no_tag() -> None:
    assert tags("[" + "a" * 500 + "]") == ()


@given(texts)
def test_tags_stand_where_they_say(text: str) -> None:
    for tag in tags(text):
        assert text[tag.start : tag.stop] == f"[{tag.phrase}]"


@given(texts)
def test_spoken_text_is_the_text_outside_tags(text: str) -> None:
    outside = list(text)
    for tag in tags(text):
        outside[tag.start : tag.stop] = [""] * (tag.stop - tag.start)
    assert spoken(text).split() == "".join(outside).split()


def test_spoken() -> None:
    assert spoken("I [softly] told [pause] you") == "I told you"
    assert spoken("[softly] Yes") == "Yes"


@pytest.mark.parametrize("text", ["a", "1", "日", "ก", "م", "न", "[sigh] x", "<|im_end|>"])
def test_has_words(text: str) -> None:
    assert has_words(text)


@pytest.mark.parametrize("text", ["", " \n", "...", "[sighs]", "[a] — [b]!", "。！？", "👍"])
def test_has_no_words(text: str) -> None:
    assert not has_words(text)


# Turns


def test_turns() -> None:
    text = "Before <|speaker:0|> one\n<|speaker:12|>two<|speaker:<|speaker:x|>"
    assert turns(text) == (Part(None, "Before "), Part(0, " one\n"), Part(12, "two<|speaker:<|speaker:x|>"))
    assert turns("") == ()
    assert turns("<|speaker:7|>") == (Part(7, ""),)


def test_speaker_numbers_stay_sane() -> None:
    assert turns("<|speaker:007|>x") == (Part(7, "x"),)
    assert turns("<|speaker:" + "9" * 50 + "|>x") == (Part(None, "<|speaker:" + "9" * 50 + "|>x"),)


@given(texts)
def test_turns_give_the_text_back(text: str) -> None:
    assert "".join(map(written, turns(text))) == text


def test_golden_turns_and_batches() -> None:
    cases = json.loads((GOLDENS / "golden_lm.json").read_text(encoding="utf-8"))["_grouping"]
    assert cases
    for case in cases:
        parts = turns(case["text"])
        assert [written(part) for part in parts] == case["turns"]
        batches = pack(parts, case["max_speakers"], case["max_bytes"])
        assert ["\n".join(map(written, batch)) for batch in batches] == case["batches"]


@given(texts, st.integers(1, 6), st.integers(1, 80))
def test_packing_loses_nothing_and_keeps_to_its_limits(text: str, most_turns: int, most_bytes: int) -> None:
    parts = turns(text.encode("utf-8", "replace").decode())
    batches = pack(parts, most_turns, most_bytes)
    assert tuple(part for batch in batches for part in batch) == parts
    for batch in batches:
        assert 1 <= len(batch) <= most_turns
        assert len(batch) == 1 or len("".join(map(written, batch)).encode()) <= most_bytes


# What enters


def test_control_lookalikes() -> None:
    text = "a <|im_end|> <|speaker:1|> <|speaker:1234567|> <| x |> <|"
    assert [text[start:stop] for start, stop in control_lookalikes(text)] == ["<|im_end|>", "<|speaker:1234567|>"]
    text = "<|speaker:1>Hi. <|speaker:2|>Yes <|speaker: no. <| speaker 3 |"
    shown = [text[start:stop] for start, stop in control_lookalikes(text)]
    assert shown == ["<|speaker:1>", "<|speaker:", "<| speaker 3"]


def test_clean() -> None:
    assert clean("\ufeffa\r\nb\rc\x00\x1b[0m\td\x85e\u0301\ud800") == "a\nb\nc[0m\td\né\ufffd"


@given(texts)
def test_clean_text_is_clean(text: str) -> None:
    once = clean(text)
    assert clean(once) == once == unicodedata.normalize("NFC", once)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t" for character in once)


# Cutting


@pytest.mark.parametrize(
    ("text", "most", "pieces"),
    [
        ("Short.", 100, ["Short."]),
        ("", 10, []),
        ("Mr. Smith paid 3.14 euros. He left.", 30, ["Mr. Smith paid 3.14 euros. ", "He left."]),
        ("Bring fruit, e.g. pears. Then go.", 25, ["Bring fruit, e.g. pears. ", "Then go."]),
        ("“Really?” she asked. “Yes.” He went.", 22, ["“Really?” she asked. ", "“Yes.” He went."]),
        ("She said (no!). We left.", 16, ["She said (no!). ", "We left."]),
        ("今日は晴れ。「本当？」そうだ！", 8, ["今日は晴れ。", "「本当？」", "そうだ！"]),
        ("كيف حالك؟ أنا بخير.", 11, ["كيف حالك؟ ", "أنا بخير."]),
        ("वह आया। वह गया।", 9, ["वह आया। ", "वह गया।"]),
        ("when it rained, we ran home", 20, ["when it rained, ", "we ran home"]),
        ("one two three four", 10, ["one two ", "three four"]),
        ("[softly] Yes! [loudly] No!", 16, ["[softly] Yes! ", "[loudly] No!"]),
        ("That is all. Go now. [sighs]", 16, ["That is all. ", "Go now. [sighs]"]),
        ("Title\nThe first line", 15, ["Title\n", "The first line"]),
        ("J. R. Miller came. He sat.", 20, ["J. R. Miller came. ", "He sat."]),
    ],
)
def test_cut(text: str, most: int, pieces: list[str]) -> None:
    assert list(cut(text, most)) == pieces


def test_cut_without_any_space() -> None:
    assert cut("あ" * 25, 10) == ("あ" * 10, "あ" * 7, "あ" * 8)
    assert cut("👨‍👩‍👧" * 3, 5) == ("👨‍👩‍👧",) * 3


def test_cut_by_seconds() -> None:
    text = "The dog ran. The cat sat. The bird flew."
    assert len(cut(text, 1000, 1.2)) == 3
    assert all(expected_seconds(piece) <= 1.2 for piece in cut(text, 1000, 1.2))


@given(texts, st.integers(1, 30))
def test_cut_pieces_are_the_text(text: str, most: int) -> None:
    pieces = cut(text, most)
    assert "".join(pieces) == text
    assert all(pieces)
    inside = {place for tag in tags(text) for place in range(tag.start + 1, tag.stop)}
    whole = {match.start() for match in regex.finditer(r"\X", text)} - inside
    place = 0
    for piece in pieces:
        assert place in whole
        place += len(piece)
        assert len(piece) <= most or tags(piece) or len(regex.findall(r"\X", piece)) == 1


@given(
    st.lists(st.sampled_from(["word", "longer", "x", "日本", "ไทย"]), min_size=1, max_size=30),
    st.sampled_from([" ", ". ", "! [sighs] ", "。", ", ", " — ", "”\n"]),
    st.integers(20, 40),
)
def test_every_piece_can_be_heard(some: list[str], between: str, most: int) -> None:
    pieces = cut(between.join(some) + "...", most)
    assert all(has_words(piece) and len(piece) <= most for piece in pieces)


@pytest.mark.parametrize("text", ["Hello there, how are you? ", "a", ".", "[a] ", "今", "(", "a b ", "[a"])
def test_a_hundred_kilobytes_cut_fast(text: str) -> None:
    text *= 100_000 // len(text)
    began = time.process_time()
    pieces = cut(text, 300)
    assert time.process_time() - began < 1
    assert "".join(pieces) == text


# Differences


def test_changed() -> None:
    old, new = "I told you it was a secret.", "I told them it was a [softly] riddle!"
    assert shown(old, new, changed(old, new)) == [("you", "them"), ("secret.", "[softly] riddle!")]
    assert changed_words(changed(old, new), new) == 3
    assert changed(old, old) == ()


def test_changed_characters_where_no_spaces_are_written() -> None:
    old, new = "今日は天気がいい", "今日は気分がいい"
    assert all(c.old_stop - c.old_start <= 2 for c in changed(old, new))
    assert changed_words(changed("おは", "おはよ"), "おはよ") == 1


def test_words_taken_out_count_as_one_change() -> None:
    assert changed_words(changed("so very good", "so good"), "so good") == 1


@given(texts, texts)
def test_changes_make_the_new_text(old: str, new: str) -> None:
    for before, after in ((old, new), (old + new, old)):
        assert applied(changed(before, after), before, after) == after


@given(texts, texts, texts)
def test_places_to_speak_make_the_new_words(old: str, new: str, rest: str) -> None:
    old, new = old + rest, new + rest
    places = places_to_speak(old, new)
    assert "".join(applied(places, old, new).split()) == "".join(new.split())
    for earlier, later in pairwise(places):
        assert earlier.old_stop <= later.old_start
        assert earlier.new_stop <= later.new_start


def test_places_widen_to_what_is_heard() -> None:
    cases = [
        ("the cat sat", "the big cat sat", [("the ", "the big ")]),
        ("cat sat", "big cat sat", [("cat", "big cat")]),
        ("Go on. Now", "Go on! Now", [("on.", "on!")]),
        ("so very good", "so good", [("very ", "")]),
        ("so good", "so  good", []),
        ("Well, it was you, sir.", "Well, [softly] it was you, sir.", [("it was you,", "[softly] it was you,")]),
        ("Well, [softly] it was you, sir.", "Well, it was you, sir.", [("[softly] it was you,", "it was you,")]),
    ]
    for old, new, places in cases:
        assert shown(old, new, places_to_speak(old, new)) == places


def test_tag_reach() -> None:
    text = "Well, [softly] it was you, sir. [sighs]"
    first, last = tags(text)
    assert text[slice(*tag_reach(text, first))] == "[softly] it was you,"
    assert text[slice(*tag_reach(text, last))] == "[sighs]"


@given(texts, texts, st.integers(0, 200), st.integers(0, 200))
def test_moved_ranges_stay_in_the_text(old: str, new: str, start: int, length: int) -> None:
    start = min(start, len(old))
    stop = min(start + length, len(old))
    new_start, new_stop = moved(changed(old, new), start, stop)
    assert 0 <= new_start <= new_stop <= len(new)


def test_moved() -> None:
    old, new = "the cat sat down", "the very big dog sat down"
    changes = changed(old, new)
    assert new[slice(*moved(changes, 8, 11))] == "sat"
    assert new[slice(*moved(changes, 4, 7))] == "very big dog"
    assert new[slice(*moved(changes, 0, len(old)))] == new


# Lengths


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("They carried the keys home and sat down by the fire.", 3.6),
        ("今日は天気がいいですね", 1.7),
        ("他们把钥匙带回家了", 2.0),
        ("안녕하세요 반갑습니다", 2.1),
        ("وصل القطار متأخرا هذا المساء", 2.3),
        ("ट्रेन आज शाम देर से आई", 1.5),
        ("1984", 1.0),
        ("", 0.0),
        ("!!!!!!!!!!!!!!!!!!!!", 0.3),
    ],
)
def test_expected_seconds(text: str, seconds: float) -> None:
    assert expected_seconds(text) == pytest.approx(seconds, rel=0.25)


def test_sounding_tags_take_longer() -> None:
    assert expected_seconds("Yes") < expected_seconds("[softly] Yes") < expected_seconds("[pause] Yes")


@given(texts)
def test_the_cap_is_always_a_cap(text: str) -> None:
    cap = frame_cap(text, 21.53)
    assert cap >= 3 * 21.53
    assert cap > 2 * expected_seconds(text) * 21.53


@given(texts, st.integers(0, 80), st.integers(0, 80), st.integers(0, 500))
def test_spans_lie_in_the_take(text: str, start: int, length: int, frames: int) -> None:
    start = min(start, len(text))
    stop = min(start + length, len(text))
    first, last = proportional_span(text, start, stop, frames)
    assert 0 <= first <= last <= frames
    if start < stop and frames:
        assert last - first >= 1
    assert proportional_span(text, 0, len(text), frames) == ((0, frames) if text else (0, 0))


@given(texts, st.integers(1, 300), st.integers(0, 300), st.integers(1, 300))
def test_words_in_a_span_are_whole_words(text: str, frames: int, start: int, length: int) -> None:
    start = min(start, frames - 1)
    first, last = words_in_span(text, (start, min(start + length, frames)), frames)
    places = words(text)
    if places:
        assert first in {start for start, _ in places}
        assert last in {stop for _, stop in places}
    else:
        assert (first, last) == (0, 0)


def test_words_and_spans_find_each_other() -> None:
    text = "[softly] The teacher carried the red umbrella, under the bridge."
    for start, stop in words(text):
        assert words_in_span(text, proportional_span(text, start, stop, 300), 300) == (start, stop)
