"""What the lint's rules look for, as patterns; each runs in time linear in the text."""

from __future__ import annotations

import regex

BRACKET_OR_END = regex.compile(r"[\[\]\n]")
LIKELY_PHRASE = regex.compile(r"[\p{Ll}\p{Lo}]\S*+(?: \p{Ll}[\p{L}'’-]*+(?=[\s,.;:!?]|$)){0,3}?(?=[\s,.;:!?]|$)")
NESTED = regex.compile(r"\[[^\[\]\n]*+(?:\[[^\[\]\n]*+\][^\[\]\n]*+)++\]")
EMPTY = regex.compile(r"\[[^\[\]\n\p{L}\p{N}]*+\]")
FULL_WIDTH = regex.compile(r"[【［〔]([^【】［］〔〕\n]{1,120})[】］〕]")
SENTENCE_END = regex.compile(r"(?<=[.!?…])\s++|(?<=[。！？])")
PROSE = regex.compile(r"[.?!]\s*+$|[.?!,;:]\s++\p{L}|^\p{Lu}\p{Ll}++\s++\p{Ll}++\s|[\"“”]")
PIPES = regex.compile(r"<(?!\|)\s*+/?speaker\s*+[:=]?\s*+(\d{1,6})\s*+/?>|<\|?speaker:(\d{1,6})\|?(?=[^|>\d]|$)")
SPEAKER = regex.compile(r"<\|speaker:\d{1,6}\|>")
ADDRESS = regex.compile(
    r"\b(?:https?://|www\.)[^\s\]()>\"”]++(?<![.,;:!?])|\b[\w.+-]++@\w[\w-]*+(?:\.\w[\w-]*+)++"
    r"|\b\w[\w-]*+\.(?:com|org|net|io)\b"
)
ADDRESS_LIKELY = regex.compile(r"www\.|[@:.]\S")
DIGIT = regex.compile(r"\p{Nd}")
NUMBER = regex.compile(r"(?<![\p{L}\p{N}])[$€£]?\p{Nd}++(?:[.,:]\p{Nd}++)*+(?:st|nd|rd|th|%|\s?[ap]m\b)?")
MARKDOWN = regex.compile(
    r"\*\*([^*\n]++)\*\*|(?<![\p{L}\p{N}_])__([^_\n]++)__(?!\p{L})|(?<![*\w])\*(?![\s*])([^*\n]++)(?<!\s)\*(?![*\w])"
    r"|(?<!\w)_(?!\s)([^_\n]++)(?<!\s)_(?!\w)|`([^`\n]++)`|~~([^~\n]++)~~|\[([^\[\]\n]++)\]\([^()\s]++\)"
    r"|^(?:#{1,6}|[-*+]|>)[ \t]++(?=\S)",
    regex.M,
)
_PICTURE = r"\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f\u20e3]*+"
EMOJI = regex.compile(rf"(?:{_PICTURE}(?:\u200d{_PICTURE})*+|\p{{Regional_Indicator}}{{2}})++(?<![©®™‼⁉ℹ])")
BLANKS = regex.compile(r"[ \t\u00a0]*+\n(?:[ \t]*+\n)++|[ \t\u00a0]{3,}+")
# Joiners mean something in many scripts; these never do in words that are to be spoken.
HIDDEN = regex.compile(r"[\u200b\u2060\u00ad\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f]++")
UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Hangul}]")
MIXED_WORD = regex.compile(
    r"(?<!\w)(?=\w*+)(?=\w*?\p{Latin})(?=\w*?[\p{Cyrillic}\p{Greek}])[\p{Latin}\p{Cyrillic}\p{Greek}\p{M}]{2,}+"
)
_S1 = (
    "angry|sad|excited|surprised|satisfied|delighted|scared|worried|upset|nervous|frustrated|depressed|empathetic|embarrassed"
    "|disgusted|moved|proud|relaxed|grateful|confident|interested|curious|confused|joyful|disdainful|unhappy|anxious"
    "|hysterical|indifferent|impatient|guilty|scornful|panicked|furious|reluctant|keen|disapproving|negative|denying"
    "|astonished|serious|sarcastic|conciliative|comforting|sincere|sneering|hesitating|yielding|painful|awkward|amused"
    "|in a hurry tone|shouting|screaming|whispering|soft tone|laugh(?:ing|s)?|chuckl(?:e|es|ing)|sob(?:bing|s)?"
    "|crying loudly|sigh(?:ing|s)?|pant(?:ing|s)?|groan(?:ing|s)?|gasp(?:ing|s)?|cough(?:ing|s)?|yawn(?:ing|s)?"
    "|crowd laughing|background laughter|audience laughing|break|long-break|breath|pause"
)
S1 = regex.compile(rf"\(({_S1})\)", regex.I)


def spoken_address(address: str) -> str:
    """An address as one would say it."""
    bare = regex.sub(r"^(?:https?://)?(?:www\.)?", "", address).rstrip("/")
    said = bare.replace("@", " at ").replace(".", " dot ").replace("/", " slash ").replace("-", " dash ")
    return " ".join(said.replace("_", " underscore ").split())
