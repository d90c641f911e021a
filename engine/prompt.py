"""What the model reads before it speaks, as an array of columns.

Columns are int64 [1 + codebooks, positions]: row 0 token ids, the other rows the codes (0 at text positions). Every
text part is tokenised on its own, since BPE must not merge across parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.config import ModelConfig
from engine.errors import RequestError, TooLongError
from engine.request import Codes, Part, Prompt, PromptRow, Turn, Voice
from engine.tokenizer import Tokenizer

_WITHOUT_VOICE = "convert the provided text to speech"
_WITH_VOICES = "convert the provided text to speech reference to the following:\n\nText:\n"
_SPEECH = "\n\nSpeech:\n"


@dataclass(frozen=True, eq=False)
class Reading:
    """A prompt as it is read. `voices_stop` is the position after the system turn; `text` the positions [start, stop)
    of this line's text; `rows` are its parts in words, `turns_left_out` how many of the oldest turns did not fit."""

    columns: np.ndarray
    voices_stop: int
    text: tuple[int, int]
    rows: tuple[PromptRow, ...] = ()
    turns_left_out: int = 0


def written(parts: tuple[Part, ...]) -> str:
    """The line's text with its speaker numbers, as it stands in a user turn."""
    return "\n".join(part.text if part.speaker is None else f"<|speaker:{part.speaker}|>{part.text}" for part in parts)


def read(prompt: Prompt, room: int, tokenizer: Tokenizer, config: ModelConfig) -> Reading:
    """Read a prompt so that `room` frames still fit behind it, leaving out the oldest turns if need be.

    Raises TooLongError where even the line alone does not fit, RequestError where codes do not fit the checkpoint.
    """
    head, tail = _page_of_voices(prompt, tokenizer, config), _Page(tokenizer, config)
    start, stop = tail.ask(prompt.parts)
    left = config.max_seq_len - (head.length + tail.length + room)
    if left < 0:
        raise TooLongError(
            f"This line needs {config.max_seq_len - left} positions with its voices, and the model has "
            f"{config.max_seq_len}: shorten the line or the voices' clips.",
            config.max_seq_len - left,
            config.max_seq_len,
        )
    turns: list[_Page] = []  # from the latest on
    for turn in reversed(prompt.context):
        page = _page_of_turn(turn, tokenizer, config)
        if page.length > left:
            break
        left -= page.length
        turns.append(page)
    pages = [head, *reversed(turns), tail]
    before = sum(page.length for page in pages[:-1])
    return Reading(
        np.concatenate([piece for page in pages for piece in page.pieces], axis=1),
        head.length,
        (before + start, before + stop),
        tuple(row for page in pages for row in page.rows),
        len(prompt.context) - len(turns),
    )


def frame_columns(codes: Codes, config: ModelConfig) -> np.ndarray:
    """Codes [codebook, frame] as columns [1 + codebook, frame]; row 0 becomes the semantic token's id."""
    codes = np.asarray(codes, dtype=np.int64)
    if codes.ndim != 2 or codes.shape[0] != config.num_codebooks:
        raise RequestError(
            f"These codes are of shape {codes.shape}; this checkpoint has {config.num_codebooks} codebooks."
        )
    if codes.size and (
        codes.min() < 0 or codes[0].max() >= config.semantic_size or codes.max() >= config.codebook_size
    ):
        raise RequestError("These codes lie outside this checkpoint's codebooks: they come from another one.")
    return np.concatenate([codes[:1] + config.semantic_start, codes])


def _page_of_voices(prompt: Prompt, tokenizer: Tokenizer, config: ModelConfig) -> _Page:
    page = _Page(tokenizer, config)
    page.open("system")
    references = [reference for voice in prompt.voices for reference in voice.references]
    if references:
        page.text(_WITH_VOICES)
        page.text(_transcripts(prompt.voices))
        page.text(_SPEECH)
        for reference in references:
            page.codes(reference.codes)
    else:
        page.text(_WITHOUT_VOICE)
    page.close()
    return page


def _page_of_turn(turn: Turn, tokenizer: Tokenizer, config: ModelConfig) -> _Page:
    page = _Page(tokenizer, config)
    page.ask(turn.parts)
    page.codes(turn.codes)
    page.close()
    return page


class _Page:
    """Columns as they are written, part by part."""

    def __init__(self, tokenizer: Tokenizer, config: ModelConfig) -> None:
        self.pieces: list[np.ndarray] = []
        self.rows: list[PromptRow] = []
        self.length = 0
        self._role = ""
        self._tokenizer = tokenizer
        self._config = config

    def open(self, role: str, speaks: bool = False) -> None:
        self._role = role
        ids = [self._tokenizer.start, *self._tokenizer.encode(f"{role}\n")]
        self._put([*ids, self._tokenizer.voice] if speaks else ids)

    def ask(self, parts: tuple[Part, ...]) -> tuple[int, int]:
        """A user turn, and the beginning of what is spoken after it; where the text stands, [start, stop)."""
        self.open("user")
        start = self.length
        self.text(written(parts))
        stop = self.length
        self.close()
        self.open("assistant", speaks=True)
        return start, stop

    def text(self, text: str) -> None:
        ids = self._tokenizer.encode(text)
        self._put(ids)
        self.rows.append(PromptRow(self._role, text, 0, len(ids)))

    def codes(self, codes: Codes) -> None:
        columns = frame_columns(codes, self._config)
        self._add(columns)
        self.rows.append(PromptRow(self._role, "", columns.shape[1], columns.shape[1]))

    def close(self) -> None:
        self._put([self._tokenizer.end, *self._tokenizer.encode("\n")])

    def _put(self, ids: list[int]) -> None:
        columns = np.zeros((1 + self._config.num_codebooks, len(ids)), dtype=np.int64)
        columns[0] = ids
        self._add(columns)

    def _add(self, columns: np.ndarray) -> None:
        self.pieces.append(columns)
        self.length += columns.shape[1]


def _transcripts(voices: tuple[Voice, ...]) -> str:
    """All transcripts, one a line, each beginning with its speaker's number."""
    lines = []
    for number, voice in enumerate(voices):
        for reference in voice.references:
            numbered = reference.transcript.startswith("<|speaker:")
            lines.append(reference.transcript if numbered else f"<|speaker:{number}|>{reference.transcript}")
    return "\n".join(lines)
