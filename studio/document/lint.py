"""What would waste a take, found in the text of a line before it is spoken. Nothing here changes anything.

`findings` looks at one line at a time, so that an edit costs no more than the lines it touches; `cast_findings` looks
at the cast. Places are counted in characters of `Line.text`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import pairwise

from engine.text import control_lookalikes, expected_seconds, has_words, tags, words
from engine.text.cutting import LONGEST_SECONDS
from studio.document import lint_patterns as patterns
from studio.document.project import Line, Project
from studio.document.spelled import spelled


class Rule(enum.Enum):
    """What is looked for; the value is how it is called on screen, and in the preferences where it is switched off."""

    UNCLOSED = "Bracket without its partner"
    NESTED = "Brackets in brackets"
    EMPTY = "Empty brackets"
    FULL_WIDTH = "Full-width brackets"
    S1 = "Tags in round brackets"
    ALONE = "Tag without words"
    MANY = "More than three tags in a sentence"
    PROSE = "Prose in brackets"
    PIPES = "Speaker tag without pipes"
    SPEAKER_INSIDE = "Speaker tag inside a line"
    UNKNOWN = "Somebody who is not in the cast"
    CONTROL = "Looks like a control token"
    DIGITS = "Digits"
    ADDRESS = "Web address"
    MARKDOWN = "Markdown"
    EMOJI = "Emoji"
    BLANKS = "Runs of blanks"
    HIDDEN = "Characters that nobody sees"
    LONG = "Too long for one generation"
    SHORT = "Very short line"
    SHORT_PART = "Very short part in one pass"
    SCRIPTS = "Letters of two scripts in a word"
    SHARED_VOICE = "Two characters on one voice"
    SPELLING = "Spelling"


@dataclass(frozen=True)
class Rewrite:
    """[start, stop) of the line's text becomes `text`; `words` are the button's."""

    words: str
    start: int
    stop: int
    text: str


@dataclass(frozen=True)
class Divide:
    """The line becomes lines that fit into one generation each."""

    words: str = "Cut into lines"


@dataclass(frozen=True)
class Enlist:
    """Somebody of that name joins the cast."""

    name: str

    @property
    def words(self) -> str:
        return f"Add {self.name} to the cast"


@dataclass(frozen=True)
class Recast:
    """Who is called `name` is `to`, wherever the script says so."""

    name: str
    to: str

    @property
    def words(self) -> str:
        return f"It is {self.to}"


@dataclass(frozen=True)
class Learn:
    """The word is right, and shall be known from now on."""

    word: str

    @property
    def words(self) -> str:
        return f"Know “{self.word}”"


Fix = Rewrite | Divide | Enlist | Recast | Learn


@dataclass(frozen=True)
class Finding:
    """One place in a line where something may go wrong, why, and what could be done about it."""

    rule: Rule
    line_id: str
    start: int
    stop: int
    says: str
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class Standards:
    """What lines are measured by. `most_characters` is what the checkpoint speaks in one go, None where unknown."""

    names: frozenset[str] = frozenset()
    most_characters: int | None = None
    off: frozenset[Rule] = field(default_factory=frozenset)


def standards_of(project: Project, most_characters: int | None, off: frozenset[Rule] = frozenset()) -> Standards:
    return Standards(frozenset(character.name for character in project.cast), most_characters, off)


def findings(line: Line, standards: Standards) -> tuple[Finding, ...]:
    """What is found in a line, in the order of its text."""
    found = (
        Finding(rule, line.id, start, stop, says, fixes)
        for rule, look in _RULES
        if rule not in standards.off
        for start, stop, says, fixes in look(line, line.text, standards)
    )
    return tuple(sorted(found, key=lambda each: (each.start, each.stop)))


def cast_findings(project: Project, off: frozenset[Rule] = frozenset()) -> tuple[Finding, ...]:
    """Characters that sound alike; each stands at the first line that the later of the two speaks."""
    if Rule.SHARED_VOICE in off:
        return ()
    first_of: dict[str, str] = {}
    shared: dict[str, str] = {}
    for character in project.cast:
        if character.voice is not None:
            first = first_of.setdefault(character.voice, character.name)
            if first != character.name:
                says = f"{first} and {character.name} both speak with the voice {character.voice}."
                shared[character.name] = says
    found = []
    for line in project.lines() if shared else ():
        if line.character in shared:
            found.append(Finding(Rule.SHARED_VOICE, line.id, 0, 0, shared.pop(line.character)))
            if not shared:
                break
    return tuple(found)


_Found = Iterator[tuple[int, int, str, tuple[Fix, ...]]]
_Look = Callable[[Line, str, Standards], _Found]


def _brackets(_: Line, text: str, __: Standards) -> _Found:
    """Square brackets without their partner on the same row."""
    opened: list[int] = []
    for match in patterns.BRACKET_OR_END.finditer(text + "\n"):
        place = match.start()
        if match[0] == "[":
            opened.append(place)
        elif match[0] == "]":
            if opened:
                opened.pop()
            else:
                yield place, place + 1, "This bracket was never opened.", (_removed(place, place + 1),)
        else:
            for start in opened:
                yield start, start + 1, "This bracket is never closed, so the model reads it aloud.", (
                    _closing(text, start, place),
                    _removed(start, start + 1),
                )
            opened.clear()


def _closing(text: str, start: int, row_end: int) -> Rewrite:
    """Closes a bracket after the words that stand before the next mark or capital, at most four."""
    found = patterns.LIKELY_PHRASE.match(text, start + 1, row_end)
    stop = found.end() if found else row_end
    return Rewrite(f"Close it after “{text[start + 1 : stop]}”", stop, stop, "]")


def _nested(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.NESTED.finditer(text):
        flat = "[" + match[0].replace("[", "").replace("]", "") + "]"
        says = "Brackets within brackets are read aloud."
        yield *match.span(), says, (Rewrite(f"Make it {flat}", *match.span(), flat),)


def _empty(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.EMPTY.finditer(text):
        yield *match.span(), "There is nothing in these brackets.", (_removed(*match.span()),)


def _full_width(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.FULL_WIDTH.finditer(text) if not text.isascii() else ():
        yield *match.span(), "S2 reads tags in square brackets only.", (
            Rewrite(f"Make it [{match[1]}]", *match.span(), f"[{match[1]}]"),
        )


def _s1(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.S1.finditer(text):
        yield *match.span(), "S1 wrote tags in round brackets; S2 reads these words aloud.", (
            Rewrite(f"Make it [{match[1]}]", *match.span(), f"[{match[1]}]"),
        )


def _alone(_: Line, text: str, __: Standards) -> _Found:
    found = tags(text)
    if found and not has_words(text):
        yield found[0].start, found[-1].stop, "A tag without words after it often comes to nothing.", ()


def _many(_: Line, text: str, __: Standards) -> _Found:
    found = tags(text)
    if len(found) <= _MOST_TAGS:
        return
    ends = [match.end() for match in patterns.SENTENCE_END.finditer(text)]
    for start, stop in pairwise([0, *ends, len(text)]):
        inside = [tag for tag in found if start <= tag.start < stop]
        if len(inside) > _MOST_TAGS:
            extra = inside[_MOST_TAGS]
            yield extra.start, inside[-1].stop, "More than three tags in a sentence blur one another.", (
                _removed(extra.start, extra.stop),
            )


def _prose(_: Line, text: str, __: Standards) -> _Found:
    for tag in tags(text):
        if len(tag.phrase.split()) > _LONGEST_PHRASE or patterns.PROSE.search(tag.phrase):
            yield tag.start, tag.stop, "This looks like words to be spoken. In brackets they are a tag.", (
                Rewrite("Speak it", tag.start, tag.stop, tag.phrase),
            )


def _pipes(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.PIPES.finditer(text):
        right = f"<|speaker:{int(match[1])}|>"
        yield *match.span(), "Without its pipes a speaker tag is read aloud.", (
            Rewrite(f"Make it {right}", *match.span(), right),
            _removed(*match.span()),
        )


def _speaker_inside(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.SPEAKER.finditer(text):
        yield *match.span(), "The model takes this as another speaker, whoever is cast here.", (
            _removed(*match.span()),
        )


def _unknown(line: Line, text: str, standards: Standards) -> _Found:
    place = 0
    for part in line.parts:
        if part.text.strip() and part.character not in standards.names:
            if part.character:
                says = f"{part.character} is not in the cast, so this cannot be spoken."
                alike = tuple(Recast(part.character, name) for name in similar(part.character, standards.names))
                yield place, place, says, (*alike, Enlist(part.character))
            else:
                yield place, place, "Nobody is named here. Choose who speaks at the left.", ()
        place += len(part.text) + 1


def _control(_: Line, text: str, __: Standards) -> _Found:
    for start, stop in control_lookalikes(text):
        yield start, stop, "This is no command to the model: it is read aloud, sign by sign.", (_removed(start, stop),)


def _digits(_: Line, text: str, __: Standards) -> _Found:
    if not patterns.DIGIT.search(text):
        return
    addresses = [match.span() for match in patterns.ADDRESS.finditer(text)]
    quiet = [(tag.start, tag.stop) for tag in tags(text)] + addresses + list(control_lookalikes(text))
    quiet += [match.span() for match in (*patterns.PIPES.finditer(text), *patterns.SPEAKER.finditer(text))]
    for match in patterns.NUMBER.finditer(text):
        if any(start <= match.start() < stop for start, stop in quiet):
            continue
        said = spelled(match[0])
        fixes = (Rewrite(f"Write “{said}”", *match.span(), said),) if said else ()
        yield *match.span(), "Digits may be read in a way you do not mean. Words are safe.", fixes


def _address(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.ADDRESS.finditer(text) if patterns.ADDRESS_LIKELY.search(text) else ():
        said = patterns.spoken_address(match[0])
        yield *match.span(), "A web address is read sign by sign.", (
            Rewrite(f"Write “{said}”", *match.span(), said),
            _removed(*match.span()),
        )


def _markdown(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.MARKDOWN.finditer(text):
        bare = next((group for group in match.groups() if group is not None), "")
        yield *match.span(), "Markdown's signs may be read aloud.", (
            Rewrite(f"Make it “{bare.strip()}”" if bare.strip() else "Take it out", *match.span(), bare),
        )


def _emoji(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.EMOJI.finditer(text) if not text.isascii() else ():
        yield *match.span(), "The model cannot speak this.", (_removed(*match.span()),)


def _blanks(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.BLANKS.finditer(text):
        one = "\n" if "\n" in match[0] else " "
        yield *match.span(), "Runs of blanks make odd pauses.", (Rewrite("Make it one", *match.span(), one),)


def _hidden(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.HIDDEN.finditer(text) if not text.isascii() else ():
        yield *match.span(), f"An unseen character stands here (U+{ord(match[0][0]):04X}).", (_removed(*match.span()),)


def _long(line: Line, text: str, standards: Standards) -> _Found:
    most = standards.most_characters
    if (most is not None and len(text) > most) or (len(text) > 200 and expected_seconds(text) > LONGEST_SECONDS):
        says = "Too long for one generation: it will be cut at the ends of sentences when it is generated."
        start = words(text)[-1][0] if has_words(text) else 0
        yield start, len(text), says, (Divide(),) if most is not None and len(text) > most else ()


def _short(line: Line, text: str, _: Standards) -> _Found:
    if len(text) < 24 and has_words(text) and not patterns.UNSPACED.search(text):
        places = words(text)
        if len(places) == 1 and sum(stop - start for start, stop in places) <= _SHORTEST:
            yield *places[0], "Very short lines often come out as noise. Join it to the next one, or add a word.", ()


def _short_part(line: Line, _: str, __: Standards) -> _Found:
    place = 0
    several = len({part.character for part in line.parts}) > 1
    for part in line.parts if several else ():
        found = words(part.text)
        if 0 < len(found) < _LEAST_WORDS_OF_A_PART:
            says = "A voice that has so little to say in one pass often sounds like the one before it."
            yield place + found[0][0], place + found[-1][1], says, ()
        place += len(part.text) + 1


def _scripts(_: Line, text: str, __: Standards) -> _Found:
    for match in patterns.MIXED_WORD.finditer(text) if not text.isascii() else ():
        yield *match.span(), "This word has letters of two scripts that look alike, so it is read wrongly.", ()


def _removed(start: int, stop: int) -> Rewrite:
    return Rewrite("Take it out", start, stop, "")


_MOST_TAGS = 3
_LONGEST_PHRASE = 7
_SHORTEST = 4
_LEAST_WORDS_OF_A_PART = 3
_RULES: tuple[tuple[Rule, _Look], ...] = (
    (Rule.UNCLOSED, _brackets),
    (Rule.NESTED, _nested),
    (Rule.EMPTY, _empty),
    (Rule.FULL_WIDTH, _full_width),
    (Rule.S1, _s1),
    (Rule.ALONE, _alone),
    (Rule.MANY, _many),
    (Rule.PROSE, _prose),
    (Rule.PIPES, _pipes),
    (Rule.SPEAKER_INSIDE, _speaker_inside),
    (Rule.UNKNOWN, _unknown),
    (Rule.CONTROL, _control),
    (Rule.DIGITS, _digits),
    (Rule.ADDRESS, _address),
    (Rule.MARKDOWN, _markdown),
    (Rule.EMOJI, _emoji),
    (Rule.BLANKS, _blanks),
    (Rule.HIDDEN, _hidden),
    (Rule.LONG, _long),
    (Rule.SHORT, _short),
    (Rule.SHORT_PART, _short_part),
    (Rule.SCRIPTS, _scripts),
)


def similar(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Names that somebody may have meant who wrote `name`."""
    small = {each.casefold(): each for each in names}
    return tuple(small[each] for each in get_close_matches(name.casefold(), sorted(small), 2, 0.7))


def fixed(text: str, fix: Rewrite) -> str:
    """The line's text after a fix; where words are taken out, one of two spaces goes with them."""
    before, after = text[: fix.start], text[fix.stop :]
    if not fix.text and (not before or before[-1].isspace()) and after[:1].isspace():
        after = after[1:]
    return before + fix.text + after


