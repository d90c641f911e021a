"""The tokenizer: bytes, some four hundred frequent pieces of words, and what the prompt is made of as single tokens.

Text is lower-cased, so that a sentence's first letter is no other letter. The pieces are learned from the corpus by
byte pairs; in training some merges are left out by chance, so that rare spellings are read by their letters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from voice.export import save_json

PIECES = 400
CONTROL = ("<|endoftext|>", "<|pad|>", "<|im_start|>", "<|im_end|>", "<|text|>", "<|voice|>", "<|audio_pad|>")
PHRASES = (
    "system\n",
    "user\n",
    "assistant\n",
    "convert the provided text to speech",
    "convert the provided text to speech reference to the following:\n\nText:\n",
    "\n\nSpeech:\n",
    *(f"<|speaker:{number}|>" for number in range(8)),
)


def build(folder: Path, texts: Sequence[str], tags: Sequence[str], semantic: int) -> None:
    """Write tokenizer.json and tokenizer_config.json for so many semantic codes; each tag becomes one token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace("’", "'"), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=256 + PIECES, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in CONTROL])
    tokenizer.add_tokens([AddedToken(phrase, normalized=False) for phrase in PHRASES])
    tokenizer.add_tokens([AddedToken(tag, normalized=True) for tag in tags])
    codes = [AddedToken(f"<|semantic:{number}|>", normalized=False, special=True) for number in range(semantic)]
    tokenizer.add_special_tokens(codes)
    folder.mkdir(parents=True, exist_ok=True)
    save_json(json.loads(tokenizer.to_str()), folder / "tokenizer.json")
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "pad_token": "<|pad|>",
        "model_max_length": 2048,
        "clean_up_tokenization_spaces": False,
    }
    save_json(config, folder / "tokenizer_config.json")
