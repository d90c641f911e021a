"""Text to token ids. Control tokens come from code alone: the user's text can never become one.

The user's text is tokenised with special tokens switched off, so `<|im_end|>` typed in a script is ten plain
characters. Where a tokenizer file lists its control tokens as ordinary added tokens, they are made special first.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tokenizers import Tokenizer as Vocabulary

from engine.config import ModelConfig, read_json
from engine.errors import CheckpointError

_CONTROL = re.compile(r"<\|(?!speaker:)[^|<>]*\|>")


class Tokenizer:
    """A checkpoint's tokenizer; `start`, `end` and `voice` are the ids of the control tokens a prompt is made with."""

    def __init__(self, folder: Path, config: ModelConfig) -> None:
        path = folder / "tokenizer.json"
        data = read_json(path)
        try:
            for token in data.get("added_tokens", ()):
                token["special"] = token["special"] or bool(_CONTROL.fullmatch(token["content"]))
            self._vocabulary = Vocabulary.from_str(json.dumps(data))
        except Exception as error:  # the library raises bare exceptions for every fault in the file
            raise CheckpointError(f"{path} is not a tokenizer file ({error}): download it again.", path) from error
        self._vocabulary.encode_special_tokens = True
        self.start = self._control(path, "<|im_start|>")
        self.end = self._control(path, "<|im_end|>")
        self.voice = self._control(path, "<|voice|>")
        if self.end != config.end_id:
            raise CheckpointError(
                f"{path} and config.json disagree: <|im_end|> is {self.end} in one and {config.end_id} in the other.",
                path,
            )

    def encode(self, text: str) -> list[int]:
        """Token ids of plain text, whatever it looks like; nothing is added."""
        return self._vocabulary.encode(text, add_special_tokens=False).ids

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """For each id of `encode(text)` the characters [start, stop) it stands for."""
        return self._vocabulary.encode(text, add_special_tokens=False).offsets

    def _control(self, path: Path, token: str) -> int:
        number = self._vocabulary.token_to_id(token)
        if number is None:
            raise CheckpointError(f"{path} lacks the control token {token}: it belongs to another model.", path)
        return number
