"""What the bench measures: how fast frames are drawn, how soon the first is heard, what it takes, and what there is.

Times are the best of several rounds, since other programs only ever add to them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import psutil
import torch
from torch import nn

from engine.bench_baseline import Baseline
from engine.codec import Codec
from engine.config import ModelConfig
from engine.dual_ar import DualAR
from engine.frames import begin
from engine.held import Held
from engine.request import Settings
from engine.speaking import Speaking
from engine.static_frame import StaticFrames

VOICE, TEXT = 240, 60  # positions of a prompt: frames of a reference, and words
FIRST = 3  # frames of the first chunk
ROUNDS = 3
BANDWIDTH_SIDE = 16384  # rows and columns of the fp32 matrix that the bus is measured with: 1 GB
SETTINGS = Settings()


@dataclass(frozen=True)
class Measured:
    """Seconds, of the best round each; `bytes_a_frame` counts what is read for a frame."""

    prefill: float
    first_sound: float
    frame: float
    encode_a_second: float
    decode_a_second: float
    bytes_a_frame: int


def bandwidth(device: torch.device) -> float:
    """Bytes a second that a matrix-vector product reads, best of five over a 1 GB fp32 matrix."""
    matrix = torch.ones(BANDWIDTH_SIDE, BANDWIDTH_SIDE, device=device)
    vector = torch.ones(BANDWIDTH_SIDE, device=device)
    return matrix.nbytes / best(lambda: torch.mv(matrix, vector), device, 5)


def best(work: Callable[[], object], device: torch.device, rounds: int = ROUNDS) -> float:
    """Seconds of the fastest of some rounds, after one that does not count."""
    seconds = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        seconds.append(time.perf_counter() - began)
    return min(seconds[1:])


def columns_of(config: ModelConfig, length: int, spoken: int, seed: int = 0) -> np.ndarray:
    """A prompt int64 [1 + K, length] whose first `spoken` positions are frames and the others text."""
    chance = np.random.default_rng(seed)
    columns = np.zeros((1 + config.num_codebooks, length), dtype=np.int64)
    codes = chance.integers(0, min(config.codebook_size, config.semantic_size), (config.num_codebooks, spoken))
    columns[0, spoken:] = chance.integers(0, config.semantic_start, length - spoken)
    columns[1:, :spoken] = codes
    columns[0, :spoken] = codes[0] + config.semantic_start
    return columns


def measure(model: DualAR, codec: Codec, batch: int, frames: int, statics: StaticFrames | None) -> Measured:
    """Measure the product's own path, `batch` rows at once over some frames, as graphs where `statics` capture them."""
    config, device = model.config, model.slow.stack.norm.weight.device
    prompt = columns_of(config, VOICE + TEXT, VOICE)
    room = prompt.shape[1] + frames + 1

    prefill = best(lambda: Held(0).recall(model, prompt, room), device)

    held = Held(1 << 40)
    held.hold(prompt[:, :VOICE], held.recall(model, prompt[:, :VOICE], VOICE).memory)

    def first_sound() -> None:
        recalled = held.recall(model, prompt, room)
        rows = begin(recalled.memory, recalled.hidden, np.zeros(0), [1], 0, SETTINGS)
        speaking = Speaking(model, rows, SETTINGS, statics)
        codes = np.concatenate([heard.codes for heard in speaking.frames(may_end=False, most=FIRST)])
        speaking.close()
        codec.step(codec.start(), torch.from_numpy(codes.T.astype(np.int64))).cpu()

    first = best(first_sound, device)

    frame = frame_seconds(model, held, prompt, batch, frames, statics)
    second = torch.zeros(codec.sample_rate)
    codes = torch.zeros(codec.codebooks, round(codec.sample_rate / codec.hop), dtype=torch.long)
    return Measured(
        prefill,
        first,
        frame,
        best(lambda: codec.encode(second), device),
        best(lambda: codec.step(codec.start(), codes), device),
        bytes_a_frame(model, batch, prompt.shape[1] + frames // 2),
    )


def frame_seconds(
    model: DualAR, held: Held, prompt: np.ndarray, batch: int, frames: int, statics: StaticFrames | None
) -> float:
    """Seconds that a frame of a batch takes."""
    room = prompt.shape[1] + frames + 1
    recalled = held.recall(model, prompt, room)

    def speak() -> None:
        memory = recalled.memory.taken([0] * batch, recalled.memory.lengths * batch, room)
        rows = begin(memory, recalled.hidden.expand(batch, -1), np.zeros(0), list(range(batch)), 0, SETTINGS)
        speaking = Speaking(model, rows, SETTINGS, statics)
        for _ in speaking.frames(may_end=False, most=frames):
            pass
        speaking.close()

    return best(speak, recalled.hidden.device) / frames


def measure_baseline(model: DualAR, frames: int) -> float:
    """Seconds a frame of the plain loop, after a few positions of text."""
    plain = Baseline(model, SETTINGS)
    device = model.slow.stack.norm.weight.device
    with torch.inference_mode():
        x = model.slow.embed(torch.from_numpy(columns_of(model.config, 1, 0)).to(device)[None])
        hidden = [plain.read(x, 0)]

        def speak() -> None:
            for position in range(1, frames + 1):
                hidden[0] = plain.draw(hidden[0], position)

        return best(speak, device) / frames


def bytes_a_frame(model: DualAR, batch: int, length: int) -> int:
    """What a frame must read: each layer of the slow AR once, of the fast AR once a pass, the head, and the keys and
    values of every row up to `length`."""
    passes = model.config.num_codebooks - 1
    slow = _nbytes(model.slow.stack) + model.slow.spoken_rows.nbytes
    fast = passes * (_nbytes(model.fast.stack) + _nbytes(model.fast.output))
    return slow + fast + model.slow.stack.bytes_of(batch, length)


def _nbytes(module: nn.Module) -> int:
    return sum(each.nbytes for each in module.parameters())


def peak_memory(device: torch.device) -> int:
    """The most bytes that were held so far: of the device, or of this process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    if sys.platform == "win32":
        return psutil.Process().memory_info().peak_wset
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
