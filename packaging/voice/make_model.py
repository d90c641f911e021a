"""What the language model is made of: its config and its tokenizer, before any training.

python -m voice.make_model FOLDER      writes FOLDER/model/{config.json, tokenizer.json, tokenizer_config.json}
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from engine.codec_config import CONFIG_FILE
from voice.corpus import sentences
from voice.export import save_json
from voice.tags import TAGS
from voice.vocabulary import build

SLOW = {"n_layer": 6, "n_head": 4, "n_local_heads": 2, "head_dim": 48, "dim": 192, "intermediate_size": 512}
FAST = {"n_layer": 2, "n_head": 4, "n_local_heads": 2, "head_dim": 48, "dim": 192, "intermediate_size": 384}
PLAIN = {"attention_qkv_bias": False, "attention_o_bias": False}
PIECES_FROM = 8000  # sentences that the pieces of words are learned from


def make(folder: Path) -> None:
    quantizer = json.loads((folder / "codec" / CONFIG_FILE).read_text(encoding="utf-8"))["quantizer"]
    semantic = quantizer["semantic_codebook_size"]
    build(folder / "model", sentences(0, PIECES_FROM), TAGS, semantic)
    tokenizer = Tokenizer.from_file(str(folder / "model" / "tokenizer.json"))
    start = tokenizer.token_to_id("<|semantic:0|>")
    config: dict[str, Any] = {
        "model_type": "fish_qwen3_omni",
        "dtype": "bfloat16",
        "semantic_start_token_id": start,
        "semantic_end_token_id": start + semantic - 1,
        "eos_token_id": tokenizer.token_to_id("<|im_end|>"),
        "pad_token_id": tokenizer.token_to_id("<|pad|>"),
        "text_config": {
            "model_type": "fish_qwen3",
            "vocab_size": -(-tokenizer.get_vocab_size() // 8) * 8,
            **SLOW,
            "rope_base": 1000000,
            "norm_eps": 1e-06,
            "max_seq_len": 2048,
            "tie_word_embeddings": True,
            **PLAIN,
            "attention_qk_norm": True,
            "dropout": 0.0,
            "alignment_heads": [[1, 0], [3, 0]],
        },
        "audio_decoder_config": {
            "model_type": "fish_qwen3_audio_decoder",
            "vocab_size": max(semantic, quantizer["codebook_size"]),
            "num_codebooks": 1 + quantizer["n_codebooks"],
            **FAST,
            "rope_base": 1000000,
            "norm_eps": 1e-06,
            **PLAIN,
            "attention_qk_norm": False,
            "text_dim": SLOW["dim"],
            "tie_word_embeddings": False,
        },
    }
    save_json(config, folder / "model" / "config.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    make(parser.parse_args().folder)


if __name__ == "__main__":
    main()
