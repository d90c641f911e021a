"""How much memory it takes to load a checkpoint, beyond what the model itself takes afterwards.

    python packaging/bench_load.py [--shape s2-pro] [--precision bf16 int8] [--folder DIR]

A random checkpoint of the shape is written to a folder in two shards, tensor by tensor (s2-pro: 9.1 GB of disk), loaded
by a process of its own in each precision, and deleted. The peak is that of the whole process while it loads, without
what torch and its imports took before. It fails where that is more than the model, the largest tensor of a shard, and
1 GB. The processor must have memory for the model.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models

sys.path.insert(0, str(Path(__file__).parent.parent))

from engine.bench_measure import peak_memory
from engine.bench_shapes import SHAPES, random_tensor, shape
from engine.checkpoint import load, needed_bytes, published_name
from engine.config import MODEL_TYPE, ModelConfig, StackConfig
from engine.dual_ar import DualAR

SHARDS = 2
ROOM = 1 << 30  # bytes beside the largest tensor


def main() -> int:
    options = _options()
    if options.load is not None:
        print(json.dumps(_loaded(options.load, options.precision[0])))
        return 0
    if options.write is not None:
        write_checkpoint(options.write, shape(options.shape)[0])
        return 0
    folder = Path(tempfile.mkdtemp(prefix="retake-load-", dir=options.folder))
    try:
        _anew("--write", str(folder), "--shape", options.shape)
        largest = max(2 * each.numel() for each in _on_paper(shape(options.shape)[0]).parameters())
        within = [
            _told(json.loads(_anew("--load", str(folder), "--precision", each)), largest, each)
            for each in options.precision
        ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return int(not all(within))


def write_checkpoint(folder: Path, config: ModelConfig) -> None:
    """A random language model in the published layout; never more than one tensor of it is in memory."""
    parameters = {published_name(name): each.shape for name, each in _on_paper(config).named_parameters()}
    names = sorted(parameters)
    chance = torch.Generator().manual_seed(0)
    where: dict[str, str] = {}
    for number in range(SHARDS):
        path = folder / f"model-{number + 1:05}-of-{SHARDS:05}.safetensors"
        own = names[number * len(names) // SHARDS : (number + 1) * len(names) // SHARDS]
        where |= dict.fromkeys(own, path.name)
        header: dict[str, Any] = {}
        end = 0
        for name in own:
            begin, end = end, end + 2 * parameters[name].numel()
            header[name] = {"dtype": "BF16", "shape": list(parameters[name]), "data_offsets": [begin, end]}
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)  # so that numbers lie where they may be read from
        with path.open("wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for name in own:
                file.write(random_tensor(parameters[name], chance).view(torch.int16).numpy().data)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))
    (folder / "config.json").write_text(json.dumps(_as_published(config)))
    controls = {"<|im_end|>": config.end_id, "<|im_start|>": config.end_id - 1, "<|voice|>": config.end_id + 1}
    Tokenizer(models.WordLevel(controls, unk_token="<|voice|>")).save(str(folder / "tokenizer.json"))


def _loaded(folder: Path, precision: str) -> dict[str, float]:
    """Bytes of this process before and at its peak, bytes of the model, and the seconds it took."""
    cpu = torch.device("cpu")
    before, began = peak_memory(cpu), time.perf_counter()
    checkpoint = load(folder, "cpu", precision)
    seconds = time.perf_counter() - began
    model = needed_bytes(checkpoint.model, checkpoint.place)
    return {"before": before, "peak": peak_memory(cpu), "model": model, "seconds": seconds}


def _told(facts: dict[str, float], largest: int, precision: str) -> bool:
    beyond = facts["peak"] - facts["before"] - facts["model"]
    print(
        f"{precision}: the model takes {facts['model'] / 1e9:.2f} GB, loading it {beyond / 1e9:.2f} GB more "
        f"at its peak ({(largest + ROOM) / 1e9:.2f} GB are allowed), {facts['seconds']:.0f} s"
    )
    return beyond <= largest + ROOM


def _anew(*arguments: str) -> str:
    """What this program says in a process of its own."""
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def _on_paper(config: ModelConfig) -> DualAR:
    with torch.device("meta"):
        return DualAR(config)


def _as_published(config: ModelConfig) -> dict[str, Any]:
    """What a `config.json` says of a shape."""
    slow, fast = _stack(config.slow), _stack(config.fast)
    slow |= {"vocab_size": config.vocab_size, "max_seq_len": config.max_seq_len, "rope_base": config.slow.rope_base,
             "norm_eps": config.slow.norm_eps, "tie_word_embeddings": True}  # fmt: skip
    fast |= {"vocab_size": config.codebook_size, "num_codebooks": config.num_codebooks, "text_dim": config.slow.dim}
    ids = {"semantic_start_token_id": config.semantic_start, "semantic_end_token_id": config.semantic_end,
           "eos_token_id": config.end_id}  # fmt: skip
    return {"model_type": MODEL_TYPE, **ids, "text_config": slow, "audio_decoder_config": fast}


def _stack(stack: StackConfig) -> dict[str, Any]:
    sizes = ("n_layer", "n_head", "n_local_heads", "head_dim", "dim", "intermediate_size", "attention_qk_norm")
    return {name: getattr(stack, name) for name in sizes}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure what loading a checkpoint takes.")
    parser.add_argument("--shape", choices=SHAPES, default="s2-pro")
    parser.add_argument("--precision", nargs="+", default=["bf16", "int8"], metavar="NAME")
    parser.add_argument("--folder", type=Path, help="where there is room for the files")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--load", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
