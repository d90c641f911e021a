"""The lint: what each rule finds, what its fixes make of it, and laws that hold for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.document.lint import (
    Divide,
    Enlist,
    Finding,
    Recast,
    Rewrite,
    Rule,
    Standards,
    cast_findings,
    findings,
    fixed,
)
from studio.document.project import Character, Line, LinePart, Project, Scene

STANDARDS = Standards(frozenset({"Mira"}), 600)


def line(text: str, who: str = "Mira") -> Line:
    return Line("x", (LinePart(who, text),))


def found(text: str, rule: Rule) -> list[Finding]:
    return [each for each in findings(line(text), STANDARDS) if each.rule is rule]


@pytest.mark.parametrize(
    ("rule", "text", "place", "after"),
    [
        (Rule.UNCLOSED, "Yes [sighs", "[", "Yes [sighs]"),
        (Rule.UNCLOSED, "Yes sighs] indeed.", "]", "Yes sighs indeed."),
        (Rule.NESTED, "A [b [c] d] e", "[b [c] d]", "A [b c d] e"),
        (Rule.EMPTY, "So [] it is.", "[]", "So it is."),
        (Rule.FULL_WIDTH, "【laugh】 Well then.", "【laugh】", "[laugh] Well then."),
        (Rule.S1, "(laugh) Well then.", "(laugh)", "[laugh] Well then."),
        (Rule.MANY, "[a] I [b] do [c] not [d] know.", "[d]", "[a] I [b] do [c] not know."),
        (Rule.PROSE, "[He was late.] Hello there.", "[He was late.]", "He was late. Hello there."),
        (Rule.PIPES, "<speaker:0> Hello there.", "<speaker:0>", "<|speaker:0|> Hello there."),
        (Rule.SPEAKER_INSIDE, "Hello <|speaker:1|> there.", "<|speaker:1|>", "Hello there."),
        (Rule.CONTROL, "Hello <|im_end|> there.", "<|im_end|>", "Hello there."),
        (Rule.DIGITS, "At 4:31, an engine.", "4:31", "At four thirty-one, an engine."),
        (Rule.DIGITS, "It was 1984.", "1984", "It was nineteen eighty-four."),
        (Rule.DIGITS, "It cost $4.50 then.", "$4.50", "It cost four dollars and fifty cents then."),
        (Rule.ADDRESS, "See https://a.b/c now.", "https://a.b/c", "See a dot b slash c now."),
        (Rule.MARKDOWN, "I **do** care.", "**do**", "I do care."),
        (Rule.EMOJI, "Fine 👍🏽 then.", "👍🏽", "Fine then."),
        (Rule.BLANKS, "Well    then.", "    ", "Well then."),
        (Rule.HIDDEN, "We\u200bll then.", "\u200b", "Well then."),
    ],
)
def test_finds_and_fixes(rule: Rule, text: str, place: str, after: str) -> None:
    (first, *_) = found(text, rule)
    assert text[first.start : first.stop] == place
    fix = first.fixes[0]
    assert isinstance(fix, Rewrite)
    assert fixed(text, fix) == after
    assert not found(after, rule)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Rule.ALONE, "[sighs]"),
        (Rule.SHORT, "Yes."),
        (Rule.SCRIPTS, "This is \u0440aper."),
        (Rule.DIGITS, "Room 12345678901234567890."),
    ],
)
def test_finds_what_only_the_writer_can_mend(rule: Rule, text: str) -> None:
    (only,) = found(text, rule)
    assert only.fixes == ()


@pytest.mark.parametrize(
    "text",
    [
        "Somebody has to wait for the boat.",
        "I told you [whispers sweetly] it was a secret.",
        "[laughing nervously] Only the people who asked. [sighs] Yes.",
        "Es ist schon spät, sagt Mira.",
        "我们还有时间。",
        "می\u200cخواهم بروم خانه",
        "It's 'fine' (really), isn't it?",
        "Her e-mail: never. Mr. Brown, e.g., stayed.",
    ],
)
def test_good_lines_are_left_alone(text: str) -> None:
    assert findings(line(text), STANDARDS) == ()


def test_a_line_too_long_is_offered_to_be_cut() -> None:
    (only,) = found("We have to go now. " * 60, Rule.LONG)
    assert only.fixes == (Divide(),)


def test_somebody_unknown_is_offered_to_the_cast() -> None:
    (only,) = [each for each in findings(line("Who are you then?", "Bo"), STANDARDS) if each.rule is Rule.UNKNOWN]
    assert only.fixes == (Enlist("Bo"),)


def test_a_name_like_one_in_the_cast_is_asked_about() -> None:
    (only,) = [each for each in findings(line("Who are you then?", "Mria"), STANDARDS) if each.rule is Rule.UNKNOWN]
    assert only.fixes == (Recast("Mria", "Mira"), Enlist("Mria"))


def test_two_characters_on_one_voice() -> None:
    cast = (Character("Mira", 0, "heart"), Character("Tom", 1, "heart"), Character("Bo", 2))
    project = Project(scenes=(Scene("", (line("Hello."), Line("y", (LinePart("Tom", "Hello."),)))),), cast=cast)
    (only,) = cast_findings(project)
    assert (only.rule, only.line_id) == (Rule.SHARED_VOICE, "y")
    assert cast_findings(project, frozenset({Rule.SHARED_VOICE})) == ()


def test_a_rule_can_be_switched_off() -> None:
    assert findings(line("It was 1984."), Standards(frozenset({"Mira"}), 600, frozenset({Rule.DIGITS}))) == ()


SCRAPS = st.sampled_from(
    ["[", "]", "【", "】", "(laugh)", "<speaker:1>", "<|speaker:1|>", "<|im_end|>", "4:31", "$3", "12%", "**", "*", "_"]
    + ["`", "https://a.b", "a@b.c", "👍", "word", "Word."]
    + ["\u200b", "\n", " ", "   ", "日本", "\u0440aper", "e\u0301", "\U0001f468\u200d\U0001f469", "\u202e"]
)
TEXTS = st.one_of(st.lists(SCRAPS, max_size=24).map("".join), st.text(max_size=60))


@given(TEXTS)
def test_places_and_fixes_lie_within_the_text(text: str) -> None:
    for each in findings(line(text), STANDARDS):
        assert 0 <= each.start <= each.stop <= len(text)
        for fix in each.fixes:
            if isinstance(fix, Rewrite):
                assert 0 <= fix.start <= fix.stop <= len(text)
                assert fixed(text, fix) != text


@given(TEXTS)
def test_rewriting_comes_to_an_end(text: str) -> None:
    for _ in range(200):
        rewrites = [fix for each in findings(line(text), STANDARDS) for fix in each.fixes if isinstance(fix, Rewrite)]
        if not rewrites:
            return
        text = fixed(text, rewrites[0])
    raise AssertionError(f"still {text!r}")
