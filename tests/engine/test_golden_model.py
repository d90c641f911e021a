"""Parity with what the public reference computes: prompts, codes, logits. RETAKE_GOLDENS may name another folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from engine.checkpoint import Checkpoint, load
from engine.frames import begin, draw_frame, read_frame
from engine.held import Held
from engine.prompt import read
from engine.request import Part, Prompt, Reference, Settings, Turn, Voice
from engine.sampling import ranked
from engine.transformer import rotary_table

CASES = ("plain", "tags", "clone", "two")


@pytest.fixture(scope="module")
def checkpoint(golden_folder: Path) -> Checkpoint:
    return load(golden_folder, "cpu", "fp32")


@pytest.fixture(scope="module")
def golden(golden_folder: Path) -> dict[str, np.ndarray]:
    return load_file(golden_folder / "golden_lm.safetensors")


@pytest.fixture(scope="module")
def told(golden_folder: Path) -> dict:
    return json.loads((golden_folder / "golden_lm.json").read_text("utf-8"))


def greedy(checkpoint: Checkpoint, columns: np.ndarray, frames: int, settings: Settings) -> np.ndarray:
    """Codes [K, n] of argmax decoding, until the end or so many frames."""
    recalled = Held(1 << 30).recall(checkpoint.model, columns.astype(np.int64), columns.shape[1] + frames)
    rows = begin(recalled.memory, recalled.hidden, np.zeros(0), [0], 0, settings)
    codes = []
    while len(codes) < frames:
        drawn = draw_frame(checkpoint.model, rows, settings, [True])
        if drawn.ended[0]:
            break
        codes.append(drawn.codes[0].numpy())
        read_frame(checkpoint.model, rows, drawn.codes)
    return np.stack(codes, axis=1)


@pytest.mark.parametrize("case", CASES)
def test_golden_prompts_and_codes(case: str, checkpoint: Checkpoint, golden: dict, told: dict) -> None:
    clips = enumerate(told[case].get("prompt_text", []))
    voices = tuple(Voice(str(i), (Reference(words, golden[f"ref{i + 1}"]),)) for i, words in clips)
    context: tuple[Turn, ...] = ()
    for batch, text in enumerate(told[case]["batch_text"]):
        prompt, sequence = golden[f"{case}.{batch}.prompt"], golden[f"{case}.{batch}.sequence"]
        spoken = sequence[1:, prompt.shape[1] :]
        reading = read(Prompt((Part(None, text),), voices, context), 24, checkpoint.tokenizer, checkpoint.config)
        assert np.array_equal(reading.columns, prompt)
        codes = greedy(checkpoint, prompt, spoken.shape[1], Settings(top_k=1))
        assert np.array_equal(codes, spoken[:, : codes.shape[1]])
        assert codes.shape[1] >= spoken.shape[1] - 1  # the last column may be the end
        context = (*context, Turn((Part(None, text),), spoken[:, :-1]))


def logits_of(checkpoint: Checkpoint, golden: dict) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Hidden states, slow logits over all rows, and fast logits of the clone's whole sequence."""
    columns = torch.from_numpy(golden["clone.0.sequence"].astype(np.int64))
    slow = checkpoint.model.slow
    hidden = slow(columns[None], slow.stack.memory(1, columns.shape[1]))[0]
    start = golden["clone.0.prompt"].shape[1]
    fast = checkpoint.model.fast.all(hidden[start - 1 : -1], columns[1:, start:].T)
    return hidden, hidden @ slow.embeddings.weight.T, fast


def test_golden_logits(checkpoint: Checkpoint, golden: dict) -> None:
    hidden, slow, fast = logits_of(checkpoint, golden)
    assert np.abs(hidden.numpy() - golden["clone.slow_hidden"]).max() < 1e-4
    assert np.abs(slow.numpy() - golden["clone.slow_logits"]).max() < 1e-4
    assert np.abs(fast.numpy() - golden["clone.fast_logits"]).max() < 1e-4


def test_golden_head_is_a_slice_of_the_table(checkpoint: Checkpoint, golden: dict) -> None:
    hidden, slow, _ = logits_of(checkpoint, golden)
    config = checkpoint.config
    head = checkpoint.model.slow.logits(hidden)
    assert torch.allclose(head[:, 1:], slow[:, config.semantic_start : config.semantic_end + 1], atol=1e-5)
    assert torch.allclose(head[:, 0], slow[:, config.end_id], atol=1e-5)


def test_golden_logits_need_the_rounded_rotary_tables(
    checkpoint: Checkpoint, golden: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exact fp32 tables, however good they look, are another model."""

    def exact(positions: int, head_dim: int, theta: float, device: torch.device) -> torch.Tensor:
        pairs = torch.arange(0, head_dim, 2, dtype=torch.float32, device=device)
        angles = torch.outer(torch.arange(positions, device=device).float(), 1.0 / theta ** (pairs / head_dim))
        return torch.stack([angles.cos(), angles.sin()], dim=-1)

    assert not torch.equal(exact(64, 16, 1e6, torch.device("cpu")), rotary_table(64, 16, 1e6))
    monkeypatch.setattr("engine.dual_ar.rotary_table", exact)
    for stack in (checkpoint.model.slow.stack, checkpoint.model.fast.stack):
        monkeypatch.setattr(stack, "_rotary", None)
    _, slow, _ = logits_of(checkpoint, golden)
    assert np.abs(slow.numpy() - golden["clone.slow_logits"]).max() > 1e-4


def test_golden_sampler(golden: dict) -> None:
    for logits, (temperature, top_p, top_k), wanted in zip(
        golden["sampler.logits"], golden["sampler.params"], golden["sampler.probs"], strict=True
    ):
        probabilities, indices = ranked(torch.from_numpy(logits)[None], float(temperature), float(top_p), int(top_k))
        ours = np.zeros_like(wanted)
        ours[indices[0].numpy()] = probabilities[0].numpy()
        assert np.abs(ours - wanted).max() < 1e-5


def test_golden_counts(checkpoint: Checkpoint, told: dict) -> None:
    assert sum(parameter.numel() for parameter in checkpoint.model.parameters()) == told["_config"]["params"]


@pytest.mark.parametrize("case", ["plain", "clone", "two"])
def test_golden_nano_model(case: str, golden_nano: Path) -> None:
    golden = load_file(golden_nano / "golden.safetensors")
    told = json.loads((golden_nano / "golden.json").read_text("utf-8"))[case]
    checkpoint = load(golden_nano, "cpu", "fp32")
    voices = tuple(
        Voice(clip, (Reference((golden_nano / f"voices/{clip}.txt").read_text("utf-8").strip(),
                                np.load(golden_nano / f"voices/{clip}.codes.npy")),))
        for clip in told["references"]
    )  # fmt: skip
    prompt = Prompt((Part(told["speaker"], told["text"]),), voices)
    reading = read(prompt, 48, checkpoint.tokenizer, checkpoint.config)
    assert np.array_equal(reading.columns, golden[f"{case}.prompt"])
    codes = greedy(checkpoint, reading.columns, 48, Settings(top_k=1, repetition_window=0))
    assert np.array_equal(codes, golden[f"{case}.codes"])
    recalled = Held(1 << 30).recall(checkpoint.model, reading.columns, reading.columns.shape[1])
    logits = recalled.hidden[0] @ checkpoint.model.slow.embeddings.weight.T
    assert np.abs(logits.numpy() - golden[f"{case}.first_logits"]).max() < 1e-4
