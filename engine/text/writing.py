"""How a script is written: tags, turns, words, and what must not enter."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from engine.request import Part

# A bracketed phrase longer than this is a remark in brackets, not a tag.
_LONGEST_TAG = 120

_TAG = regex.compile(rf"\[(?:(?!<\|)[^\[\]\n]){{1,{_LONGEST_TAG}}}+\]")
_SPEAKER = regex.compile(r"<\|speaker:0*([0-9]{1,6})\|>")
_LOOKALIKE = regex.compile(r"<\|[^<>|\s][^<>|\n]{0,63}\|>|<\|[ \t]*speaker\b(?:[ \t]*:)?(?:[ \t]*\d+)?[|>]?")
_LETTER = regex.compile(r"[\p{L}\p{N}]")

# Scripts that put no space between words: every character (with its marks) counts as a word of its own.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_TOKEN = regex.compile(
    rf"""
    (?P<tag>{_TAG.pattern})
    | (?P<word>
        [[\p{{L}}\p{{N}}]&&[{_UNSPACED}ー]]\p{{M}}*+
        | [[\p{{L}}\p{{N}}]--[{_UNSPACED}]]
          (?: [[\p{{L}}\p{{N}}\p{{M}}_]--[{_UNSPACED}]]
            | ['’\-](?=[[\p{{L}}\p{{N}}]--[{_UNSPACED}]])
            | (?<=\p{{N}})[.,:](?=\p{{N}})
          )*+
      )
    | (?P<space>\s++)
    | (?P<other>\X)
    """,
    regex.V1 | regex.VERBOSE,
)

_FORBIDDEN = regex.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]")
_LINE_ENDS = regex.compile("\r\n|[\r\x85\u2028\u2029]")
_SURROGATE = regex.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Tag:
    """A bracketed phrase at text[start:stop]; `phrase` is what stands between the brackets."""

    start: int
    stop: int
    phrase: str


@dataclass(frozen=True)
class Token:
    """The smallest stretch that text is compared by. `kind` is tag, word, space or other (one character shown)."""

    start: int
    stop: int
    kind: str


def tags(text: str) -> tuple[Tag, ...]:
    """The bracketed phrases with a word in them, unnested and on one line, in order."""
    return tuple(
        Tag(match.start(), match.end(), match[0][1:-1]) for match in _TAG.finditer(text) if _LETTER.search(match[0])
    )


def tokens(text: str) -> Iterator[Token]:
    """All of the text as tags, words, spaces and single other characters, without gaps."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind == "tag" and not _LETTER.search(match[0]):
            kind = "other"
        yield Token(match.start(), match.end(), kind)


def words(text: str) -> tuple[tuple[int, int], ...]:
    """Where the words outside tags stand; where a script writes no spaces, every character is one."""
    return tuple((token.start, token.stop) for token in tokens(text) if token.kind == "word")


def spoken(text: str) -> str:
    """The text without its tags; what is left moves together where a tag stood between two spaces."""
    pieces: list[str] = []
    last = 0
    for tag in tags(text):
        pieces.append(text[last : tag.start])
        last = tag.stop
        if text[last : last + 1].isspace() and (tag.start == 0 or text[tag.start - 1].isspace()):
            last += 1
    return "".join(pieces) + text[last:]


def has_words(text: str) -> bool:
    """Is there something to speak: a letter or digit of any script outside tags?"""
    before, bracket, _ = text.partition("[")
    return _LETTER.search(before) is not None or (bracket != "" and _LETTER.search(spoken(text)) is not None)


def turns(text: str) -> tuple[Part, ...]:
    """The text split at every `<|speaker:N|>`, whitespace kept; what stands before the first has speaker None.

    N has at most six digits besides leading zeros; anything else stays plain text.
    """
    parts: list[Part] = []
    speaker: int | None = None
    last = 0
    for match in _SPEAKER.finditer(text):
        if speaker is not None or match.start() > 0:
            parts.append(Part(speaker, text[last : match.start()]))
        speaker = int(match[1])
        last = match.end()
    if speaker is not None or text:
        parts.append(Part(speaker, text[last:]))
    return tuple(parts)


def written(part: Part) -> str:
    """The part as the model reads it, its speaker tag before it."""
    return part.text if part.speaker is None else f"<|speaker:{part.speaker}|>{part.text}"


def pack(parts: Iterable[Part], most_turns: int = 5, most_bytes: int = 512) -> tuple[tuple[Part, ...], ...]:
    """Turns in batches of at most so many turns and UTF-8 bytes; a turn is never cut, so a long one stands alone."""
    batches: list[tuple[Part, ...]] = []
    batch: list[Part] = []
    size = 0
    for part in parts:
        more = len(written(part).encode())
        if batch and (len(batch) >= most_turns or size + more > most_bytes):
            batches.append(tuple(batch))
            batch, size = [], 0
        batch.append(part)
        size += more
    if batch:
        batches.append(tuple(batch))
    return tuple(batches)


def control_lookalikes(text: str) -> tuple[tuple[int, int], ...]:
    """Where `<|...|>` stands that is no speaker tag, such as `<|im_end|>`, or one that was left open, such as
    `<|speaker:1>`: spoken as plain characters, hence shown."""
    return tuple(match.span() for match in _LOOKALIKE.finditer(text) if not _SPEAKER.fullmatch(match[0]))


def clean(text: str) -> str:
    """Text as it may enter: NFC, line ends as \\n, without byte order marks and control characters."""
    text = _SURROGATE.sub("\ufffd", text)
    text = _FORBIDDEN.sub("", _LINE_ENDS.sub("\n", text))
    return unicodedata.normalize("NFC", text)
